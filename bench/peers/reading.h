/* How a BLAS reads three matrices. */
#ifndef READING_H
#define READING_H

#include "layoutgemm.h"
struct peer;

/* Each is stored by rows or by columns, ld elements from line to line. */
typedef struct reading {
    struct {
        int by_rows, ld;
    } a, b, c;
} reading;

/* 1 and how it reads A, B and C of these layouts, 0 when it cannot. */
int reading_find(const lay_desc *const desc[3], reading *out);

/* 1 when it can read this one. */
int reading_is_plain(const lay_desc *of);

/* C = A B by a BLAS in f32 or f64: m x n, of a sum of k, each from its first element on. */
void reading_multiply(const reading *how, const struct peer *with, lay_type type, int64_t m, int64_t n, int64_t k,
                      const void *a, const void *b, void *c);

#endif
