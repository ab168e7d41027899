/* Seconds of C: its tiles, once a block of k. */
#ifndef LAY_CPU_COST_RESULT_H
#define LAY_CPU_COST_RESULT_H

#include "kernel.h"
#include "machine/machine.h"
#include "plan/problem.h"

/* The share of C that packed panels' tiles write through a buffer: all of it, or of segments longer than a tile those
 * tiles that have a boundary in them. */
double lay_cost_staged_share(const lay_problem *problem, const lay_kernel *kernel);

/* C's tiles, once a block of k. Where one tile follows another across C's lines, lines come and go in parts. */
double lay_cost_update(const lay_problem *problem, const lay_kernel *kernel, const lay_machine *machine, double staged,
                       int is_along_n, double passes);

/* More of it, where tiles go down rows that lie in pages of their own, and kernels do not ask for C ahead. */
double lay_cost_unasked(const lay_problem *problem, const lay_kernel *kernel, const lay_machine *machine,
                        double passes);

#endif
