/* 16-bit numbers on the CPU: what converts them, and what reads lines of them in products with an FP32 vector. Planner
 * and kernels share this header, kernel.h and nothing else.
 *
 * Widen: to[i] = from[i * step], exactly. A NaN keeps its sign and its upper bits; a signalling one may become quiet.
 *
 * Round: to[i * step] = from[i], to nearest, ties to even. What is too large is infinite, denormals of the 16-bit type
 * are kept, and a NaN keeps its sign: LAY_F16 0x7e00, LAY_BF16 its upper 16 bits, made quiet.
 *
 * Both have the same bits with FTZ and DAZ set. count >= 0; step may be any number; no element is touched but those
 * named; nothing is aligned but as elements.
 *
 * Along, across: as kernel.h has them for f32 (16 partial sums), but that b's elements are of the 16-bit type, and
 * widened as they are read. */
#ifndef LAY_KERNELS_CPU_HALF_H
#define LAY_KERNELS_CPU_HALF_H

#include <stdint.h>

#include "kernel.h"

typedef void lay_half_widen_fn(const uint16_t *from, int64_t step, int64_t count, float *to);
typedef void lay_half_round_fn(const float *from, int64_t count, uint16_t *to, int64_t step);

typedef struct lay_half_row {
    const char *name; /* lay_half_<type>_<isa> */
    lay_type type;    /* LAY_F16 or LAY_BF16 */
    lay_isa isa;      /* the level it needs; its sums are those of that level's rows of kernel.h */
    lay_half_widen_fn *widen;
    lay_half_round_fn *round;
    lay_along_fn *along;
    lay_across_fn *across;
} lay_half_row;

/* Every row of this build, C level first. */
extern const lay_half_row *const lay_half_rows[];
extern const int lay_half_row_count;

#endif
