/* Packing: panels of one operand, whatever its layout. */
#ifndef LAY_CPU_PACK_H
#define LAY_CPU_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "cpu_expand.h"
#include "kernel.h"
#include "plan/axis.h"

/* What is the same for all panels of one operand and one block of k. */
typedef struct lay_packing {
    lay_type type;
    const void *source;
    const lay_axis *across;          /* rows of A, columns of B */
    int width;                       /* mr or nr */
    lay_pack_fn *const *pack;        /* by class */
    lay_interleaved_fn *interleaved; /* of panels of this width; NULL: there is none */
    int64_t k;
    const int64_t *along; /* [k] offsets of this block's steps */
    int is_along;         /* they have unit stride */
    size_t panel;         /* bytes from panel to panel */
    int is_of_numbers;    /* steps are parts of complex numbers: */
    int is_turned;        /* panels become those of turned's z */
    lay_expansion turned; /* of it is_conjugated and the factor */
} lay_packing;

/* 1 when offset[0..count) go up by ones. */
int lay_offsets_are_unit(const int64_t offset[], int64_t count);

/* Packs the indices first .. first + count of the across axis into panel number 0 and on. */
void lay_pack_panels(const lay_packing *packing, int64_t first, int64_t count, char *to);

#endif
