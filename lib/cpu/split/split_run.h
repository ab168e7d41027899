/* A planned split product on the CPU. */
#ifndef LAY_CPU_SPLIT_RUN_H
#define LAY_CPU_SPLIT_RUN_H

#include "cpu/job.h"

/* As a way's run, with the problem's job. Cannot fail. 1 when limbs were multiplied, 0 when every element
 * was the plain kernel's. */
int lay_cpu_split_run(const lay_problem *problem, const lay_job *job, const lay_call *call, void *workspace);

#endif
