/* Lines of sums and what becomes of them: scales, a bias, an activation. Planner and kernels share this header.
 *
 * Lines are contiguous, aligned as their elements, and count >= 0 elements long. by has one element for each of the
 * line (step 1) or one for all (step 0), and is clear of it. Every operation is rounded by itself, to nearest, ties to
 * even: the same bits at every level. */
#ifndef LAY_KERNELS_CPU_ENDING_H
#define LAY_KERNELS_CPU_ENDING_H

#include <stdint.h>

#include "layoutgemm.h"

typedef void lay_ending_by_fn(void *line, int64_t count, const void *by, int64_t step);

/* limits: low and high, which CLAMP alone reads; of f32 they are rounded first. */
typedef void lay_ending_alone_fn(void *line, int64_t count, const double limits[2]);

enum { LAY_ENDING_F32, LAY_ENDING_F64, LAY_ENDING_C32, LAY_ENDING_C64, LAY_ENDING_TYPES };

typedef struct lay_ending_row {
    const char *name;                             /* lay_ending_<isa> */
    lay_isa isa;                                  /* the level it needs */
    lay_ending_by_fn *multiply[LAY_ENDING_TYPES]; /* a factor without an imaginary part scales the parts themselves */
    lay_ending_by_fn *add[LAY_ENDING_TYPES];
    lay_ending_alone_fn *activate[2][LAY_ACTIVATION_CLAMP + 1]; /* of f32, f64; NONE has no function */
} lay_ending_row;

/* Every row of this build, C level first. */
extern const lay_ending_row *const lay_ending_rows[];
extern const int lay_ending_row_count;

#endif
