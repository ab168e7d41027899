/* Where the operands of trials lie while the library works on them: LAY_TEST_PLACE in the environment.
 *
 *   (nothing)  in host memory, where they were made
 *   device     in device memory
 *   pinned     in pinned host memory, with LAY_BACKEND_CUDA: through the device
 *   mixed      each in pageable, pinned or device memory, with LAY_BACKEND_CUDA
 *
 * A copy goes there and comes back with all of its gaps, so that what the oracle says of an operand, it says of
 * the copy. */
#ifndef LAY_TESTS_PRODUCT_THERE_H
#define LAY_TESTS_PRODUCT_THERE_H

#include "trial.h"

/* 1 when trials can run in the place asked for. 0 after a line of TAP that says why all tests are skipped. */
int there_exists(void);

/* 1 when products may run on a device, whose sums over k are not cut in the CPU's blocks. */
int there_is_elsewhere(void);

/* 0 where operands pass through a device, which 16-bit types do not. */
int there_takes_halves(void);

/* Between the two the operands' zero is an address in the copies, and the backend that of the place. */
void there_send(trial *t);
void there_fetch(trial *t);

#endif
