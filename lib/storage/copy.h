/* A copy as its loops see it, on the host as on a device: every root dimension's modes in one list, sorted into
 * roles. Elements keep their bits, or are converted, scaled and added to what the destination holds. */
#ifndef LAY_STORAGE_COPY_H
#define LAY_STORAGE_COPY_H

#include <stdint.h>

#include "base/scalar.h"
#include "device/driver.h"
#include "layout/map.h"
#include "layoutgemm.h"
#include "machine/machine.h"

enum { LAY_MAX_COPY_AXES = LAY_MAX_NODES }; /* at least one a root dimension */

/* On the host. */
enum {
    LAY_COPY_ROWS = 64,    /* of a task */
    LAY_COPY_STRIP = 1024, /* columns of a task */
    LAY_COPY_BLOCK = 64    /* columns of a transposed block: it takes 16 or 32 KiB */
};

/* What becomes of elements on their way: Y = alpha X + beta Y, X the source and Y the destination. */
typedef struct lay_change {
    lay_type from, to;
    int is_conjugated;        /* X, if it is complex */
    const void *alpha, *beta; /* of the type that it is computed in; NULL: 1 and 0 */
    int is_in_double;         /* computed in f64 even if neither type is */
} lay_change;

/* One type, and nothing. */
static inline lay_change lay_change_none(lay_type type)
{
    return (lay_change){ .from = type, .to = type };
}

/* What it is computed in. */
static inline lay_type lay_change_sum(const lay_change *change)
{
    return lay_type_sum(lay_type_sum(change->from, change->to), change->is_in_double ? LAY_F64 : LAY_F32);
}

/* Whether bits are kept. */
int lay_change_is_plain(const lay_change *change);

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
    int64_t size; /* bytes of an element of the destination */
    int64_t elements;
    int is_plain; /* bits are kept; else: */
    int64_t from_size;
    lay_type from_type, to_type, sum_type; /* computed in the last one, and rounded once */
    lay_scalar alpha, beta;
    int reads_from, reads_to; /* alpha is not 0; beta is not 0 */
    int is_conjugated;

    const char *from;
    char *to;
    int64_t line; /* elements */
    lay_copy_axes columns, rows, outers;

    /* On the host. */
    int64_t piece;    /* elements that a line is cut into: not at all, at first */
    int is_streaming; /* the destination is too large to be found in a cache later */
    int is_far;       /* both sides together are more than the third cache can be hoped to have */
} lay_copy_job;

/* Single elements in one row, a stride apart on each side. */
static inline int lay_copy_is_line(const lay_copy_job *job)
{
    return job->line == 1 && job->rows.count == 0 && job->columns.count == 1 && !job->columns.axis[0].from_map;
}

/* LAY_ERR_ARGUMENT, LAY_ERR_TYPE, LAY_ERR_RANK, LAY_ERR_SHAPE, LAY_ERR_OVERFLOW, LAY_ERR_INJECTIVE (to),
 * LAY_ERR_MEMORY. */
lay_status lay_copy_check(const lay_change *change, const lay_desc *from, const lay_desc *to);

/* The job of checked descriptors with elements, which must live as long as it; src and dst are the addresses of
 * offset 0. alpha and beta are read here. With alpha 0 src is not read. */
void lay_copy_prepare(const lay_change *change, const lay_desc *from, const void *src, const lay_desc *to, void *dst,
                      lay_copy_job *job);

/* Does it where both sides are the CPU's to read and write, with at most so many threads and kernels up to isa. */
void lay_copy_on_host(lay_copy_job *job, int threads, lay_isa isa);

/* Of these, how many have enough to do. */
int lay_copy_count_threads(const lay_copy_job *job, int threads);

/* Seconds that this takes, predicted. */
double lay_copy_predict(const lay_copy_job *job, int threads);

/* Puts a job between two layouts in memory that the device reaches into stream. LAY_ERR_MEMORY, LAY_ERR_DEVICE;
 * LAY_ERR_UNSUPPORTED where it needs memory for tables and stream is being captured. */
static inline lay_status lay_copy_on_device(const lay_copy_job *job, int device, void *stream)
{
    return lay_devices->copy(job, device, stream);
}

/* A copy between host memory and the device's, one way or the other. */
typedef struct lay_crossing {
    lay_type type;
    const lay_desc *from, *to; /* checked, with elements */
    const void *src;           /* offset 0 */
    void *dst;
    int is_to_host;
    int is_pinned; /* the host's memory */
    int device, threads;
    lay_isa isa;
    void *stream;
} lay_crossing;

/* Done when it returns, behind what stream had been given. Errors as above. */
static inline lay_status lay_copy_across(const lay_crossing *crossing)
{
    return lay_devices->copy_across(crossing);
}

/* Copies checked descriptors with elements, wherever the two sides lie: with the threads and up to the level of choice,
 * or in options.stream. Errors as above; LAY_ERR_ARGUMENT, LAY_ERR_UNSUPPORTED where the sides' places and options
 * disagree.
 */
lay_status lay_copy_elements(const lay_change *change, const lay_desc *from, const void *src, const lay_desc *to,
                             void *dst, const lay_options *options, const lay_choice *choice);

/* How many tasks the job is on the host, and one of them, of a plain job. */
int64_t lay_copy_count_tasks(const lay_copy_job *job);
void lay_copy_do_task(void *job, int64_t number);

#endif
