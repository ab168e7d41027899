/* A build without code for compute capability 9.0: no kernels that split operands. */
#include "cuda_split.h"

const lay_cuda_split_row lay_cuda_split_rows[] = { { .name = NULL } };
const void *const lay_cuda_split_turned[] = { NULL };
const void *const lay_cuda_split_prepare = NULL, *const lay_cuda_split_widen = NULL, *const lay_cuda_split_add = NULL,
                  *const lay_cuda_split_patch = NULL;
