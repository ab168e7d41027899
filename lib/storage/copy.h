/* A copy's dimensions: every root dimension's modes in one list, in any order. */
#ifndef LAY_STORAGE_COPY_H
#define LAY_STORAGE_COPY_H

#include <stdint.h>

#include "layout/map.h"
#include "plan/axis.h"

enum { LAY_MAX_COPY_AXES = LAY_MAX_NODES }; /* at least one a root dimension */

/* One dimension of the copy: where its indices lie in the source and in the destination. */
typedef struct lay_copy_axis {
    int64_t extent;
    lay_axis from, to; /* same extent, same order of indices */
} lay_copy_axis;

/* The copy, as a matrix of rows x columns inside outer loops. Columns are contiguous in the
 * destination where any axis is; rows are contiguous in the source where any other is. */
typedef struct lay_copy_job {
    size_t size; /* bytes of an element */
    const char *from;
    char *to;
    lay_copy_axis rows, columns;
    int outers;
    lay_copy_axis outer[LAY_MAX_COPY_AXES];
    int64_t outer_count; /* indices of all outers together */
} lay_copy_job;

/* Copies rows [row, row + count) of outer index number outer. */
void lay_copy_rows(const lay_copy_job *job, int64_t outer, int64_t row, int64_t count);

#endif
