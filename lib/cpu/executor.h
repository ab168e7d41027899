/* The CPU's row of the executor table. */
#ifndef LAY_CPU_EXECUTOR_H
#define LAY_CPU_EXECUTOR_H

#include "plan/executor.h"

extern const lay_executor lay_executor_cpu;

#endif
