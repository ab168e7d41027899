/* What the two benches of --devices share: the list, sizes, and matrices of random numbers. */
#ifndef DEVICES_H
#define DEVICES_H

#include <stdint.h>

#include "bench/base/args.h"
#include "layoutgemm.h"

enum { DEVICES_MOST = 64, DEVICES_SIZES = 16 };

/* Each 0, or the exit status after a sentence. */

/* Devices by number, and LAY_DEVICE_HOST (layoutgemm_team.h). */
int devices_read(const args *given, int list[DEVICES_MOST], int *count);

/* The words: sizes of square matrices, 4096 and 16384 where there are none. */
int devices_read_sizes(const args *given, int64_t sizes[DEVICES_SIZES], int *count);

/* What A and B repeat, the caller's to free. */
int devices_make_sample(lay_type type, void **sample);

/* A (0) or B (1), so many elements one behind the other. */
void devices_fill(lay_type type, const void *sample, int number, int64_t elements, void *to);

#endif
