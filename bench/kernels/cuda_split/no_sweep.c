/* The bench as it is built by default has the table's rows alone: the others take nvcc minutes. */
#include "cuda_split.h"

const lay_cuda_kernel lay_cuda_split_sweep[] = { { .name = NULL } };
