/* Layouts as plain tables, the slow and obvious way: what the library's descriptors are checked against.
 * Nothing here uses the library. Everything lives in a pool that naive_reset empties. */
#ifndef LAY_TESTS_LAYOUT_NAIVE_H
#define LAY_TESTS_LAYOUT_NAIVE_H

#include <stdint.h>

enum { NAIVE_PARTS = 6, NAIVE_RANK = 6 };

typedef struct naive_tree {
    int64_t extent;
    int parts;
    const struct naive_tree *part[NAIVE_PARTS];
} naive_tree;

/* A dimension: its tree and its value at each of tree->extent indices. */
typedef struct naive_dim {
    const naive_tree *tree;
    const int64_t *value;
} naive_dim;

typedef struct naive {
    int rank;
    naive_dim dim[NAIVE_RANK];
} naive;

void naive_reset(void);

const naive_tree *naive_leaf(int64_t extent);

/* count < 0: the product. */
const naive_tree *naive_nest(int parts, const naive_tree *const part[], int64_t count);
int64_t naive_product(int parts, const naive_tree *const part[]);

/* stride * i */
naive_dim naive_step(int64_t extent, int64_t stride);

/* Index i in the radices of the parts, rightmost fastest; count < 0: all of them. */
naive_dim naive_join(int parts, const naive_dim part[], int64_t count);
naive_dim naive_part(naive_dim dim, int c);
naive_dim naive_slice(naive_dim dim, int64_t start, int64_t count);

/* The indices from start on in this tree. */
naive_dim naive_reshape(naive_dim dim, const naive_tree *tree, int64_t start);
naive_dim naive_shift(naive_dim dim, int64_t by);

int naive_leaves(const naive_tree *tree);
int naive_same_tree(const naive_tree *a, const naive_tree *b);
int64_t naive_total(const naive *layout);

/* Of element number i in row-major order of the indices. */
int64_t naive_offset(const naive *layout, int64_t i);

/* 1, and the indices of the leaves from leaf[0] on: those of index i. */
void naive_digits(const naive_tree *tree, int64_t i, int64_t leaf[]);

#endif
