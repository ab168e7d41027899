/* A packed operand: what lay_pack made of a matrix, without its layout. Immutable. */
#ifndef LAY_PLAN_PACKED_H
#define LAY_PLAN_PACKED_H

#include <stddef.h>
#include <stdint.h>

#include "cpu_split.h"
#include "cuda/place.h"
#include "kernel.h"
#include "layoutgemm.h"

/* What one of the CPU's kernels reads: of its right operand or of its left one. */
typedef struct lay_panels {
    const lay_kernel *kernel;       /* panels of a plain kernel, or */
    const lay_cpu_split_row *split; /* so many pieces of one that splits; both NULL: none */
    int pieces;
    int is_right;
} lay_panels;

struct lay_packed {
    const struct lay_order *order; /* whose panels or pieces it has; NULL: a copy alone */
    lay_operand operand;
    lay_type type;
    int64_t rows, columns;
    lay_place place;
    int device;                /* of LAY_PLACE_DEVICE */
    unsigned long long stream; /* its number (cuda/memory.h), there too */
    char *block;               /* all of it; NULL without elements */
    size_t bytes;

    /* In the block. */
    lay_panels panels; /* of a plain kernel, all of them (lib/cpu/packed.h), and nothing else; or */
    const void *dense; /* a copy, row by row, as lay_packed_layout has it; and perhaps */
    char *pieces;      /* records of its lines and their pieces: of FP16 on a device (lib/cuda/split_run.h), else of
                        * panels' row (lib/cpu/split_packed.h); NULL: none */
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

/* Elements from one row of a copy to the next: rows start at multiples of 64 bytes. */
int64_t lay_packed_pitch(lay_type type, int64_t columns);

/* The layout of a copy of so many rows and columns. Its bytes, which may be more than any memory has.
 * LAY_ERR_OVERFLOW, LAY_ERR_MEMORY. */
lay_status lay_packed_layout(lay_type type, int64_t rows, int64_t columns, lay_desc **out);
lay_status lay_packed_dense_size(const lay_packed *packed, size_t *bytes);

/* The block, of the packed operand's place; device memory in the order of stream, on the current device. */
lay_status lay_packed_take(lay_packed *packed, size_t bytes, void *stream);

/* Gives the block back. */
void lay_packed_give(lay_packed *packed);

#endif
