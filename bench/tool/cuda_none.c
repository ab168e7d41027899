/* A build without CUDA. */
#include "bench/device/cuda_part.h"

const cuda_part *const cuda_of_tool = NULL;
