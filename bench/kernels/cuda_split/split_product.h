/* One product of kernels/cuda_split.h on given matrices: its workspace and its launches. */
#ifndef BENCH_CUDA_SPLIT_PRODUCT_H
#define BENCH_CUDA_SPLIT_PRODUCT_H

#include "bench/kernels/cuda/matrix.h"
#include "cuda_split.h"

/* The launches of a product, in order. */
typedef enum split_stage {
    SPLIT_ZERO,
    SPLIT_PREPARE,
    SPLIT_WIDEN,
    SPLIT_MULTIPLY,
    SPLIT_ADD,
    SPLIT_PATCH,
    SPLIT_STAGES
} split_stage;

typedef struct split_product {
    const lay_cuda_kernel *row;
    const matrix *left, *right, *result;
    lay_cuda_class left_as, right_as;
    int is_c_vector;
    int slices, strict_slices; /* strict_slices: path STRICT's; 0: as the planner has them */
    int is_transposed;         /* by the instances for transposed products: other bits, as exact */
    lay_cuda_split_policy policy;
    int multiprocessors;
    void *stream;
    lay_cuda_split_args args; /* but operands, alpha and beta: made by split_prepare */
    char *workspace;
    size_t records; /* bytes at its beginning: summaries and lines */
    int is_set;     /* records are cleared by a memset, not by the row's pass */
    int is_early;   /* what is enqueued does not wait for the end of the launch before: its kernel does */
} split_product;

/* Fills in args and allocates the workspace, filled with NaN; split_free frees it. Above args all is the caller's. */
void split_prepare(split_product *of);
void split_free(split_product *of);

/* Enqueues C = alpha A B + beta C; a, b and c are storages. split_enqueue: one of its launches. */
void split_set(split_product *of, const void *a, const void *b, void *c, double alpha, double beta);
void split_enqueue(split_product *of, split_stage stage);
void split_launch(split_product *of);

/* Waits for what was enqueued, and reads what the scan found. */
lay_cuda_split_path_kind split_path_taken(const split_product *of);
const char *split_path_name(lay_cuda_split_path_kind of);

#endif
