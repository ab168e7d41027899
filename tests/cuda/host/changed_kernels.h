/* The kernels of kernels/cuda/copy/change.cuh on the host, their threads one after another. */
#ifndef LAY_TESTS_CUDA_CHANGED_KERNELS_H
#define LAY_TESTS_CUDA_CHANGED_KERNELS_H

#include "cuda_copy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A launch: function is one of lay_cuda_changed_lines and lay_cuda_changed_tiles, tables lie in host memory. 0: it is
 * none of them, or asks for more shared memory than a block has. */
int changed_launch(const void *function, int64_t blocks, int shared, const lay_cuda_copy_args *args);

/* Whether each kernel has had a block by now. */
int changed_have_all_run(void);

#ifdef __cplusplus
}
#endif

#endif
