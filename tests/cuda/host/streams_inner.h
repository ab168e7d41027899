/* What streams and the devices' driver have in common. */
#ifndef LAY_TESTS_CUDA_STREAMS_INNER_H
#define LAY_TESTS_CUDA_STREAMS_INNER_H

#include "streams.h"

extern int streams_current; /* device */

/* Counts a call: whether it is the one that fails. And CUDA's error then. */
int streams_fail(void);
int streams_error(void);

/* Bytes of all devices' memory that are taken. */
size_t streams_held(void);

#endif
