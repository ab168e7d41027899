/* A build without CUDA knows host memory only. */
#include "model_place.h"

const model_place *const model_device = NULL;
