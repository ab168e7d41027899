/* Labels: which dimensions of A, B and C of a contraction are one, and the matrices that follow from it. Nothing below
 * the problem knows of labels: a contraction is a product of matrices, or a batch of them, whose rows, columns and
 * steps are dimensions of the tensors, nested in each other. */
#ifndef LAY_LABELS_LABELS_H
#define LAY_LABELS_LABELS_H

#include <stdint.h>

#include "layout/desc.h"

enum { LAY_LABEL_A, LAY_LABEL_B, LAY_LABEL_C, LAY_LABELLED };
enum { LAY_MAX_LABELS = LAY_MAX_NODES, LAY_MAX_SUMMED = 2 * LAY_MAX_LABELS };

/* A label for each root dimension of A, B and C. */
typedef struct lay_labels {
    int is_text; /* labels are letters */
    int count[LAY_LABELLED];
    int64_t label[LAY_LABELLED][LAY_MAX_LABELS];
} lay_labels;

/* From "aecf,fbed->abcd": letters, and spaces anywhere. LAY_ERR_ARGUMENT, LAY_ERR_SYNTAX (with the position),
 * LAY_ERR_REFERENCE (a letter twice in the output). */
lay_status lay_labels_read(const char *text, lay_labels *out);

/* From arrays of as many labels as the tensors have root dimensions; a NULL tensor has none. LAY_ERR_ARGUMENT,
 * LAY_ERR_REFERENCE. */
lay_status lay_labels_take(const lay_desc *const tensor[LAY_LABELLED], const int64_t *const label[LAY_LABELLED],
                           lay_labels *out);

/* Whether the tensors have the ranks and, label by label, the extents that the labels ask for: LAY_ERR_RANK,
 * LAY_ERR_SHAPE. A NULL tensor is a scalar, one element at offset 0. Sentences call the third one by its name: 'C', or
 * 'D', which has C's labels. */
lay_status lay_labels_check(const lay_labels *labels, const lay_desc *const tensor[LAY_LABELLED], char name);

/* What a label is to a product, by where it stands: in A, B and C; A and C, or C alone; B and C; A or B, not C. */
typedef enum lay_label_role { LAY_ROLE_BATCH, LAY_ROLE_M, LAY_ROLE_N, LAY_ROLE_K, LAY_ROLES } lay_label_role;

/* The labels of each role, the last varying fastest, in C's order. Those that are summed are in an order that rests on
 * labels and extents alone, the longest last and of equal ones the greater label; or by storage: as the larger of A and
 * B stores them. */
typedef struct lay_arrangement {
    int count[LAY_ROLES];
    int64_t label[LAY_ROLES][LAY_MAX_SUMMED];
} lay_arrangement;

void lay_labels_arrange(const lay_labels *labels, const lay_desc *const tensor[LAY_LABELLED], int is_by_storage,
                        lay_arrangement *out);

/* A's, B's or C's matrix, of rank 2, or of rank 3 where there is a batch: rows and columns are m and k, k and n, m and
 * n. A dimension that the tensor has not has the stride 0; one that it has twice is its diagonal. Of a descriptor that
 * has C's labels it makes C's matrix. LAY_ERR_OVERFLOW, LAY_ERR_MEMORY, LAY_ERR_UNSUPPORTED. */
lay_status lay_labels_make_matrix(const lay_labels *labels, const lay_desc *const tensor[LAY_LABELLED],
                                  const lay_arrangement *arrangement, int which, lay_desc **out);

/* A label as sentences have it: 'a', or a number. */
typedef struct lay_label_name {
    char text[24];
} lay_label_name;
lay_label_name lay_label_say(const lay_labels *labels, int64_t label);

#endif
