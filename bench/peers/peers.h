/* Other people's BLAS libraries, loaded while we run. */
#ifndef PEERS_H
#define PEERS_H

#include "layoutgemm.h"

typedef void cblas_sgemm_fn(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a,
                            int lda, const float *b, int ldb, float beta, float *c, int ldc);
typedef void cblas_dgemm_fn(int order, int trans_a, int trans_b, int m, int n, int k, double alpha, const double *a,
                            int lda, const double *b, int ldb, double beta, double *c, int ldc);
typedef void cblas_complex_fn(int order, int trans_a, int trans_b, int m, int n, int k, const void *alpha,
                              const void *a, int lda, const void *b, int ldb, const void *beta, void *c, int ldc);
typedef void set_threads_fn(int);
enum { CBLAS_ROW_MAJOR = 101, CBLAS_COLUMN_MAJOR = 102, CBLAS_NO_TRANS = 111, CBLAS_TRANS = 112 };

struct cublas;
struct cutensor;
struct tblis;

typedef struct peer {
    char name[32];    /* OpenBLAS, BLIS, MKL, or the file's name */
    char about[512];  /* version and kernels, in its own words */
    char kernels[64]; /* the kernels alone, "" when it does not tell */
    void *library;
    cblas_sgemm_fn *sgemm;
    cblas_dgemm_fn *dgemm;
    cblas_complex_fn *cgemm, *zgemm; /* NULL where it is found by Fortran's names alone */
    set_threads_fn *set_threads;     /* NULL when it has no such call */
    struct cublas *cublas;           /* NULL but for cuBLAS, which has neither of these */
    struct cutensor *cutensor;       /* NULL but for cuTENSOR, which multiplies tensors on a device */
    const struct tblis *tblis;       /* NULL but for TBLIS, which multiplies tensors (tblis.h) and has no BLAS */
} peer;

/* Loads a library with a CBLAS interface of 32-bit integers, TBLIS, cuBLAS or cuTENSOR: a path, or openblas, blis, mkl,
 * tblis, cublas or cutensor for the one the system's loader finds. 0, or the exit status after a sentence. A peer is
 * never unloaded: its threads may live on. */
int peer_open(const char *path, peer *out);

/* A sentence on a peer that uses less than this CPU has, or NULL. */
const char *peer_hint(const peer *of);

#endif
