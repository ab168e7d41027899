/* BLAS routines of two libraries, called by name, for a bench. */
#include "bench/blas/routines.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *stem;
    blas_kind kind;
} stems[] = { { "gemm", BLAS_GEMM },   { "symm", BLAS_SYMM },       { "hemm", BLAS_SYMM },
              { "syrk", BLAS_RANK },   { "herk", BLAS_RANK },       { "syr2k", BLAS_RANK2 },
              { "her2k", BLAS_RANK2 }, { "trmm", BLAS_TRIANGULAR }, { "trsm", BLAS_TRIANGULAR } };

static int refuse(const char *what, const char *given)
{
    fprintf(stderr, "blas-bench: %s is no %s\n", given, what);
    return 0;
}

int blas_read(blas_call *call, const char *routine, const char *letters, const char *size)
{
    *call = (blas_call){ .is_cblas = strncmp(routine, "cblas_", 6) == 0 };
    const char *const name = routine + (call->is_cblas ? 6 : 0), *const type = *name ? strchr("sdcz", *name) : NULL;
    size_t which = 0;
    while (which < sizeof stems / sizeof *stems && (!*name || strcmp(name + 1, stems[which].stem) != 0))
        which++;
    if (!type || which == sizeof stems / sizeof *stems || (call->is_cblas && stems[which].kind != BLAS_GEMM))
        return refuse("routine of those that are known", routine);
    long long order, other;
    char rest;
    const int read = sscanf(size, "%lldx%lld%c", &order, &other, &rest);
    if (read < 1 || read > 2 || order < 1 || order > 100000)
        return refuse("size", size);
    if (strlen(letters) != 4)
        return refuse("four letters", letters);
    snprintf(call->name, sizeof call->name, "%s", routine);
    call->kind = stems[which].kind;
    call->type = (int)(type - "sdcz");
    call->order = order;
    call->other = read == 2 ? other : order;
    call->side = letters[0];
    call->uplo = letters[1];
    call->op = letters[2];
    call->diagonal = letters[3];
    return call->other >= 1 || refuse("size", size);
}

int blas_find(blas_library *in, const blas_call *call)
{
    char symbol[80];
    snprintf(symbol, sizeof symbol, "%s%s%s", in->prefix, call->name, call->is_cblas ? "" : "_");
    in->routine = dlsym(in->handle, symbol);
    if (!in->routine)
        fprintf(stderr, "blas-bench: there is no %s\n", symbol);
    return in->routine != NULL;
}

void blas_shapes(blas_call *call, int64_t step)
{
    const int64_t n = call->order, k = call->other;
    const int is_left = call->side == 'L', is_turned = call->op != 'N';
    const blas_operand square = { NULL, n, n, n }, left = { NULL, n, k, n }, right = { NULL, k, n, k };
    switch (call->kind) {
    case BLAS_GEMM:
        call->a = is_turned ? right : left;
        call->b = call->diagonal == 'T' ? left : right;
        call->c = square;
        break;
    case BLAS_RANK:
    case BLAS_RANK2:
        call->a = call->b = is_turned ? right : left;
        call->c = square;
        break;
    default:
        call->a = square;
        call->b = call->c = is_left ? left : right;
    }
    blas_operand *const all[] = { &call->a, &call->b, &call->c };
    for (int i = 0; i < 3; i++)
        if (all[i]->step < step)
            all[i]->step = step;
}

double blas_flops(const blas_call *call)
{
    const double n = (double)call->order, k = (double)call->other, complex = call->type >= 2 ? 4 : 1;
    switch (call->kind) {
    case BLAS_RANK:
    case BLAS_TRIANGULAR:
        return complex * n * n * k;
    default:
        return complex * 2 * n * n * k;
    }
}

typedef const void *address;
typedef void gemm_fn(const char *, const char *, const int *, const int *, const int *, address, address, const int *,
                     address, const int *, address, void *, const int *, size_t, size_t);
typedef void cblas_s_fn(int, int, int, int, int, int, float, address, int, address, int, float, void *, int);
typedef void cblas_d_fn(int, int, int, int, int, int, double, address, int, address, int, double, void *, int);
typedef void cblas_z_fn(int, int, int, int, int, int, address, address, int, address, int, address, void *, int);
typedef void two_fn(const char *, const char *, const int *, const int *, address, address, const int *, address,
                    const int *, address, void *, const int *, size_t, size_t);
typedef void one_fn(const char *, const char *, const int *, const int *, address, address, const int *, address,
                    void *, const int *, size_t, size_t);
typedef void triangular_fn(const char *, const char *, const char *, const char *, const int *, const int *, address,
                           address, const int *, void *, const int *, size_t, size_t, size_t, size_t);

static const float single_one[2] = { 1, 0 }, single_zero[2];
static const double twice_one[2] = { 1, 0 }, twice_zero[2];

static void run_cblas(const blas_call *call, const blas_library *by)
{
    const int n = (int)call->order, k = (int)call->other, op = call->op == 'N' ? 111 : 112,
              op_b = call->diagonal == 'N' ? 111 : 112;
    const int lda = (int)call->a.step, ldb = (int)call->b.step, ldc = (int)call->c.step;
    if (call->type == 0)
        ((cblas_s_fn *)by->routine)(102, op, op_b, n, n, k, 1, call->a.at, lda, call->b.at, ldb, 0, call->c.at, ldc);
    else if (call->type == 1)
        ((cblas_d_fn *)by->routine)(102, op, op_b, n, n, k, 1, call->a.at, lda, call->b.at, ldb, 0, call->c.at, ldc);
    else
        ((cblas_z_fn *)by->routine)(102, op, op_b, n, n, k, call->type == 2 ? (address)single_one : twice_one,
                                    call->a.at, lda, call->b.at, ldb,
                                    call->type == 2 ? (address)single_zero : twice_zero, call->c.at, ldc);
}

void blas_run(const blas_call *call, const blas_library *by)
{
    const int n = (int)call->order, k = (int)call->other;
    const int m_of_c = (int)call->c.rows, n_of_c = (int)call->c.columns;
    const int lda = (int)call->a.step, ldb = (int)call->b.step, ldc = (int)call->c.step;
    const address one = blas_is_double(call) ? (address)twice_one : single_one;
    const address zero = blas_is_double(call) ? (address)twice_zero : single_zero;
    if (call->is_cblas) {
        run_cblas(call, by);
        return;
    }
    switch (call->kind) {
    case BLAS_GEMM:
        ((gemm_fn *)by->routine)(&call->op, &call->diagonal, &n, &n, &k, one, call->a.at, &lda, call->b.at, &ldb, zero,
                                 call->c.at, &ldc, 1, 1);
        break;
    case BLAS_SYMM:
        ((two_fn *)by->routine)(&call->side, &call->uplo, &m_of_c, &n_of_c, one, call->a.at, &lda, call->b.at, &ldb,
                                zero, call->c.at, &ldc, 1, 1);
        break;
    case BLAS_RANK:
        ((one_fn *)by->routine)(&call->uplo, &call->op, &n, &k, one, call->a.at, &lda, zero, call->c.at, &ldc, 1, 1);
        break;
    case BLAS_RANK2:
        ((two_fn *)by->routine)(&call->uplo, &call->op, &n, &k, one, call->a.at, &lda, call->b.at, &ldb, zero,
                                call->c.at, &ldc, 1, 1);
        break;
    default:
        ((triangular_fn *)by->routine)(&call->side, &call->uplo, &call->op, &call->diagonal, &m_of_c, &n_of_c, one,
                                       call->a.at, &lda, call->c.at, &ldc, 1, 1, 1, 1);
    }
}
