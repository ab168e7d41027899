/* What streams and the devices' driver have in common. */
#ifndef LAY_TESTS_CUDA_STREAMS_INNER_H
#define LAY_TESTS_CUDA_STREAMS_INNER_H

#include "storage/copy.h"
#include "streams.h"

extern int streams_current; /* device */

/* Counts a call: whether it is the one that fails. And CUDA's error then. */
int streams_fail(void);
int streams_error(void);

/* The driver's copy within a device. */
lay_status streams_copy(const lay_copy_job *job, int device, void *stream);

/* Bytes of all devices' memory that are taken. */
size_t streams_held(void);

#endif
