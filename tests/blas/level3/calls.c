/* symm, syrk, trsm and their like in every type, width and order of storage, against sums written out: of small
 * integers, so that results must be exact. What must not be read is NaN, and what must not be written keeps its bits.
 */
#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../cases.h"
#include "../../random.h"
#include "call.h"

#ifndef CMPLX /* the header has it for gcc alone */
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#endif

enum { CASES = 4000, MOST = 90, ROOM = 2 * (MOST + 4) * (MOST + 4) };

extern int RowMajorStrg, CBLAS_CallFromC; /* which also has the library linked: its routines are looked up by name */

/* Numbers in the type of the call, two an element of a complex one. */
typedef union stored {
    float single[ROOM];
    double twice[ROOM];
} stored;

static stored a, b, c, wanted;
static int tests, failures;

static void report(int is_ok, const char *what)
{
    printf("%s %d - %s\n", is_ok ? "ok" : "not ok", ++tests, what);
    failures += !is_ok;
}

static int parts(const call *of)
{
    return of->type >= 2 ? 2 : 1;
}

static double load(const call *of, const stored *in, int64_t at)
{
    return of->type % 2 ? in->twice[at] : (double)in->single[at];
}

static void store(const call *of, stored *in, int64_t at, double value)
{
    if (of->type % 2)
        in->twice[at] = value;
    else
        in->single[at] = (float)value;
}

/* Where element i, j of a matrix is stored. */
static int64_t place(const call *of, int64_t i, int64_t j, int64_t step)
{
    return of->caller == CALL_C_ROWS ? i * step + j : i + j * step;
}

static double complex get(const call *of, const stored *in, int64_t i, int64_t j, int64_t step)
{
    const int64_t at = place(of, i, j, step) * parts(of);
    return CMPLX(load(of, in, at), parts(of) == 2 ? load(of, in, at + 1) : 0);
}

static void put(const call *of, stored *in, int64_t i, int64_t j, int64_t step, double complex value)
{
    const int64_t at = place(of, i, j, step) * parts(of);
    store(of, in, at, creal(value));
    if (parts(of) == 2)
        store(of, in, at + 1, cimag(value));
}

static int is_triangular(const call *of)
{
    return of->routine == CALL_TRMM || of->routine == CALL_TRSM;
}

static int is_rank_update(const call *of)
{
    return of->routine >= CALL_SYRK && of->routine <= CALL_HER2K;
}

static int is_hermitian(const call *of)
{
    return of->routine == CALL_HEMM || of->routine == CALL_HERK || of->routine == CALL_HER2K;
}

static int is_in_triangle(const call *of, int64_t i, int64_t j)
{
    return of->uplo == 'U' ? i <= j : i >= j;
}

/* The order of the matrix that is a triangle. */
static int64_t order(const call *of)
{
    return is_rank_update(of) || of->side == 'R' ? of->n : of->m;
}

/* Element i, j of the symmetric or triangular matrix whose triangle A is. */
static double complex whole(const call *of, int64_t i, int64_t j)
{
    if (is_triangular(of))
        return i == j && of->diagonal == 'U' ? 1 : is_in_triangle(of, i, j) ? get(of, &a, i, j, of->lda) : 0;
    if (i == j && is_hermitian(of))
        return creal(get(of, &a, i, i, of->lda));
    const double complex x = is_in_triangle(of, i, j) ? get(of, &a, i, j, of->lda) : get(of, &a, j, i, of->lda);
    return is_hermitian(of) && !is_in_triangle(of, i, j) ? conj(x) : x;
}

/* Of op(in). */
static double complex turned(const call *of, const stored *in, int64_t i, int64_t j, int64_t step)
{
    if (of->op == 'N')
        return get(of, in, i, j, step);
    const double complex x = get(of, in, j, i, step);
    return of->op == 'C' ? conj(x) : x;
}

static double complex triangle_of(const call *of, int64_t i, int64_t j)
{
    const double complex x = of->op == 'N' ? whole(of, i, j) : whole(of, j, i);
    return of->op == 'C' ? conj(x) : x;
}

