/* Complex numbers on the CPU: what makes images of real ones of them (docs/decisions/0021). Planner and kernels share
 * this header, kernel.h and nothing else.
 *
 * A segment of length complex numbers x becomes two of real ones, pitch bytes apart: (re z, im z) and (im z, re z),
 * with some numbers of each pair negated; z = factor x or, where is_conjugated, factor conj(x), each product and sum
 * rounded. Segment i is read at from + i * from_step bytes and written at to + 2 i * pitch; it may be read where its
 * first one is written. Nothing is aligned but as real numbers. */
#ifndef LAY_KERNELS_CPU_EXPAND_H
#define LAY_KERNELS_CPU_EXPAND_H

#include <stdint.h>

#include "kernel.h"

typedef struct lay_expansion {
    int is_conjugated, has_factor;           /* without one it is 1 */
    int first_negated[2], second_negated[2]; /* the first and the second number of each pair */
    double factor[2];                        /* of floats, where the parts are */
} lay_expansion;

typedef void lay_expand_fn(const lay_expansion *of, const void *from, int64_t from_step, void *to, int64_t pitch,
                           int64_t length, int64_t segments);

typedef struct lay_expand_row {
    const char *name; /* lay_expand_<type>_<isa> */
    lay_type type;    /* LAY_C32 or LAY_C64 */
    lay_isa isa;      /* the level it needs; all have the same bits */
    lay_expand_fn *expand;
} lay_expand_row;

/* Every row of this build, C level first. */
extern const lay_expand_row *const lay_expand_rows[];
extern const int lay_expand_row_count;

#endif
