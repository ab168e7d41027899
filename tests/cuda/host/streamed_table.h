/* The ways that products have whose operands pass through the devices of streams.h. */
#ifndef LAY_TESTS_CUDA_STREAMED_TABLE_H
#define LAY_TESTS_CUDA_STREAMED_TABLE_H

#include "plan/way.h"

extern const lay_table streamed_table;

#endif
