/* What the CPU's ways cost: one model, from the rates of the machine (machine/rates.h). */
#ifndef LAY_CPU_COST_COST_H
#define LAY_CPU_COST_COST_H

#include "cpu/job.h"
#include "machine/machine.h"
#include "plan/problem.h"
#include "plan/way.h"

/* Predicted seconds of a job whose blocks and threads are chosen. What they have to get right is the order of ways. */
double lay_cost_packed(const lay_problem *problem, const lay_job *job, const lay_machine *machine);
double lay_cost_in_place(const lay_problem *problem, const lay_job *job, const lay_machine *machine);
double lay_cost_swept(const lay_problem *problem, const lay_job *job, const lay_machine *machine);
double lay_cost_vector(const lay_problem *problem, const lay_job *job, const lay_machine *machine);

/* Whether left is more than the third cache keeps, so that each task of columns fetches it anew. */
int lay_cost_is_left_in_memory(const lay_problem *problem, const lay_machine *machine);

/* Whether blocks of left's rows that threads go through, each in its own time, are more than the third cache keeps for
 * all (bench/LOG.md, 156). */
int lay_cost_is_left_beyond(const lay_problem *problem, const lay_blocked *blocks, int threads,
                            const lay_machine *machine);

/* Seconds that no way takes less than, by all threads that the setting has. */
double lay_cost_least(const lay_problem *problem, const lay_setting *setting);

/* Multiply-adds of a kernel a second, at most, in elements of C times steps. */
double lay_cost_peak(const lay_kernel *kernel, const lay_machine *machine);

#endif
