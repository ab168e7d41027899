/* A tensor in its storage, with bytes around and between its elements that must stay as they are. */
#ifndef LAY_TESTS_CONTRACTIONS_TENSOR_H
#define LAY_TESTS_CONTRACTIONS_TENSOR_H

#include <stddef.h>

#include "element.h"

enum { MAX_RANK = 8 };

typedef struct tensor {
    const element *kind;
    lay_desc *desc; /* owned; NULL: a scalar */
    int rank;
    int64_t extent[MAX_RANK];
    int64_t count;   /* of elements */
    int64_t *offset; /* of each, in row-major order of the indices, by lay_desc_offset */
    void *zero;      /* address of offset 0 */
    char *memory, *before;
    size_t bytes;
} tensor;

/* Takes over desc. All bytes are 0xff, NaN of any type, elements too. */
tensor tensor_make(const element *kind, lay_desc *desc);
void tensor_free(tensor *of);

/* Elements in row-major order. What was written last stays where several share one place: read them back. */
void tensor_write(tensor *of, const number values[]);
void tensor_read(const tensor *of, number values[]);
void tensor_fill(tensor *of, number value);

/* The elements' bytes in row-major order. */
void tensor_bytes(const tensor *of, char *to);

/* What tensor_gaps_are_kept and tensor_is_untouched compare with is what there is now. */
void tensor_remember(tensor *of);
int tensor_gaps_are_kept(const tensor *of);
int tensor_is_untouched(const tensor *of);

/* The numbers of the indices in row-major order; 0 when that was the last. rank 0 has one. */
int next_index(int rank, const int64_t extent[], int64_t index[]);

#endif
