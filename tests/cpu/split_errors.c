/* How far products of split operands are from exact ones, over kinds of numbers that have hurt such products elsewhere:
 * within the bound of docs/numerics.md, and no worse than a plain chain of fused multiply-adds. Errors are counted in
 * u |A| |B|, u = 2^-24, element by element.
 *
 *   split_errors                   what the tests run
 *   split_errors KERNEL COMPUTE K...       a table; f32_split, bf16 or bf16x3 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../judge.h"
#include "../random.h"
#include "cpu_split.h"
#include "plan/summation.h"

enum { M = 24, N = 24 };

typedef enum kind {
    UNIFORM,
    SIGNED,
    NORMAL,
    WIDE_10,
    WIDE_20,
    WIDE_30,
    WIDE_45,
    WIDE_60,
    TINY_BY_LARGE,
    DENORMAL_BY_HUGE,
    DENORMAL_RESULTS,
    HUGE_BY_SMALL,
    WHOLE_16,
    WHOLE_2047,
    CANCELLING,
    GRADED_LINES,
    GRADED_20,
    GRADED_60,
    ONE_LARGE,
    COHERENT,
    SPARSE_SMALL,
    LONG_RANGE,
    SMALL_BY_SMALL,
    NEAR_DENORMAL,
    ONE_OF_MANY,
    TWO_OF_MANY,
    EIGHT_OF_MANY,
    TIES,
    POWERS,
    KINDS
} kind;

/* path: what every element is to have been computed by; NONE: either. */
static const struct {
    const char *name;
    lay_path path;
} kinds[KINDS] = {
    [UNIFORM] = { "uniform [0, 1)", LAY_PATH_NONE },
    [SIGNED] = { "uniform (-1, 1)", LAY_PATH_NONE },
    [NORMAL] = { "normal", LAY_PATH_BF16X6 },
    [WIDE_10] = { "log-uniform 2^+-10", LAY_PATH_BF16X6 },
    [WIDE_20] = { "log-uniform 2^+-20", LAY_PATH_BF16X6 },
    [WIDE_30] = { "log-uniform 2^+-30", LAY_PATH_BF16X6 },
    [WIDE_45] = { "log-uniform 2^+-45", LAY_PATH_BF16X6 },
    [WIDE_60] = { "log-uniform 2^+-60", LAY_PATH_NONE },
    [TINY_BY_LARGE] = { "A 2^[-126, -86], B 2^[0, 40]", LAY_PATH_BF16X6 },
    [DENORMAL_BY_HUGE] = { "A denormal, B 2^[100, 120]", LAY_PATH_BF16X6 },
    [DENORMAL_RESULTS] = { "results denormal", LAY_PATH_BF16X6 },
    [HUGE_BY_SMALL] = { "A near the largest, B 2^-30", LAY_PATH_BF16X6 },
    [WHOLE_16] = { "whole numbers to 16", LAY_PATH_BF16X6 },
    [WHOLE_2047] = { "whole numbers to 2047", LAY_PATH_BF16X6 },
    [CANCELLING] = { "pairs that cancel", LAY_PATH_BF16X6 },
    [GRADED_LINES] = { "rows and columns 2^+-40", LAY_PATH_BF16X6 },
    [GRADED_20] = { "k 2^+-20, A up and B down", LAY_PATH_BF16X6 },
    [GRADED_60] = { "k 2^+-60, A up and B down", LAY_PATH_NONE },
    [ONE_LARGE] = { "one large element a row", LAY_PATH_BF16X6 },
    [COHERENT] = { "all of a row alike", LAY_PATH_BF16X6 },
    [SPARSE_SMALL] = { "few, 2^-40, by usual ones", LAY_PATH_BF16X6 },
    [LONG_RANGE] = { "A 2^[-100, 27]", LAY_PATH_NONE },
    [SMALL_BY_SMALL] = { "A and B 2^[-58, -52]", LAY_PATH_BF16X6 },
    [NEAR_DENORMAL] = { "A 2^[-126, -118], B 2^[0, 4]", LAY_PATH_BF16X6 },
    [ONE_OF_MANY] = { "1 of k not 0", LAY_PATH_BF16X6 },
    [TWO_OF_MANY] = { "2 of k not 0", LAY_PATH_BF16X6 },
    [EIGHT_OF_MANY] = { "8 of k not 0", LAY_PATH_BF16X6 },
    [TIES] = { "halfway between pieces", LAY_PATH_BF16X6 },
    [POWERS] = { "powers of two", LAY_PATH_BF16X6 },
};

