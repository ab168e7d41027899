/* What is known of the lines of a packed panel, and packing them so that it is. */
#ifndef LAY_CPU_SPLIT_LINES_H
#define LAY_CPU_SPLIT_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "cpu_split.h"
#include "plan/axis.h"
#include "threads/workspace.h"

/* A line is a row of A or a column of B within one block of k: it alone says how it is treated, so that neither its
 * neighbours nor the blocks' sizes show in its bits.
 *
 *   plain    every element is 0 or has an exponent of -50 .. 60: taken as it is
 *   scaled   else, if its exponents span at most 100 binades: times 2^scale, so that the greatest is 50
 *   strange  else, and if it has Inf or NaN: zeros here; by the plain kernel (cpu/split/split_patch.h)
 *
 * So a product of two elements that are not 0 is 2^-100 at least: limbs and sums stay clear of denormals. */
enum { LAY_SPLIT_RANGE = 100, LAY_SPLIT_TOP = 50 };

typedef struct lay_split_lines {
    uint32_t strange;   /* bit i: line i of the panel */
    uint32_t is_scaled; /* any line */
    int16_t scale[LAY_CPU_SPLIT_LINES];
} lay_split_lines;

/* Bytes of the records of so many lines, a multiple of 64. */
static inline size_t lay_split_lines_bytes(int64_t lines)
{
    const size_t panels = (size_t)((lines + LAY_CPU_SPLIT_LINES - 1) / LAY_CPU_SPLIT_LINES);
    return lay_workspace_part(panels * sizeof(lay_split_lines));
}

/* What is the same for all panels of one operand and one block of k. */
typedef struct lay_split_packing {
    const void *source;
    const lay_axis *across;
    lay_cpu_split_pack_fn *const *pack; /* by class */
    int limbs;
    int64_t k;
    const int64_t *along; /* [k] */
    int is_along;         /* unit stride */
} lay_split_packing;

/* So many panels at most are packed side by side, leaf by leaf: where lines lie side by side in memory theirs do, too,
 * and rows of 128 bytes, each in another page, are no stream to the hardware. */
enum { LAY_SPLIT_SIDE_BY_SIDE = 4 };

/* The panels of count lines from first on, panel bytes apart, and their records. */
void lay_split_pack_panels(const lay_split_packing *packing, int64_t first, int64_t count, size_t panel, char *to,
                           lay_split_lines lines[]);

#endif
