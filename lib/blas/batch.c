/* gemm_batch: groups of products of one shape each, by arrays of addresses, as MKL calls it. */
#include "blas/exported.h"
#include "blas/product.h"

typedef struct group {
    int op_a, op_b;
    int64_t m, n, k, lda, ldb, ldc, count;
    const void *alpha, *beta;
    const void *const *a, *const *b;
    void *const *c;
} group;

static int check(const group *of, int is_by_rows)
{
    static const int by_rows[] = { 0, 2, 1, 4, 3, 5, 0, 0, 10, 0, 8, 0, 0, 13 };
    const int wrong =
        is_by_rows ? by_rows[layblas_check_gemm(of->op_b, of->op_a, of->n, of->m, of->k, of->ldb, of->lda, of->ldc)]
                   : layblas_check_gemm(of->op_a, of->op_b, of->m, of->n, of->k, of->lda, of->ldb, of->ldc);
    return wrong ? wrong : of->count < 0 ? 15 : 0;
}

static layblas_shape shape_of(int type, int is_by_rows, const group *of)
{
    return (layblas_shape){ .form = layblas_form(type, is_by_rows, of->op_a, of->op_b),
                            .m = of->m,
                            .n = of->n,
                            .k = of->k,
                            .step_a = of->lda,
                            .step_b = of->ldb,
                            .step_c = of->ldc };
}

static int is_idle(const group *of)
{
    return of->m == 0 || of->n == 0 || of->count == 0;
}

/* Only of a group of one does it matter that products that are refused can be passed on: of more, who was refused is
 * not known. */
static void multiply(int type, const char *routine, int is_by_rows, const group *of)
{
    if (is_idle(of))
        return;
    const layblas_shape shape = shape_of(type, is_by_rows, of);
    if (of->count == 1) {
        layblas_multiply(&shape, routine, of->alpha, of->a[0], of->b[0], of->beta, of->c[0]);
        return;
    }
    const lay_plan *plan;
    const lay_status found = layblas_plan(&shape, &plan);
    for (int64_t i = 0; i < of->count && found != LAY_OK; i++)
        layblas_pass_product(found, &shape, routine, of->alpha, of->a[i], of->b[i], of->beta, of->c[i]);
    if (found == LAY_OK && lay_plan_run_many(plan, of->count, of->alpha, of->a, of->b, of->beta, of->c, NULL) != LAY_OK)
        layblas_give_up(routine, lay_last_error());
}

enum { MOST = 64 }; /* groups at once, on the stack */

/* Up to MOST groups in one call, threads sharing products of them all: 0, and nothing is done, where a plan is missing.
 */
static int multiply_at_once(int type, const char *routine, int is_by_rows, const group groups[], int64_t count)
{
    lay_runs runs[MOST];
    struct layblas_held *held[MOST];
    int ready = 0, are_planned = 1;
    for (int64_t i = 0; i < count && are_planned; i++) {
        const group *const of = &groups[i];
        const layblas_shape shape = shape_of(type, is_by_rows, of);
        if (is_idle(of))
            continue;
        runs[ready] = (lay_runs){ NULL, of->count, of->alpha, of->a, of->b, of->beta, of->c, NULL };
        are_planned = layblas_hold(&shape, &runs[ready].plan, &held[ready]) == LAY_OK;
        ready += are_planned;
    }
    if (are_planned && lay_plan_run_groups(ready, runs) != LAY_OK)
        layblas_give_up(routine, lay_last_error());
    while (ready > 0)
        layblas_let_go(held[--ready]);
    return are_planned;
}

/* What the callers' arrays hold, of integers of either width and, by Fortran, of letters. */
typedef struct groups {
    const char *letter_a, *letter_b;
    const int *trans_a, *trans_b;
    int is_wide;
    const void *m, *n, *k, *lda, *ldb, *ldc, *count, *alpha, *beta;
    const void *const *a, *const *b;
    void *const *c;
    int64_t all;
} groups;

static int64_t at(const groups *of, const void *array, int64_t i)
{
    return of->is_wide ? ((const int64_t *)array)[i] : ((const int *)array)[i];
}

/* first: of the products of the groups before this one, how many */
static group group_of(const groups *all, int type, int64_t i, int64_t first)
{
    const int64_t scalar = i * layblas_size(type);
    return (group){ .op_a = all->letter_a ? layblas_op(all->letter_a[i]) : layblas_op_of_c(all->trans_a[i]),
                    .op_b = all->letter_b ? layblas_op(all->letter_b[i]) : layblas_op_of_c(all->trans_b[i]),
                    .m = at(all, all->m, i),
                    .n = at(all, all->n, i),
                    .k = at(all, all->k, i),
                    .lda = at(all, all->lda, i),
                    .ldb = at(all, all->ldb, i),
                    .ldc = at(all, all->ldc, i),
                    .count = at(all, all->count, i),
                    .alpha = (const char *)all->alpha + scalar,
                    .beta = (const char *)all->beta + scalar,
                    .a = all->a + first,
                    .b = all->b + first,
                    .c = all->c + first };
}

