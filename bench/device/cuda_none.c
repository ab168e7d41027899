/* A build without CUDA. */
#include "cuda_part.h"

const cuda_part *const cuda_of_tool = NULL;
