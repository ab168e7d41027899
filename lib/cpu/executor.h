/* The CPU's row of the executor table. */
#ifndef LAY_CPU_EXECUTOR_H
#define LAY_CPU_EXECUTOR_H

#include "plan/executor.h"

extern const lay_executor lay_executor_cpu;

/* lay_executor_cpu's multiply in a workspace that the caller has: way->job.workspace bytes, 64-byte aligned, for this
 * call alone. Cannot fail. */
void lay_cpu_multiply(lay_way *way, const lay_call *call, void *workspace);

#endif
