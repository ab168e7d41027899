/* What moves between places in a product, by what each of them has: counts, not elements. */
#ifndef LAY_TEAM_VOLUME_H
#define LAY_TEAM_VOLUME_H

#include <stdint.h>

#include "layoutgemm.h"

/* Indices of a place: rows and steps of A, steps and columns of B, rows and columns of C; and those that two of them
 * have in common. 0 where it has nothing. */
typedef struct lay_share {
    int64_t a_rows, a_steps, b_steps, b_columns, c_rows, c_columns;
    int64_t rows_ac, columns_bc, steps_ab;
} lay_share;

/* Which operand stays where it is; the others come to it or, of C, go from it as partial sums. */
typedef enum lay_stays { LAY_STAYS_C, LAY_STAYS_A, LAY_STAYS_B } lay_stays;

/* Elements that a place takes from others, by operand (A, B, C). Of partial sums of C those that it sends. */
typedef struct lay_volume {
    int64_t of[3];
} lay_volume;

lay_volume lay_volume_of(const lay_share *share, int64_t m, int64_t n, int64_t k, lay_stays stays);

/* Elements that a place of p must have at hand in its products at least, those that lie there among them.
 * lay_volume_least: whatever it remembers. 3 (mnk/p)^(2/3), by Irony, Toledo and Tiskin, "Communication lower bounds
 * for distributed-memory matrix multiplication" (2004); its constant, and what long sides make of it, by Al Daas and
 * others, "Tight memory-independent parallel matrix multiplication communication lower bounds" (2022).
 * lay_volume_least_whole_k: of A and B alone, where it computes one p-th of C and all of k: 2 mnk/(p sqrt(S)) with
 * S = mn/p, the bound of Kwasniewski and others (2019) for a memory of its part of C. */
double lay_volume_least(double m, double n, double k, double places);
double lay_volume_least_whole_k(double m, double n, double k, double places);

#endif
