/* Every executor of this build. */
#include "cpu/executor.h"
#include "cuda/executor.h"
#include "plan/executor.h"

const lay_executor *const lay_executors[] = { &lay_executor_cpu, &lay_executor_cuda };
const int lay_executor_count = sizeof lay_executors / sizeof lay_executors[0];
