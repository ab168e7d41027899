/* Every routine that is computed here, in every type, width and order of storage, against sums written out: of small
 * integers, so that results must be exact. What lies around and between C's elements must keep its bits. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../random.h"
#include "call.h"

enum { CASES = 6000, ROOM = 40000 }; /* numbers of one operand */

typedef struct operand {
    double number[ROOM]; /* two an element of a complex type */
    union {
        float single[ROOM];
        double twice[ROOM];
    } stored;
} operand;

static operand a, b, c, before;

static int parts(const call *of)
{
    return of->type >= 2 ? 2 : 1;
}

static void *address(const call *of, operand *in, int64_t element)
{
    const int64_t at = element * parts(of);
    return of->type % 2 ? (void *)(in->stored.twice + at) : (void *)(in->stored.single + at);
}

static void store(const call *of, operand *in)
{
    for (int i = 0; i < ROOM; i++)
        if (of->type % 2)
            in->stored.twice[i] = in->number[i];
        else
            in->stored.single[i] = (float)in->number[i];
}

static double load(const call *of, const operand *in, int64_t at)
{
    return of->type % 2 ? in->stored.twice[at] : (double)in->stored.single[at];
}

/* The element i, j of a matrix of which lines lie along its columns, or along its rows. */
static int64_t place(const call *of, int64_t i, int64_t j, int64_t step)
{
    return of->side == CALL_C_ROWS ? i * step + j : i + j * step;
}

static int64_t place_in_op(const call *of, int op, int64_t i, int64_t j, int64_t step)
{
    return op ? place(of, j, i, step) : place(of, i, j, step);
}

/* BLAS's rule: of a vector that runs backwards, element 0 is the last one in memory. */
static int64_t place_in_vector(int64_t i, int64_t length, int64_t step)
{
    return step < 0 ? (i - length + 1) * step : i * step;
}

typedef struct number {
    double re, im;
} number;

static number times(number x, number y)
{
    return (number){ x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re };
}

static number element(const call *of, const operand *in, int64_t at, int is_conjugated)
{
    if (parts(of) == 1)
        return (number){ in->number[at], 0 };
    return (number){ in->number[2 * at], is_conjugated ? -in->number[2 * at + 1] : in->number[2 * at + 1] };
}

static int is_written(const call *of, int64_t i, int64_t j)
{
    const int is_triangle = of->routine == CALL_GEMMT || of->routine == CALL_GEMMTR;
    return !is_triangle || (of->is_upper ? i <= j : i >= j);
}

static void work_out(const call *of, int product, const number scalar[2], double wanted[])
{
    const int64_t shift_a = product * of->stride_a, shift_b = product * of->stride_b, shift_c = product * of->stride_c;
    const int is_vector = of->routine == CALL_GEMV, is_beta_zero = scalar[1].re == 0 && scalar[1].im == 0;
    for (int64_t i = 0; i < of->m; i++)
        for (int64_t j = 0; j < of->n; j++) {
            number sum = { 0, 0 };
            const int64_t at_c = shift_c + (is_vector ? place_in_vector(i, of->m, of->ldc) : place(of, i, j, of->ldc));
            for (int64_t p = 0; p < of->k; p++) {
                const int64_t at_a = shift_a + place_in_op(of, of->op_a, i, p, of->lda);
                const int64_t at_b = shift_b + (is_vector ? place_in_vector(p, of->k, of->ldb)
                                                          : place_in_op(of, of->op_b, p, j, of->ldb));
                const number one = times(element(of, &a, at_a, of->op_a == 2), element(of, &b, at_b, of->op_b == 2));
                sum.re += one.re;
                sum.im += one.im;
            }
            if (!is_written(of, i, j))
                continue;
            const number scaled = times(scalar[0], sum);
            const number old = is_beta_zero ? (number){ 0, 0 } : times(scalar[1], element(of, &before, at_c, 0));
            wanted[at_c * parts(of)] = scaled.re + old.re;
            if (parts(of) == 2)
                wanted[at_c * 2 + 1] = scaled.im + old.im;
        }
}

static int64_t line(const call *of, int op, int64_t rows, int64_t columns)
{
    return (op != 0) != (of->side == CALL_C_ROWS) ? columns : rows;
}

static int64_t step_of(random_source *from, int64_t length)
{
    const int64_t least = length > 1 ? length : 1;
    return random_in(from, least, least + 3);
}

/* Run so, every product is refused by liblayoutgemm. */
static int is_all_passed_on(void)
{
    const char *const level = getenv("LAY_ISA");
    return level && strcmp(level, "none") == 0;
}

