/* Every executor of this build, the CPU's last: it takes all that no device is to have. */
#include "cpu/executor.h"
#include "cpu/narrow.h"
#include "cpu/split.h"
#include "cuda/executor.h"
#include "cuda/narrow.h"
#include "cuda/split.h"
#include "cuda/stream.h"
#include "plan/executor.h"

const lay_executor *const lay_executors[] = { &lay_executor_split,  &lay_executor_narrow,    &lay_executor_cuda,
                                              &lay_executor_stream, &lay_executor_cpu_split, &lay_executor_narrow_cpu,
                                              &lay_executor_cpu };
const int lay_executor_count = sizeof lay_executors / sizeof lay_executors[0];
