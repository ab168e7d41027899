/* Elements that are changed on their way by the CPU: lines of them, and all of a job. */
#ifndef LAY_STORAGE_CHANGE_H
#define LAY_STORAGE_CHANGE_H

#include "cpu_blend.h"
#include "cpu_half.h"
#include "storage/copy.h"

/* A job with the kernels that change its elements. */
typedef struct lay_changer {
    const lay_copy_job *job;
    const lay_blend_row *blend;
    const lay_half_row *half_from, *half_to; /* of 16-bit types */
} lay_changer;

/* The row of the highest level up to isa. */
const lay_blend_row *lay_blend_find(lay_isa isa);

/* y = alpha x + beta y for count elements that lie side by side in both; x may be NULL if it is not read. Streaming:
 * past the caches, y is not read. */
void lay_change_line(const lay_changer *by, const void *x, void *y, int64_t count, int is_streaming);

/* Does a job that is not plain; its pieces are cut. */
void lay_change_on_host(const lay_copy_job *job, int threads, lay_isa isa);

#endif
