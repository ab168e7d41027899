/* A build without code for compute capability 9.0: no kernels for 16-bit types, and none that split operands. */
#include "cuda_narrow.h"
#include "cuda_split.h"

static const lay_narrow_row none[] = { { .name = NULL } };
const lay_narrow_row *const lay_narrow_rows[] = { none, none, none };
const void *const lay_narrow_pack[LAY_NARROW_PACKS];

const lay_cuda_split_row lay_cuda_split_rows[] = { { .name = NULL } };
const void *const lay_cuda_split_transposed[] = { NULL };
const void *const lay_cuda_split_prepare = NULL, *const lay_cuda_split_widen = NULL, *const lay_cuda_split_add = NULL,
                  *const lay_cuda_split_patch = NULL;