/* A random call that fits ROOM: gemmt's triangles may be of several squares. */
static call draw(random_source *from)
{
    static const int64_t increments[] = { 1, 1, 2, 3, -1, -2 };
    call of = { .routine = random_in(from, 0, CALL_ROUTINES - 1), .side = random_in(from, 0, CALL_SIDES - 1) };
    const int is_triangle = of.routine == CALL_GEMMT || of.routine == CALL_GEMMTR;
    const int is_batch = of.routine == CALL_BATCH || of.routine == CALL_STRIDED;
    of.type = (int)random_in(from, 0, 3);
    of.is_wide = (int)random_in(from, 0, 1);
    of.op_a = (int)random_in(from, 0, 2);
    of.op_b = of.routine == CALL_GEMV ? 0 : (int)random_in(from, 0, 2);
    of.is_upper = (int)random_in(from, 0, 1);
    if (is_all_passed_on() && of.routine == CALL_GEMV && of.side == CALL_C_ROWS && of.type >= 2 && of.op_a == 2)
        of.op_a = 1; /* no other library has that, and there is no going on without */
    of.m = random_in(from, 0, is_triangle && random_one_in(from, 8) ? 120 : 12);
    of.n = is_triangle ? of.m : of.routine == CALL_GEMV ? 1 : random_in(from, 0, 12);
    of.k = random_in(from, 0, random_one_in(from, 8) ? 70 : 8);
    if (of.routine == CALL_GEMV && (of.m == 0 || of.k == 0))
        of.m = of.k = 1; /* a case of its own: untouched_by_beta */
    of.lda = step_of(from, line(&of, of.op_a, of.m, of.k));
    of.ldb = step_of(from, line(&of, of.op_b, of.k, of.n));
    of.ldc = step_of(from, line(&of, 0, of.m, of.n));
    if (of.routine == CALL_GEMV) {
        of.ldb = random_of(from, increments);
        of.ldc = random_of(from, increments);
    }
    of.count = is_batch ? random_in(from, 1, CALL_MOST) : 1;
    of.stride_a = 1300 * random_in(from, 0, 1);
    of.stride_b = 1300 * random_in(from, 0, 1);
    of.stride_c = 400;
    return of;
}

/* The first number of C that is wrong, -1 where none is. */
static int64_t run(call *of, random_source *from)
{
    static double wanted[ROOM];
    static const double some[] = { 0, 1, 1, -1, 2, 3 };
    number scalar[2] = { { random_of(from, some), 0 }, { random_of(from, some), 0 } };
    if (parts(of) == 2 && random_one_in(from, 2))
        scalar[0].im = random_of(from, some), scalar[1].im = random_of(from, some);
    /* One scalar for each of a batch's groups. */
    double twice[2][4] = { { 0 } };
    float single[2][4];
    for (int i = 0; i < 2; i++) {
        for (int group = 0; group < 2; group++) {
            twice[i][group * parts(of)] = scalar[i].re;
            if (parts(of) == 2)
                twice[i][group * 2 + 1] = scalar[i].im;
        }
        for (int j = 0; j < 4; j++)
            single[i][j] = (float)twice[i][j];
    }
    for (int i = 0; i < ROOM; i++) {
        a.number[i] = (double)random_in(from, -4, 4);
        b.number[i] = (double)random_in(from, -4, 4);
        before.number[i] = (double)random_in(from, -4, 4);
    }
    memcpy(wanted, before.number, sizeof wanted);
    for (int product = 0; product < of->count; product++)
        work_out(of, product, scalar, wanted);
    memcpy(c.number, before.number, sizeof c.number);
    store(of, &a);
    store(of, &b);
    store(of, &c);
    of->alpha = of->type % 2 ? (void *)twice[0] : (void *)single[0];
    of->beta = of->type % 2 ? (void *)twice[1] : (void *)single[1];
    for (int i = 0; i < CALL_MOST; i++) {
        of->a[i] = address(of, &a, i * of->stride_a);
        of->b[i] = address(of, &b, i * of->stride_b);
        of->c[i] = address(of, &c, i * of->stride_c);
    }
    call_make(of);
    for (int64_t i = 0; i < ROOM; i++)
        if (!(load(of, &c, i) == wanted[i]))
            return i;
    return -1;
}

static int tests, failures;

static void report(int is_ok, const char *what)
{
    printf("%s %d - %s\n", is_ok ? "ok" : "not ok", ++tests, what);
    failures += !is_ok;
}

static void random_calls_are_exact(void)
{
    int wrong = 0;
    for (int at_case = 0; at_case < CASES; at_case++) {
        random_source from = random_case(1, (uint64_t)at_case);
        call of = draw(&from);
        const int64_t at = run(&of, &from);
        if (at >= 0 && wrong++ < 5)
            printf("# case %d: routine %d side %d type %d wide %d ops %d %d upper %d m %d n %d k %d steps %d %d %d "
                   "count %d: number %d\n",
                   at_case, of.routine, of.side, of.type, of.is_wide, of.op_a, of.op_b, of.is_upper, (int)of.m,
                   (int)of.n, (int)of.k, (int)of.lda, (int)of.ldb, (int)of.ldc, (int)of.count, (int)at);
    }
    report(wrong == 0, "random calls are exact");
}

