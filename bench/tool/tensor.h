/* NumPy files as operands: an array seen through a layout. */
#ifndef TENSOR_H
#define TENSOR_H

#include "npy.h"

typedef struct tensor {
    const char *path;
    npy file;
    lay_desc *desc; /* NULL: a scalar, an array of rank 0 */
    char *zero;     /* where offset 0 lies in file.data */
} tensor;

/* What a tensor may be: a matrix, or anything. */
enum { ANY_RANK = -1 };

/* Reads a file as it is, or, where layout is not NULL, as that layout over its elements; rank 2 or ANY_RANK. 0, or the
 * exit status after a sentence. tensor_free in either case, as for all of these. */
int tensor_load(tensor *out, const char *path, const char *layout, int rank);

/* A new one of that shape, or as much flat storage as its layout spans, all zero; its path is there. */
int tensor_create(tensor *to, lay_type type, int rank, const int64_t shape[], const char *layout, int fortran);

/* 0, or the exit status after a sentence: whether it has that shape. */
int tensor_check_shape(const tensor *of, int rank, const int64_t shape[]);

/* One with the values of a file: with a layout that file's storage itself, gaps and all; without one a plain array in
 * the order asked for. */
int tensor_load_output(tensor *to, const char *from, lay_type type, int rank, const int64_t shape[], const char *layout,
                       int fortran);

void tensor_free(tensor *of);

/* The extent of a root dimension. */
int64_t tensor_extent(const tensor *of, int dimension);

/* "3 x 4", "no dimensions" */
void tensor_write_shape(int rank, const int64_t shape[], char *text, size_t size);

#endif
