/* What moves between places in a product, by what each of them has: counts, not elements. */
#ifndef LAY_TEAM_VOLUME_H
#define LAY_TEAM_VOLUME_H

#include <stdint.h>

#include "layoutgemm.h"

/* Indices of a place: rows and steps of A, steps and columns of B, rows and columns of C; and those that two of them
 * have in common. 0 where it has nothing. Of a batch also how many of its products; of one product 1, or 0. */
typedef struct lay_share {
    int64_t a_rows, a_steps, b_steps, b_columns, c_rows, c_columns;
    int64_t rows_ac, columns_bc, steps_ab;
    int64_t a_batch, b_batch, c_batch, batch_ac, batch_bc, batch_ab;
} lay_share;

/* Which operand stays where it is; the others come to it or, of C, go from it as partial sums. */
typedef enum lay_stays { LAY_STAYS_C, LAY_STAYS_A, LAY_STAYS_B } lay_stays;

/* Elements that a place takes from others, by operand (A, B, C). Of partial sums of C those that it sends. */
typedef struct lay_volume {
    int64_t of[3];
} lay_volume;

lay_volume lay_volume_of(const lay_share *share, int64_t m, int64_t n, int64_t k, lay_stays stays);

/* Elements that a place holds of A, B and C. */
static inline int64_t lay_share_a(const lay_share *of)
{
    return of->a_batch * of->a_rows * of->a_steps;
}
static inline int64_t lay_share_b(const lay_share *of)
{
    return of->b_batch * of->b_steps * of->b_columns;
}
static inline int64_t lay_share_c(const lay_share *of)
{
    return of->c_batch * of->c_rows * of->c_columns;
}

/* Elements that a place of p must have at hand in its products at least, those that lie there among them.
 * lay_volume_least: whatever it remembers. 3 (mnk/p)^(2/3), by Irony, Toledo and Tiskin, "Communication lower bounds
 * for distributed-memory matrix multiplication" (2004); its constant, and what long sides make of it, by Al Daas and
 * others, "Tight memory-independent parallel matrix multiplication communication lower bounds" (2022).
 * lay_volume_least_whole_k: of A and B alone, where it computes one p-th of C and all of k: 2 mnk/(p sqrt(S)) with
 * S = mn/p, the bound of Kwasniewski and others (2019) for a memory of its part of C.
 * Of a batch: products have no elements in common and a part of one costs less than its share of the whole, so the
 * least is that of as many whole products as a place's share has, and the rest of one more. */
double lay_volume_least(double batch, double m, double n, double k, double places);
double lay_volume_least_whole_k(double batch, double m, double n, double k, double places);

#endif
