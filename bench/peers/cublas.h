/* cuBLAS, loaded while we run: a peer for what lies in device memory. */
#ifndef CUBLAS_H
#define CUBLAS_H

#include <stddef.h>

#include "reading.h"

typedef struct cublas {
    void *library, *handle;
    int version; /* 130100 for 13.1 */
    struct cublas_calls {
        int (*create)(void **handle);
        int (*destroy)(void *handle);
        int (*version)(void *handle, int *version);
        int (*stream)(void *handle, void *stream);
        int (*workspace)(void *handle, void *memory, size_t size);
        int (*sgemm)(void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha, const float *a, int lda,
                     const float *b, int ldb, const float *beta, float *c, int ldc);
        int (*dgemm)(void *handle, int op_a, int op_b, int m, int n, int k, const double *alpha, const double *a,
                     int lda, const double *b, int ldb, const double *beta, double *c, int ldc);
        int (*cgemm)(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha, const void *a, int lda,
                     const void *b, int ldb, const void *beta, void *c, int ldc);
        int (*zgemm)(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha, const void *a, int lda,
                     const void *b, int ldb, const void *beta, void *c, int ldc);
        int (*gemm_ex)(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha, const void *a,
                       int type_a, int lda, const void *b, int type_b, int ldb, const void *beta, void *c, int type_c,
                       int ldc, int compute, int algorithm);
    } calls;
} cublas;

/* Loads a library, libcublas.so of CUDA 13 or 12 where path is NULL, with a handle for the current device. It
 * computes in FP32 then, never in TF32, and takes no workspace but what cublas_use gives it. NULL, or why
 * not, as a sentence. It stays loaded
 * when it is closed. */
const char *cublas_open(const char *path, cublas *out);
void cublas_close(cublas *of);

/* The stream that products go into, and their workspace in device memory. 0, or its status. */
int cublas_use(const cublas *self, void *stream, void *workspace, size_t size);

/* C = A B + beta C; of 16-bit types with sums in FP32. 0, or its status. */
int cublas_multiply(const cublas *self, lay_type type, const reading *read, int m, int n, int k, const void *a,
                    const void *b, double beta, void *c);

/* C = A B of matrices by rows, A and B in FP16, C and all sums in FP32. 0, or its status. */
int cublas_multiply_halves(const cublas *self, int m, int n, int k, const void *a, const void *b, float *c);

#endif
