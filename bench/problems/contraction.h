/* Contractions as short texts: labels and extents; and what a bench needs to know of them. */
#ifndef CONTRACTION_H
#define CONTRACTION_H

#include <stdint.h>

#include "layoutgemm.h"

enum { CONTRACTION_RANK = 10 }; /* of a tensor, at most */

/* What a label is by where it stands. A bench's labels are all of these kinds. */
typedef enum label_role { LABEL_BATCH, LABEL_M, LABEL_N, LABEL_K, LABEL_ROLES } label_role;

/* Dense tensors A, B and C = A B. */
typedef struct contraction {
    char *labels; /* "aecf,fbed->abcd" */
    int rank[3];
    char name[3][CONTRACTION_RANK + 1];
    int64_t extent[3][CONTRACTION_RANK], stride[3][CONTRACTION_RANK];
    int64_t count[LABEL_ROLES];                        /* extents of a role, multiplied */
    char order[LABEL_ROLES][2 * CONTRACTION_RANK + 1]; /* a role's labels, the last one varying fastest */
    lay_desc *desc[3];                                 /* as stored; NULL: a scalar */
    lay_desc *view[3];    /* as a matrix in that order, of batch index 0: m x k, k x n, m x n */
    lay_desc *batches[3]; /* the same of rank 3, the batch first */
    int by_columns[3];    /* the view's unit stride is among its rows */
} contraction;

#define CONTRACTION_HELP                                                                                               \
    "A contraction is LABELS:EXTENTS, such as \"aecf,fbed->abcd:a=24,b=20,c=20,d=24,e=20,f=24\": one letter for "      \
    "each\n"                                                                                                           \
    "dimension of A, of B and of C, the last one contiguous; or in the manner of the TCCG benchmark\n"                 \
    "\"abcd-aebf-dfce:a=24,...\", C's letters before A's and B's, the first one contiguous. Every letter stands in\n"  \
    "two of the three or, a batch, in all of them.\n"

/* 0, or the exit status after a sentence. contraction_free in either case. */
int contraction_read(const char *text, contraction *out);
void contraction_free(contraction *of);

/* 0 for a tensor that has not the label. */
int64_t contraction_stride(const contraction *of, int tensor, char label);
int64_t contraction_extent(const contraction *of, char label);

/* out[of->count[role]]: a tensor's offset at each index of a role's labels. */
void contraction_offsets(const contraction *of, int tensor, label_role role, int64_t out[]);

/* A tensor's matrices of the same elements without a layout, by rows or by columns as its unit stride has it: one, and
 * all of them, rank 3, the batch first. */
lay_status contraction_matrices(const contraction *of, int tensor, lay_desc **one, lay_desc **all);

/* The library's plan, its sum in the order of labels or, is_by_storage, in that in which tensors lie. */
lay_status contraction_plan(const contraction *of, lay_type type, int is_by_storage, const lay_options *options,
                            lay_plan **out);

/* Elements of a tensor. */
int64_t contraction_elements(const contraction *of, int tensor);

#endif
