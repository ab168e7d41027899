/* Copies with device memory on a side. */
#ifndef LAY_CUDA_COPY_H
#define LAY_CUDA_COPY_H

#include "storage/copy.h"

/* Puts a job between two layouts in memory that the device reaches into stream. LAY_ERR_MEMORY, LAY_ERR_DEVICE;
 * LAY_ERR_UNSUPPORTED where it needs memory for tables and stream is being captured. */
lay_status lay_copy_on_device(const lay_copy_job *job, int device, void *stream);

/* A copy between host memory and the device's, one way or the other. */
typedef struct lay_crossing {
    lay_type type;
    const lay_desc *from, *to; /* checked, with elements */
    const void *src;           /* offset 0 */
    void *dst;
    int is_to_host;
    int is_pinned; /* the host's memory */
    int device, threads;
    void *stream;
} lay_crossing;

/* Done when it returns, behind what stream had been given. Errors as above. */
lay_status lay_copy_across(const lay_crossing *crossing);

#endif
