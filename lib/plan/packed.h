/* A packed operand: what lay_pack made of a matrix, without its layout. Immutable. */
#ifndef LAY_PLAN_PACKED_H
#define LAY_PLAN_PACKED_H

#include <stddef.h>
#include <stdint.h>

#include "cpu_split.h"
#include "device/place.h"
#include "kernel.h"
#include "layoutgemm.h"

/* What one of the CPU's kernels reads: of its right operand or of its left one. */
typedef struct lay_panels {
    const lay_kernel *kernel;       /* panels of a plain kernel, or */
    const lay_cpu_split_row *split; /* so many limbs of one that splits; both NULL: none */
    int limbs;
    int is_right;
} lay_panels;

struct lay_packed {
    const struct lay_order *order; /* whose panels or limbs it has; NULL: a copy alone */
    lay_operand operand;
    lay_type type;
    int64_t rows, columns;
    lay_place place;
    int device;                /* of LAY_PLACE_DEVICE */
    unsigned long long stream; /* its number (cuda/memory/memory.h), there too */
    char *block;               /* all of it; NULL without elements */
    size_t bytes;

    /* In the block. */
    lay_panels panels;    /* of a plain kernel: all there is, */
    const void *elements; /* and itself a matrix, in lay_packed_layout's layout; else a copy, row by row, and perhaps */
    char *limbs; /* records of its lines and their limbs: of FP16 on a device (lib/cuda/split/split_run.h), else of
                  * panels' row (lib/cpu/split/split_packed.h); NULL: none */
};

/* Rows of A or columns of B, and what is summed along them. */
static inline int64_t lay_packed_lines(const lay_packed *packed)
{
    return packed->operand == LAY_OPERAND_A ? packed->rows : packed->columns;
}

static inline int64_t lay_packed_steps(const lay_packed *packed)
{
    return packed->operand == LAY_OPERAND_A ? packed->columns : packed->rows;
}

/* How the panels of a plain kernel lie. Element (p, j), step p of line j, stands at
 *     p / steps * block + j / width * panel + p % steps * width + j % width
 * The last block of k may have fewer steps, the last panel fewer lines. A panel begins where a cache line does. */
typedef struct lay_panels_shape {
    int64_t width, steps; /* lines of a panel; steps of a block of k */
    int64_t panel, block; /* elements from one panel to the next, and from one block of k to the next */
    int64_t blocks;
} lay_panels_shape;
lay_panels_shape lay_panels_find_shape(lay_type type, lay_panels panels, int64_t lines, int64_t steps);

/* Elements from one row of a copy to the next: rows start at multiples of 64 bytes. */
int64_t lay_packed_pitch(lay_type type, int64_t columns);

/* The layout of an operand of so many rows and columns once it is packed: in panels of a plain kernel, or, where there
 * are none, of its copy, row by row. The copy's bytes, which may be more than any memory has. LAY_ERR_OVERFLOW,
 * LAY_ERR_MEMORY. */
lay_status lay_packed_layout(lay_operand operand, lay_type type, int64_t rows, int64_t columns, lay_panels panels,
                             lay_desc **out);
lay_status lay_packed_copy_layout(const lay_packed *packed, lay_desc **out);
lay_status lay_packed_copy_size(const lay_packed *packed, size_t *bytes);

/* The block, of the packed operand's place; device memory in the order of stream, on the current device. */
lay_status lay_packed_take(lay_packed *packed, size_t bytes, void *stream);

/* Gives the block back. */
void lay_packed_give(lay_packed *packed);

#endif
