/* Lines of numbers scaled, added up and converted: what a copy that computes does on the CPU. Planner and kernels share
 * this header.
 *
 * Lines are contiguous, aligned as their elements; count >= 0. to may be one of the others, else it is clear of them.
 * Each product and each sum is rounded by itself, to nearest, ties to even: the same bits at every level.
 *
 * Odd: the FP32 number next to from[i] on the side of 0, its last bit set where that is not from[i] itself. Rounding it
 * to a 16-bit type gives what one rounding of from[i] gives. */
#ifndef LAY_KERNELS_CPU_BLEND_H
#define LAY_KERNELS_CPU_BLEND_H

#include <stdint.h>

#include "layoutgemm.h"

typedef struct lay_blend_row {
    const char *name; /* lay_blend_<isa> */
    lay_isa isa;      /* the level it needs */

    /* to = alpha x */
    void (*scale_f32)(float alpha, const float *x, int64_t count, float *to);
    void (*scale_f64)(double alpha, const double *x, int64_t count, double *to);

    /* to = alpha x + beta y */
    void (*add_f32)(float alpha, const float *x, float beta, const float *y, int64_t count, float *to);
    void (*add_f64)(double alpha, const double *x, double beta, const double *y, int64_t count, double *to);

    void (*widen)(const float *from, int64_t count, double *to);
    void (*narrow)(const double *from, int64_t count, float *to); /* to nearest */
    void (*narrow_odd)(const double *from, int64_t count, float *to);
} lay_blend_row;

/* Every row of this build, C level first. */
extern const lay_blend_row *const lay_blend_rows[];
extern const int lay_blend_row_count;

#endif
