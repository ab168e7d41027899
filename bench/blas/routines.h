/* BLAS routines of two libraries, called by name, for a bench. */
#ifndef BLAS_ROUTINES_H
#define BLAS_ROUTINES_H

#include <stdint.h>

typedef struct blas_library {
    void *handle;
    const char *prefix;
    void *routine; /* found */
} blas_library;

typedef enum blas_kind { BLAS_GEMM, BLAS_SYMM, BLAS_RANK, BLAS_RANK2, BLAS_TRIANGULAR } blas_kind;

/* By columns, step elements apart. */
typedef struct blas_operand {
    void *at;
    int64_t rows, columns, step;
} blas_operand;

typedef struct blas_call {
    char name[40];
    blas_kind kind;
    int type; /* 0 to 3: s d c z */
    int is_cblas;
    char side, uplo, op, diagonal;
    int64_t order, other; /* of gemm: m and n, and k */
    blas_operand a, b, c;
} blas_call;

/* 0 after a sentence on stderr. */
int blas_read(blas_call *call, const char *routine, const char *letters, const char *size);
int blas_find(blas_library *in, const blas_call *call);

/* The operands' rows and columns, which lie so far apart, or as near as they can. */
void blas_shapes(blas_call *call, int64_t step);

void blas_run(const blas_call *call, const blas_library *by);
double blas_flops(const blas_call *call);

static inline int blas_parts(const blas_call *call)
{
    return call->type >= 2 ? 2 : 1;
}

static inline int blas_is_double(const blas_call *call)
{
    return call->type % 2;
}

static inline int64_t blas_size(const blas_call *call)
{
    return (blas_is_double(call) ? 8 : 4) * blas_parts(call);
}

static inline int blas_is_triangular(const blas_call *call)
{
    return call->kind == BLAS_TRIANGULAR;
}

#endif
