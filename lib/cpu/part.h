/* Steps of k that are summed up by themselves, and where the result goes: all of a product, or a slice of one. */
#ifndef LAY_CPU_PART_H
#define LAY_CPU_PART_H

#include "cpu/job.h"

typedef struct lay_part {
    int64_t first, last;            /* steps */
    const lay_axis *rows, *columns; /* of the result */
    int64_t row;                    /* its rows' stride within a block of nested storage */
    int is_staged;                  /* its columns are not contiguous (direct products) */
    int64_t slice, apart;           /* 0, or steps whose sums are a C of their own each, and bytes from one to the next:
                                       of direct products that pack more than a slice at once */
} lay_part;

#endif
