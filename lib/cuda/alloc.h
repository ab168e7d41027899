/* Blocks of the memory kinds that CUDA gives: page-locked host memory, and that of the current device. Both are
 * LAY_ERR_UNSUPPORTED, with the reason, where there is no driver, no device or no CUDA part. */
#ifndef LAY_CUDA_ALLOC_H
#define LAY_CUDA_ALLOC_H

#include "storage/alloc.h"

extern const lay_block_source lay_block_pinned, lay_block_device;

#endif
