/* Where operands lie while the library works on them: LAY_TEST_PLACE in the environment.
 *
 *   (nothing)  in host memory, where they were made
 *   device     in device memory
 *   pinned     in pinned host memory, with LAY_BACKEND_CUDA: through the device
 *   mixed      each in pageable, pinned or device memory, with LAY_BACKEND_CUDA
 *
 * A copy goes there and comes back with all of its gaps, so that what a judge says of an operand, it says of
 * the copy. */
#ifndef LAY_TESTS_THERE_H
#define LAY_TESTS_THERE_H

#include <stddef.h>

#include "layoutgemm.h"

/* 1 when operands can be in the place asked for. 0 after a line of TAP that says why all tests are skipped. */
int there_exists(void);

/* 1 when products may run on a device, whose sums over k are not cut in the CPU's blocks. */
int there_is_elsewhere(void);

/* 0 where operands pass through a device, which 16-bit types do not. */
int there_takes_halves(void);

/* An operand's storage, and the address that calls take: of something in it, or of what lies near it. */
typedef struct there_block {
    char *memory;
    size_t bytes;
    void **zero;
} there_block;
enum { THERE_MOST = 4 };

/* Between the two each zero is an address in the copy, and the backend that of the place. mix: which of the mixes it
 * is. */
void there_send(int count, const there_block of[], unsigned mix, lay_options *options);
void there_fetch(void);

#endif