static double draw_normal(random_source *from)
{
    return sqrt(-2 * log(1 - random_unit(from))) * cos(6.283185307179586 * random_unit(from));
}

static double draw_log(random_source *from, double least, double most)
{
    return exp2(least + (most - least) * random_unit(from)) * (random_one_in(from, 2) ? 1 : -1);
}

static double few(random_source *from, int64_t k, int count)
{
    return random_in(from, 1, k) <= count ? draw_normal(from) : 0;
}

/* Element p of k of line i of an operand: A's sign is 1, B's -1. */
static double draw(kind of, random_source *from, int64_t i, int64_t p, int64_t k, int sign)
{
    const double x = 2 * random_unit(from) - 1;
    switch (of) {
    case UNIFORM:
        return random_unit(from);
    case SIGNED:
        return x;
    case WIDE_10:
        return draw_log(from, -10, 10);
    case WIDE_20:
        return draw_log(from, -20, 20);
    case WIDE_30:
        return draw_log(from, -30, 30);
    case WIDE_45:
        return draw_log(from, -45, 45);
    case WIDE_60:
        return draw_log(from, -60, 60);
    case TINY_BY_LARGE:
        return sign > 0 ? draw_log(from, -126, -86) : draw_log(from, 0, 40);
    case DENORMAL_BY_HUGE:
        return sign > 0 ? x * 0x1p-128 : draw_log(from, 100, 120);
    case DENORMAL_RESULTS:
        return x * 0x1p-70;
    case HUGE_BY_SMALL:
        return sign > 0 ? x * 0x1.fffffep127 : x * 0x1p-30;
    case WHOLE_16:
        return (double)random_in(from, -16, 16);
    case WHOLE_2047:
        return (double)random_in(from, -2047, 2047);
    case CANCELLING: /* b repeats, a changes its sign */
        return sign > 0 ? (p % 2 ? -1 : 1) * (1 + 0.5 * fabs(sin((double)(p / 2 + 31 * i)))) * (1 + 0x1p-20 * x)
                        : 1 + 0.5 * fabs(cos((double)(p / 2 + 17 * i)));
    case GRADED_LINES:
        return draw_normal(from) * exp2((double)(80 * i / M) - 40);
    case GRADED_20:
        return draw_normal(from) * exp2(sign * (40.0 * (double)p / (double)k - 20));
    case GRADED_60:
        return draw_normal(from) * exp2(sign * (120.0 * (double)p / (double)k - 60));
    case ONE_LARGE:
        return draw_normal(from) * (p == (7 * i + 3) % k ? 0x1p20 : 1);
    case COHERENT: {
        random_source own = random_case(5, (uint64_t)(2 * i + (sign > 0)));
        return 1 + random_unit(&own);
    }
    case SPARSE_SMALL:
        return sign > 0 ? draw_normal(from) * 0x1p-40 * (random_one_in(from, 4) ? 1 : 0) : draw_normal(from);
    case LONG_RANGE:
        return sign > 0 ? draw_log(from, -100, 27) : draw_normal(from);
    case SMALL_BY_SMALL:
        return draw_log(from, -58, -52);
    case NEAR_DENORMAL:
        return sign > 0 ? draw_log(from, -126, -118) : draw_log(from, 0, 4);
    case ONE_OF_MANY:
        return few(from, k, 1);
    case TWO_OF_MANY:
        return few(from, k, 2);
    case EIGHT_OF_MANY:
        return few(from, k, 8);
    case TIES: /* 8 bits, a tie, 7 zeros, a tie */
        return (128 + (double)random_in(from, 0, 127) + 0.5 + 0x1p-9) * (x < 0 ? -1 : 1);
    case POWERS:
        return exp2((double)random_in(from, -8, 8)) * (x < 0 ? -1 : 1);
    default:
        return draw_normal(from);
    }
}

typedef struct errors {
    double split, plain, chain; /* the largest, in u |A| |B| */
    double of_bound;            /* of split, element by element */
    lay_path path;
} errors;