/* One shape after the other that differ in one number each: what is remembered of one does not serve another. */
static void each_number_counts(void)
{
    int wrong = 0;
    random_source from = random_case(2, 0);
    for (int which = 0; which < 9; which++)
        for (int more = 0; more < 150; more++) {
            call of = {
                .routine = which < 6 ? CALL_GEMM : CALL_STRIDED, .type = 1, .m = 3, .n = 3, .k = 3, .count = 2
            };
            int64_t *const each[] = { &of.m,   &of.n,        &of.k,        &of.lda,     &of.ldb,
                                      &of.ldc, &of.stride_a, &of.stride_b, &of.stride_c };
            of.lda = of.ldb = of.ldc = 3;
            of.stride_a = of.stride_b = of.stride_c = 9;
            *each[which] += more;
            if (which < 3)
                of.lda = of.ldb = of.ldc = 160;
            of.count = which < 6 ? 1 : 2;
            wrong += run(&of, &from) >= 0;
        }
    report(wrong == 0, "shapes that differ in one number are told apart");
}

/* C is NaN before, A and B are where alpha is 0. */
static void zeros_read_nothing(void)
{
    static const double zero[4], one[4] = { 1, 0, 1, 0 };
    static const float single_zero[4], single_one[4] = { 1, 0, 1, 0 };
    int is_ok = 1;
    for (int type = 0; type < 4; type++)
        for (int routine = 0; routine < CALL_ROUTINES; routine++)
            for (int is_alpha = 0; is_alpha < 2; is_alpha++) {
                call of = { .routine = routine, .type = type, .is_upper = 1, .count = 2 };
                of.m = of.k = of.lda = of.ldb = of.ldc = 5;
                of.n = routine == CALL_GEMV ? 1 : 5;
                of.stride_a = of.stride_b = of.stride_c = 25;
                for (int i = 0; i < ROOM; i++) {
                    a.number[i] = b.number[i] = is_alpha ? 1 : NAN;
                    c.number[i] = NAN;
                }
                store(&of, &a);
                store(&of, &b);
                store(&of, &c);
                of.alpha = type % 2 ? (is_alpha ? (void *)one : (void *)zero)
                                    : (is_alpha ? (void *)single_one : (void *)single_zero);
                of.beta = type % 2 ? (void *)zero : (void *)single_zero;
                for (int i = 0; i < CALL_MOST; i++) {
                    of.a[i] = address(&of, &a, i * 25);
                    of.b[i] = address(&of, &b, i * 25);
                    of.c[i] = address(&of, &c, i * 25);
                }
                call_make(&of);
                is_ok = is_ok && load(&of, &c, 0) == (is_alpha ? (type >= 2 ? 0 : 5) : 0);
                is_ok = is_ok && isnan(load(&of, &c, 2000));
            }
    report(is_ok, "beta 0 reads no C, alpha 0 no A and B");
}

static void nothing_is_touched_by_a_gemv_of_no_columns(void)
{
    static const double scalars[] = { 2, 0 };
    call of = { .routine = CALL_GEMV, .type = 1, .m = 3, .n = 1, .k = 0, .lda = 3, .ldb = 1, .ldc = 1 };
    c.stored.twice[0] = c.stored.twice[1] = c.stored.twice[2] = 7;
    of.alpha = of.beta = scalars;
    of.a[0] = a.stored.twice;
    of.b[0] = b.stored.twice;
    of.c[0] = c.stored.twice;
    call_make(&of);
    report(c.stored.twice[0] == 7 && c.stored.twice[2] == 7, "a gemv of no columns leaves y alone");
}

/* Operands that C lies in, which liblayoutgemm refuses: the next library's business, and nobody's end. */
static void overlaps_are_passed_on(void)
{
    static const double one[] = { 1, 0 }, zero[] = { 0, 0 };
    call of = { .type = 1, .m = 2, .n = 2, .k = 2, .lda = 2, .ldb = 2, .ldc = 2, .count = 1 };
    double all[] = { 1, 0, 0, 1, 5, 6, 7, 8 };
    of.alpha = one;
    of.beta = zero;
    of.a[0] = all;
    of.b[0] = all + 4;
    of.c[0] = all + 4;
    call_make(&of);
    report(all[0] == 1, "a product in an operand's own place is passed on");
}

static int can_pass_on(void)
{
    void *const next = dlopen("libopenblas.so.0", RTLD_LAZY);
    return next != NULL || dlopen("libblas.so.3", RTLD_LAZY) != NULL;
}

int main(void)
{
    if (is_all_passed_on() && !can_pass_on()) {
        printf("1..0 # SKIP there is no BLAS to pass products on to\n");
        return 0;
    }
    random_calls_are_exact();
    each_number_counts();
    if (!is_all_passed_on()) /* with OpenBLAS 0.3.21 some NaN stays */
        zeros_read_nothing();
    nothing_is_touched_by_a_gemv_of_no_columns();
    if (can_pass_on())
        overlaps_are_passed_on();
    printf("1..%d\n", tests);
    return failures != 0;
}
