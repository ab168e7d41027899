/* What the CPU's ways of multiplying operands as they are have in common: who may, with which kernel, and the run. */
#ifndef LAY_CPU_STRICT_H
#define LAY_CPU_STRICT_H

#include "cpu/job.h"
#include "cpu/part.h"
#include "plan/way.h"

/* Fills job, and the lay_blocked that is its data, for one kernel and at most setting's threads. NULL, or why there is
 * no such job, as a phrase. */
typedef const char *lay_choose_fn(const lay_problem *problem, const lay_setting *setting, const lay_kernel *kernel,
                                  lay_job *job);

/* A way's prepare: the cheapest kernel. */
const char *lay_strict_prepare(lay_branch *branch, lay_choose_fn *choose);

/* NULL, or why a product of another order of steps is not for ways that take whole blocks of k: an order by partial
 * sums, or by slices that are to be cut first. */
const char *lay_strict_refuse_sum(const lay_problem *problem, const lay_setting *setting);

/* A way's run, of all steps of k. */
lay_status lay_strict_run(lay_branch *branch, const lay_call *call);

/* A workspace of the job's size: the call's, else small (NULL, or LAY_SMALL_WORKSPACE bytes, 64-byte aligned) where
 * that does, else one that is to be given back. NULL with LAY_ERR_MEMORY set. */
enum { LAY_SMALL_WORKSPACE = 8192 };
void *lay_strict_take_workspace(const lay_branch *branch, const lay_call *call, void *small);
void lay_strict_give_workspace(const lay_call *call, void *small, void *workspace);

/* Threads that are worth having for so many threads' share of work, of the setting's; or as tuning or the options say.
 */
int lay_strict_busy(const lay_setting *setting, double share);

/* Parts of the rows and the columns that left and right have, as options.grid_m and grid_n ask for; 0: they do not. */
typedef struct lay_parts {
    int64_t m, n;
} lay_parts;
lay_parts lay_strict_parts(const lay_problem *problem, const lay_setting *setting);

/* *size as tuning says, in units of which most has room for so many; else it stays. NULL, or why not, as a phrase. */
const char *lay_strict_size(const lay_setting *setting, lay_tunable which, int64_t unit, int64_t most, int64_t *size);

/* NULL, or why a job of tuning or of a grid that options ask for may not be, as a phrase. */
const char *lay_strict_check_workspace(const lay_setting *setting, const lay_job *job);

/* A way's tell: its kernel and threads. */
enum { LAY_STRICT_TUNES = LAY_TUNES_KERNEL | 1 << LAY_TUNE_THREADS };
void lay_strict_tell(const lay_branch *branch, lay_step *step);

/* The plain kernel of the highest level up to isa, for lines that others leave; NULL where skip (options.skip) has them
 * all. */
const lay_kernel *lay_strict_find_plain(lay_type type, lay_isa isa, const char *skip);

/* The end of a way's explanation: tasks, threads, and the kernels that were considered. */
void lay_strict_explain(const lay_branch *branch, lay_choose_fn *choose, lay_text *text);

/* How an operand's panels are packed, and C written. */
void lay_strict_explain_packing(lay_text *text, const char *name, const lay_axis *across, const lay_axis *along,
                                int width, int64_t steps, const char *when);
void lay_strict_explain_result(lay_text *text, const lay_problem *problem, int is_direct);

#endif
