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

#include "../../bench/base/numbers.h"
#include "../oracle.h"
#include "split_kinds.h"

enum { M = 24, N = 24 };

typedef struct errors {
    double split, plain, chain; /* the largest, in u |A| |B| */
    double of_bound;            /* of split, element by element */
    lay_path path;
} errors;

static float *some_floats(int64_t count)
{
    return oracle_memory((size_t)count * sizeof(float));
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

static errors measure(const char *kernel, lay_compute compute, numbers_kind of, int64_t k)
{
    float *const a = some_floats(M * k), *const b = some_floats(k * N), split[M * N], plain[M * N];
    float *const bt = some_floats(k * N);
    numbers_fill(of, NUMBERS_A, 7, M, k, a);
    numbers_fill(of, NUMBERS_B, 7, N, k, bt);
    for (int64_t j = 0; j < N; j++)
        for (int64_t p = 0; p < k; p++)
            b[p * N + j] = bt[j * k + p];
    free(bt);
    errors found = { .path = multiply(kernel, compute, k, a, b, split) };
    multiply(NULL, LAY_COMPUTE_STRICT, k, a, b, plain);
    const double left_out = compute == LAY_COMPUTE_BF16 ? 0x1p17 + 0x1p8 : compute == LAY_COMPUTE_BF16X3 ? 0x1p9 : 0;
    const double bound = left_out + split_bound(k, split_paths[of]);
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

static int is_exact(numbers_kind of, int64_t k)
{
    return of == NUMBERS_INTEGERS_16 || (of == NUMBERS_POWERS && k == 1) || (of == NUMBERS_INTEGERS_2047 && k <= 4);
}

static void errors_are_within_the_bound_and_no_worse_than_a_chains(void **state)
{
    static const int64_t ks[] = { 1, 2, 8, 31, 64, 513, 1024, 4096 };
    for (size_t q = 0; q < sizeof ks / sizeof ks[0]; q++)
        for (int of = 0; of < NUMBERS_KINDS; of++) {
            const errors found = measure(*state, LAY_COMPUTE_F32_SPLIT, (numbers_kind)of, ks[q]);
            const int is_denormal = of == NUMBERS_DENORMAL_RESULTS;
            if (split_paths[of] != LAY_PATH_NONE && found.path != split_paths[of])
                fail_msg("%s, k = %lld: path %d", numbers_name(of), (long long)ks[q], (int)found.path);
            if (!(found.of_bound <= 1))
                fail_msg("%s, k = %lld: %g of the bound", numbers_name(of), (long long)ks[q], found.of_bound);
            if (!is_denormal && !(found.split <= fmax(1.6 * found.chain, 4)))
                fail_msg("%s, k = %lld: %g u, a chain %g u", numbers_name(of), (long long)ks[q], found.split,
                         found.chain);
            if (is_exact((numbers_kind)of, ks[q]) && found.split != 0)
                fail_msg("%s, k = %lld: not exact", numbers_name(of), (long long)ks[q]);
        }
}

/* Fewer limbs, larger bounds; and not so good that they could be taken for more limbs. */
static void fast_modes_keep_their_bounds(void **state)
{
    static const int64_t ks[] = { 1, 40, 600 };
    for (size_t q = 0; q < sizeof ks / sizeof ks[0]; q++)
        for (int of = 0; of < NUMBERS_KINDS; of++) {
            const errors one = measure(*state, LAY_COMPUTE_BF16, (numbers_kind)of, ks[q]);
            const errors two = measure(*state, LAY_COMPUTE_BF16X3, (numbers_kind)of, ks[q]);
            if (!(one.of_bound <= 1 && two.of_bound <= 1))
                fail_msg("%s, k = %lld: %g and %g of the bound", numbers_name(of), (long long)ks[q], one.of_bound,
                         two.of_bound);
            const lay_path path = split_paths[of];
            if (path == LAY_PATH_BF16X6 && (one.path != LAY_PATH_BF16X1 || two.path != LAY_PATH_BF16X3))
                fail_msg("%s, k = %lld: paths %d and %d", numbers_name(of), (long long)ks[q], (int)one.path,
                         (int)two.path);
            if (of == NUMBERS_NORMAL && !(one.split > 64 * two.split && two.split > 4))
                fail_msg("k = %lld: %g u and %g u", (long long)ks[q], one.split, two.split);
            if (of == NUMBERS_INTEGERS_16 && (one.split != 0 || two.split != 0))
                fail_msg("%s, k = %lld: not exact", numbers_name(of), (long long)ks[q]);
        }
}

static int print_table(int argc, char **argv)
{
    static const char *const path_names[] = { "none", "STRICT", "FP16X3", "BF16X6", "BF16X3", "BF16X1" };
    const lay_compute compute = strcmp(argv[2], "bf16") == 0     ? LAY_COMPUTE_BF16
                                : strcmp(argv[2], "bf16x3") == 0 ? LAY_COMPUTE_BF16X3
                                                                 : LAY_COMPUTE_F32_SPLIT;
    printf("%-30s %6s  %-7s %9s %9s %9s %9s\n", "largest error in u |A||B|", "k", "path", "split", "strict", "chain",
           "of bound");
    for (int q = 3; q < argc; q++)
        for (int of = 0; of < NUMBERS_KINDS; of++) {
            const errors found = measure(argv[1], compute, (numbers_kind)of, atoll(argv[q]));
            printf("%-30s %6s  %-7s %9.3g %9.3g %9.3g %9.3g\n", numbers_name(of), argv[q], path_names[found.path],
                   found.split, found.plain, found.chain, found.of_bound);
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
