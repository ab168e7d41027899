/* The CPU's executor of 16-bit types: pieces of A and B widened to FP32, multiplied as FP32 is, and C rounded once. */
#ifndef LAY_CPU_NARROW_H
#define LAY_CPU_NARROW_H

#include "plan/executor.h"

extern const lay_executor lay_executor_narrow_cpu;

#endif