/* All groups are looked at before anything is written. */
static void batch(int type, const char *routine, layblas_caller caller, const groups *all)
{
    const int is_by_rows = caller == LAYBLAS_C_ROWS;
    int wrong = all->all < 0 ? 14 : 0;
    for (int64_t i = 0; i < all->all && !wrong; i++) {
        const group one = group_of(all, type, i, 0);
        wrong = check(&one, is_by_rows);
    }
    if (wrong && caller == LAYBLAS_FORTRAN)
        layblas_wrong(caller, routine, wrong);
    else if (wrong)
        layblas_wrong_in_c(routine, wrong + 1, "", 0);
    for (int64_t i = 0, first = 0; i < all->all && !wrong;) {
        group some[MOST];
        int count = 0;
        for (; i < all->all && count < MOST; i++, count++) {
            some[count] = group_of(all, type, i, first);
            first += some[count].count;
        }
        if (count > 1 && multiply_at_once(type, routine, is_by_rows, some, count))
            continue;
        for (int g = 0; g < count; g++)
            multiply(type, routine, is_by_rows, &some[g]);
    }
}

static void batch_of_c(int type, const char *routine, int layout, const groups *all)
{
    if (layout != LAYBLAS_ROWS && layout != LAYBLAS_COLUMNS)
        layblas_wrong_in_c(routine, 1, "Illegal layout setting, %d\n", layout);
    else
        batch(type, routine, layout == LAYBLAS_ROWS ? LAYBLAS_C_ROWS : LAYBLAS_C_COLUMNS, all);
}

#define FORTRAN(name, type, routine, integer)                                                                          \
    EXPORTED void name(const char *op_a, const char *op_b, const integer *m, const integer *n, const integer *k,       \
                       const void *alpha, const void *const *a, const integer *lda, const void *const *b,              \
                       const integer *ldb, const void *beta, void *const *c, const integer *ldc, const integer *all,   \
                       const integer *count);                                                                          \
    void name(const char *op_a, const char *op_b, const integer *m, const integer *n, const integer *k,                \
              const void *alpha, const void *const *a, const integer *lda, const void *const *b, const integer *ldb,   \
              const void *beta, void *const *c, const integer *ldc, const integer *all, const integer *count)          \
    {                                                                                                                  \
        batch(type, routine, LAYBLAS_FORTRAN,                                                                          \
              &(groups){ op_a, op_b, NULL, NULL, sizeof(integer) == 8, m, n, k, lda, ldb, ldc, count, alpha, beta, a,  \
                         b, c, *all });                                                                                \
    }

#define C(name, type, routine, integer)                                                                                \
    EXPORTED void name(int layout, const int *trans_a, const int *trans_b, const integer *m, const integer *n,         \
                       const integer *k, const void *alpha, const void *const *a, const integer *lda,                  \
                       const void *const *b, const integer *ldb, const void *beta, void *const *c, const integer *ldc, \
                       integer all, const integer *count);                                                             \
    void name(int layout, const int *trans_a, const int *trans_b, const integer *m, const integer *n,                  \
              const integer *k, const void *alpha, const void *const *a, const integer *lda, const void *const *b,     \
              const integer *ldb, const void *beta, void *const *c, const integer *ldc, integer all,                   \
              const integer *count)                                                                                    \
    {                                                                                                                  \
        batch_of_c(type, routine, layout,                                                                              \
                   &(groups){ NULL, NULL, trans_a, trans_b, sizeof(integer) == 8, m, n, k, lda, ldb, ldc, count,       \
                              alpha, beta, a, b, c, all });                                                            \
    }

/* clang-format off */
FORTRAN(sgemm_batch_, 0, "sgemm_batch", int)
FORTRAN(dgemm_batch_, 1, "dgemm_batch", int)
FORTRAN(cgemm_batch_, 2, "cgemm_batch", int)
FORTRAN(zgemm_batch_, 3, "zgemm_batch", int)
FORTRAN(sgemm_batch_64_, 0, "sgemm_batch", int64_t)
FORTRAN(dgemm_batch_64_, 1, "dgemm_batch", int64_t)
FORTRAN(cgemm_batch_64_, 2, "cgemm_batch", int64_t)
FORTRAN(zgemm_batch_64_, 3, "zgemm_batch", int64_t)
C(cblas_sgemm_batch, 0, "sgemm_batch", int)
C(cblas_dgemm_batch, 1, "dgemm_batch", int)
C(cblas_cgemm_batch, 2, "cgemm_batch", int)
C(cblas_zgemm_batch, 3, "zgemm_batch", int)
C(cblas_sgemm_batch_64, 0, "sgemm_batch", int64_t)
C(cblas_dgemm_batch_64, 1, "dgemm_batch", int64_t)
C(cblas_cgemm_batch_64, 2, "cgemm_batch", int64_t)
C(cblas_zgemm_batch_64, 3, "zgemm_batch", int64_t)
/* clang-format on */