static double complex scaled_old(const call *of, double complex beta, int64_t i, int64_t j)
{
    const double complex old = get(of, &wanted, i, j, of->ldc);
    return beta == 0 ? 0 : beta * (is_hermitian(of) && is_rank_update(of) && i == j ? creal(old) : old);
}

static double complex rank_sum(const call *of, double complex alpha, int64_t i, int64_t j)
{
    const int has_two = of->routine == CALL_SYR2K || of->routine == CALL_HER2K;
    const stored *const second = has_two ? &b : &a;
    const int64_t step = has_two ? of->ldb : of->lda;
    double complex sum = 0;
    for (int64_t p = 0; p < of->k && alpha != 0; p++) {
        const double complex x = turned(of, &a, i, p, of->lda), y = turned(of, second, j, p, step);
        sum += alpha * x * (is_hermitian(of) ? conj(y) : y);
        if (!has_two)
            continue;
        const double complex u = turned(of, &b, i, p, of->ldb), v = turned(of, &a, j, p, of->lda);
        sum += (is_hermitian(of) ? conj(alpha) : alpha) * u * (is_hermitian(of) ? conj(v) : v);
    }
    return sum;
}

/* Fills wanted, which has what C had. B of a trsm is made from its result, which is what was there. */
static void work_out(const call *of, double complex alpha, double complex beta)
{
    static double complex result[MOST][MOST];
    const int64_t n = of->n, m = is_rank_update(of) ? n : of->m, step = is_triangular(of) ? of->ldb : of->ldc;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double complex sum = 0;
            if (is_rank_update(of)) {
                if (is_in_triangle(of, i, j))
                    result[i][j] = rank_sum(of, alpha, i, j) + scaled_old(of, beta, i, j);
                continue;
            }
            const stored *const from = is_triangular(of) ? &wanted : &b;
            for (int64_t p = 0; p < order(of) && alpha != 0; p++) {
                const int64_t row = of->side == 'L' ? i : p, column = of->side == 'L' ? p : j;
                const double complex x = is_triangular(of) ? triangle_of(of, row, column) : whole(of, row, column);
                sum += x * (of->side == 'L' ? get(of, from, p, j, of->ldb) : get(of, from, i, p, of->ldb));
            }
            result[i][j] = of->routine == CALL_TRSM ? alpha == 0 ? 0 : sum / alpha
                           : is_triangular(of)      ? alpha * sum
                                                    : alpha * sum + scaled_old(of, beta, i, j);
        }
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            if (!is_rank_update(of) || is_in_triangle(of, i, j))
                put(of, &wanted, i, j, step, result[i][j]);
}

static double complex draw_number(const call *of, random_source *from, int most)
{
    const double re = (double)random_in(from, -most, most), im = (double)random_in(from, -most, most);
    return parts(of) == 2 ? re + I * im : re;
}

static double unread = NAN; /* 0 where calls are another library's: some read more than they must */

static void fill(const call *of, random_source *from, stored *in, int64_t rows, int64_t columns, int64_t step)
{
    for (int64_t i = 0; i < ROOM; i++)
        store(of, in, i, unread);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            put(of, in, i, j, step, draw_number(of, from, 3));
}

/* Of a matrix given by a triangle the rest is nobody's business: NaN. A triangular one's diagonal are powers of 2, and
 * beside it there is little, so that solutions are exact. */
static void fill_triangle(const call *of, random_source *from)
{
    static const double complex diagonals[] = { 1, -1, 2, -2, 0.5, I, -I };
    const int64_t n = order(of);
    for (int64_t i = 0; i < ROOM; i++)
        store(of, &a, i, unread);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            if (is_in_triangle(of, i, j) && i != j)
                put(of, &a, i, j, of->lda, is_triangular(of) ? draw_number(of, from, 1) : draw_number(of, from, 3));
    for (int64_t i = 0; i < n; i++)
        if (!is_triangular(of))
            put(of, &a, i, i, of->lda,
                is_hermitian(of) ? CMPLX((double)random_in(from, -3, 3), unread) : draw_number(of, from, 3));
        else if (of->diagonal == 'N')
            put(of, &a, i, i, of->lda, diagonals[random_in(from, 0, parts(of) == 2 ? 6 : 4)]);
}

