/* Random layouts of tensors of any rank. */
#ifndef LAY_TESTS_CONTRACTIONS_STORAGE_H
#define LAY_TESTS_CONTRACTIONS_STORAGE_H

#include "tensor.h"

/* A root dimension as a layout is asked for it. One that stands in a diagonal must be made of radices that those of its
 * partners divide: products of neighbours in this list. Others are cut as chance has it. */
enum { MAX_RADICES = 4 };
typedef struct axis {
    int64_t extent;
    int is_diagonal;
    int radices;
    int64_t radix[MAX_RADICES]; /* outermost first; their product is the extent */
} axis;

axis axis_make(random_source *from, int64_t extent, int is_diagonal);

typedef enum storage_use {
    STORAGE_INPUT, /* elements may share places: strides of 0, overlapping windows */
    STORAGE_OUTPUT /* injective */
} storage_use;

/* Of rank 1 to MAX_RANK; the caller destroys it. */
lay_desc *storage_make(random_source *from, storage_use use, int rank, const axis axes[]);

/* Row-major. */
lay_desc *storage_plain(int rank, const axis axes[]);

#endif
