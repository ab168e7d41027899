/* A copy as its loops see it: every root dimension's modes in one list, sorted into roles. */
#ifndef LAY_STORAGE_COPY_H
#define LAY_STORAGE_COPY_H

#include <stdint.h>

#include "layout/map.h"

enum { LAY_MAX_COPY_AXES = LAY_MAX_NODES }; /* at least one a root dimension */

/* One dimension of the copy: index i lies at i * from in the source and i * to in the destination or,
 * where the two sides' radices do not divide, where their maps say. */
typedef struct lay_copy_axis {
    int64_t extent, from, to;
    const lay_node *from_map, *to_map; /* NULL: strides */
} lay_copy_axis;

/* Several axes as one, the innermost first. An axis with maps has no other beside it. */
typedef struct lay_copy_axes {
    int count;
    int64_t extent; /* of all together, 1 without any */
    lay_copy_axis axis[LAY_MAX_COPY_AXES];
} lay_copy_axes;

/* The copy: outer loops around rows x columns of lines. A line is contiguous on both sides. Columns
 * are what lies next in the destination, rows what lies next in the source. */
typedef struct lay_copy_job {
    int64_t size; /* bytes of an element */
    const char *from;
    char *to;
    int64_t line, piece; /* elements of a line, and of the pieces that it is cut into */
    int is_streaming;    /* the destination is too large to be found in a cache later */
    lay_copy_axes columns, rows, outers;
} lay_copy_job;

/* How many tasks the job is, and one of them. */
int64_t lay_copy_count_tasks(const lay_copy_job *job);
void lay_copy_do_task(void *job, int64_t number);

#endif