static int64_t step_of(const call *of, random_source *from, int64_t rows, int64_t columns)
{
    const int64_t line = of->caller == CALL_C_ROWS ? columns : rows;
    return random_in(from, line > 1 ? line : 1, line + 3);
}

static int can_pass;

static call draw(random_source *from)
{
    call of = { .routine = random_in(from, 0, CALL_ROUTINES - 1), .caller = random_in(from, 0, CALL_CALLERS - 1) };
    if (!can_pass && is_triangular(&of))
        of.routine = CALL_SYRK;
    of.type = (int)random_in(from, is_hermitian(&of) ? 2 : 0, 3);
    of.is_wide = random_one_in(from, 2);
    of.side = "LR"[random_in(from, 0, 1)];
    of.uplo = "UL"[random_in(from, 0, 1)];
    of.op = "NTC"[random_in(from, 0, 2)];
    of.diagonal = "NU"[random_in(from, 0, 1)];
    if (is_rank_update(&of) && of.op != 'N' && of.type >= 2)
        of.op = is_hermitian(&of) ? 'C' : 'T';
    const int64_t most = random_one_in(from, 4) ? MOST : 20;
    of.m = random_in(from, 0, most);
    of.n = random_in(from, 0, most);
    of.k = random_in(from, 0, 20);
    const int64_t rows = of.op == 'N' ? of.n : of.k, columns = of.op == 'N' ? of.k : of.n;
    of.lda = is_rank_update(&of) ? step_of(&of, from, rows, columns) : step_of(&of, from, order(&of), order(&of));
    of.ldb = is_rank_update(&of) ? step_of(&of, from, rows, columns) : step_of(&of, from, of.m, of.n);
    of.ldc = step_of(&of, from, is_rank_update(&of) ? of.n : of.m, of.n);
    return of;
}

/* Scalars in the type that the routine has them in. */
static const void *scalar(const call *of, double complex value, stored *to)
{
    store(of, to, 0, creal(value));
    if (parts(of) == 2)
        store(of, to, 1, cimag(value));
    return to;
}

static void fill_operands(const call *of, random_source *from, double complex beta)
{
    const int64_t n = of->n, rows = of->op == 'N' ? n : of->k, columns = of->op == 'N' ? of->k : n;
    if (is_rank_update(of)) {
        fill(of, from, &a, rows, columns, of->lda);
        fill(of, from, &b, rows, columns, of->ldb);
        fill(of, from, &wanted, 0, 0, 1);
        for (int64_t i = 0; i < n && beta != 0; i++)
            for (int64_t j = 0; j < n; j++)
                if (is_in_triangle(of, i, j))
                    put(of, &wanted, i, j, of->ldc,
                        is_hermitian(of) && i == j ? CMPLX((double)random_in(from, -3, 3), unread)
                                                   : draw_number(of, from, 3));
        return;
    }
    fill_triangle(of, from);
    fill(of, from, &b, of->m, n, of->ldb);
    if (is_triangular(of))
        wanted = b;
    else
        fill(of, from, &wanted, beta == 0 ? 0 : of->m, n, of->ldc);
}

static int is_same(double x, double y)
{
    return x == y || (isnan(x) && isnan(y));
}

/* The first number of C that is wrong, -1 where none is. */
static int64_t run(call *of, random_source *from)
{
    static stored alphas, betas;
    static const double complex for_products[] = { 0, 1, -1, 2, 3, I, 1 - 2 * I }, for_solutions[] = { 0, 1, -1, 2, I };
    double complex alpha = of->routine == CALL_TRSM ? random_of(from, for_solutions) : random_of(from, for_products);
    double complex beta = random_of(from, for_products);
    if (call_has_real_alpha(of))
        alpha = creal(alpha);
    if (call_has_real_beta(of))
        beta = creal(beta);
    fill_operands(of, from, beta);
    if (alpha == 0) { /* nothing of what it multiplies is read, B of trmm and trsm included */
        fill(of, from, &a, 0, 0, 1);
        fill(of, from, &b, 0, 0, 1);
        for (int64_t i = 0; i < of->m && is_triangular(of); i++)
            for (int64_t j = 0; j < of->n; j++)
                put(of, &wanted, i, j, of->ldb, CMPLX(unread, unread));
    }
    const stored before = wanted;
    const int is_untouched = is_rank_update(of) && beta == 1 && (alpha == 0 || of->k == 0);
    if (!is_untouched)
        work_out(of, alpha, beta);
    c = of->routine == CALL_TRSM ? wanted : before;
    if (of->routine == CALL_TRSM && alpha != 0)
        wanted = before;
    if (of->routine == CALL_TRSM && alpha == 0)
        c = before;
    of->alpha = scalar(of, alpha, &alphas);
    of->beta = scalar(of, beta, &betas);
    of->a = &a;
    of->b = &b;
    of->c = &c;
    call_make(of);
    for (int64_t i = 0; i < ROOM; i++)
        if (!is_same(load(of, &c, i), load(of, &wanted, i)))
            return i;
    return RowMajorStrg || CBLAS_CallFromC ? 0 : -1;
}