static float *some_floats(int64_t count)
{
    return judge_memory((size_t)count * sizeof(float));
}

/* In u |A| |B|: pieces 1, a leaf's chains 17, six products a leaf of a chunk, chunks, blocks, C. */
static double bound_of(int64_t k, lay_path path)
{
    const int64_t kc = lay_summation_kc(k), blocks = (k + kc - 1) / kc, leaves = lay_cpu_split_leaves(kc);
    const int64_t chunk = leaves < LAY_CPU_SPLIT_CHUNK ? leaves : LAY_CPU_SPLIT_CHUNK;
    const double split = (double)(1 + 17 + 6 * chunk + (leaves + chunk - 1) / chunk + blocks + 4);
    const double plain = (double)((k < kc ? k : kc) + blocks + 3);
    return path == LAY_PATH_BF16X6 ? split : fmax(split, plain);
}

static lay_path multiply(const char *kernel, lay_compute compute, int64_t k, const float *a, const float *b, float *c)
{
    lay_desc *desc[3] = { NULL, NULL, NULL };
    lay_plan *plan = NULL;
    lay_path path = LAY_PATH_NONE;
    const float one = 1, zero = 0;
    lay_options options = LAY_OPTIONS_INIT;
    options.kernel = kernel;
    options.compute = compute;
    options.backend = LAY_BACKEND_CPU;
    assert_int_equal(lay_desc_natural(2, (int64_t[]){ M, k }, &desc[0]), LAY_OK);
    assert_int_equal(lay_desc_natural(2, (int64_t[]){ k, N }, &desc[1]), LAY_OK);
    assert_int_equal(lay_desc_natural(2, (int64_t[]){ M, N }, &desc[2]), LAY_OK);
    if (lay_plan_create(LAY_F32, desc[0], desc[1], desc[2], &options, &plan) != LAY_OK)
        fail_msg("%s", lay_last_error());
    assert_int_equal(lay_plan_run(plan, &one, a, b, &zero, c), LAY_OK);
    assert_int_equal(lay_plan_path(plan, &path), LAY_OK);
    lay_plan_destroy(plan);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
    return path;
}

static errors measure(const char *kernel, lay_compute compute, kind of, int64_t k)
{
    float *const a = some_floats(M * k), *const b = some_floats(k * N), split[M * N], plain[M * N];
    random_source from = random_case(7, (uint64_t)(of * 100000 + k));
    for (int64_t i = 0; i < M; i++)
        for (int64_t p = 0; p < k; p++)
            a[i * k + p] = (float)draw(of, &from, i, p, k, 1);
    for (int64_t j = 0; j < N; j++)
        for (int64_t p = 0; p < k; p++)
            b[p * N + j] = (float)draw(of, &from, j, p, k, -1);
    errors found = { .path = multiply(kernel, compute, k, a, b, split) };
    multiply(NULL, LAY_COMPUTE_STRICT, k, a, b, plain);
    const double left_out = compute == LAY_COMPUTE_BF16 ? 0x1p17 + 0x1p8 : compute == LAY_COMPUTE_BF16X3 ? 0x1p9 : 0;
    const double bound = left_out + bound_of(k, kinds[of].path);
    for (int64_t i = 0; i < M; i++)
        for (int64_t j = 0; j < N; j++) {
            long double exact = 0, size = 0;
            float chain = 0;
            for (int64_t p = 0; p < k; p++) {
                const long double product = (long double)a[i * k + p] * b[p * N + j];
                exact += product;
                size += fabsl(product);
                chain = fmaf(a[i * k + p], b[p * N + j], chain);
            }
            const double unit = (double)(size * 0x1p-24L), floor = 0x1p-148;
            const double miss = (double)fabsl((long double)split[i * N + j] - exact);
            if (size == 0)
                continue;
            const double share = miss / (bound * unit + floor);
            found.of_bound = share > found.of_bound || !(share <= 1) ? share : found.of_bound;
            found.split = fmax(found.split, miss / unit);
            found.plain = fmax(found.plain, (double)fabsl((long double)plain[i * N + j] - exact) / unit);
            found.chain = fmax(found.chain, (double)fabsl((long double)chain - exact) / unit);
        }
    free(a);
    free(b);
    return found;
}

