/* Matrices in device memory as kernels see them: offset functions made from a layout's name. */
#ifndef BENCH_CUDA_MATRIX_H
#define BENCH_CUDA_MATRIX_H

#include "bench/problems/layouts.h"
#include "cuda_kernel.h"

/* One dimension of one matrix. */
typedef struct dimension {
    int count;
    int64_t *offset;          /* [count] */
    lay_cuda_offsets offsets; /* as a kernel gets it: offset in device memory, or one stride */
} dimension;

typedef struct matrix {
    char layout[24];
    lay_type type;
    dimension row, column;
    int64_t zero;     /* element (0, 0) of the storage: offsets may be negative, and a base odd */
    int64_t elements; /* of the storage */
    int is_repeated;  /* several indices share an element: for inputs only */
} matrix;

#define MATRIX_HELP                                                                                                    \
    LAYOUT_HELP                                                                                                        \
    "  table      rows and columns in a scattered order\n"                                                             \
    "  same       row-major, all rows one (inputs only)\n"                                                             \
    "odd and oddcol begin at the second element of their storage.\n"

/* Ends the program with a sentence where there is no such layout. Allocates device memory for tables; matrix_free frees
 * them. */
void matrix_create(const char *layout, lay_type type, int rows, int columns, matrix *out);
void matrix_free(matrix *of);

/* 1 when a matrix can be read as a class has it, across being its rows or its columns. */
int matrix_allows(const matrix *of, int across_is_row, lay_cuda_class as);

/* The class a planner would take. */
lay_cuda_class matrix_class(const matrix *of, int across_is_row);

/* Elements from line to line where one dimension steps by 1; 0 where it does not. */
int matrix_leading(const matrix *of, int by_rows);

#endif
