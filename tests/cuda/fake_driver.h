/* A driver to stand in for CUDA's, as a libcuda.so.1: it knows one segment of memory, and counts questions. */
#ifndef LAY_TESTS_CUDA_FAKE_DRIVER_H
#define LAY_TESTS_CUDA_FAKE_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef struct fake_state {
    uintptr_t first; /* of the memory of device 0; all else is the host's, pageable */
    size_t bytes;
    _Atomic long asked;
} fake_state;

extern fake_state fake_driver; /* by dlsym */

#endif