static int is_exact(kind of, int64_t k)
{
    return of == WHOLE_16 || (of == POWERS && k == 1) || (of == WHOLE_2047 && k <= 4);
}

static void errors_are_within_the_bound_and_no_worse_than_a_chains(void **state)
{
    static const int64_t ks[] = { 1, 2, 8, 31, 64, 513, 1024, 4096 };
    for (size_t q = 0; q < sizeof ks / sizeof ks[0]; q++)
        for (int of = 0; of < KINDS; of++) {
            const errors found = measure(*state, LAY_COMPUTE_F32_SPLIT, (kind)of, ks[q]);
            const int is_denormal = of == DENORMAL_RESULTS;
            if (kinds[of].path != LAY_PATH_NONE && found.path != kinds[of].path)
                fail_msg("%s, k = %lld: path %d", kinds[of].name, (long long)ks[q], (int)found.path);
            if (!(found.of_bound <= 1))
                fail_msg("%s, k = %lld: %g of the bound", kinds[of].name, (long long)ks[q], found.of_bound);
            if (!is_denormal && !(found.split <= fmax(1.6 * found.chain, 4)))
                fail_msg("%s, k = %lld: %g u, a chain %g u", kinds[of].name, (long long)ks[q], found.split,
                         found.chain);
            if (is_exact((kind)of, ks[q]) && found.split != 0)
                fail_msg("%s, k = %lld: not exact", kinds[of].name, (long long)ks[q]);
        }
}

/* Fewer pieces, larger bounds; and not so good that they could be taken for more pieces. */
static void fast_modes_keep_their_bounds(void **state)
{
    static const int64_t ks[] = { 1, 40, 600 };
    for (size_t q = 0; q < sizeof ks / sizeof ks[0]; q++)
        for (int of = 0; of < KINDS; of++) {
            const errors one = measure(*state, LAY_COMPUTE_BF16, (kind)of, ks[q]);
            const errors two = measure(*state, LAY_COMPUTE_BF16X3, (kind)of, ks[q]);
            if (!(one.of_bound <= 1 && two.of_bound <= 1))
                fail_msg("%s, k = %lld: %g and %g of the bound", kinds[of].name, (long long)ks[q], one.of_bound,
                         two.of_bound);
            const lay_path path = kinds[of].path;
            if (path == LAY_PATH_BF16X6 && (one.path != LAY_PATH_BF16X1 || two.path != LAY_PATH_BF16X3))
                fail_msg("%s, k = %lld: paths %d and %d", kinds[of].name, (long long)ks[q], (int)one.path,
                         (int)two.path);
            if (of == NORMAL && !(one.split > 64 * two.split && two.split > 4))
                fail_msg("k = %lld: %g u and %g u", (long long)ks[q], one.split, two.split);
            if (of == WHOLE_16 && (one.split != 0 || two.split != 0))
                fail_msg("%s, k = %lld: not exact", kinds[of].name, (long long)ks[q]);
        }
}

static int print_table(int argc, char **argv)
{
    static const char *const paths[] = { "none", "STRICT", "FP16X3", "BF16X6", "BF16X3", "BF16X1" };
    const lay_compute compute = strcmp(argv[2], "bf16") == 0     ? LAY_COMPUTE_BF16
                                : strcmp(argv[2], "bf16x3") == 0 ? LAY_COMPUTE_BF16X3
                                                                 : LAY_COMPUTE_F32_SPLIT;
    printf("%-30s %6s  %-7s %9s %9s %9s %9s\n", "largest error in u |A||B|", "k", "path", "split", "strict", "chain",
           "of bound");
    for (int q = 3; q < argc; q++)
        for (int of = 0; of < KINDS; of++) {
            const errors found = measure(argv[1], compute, (kind)of, atoll(argv[q]));
            printf("%-30s %6s  %-7s %9.3g %9.3g %9.3g %9.3g\n", kinds[of].name, argv[q], paths[found.path], found.split,
                   found.plain, found.chain, found.of_bound);
        }
    return 0;
}

int main(int argc, char **argv)
{
    static char model[] = "lay_split_f32_32x32_c";
    if (argc > 3)
        return print_table(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(errors_are_within_the_bound_and_no_worse_than_a_chains, model),
        cmocka_unit_test_prestate(fast_modes_keep_their_bounds, model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
