/* A stand-in for a device: its memory is the CPU's, which may not touch it but in what the device does, and its copies
 * are the kernels' own text (changed_kernels.h). */
#ifndef LAY_TESTS_CUDA_STAND_IN_H
#define LAY_TESTS_CUDA_STAND_IN_H

#include <stddef.h>

#include "layoutgemm.h"

/* From the one to the other it is the one device there is. 0, or not where there is no memory for it. */
int stand_in_make(void);
int stand_in_drop(void);

/* Between the two it is not there, and all memory is the CPU's. */
void stand_in_hide(void);
void stand_in_show(void);

/* Between the two its memory may be touched. */
void stand_in_begin(void);
void stand_in_end(void);

/* As a driver has it; all is given back at once. */
lay_status stand_in_take(int device, size_t bytes, void *stream, void **block);
void stand_in_clear(void);

/* Calls of it until one fails; negative: none does. */
extern long stand_in_calls_left;
int stand_in_fails(void);

#endif
