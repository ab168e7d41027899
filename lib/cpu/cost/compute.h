/* Seconds of multiply-adds: what extents are cut in, and the steps of all tiles. */
#ifndef LAY_CPU_COST_COMPUTE_H
#define LAY_CPU_COST_COMPUTE_H

#include "cpu/job.h"
#include "kernel.h"
#include "machine/machine.h"
#include "plan/problem.h"

/* Cycles a second. */
double lay_cost_clock(const lay_machine *machine);

/* Multiply-adds a cycle, of packed panels or of operands as they lie. */
double lay_cost_width(const lay_kernel *kernel, int is_strided);

/* Whether a register is a whole line. */
int lay_cost_is_wide(const lay_kernel *kernel);

/* An extent cut in panels, between boundaries run apart: their number, and how much of one they have on average. */
typedef struct lay_cut_panels {
    double count, mean;
} lay_cut_panels;

/* mean: of rows. */
lay_cut_panels lay_cost_rows(int64_t extent, int64_t run, int width);
/* mean: of registers. */
lay_cut_panels lay_cost_columns(int64_t extent, int64_t run, const lay_kernel *kernel);

/* Cycles of a tile's step. */
double lay_cost_step(const lay_kernel *kernel, int is_strided, double rows, double registers);

/* Seconds of k steps of all tiles. */
double lay_cost_multiply(const lay_kernel *kernel, int is_strided, const lay_machine *machine, lay_cut_panels rows,
                         lay_cut_panels columns, double k);

/* Blocks of k. */
double lay_cost_passes(const lay_problem *problem, const lay_blocked *blocks);

#endif