static void random_calls_are_exact(void)
{
    const int cases = cases_at_most(CASES);
    int wrong = 0;
    for (int at_case = 0; at_case < cases; at_case++) {
        random_source from = random_case(84, (uint64_t)at_case);
        call of = draw(&from);
        const int64_t at = run(&of, &from);
        if (at >= 0 && wrong++ < 5)
            printf("# case %d: %c%s caller %d wide %d side %c uplo %c op %c diagonal %c m %d n %d k %d steps %d %d %d: "
                   "number %d is %g, not %g\n",
                   at_case, "sdcz"[of.type], call_names[of.routine], of.caller, of.is_wide, of.side, of.uplo, of.op,
                   of.diagonal, (int)of.m, (int)of.n, (int)of.k, (int)of.lda, (int)of.ldb, (int)of.ldc, (int)at,
                   load(&of, &c, at), load(&of, &wanted, at));
    }
    report(wrong == 0, "random calls are exact");
}

/* Whether this CPU, LAY_ISA and LAY_BLAS_LEVEL3 have real triangles solved here. */
static int are_solved_here(void)
{
    const char *const level3 = getenv("LAY_BLAS_LEVEL3"), *const isa = getenv("LAY_ISA");
    if ((isa && strcmp(isa, "c") == 0) || (level3 && atoi(level3) == 0))
        return 0;
#ifdef __x86_64__
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return 0;
#endif
}

/* 1 over so small a number is infinite, or has lost digits; over so large a one, too. */
static void extreme_diagonals_divide(void)
{
    enum { N = 17 };
    static const double small[] = { 0x1p-140, 0x1p-1060 }, large[] = { 0x1p127, 0x1p1023 };
    for (int type = 0; type < 2 && are_solved_here(); type++)
        for (int is_large = 0; is_large < 2; is_large++) {
            call of = { .routine = CALL_TRSM, .caller = CALL_FORTRAN, .type = type, .side = 'L', .uplo = 'L' };
            const double x = is_large ? large[type] : small[type];
            const float one_single = 1;
            const double one = 1;
            int are_right = 1;
            of.op = of.diagonal = 'N';
            of.m = of.n = of.lda = of.ldb = N;
            of.alpha = type ? (const void *)&one : &one_single;
            of.a = &a;
            of.c = &c;
            for (int i = 0; i < N * N; i++) {
                store(&of, &a, i, i % (N + 1) ? 0 : x);
                store(&of, &c, i, x * (is_large ? 1.5 : 3));
            }
            call_make(&of);
            for (int i = 0; i < N * N; i++)
                are_right = are_right && load(&of, &c, i) == (is_large ? 1.5 : 3);
            report(are_right, is_large ? "a large diagonal divides" : "a small diagonal divides");
        }
}

int main(void)
{
    const char *const next = getenv("LAY_BLAS_NEXT");
    can_pass =
        dlopen(next && *next ? next : "libblas.so.3", RTLD_LAZY) || (!next && dlopen("libopenblas.so.0", RTLD_LAZY));
    const char *const level3 = getenv("LAY_BLAS_LEVEL3");
    if (!level3 || atoi(level3) == 0)
        unread = 0;
    random_calls_are_exact();
    extreme_diagonals_divide();
    printf("1..%d\n", tests);
    return failures != 0;
}
