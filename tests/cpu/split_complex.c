/* How far complex products of split operands are from exact ones, part by part, over kinds of numbers that have hurt
 * such products elsewhere: within the bound of a real product of twice as many steps (docs/numerics.md) and, on the
 * CPU, no worse than a plain chain of fused multiply-adds. Errors are counted in u |A| |B|, u = 2^-24: of a real part
 * in u sum |re a re b| + |im a im b|.
 *
 *   split_complex KERNEL...    by each of these that there is here; LAY_TEST_PLACE=device for a device's */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../oracle.h"
#include "../there.h"
#include "split_kinds.h"

enum { MOST = 24 };

/* A row of A and a column of B: k numbers, each part of the kind. */
typedef struct operands {
    int64_t m, n, k;
    float *a, *b, *c; /* by rows, by columns, by rows */
    unsigned conjugated;
} operands;

static operands make_operands(numbers_kind of, int64_t m, int64_t n, int64_t k, unsigned conjugated)
{
    operands made = { m, n, k, NULL, NULL, NULL, conjugated };
    made.a = oracle_memory((size_t)(m * k) * 2 * sizeof(float));
    made.b = oracle_memory((size_t)(k * n) * 2 * sizeof(float));
    made.c = oracle_memory((size_t)(m * n) * 2 * sizeof(float));
    numbers_fill(of, NUMBERS_A, 7, m, 2 * k, made.a);
    numbers_fill(of, NUMBERS_B, 7, n, 2 * k, made.b);
    return made;
}

static void free_operands(operands *of)
{
    free(of->a);
    free(of->b);
    free(of->c);
}

/* 0: there is no such kernel here. */
static int multiply(const operands *of, const char *kernel, lay_path *path)
{
    static const float one[] = { 1, 0 }, zero[] = { 0, 0 };
    const int64_t k = of->k, shape[3][2] = { { of->m, k }, { of->n, k }, { of->m, of->n } };
    lay_desc *desc[3] = { NULL, NULL, NULL };
    lay_plan *plan = NULL;
    lay_product product = LAY_PRODUCT_INIT;
    lay_options options = LAY_OPTIONS_INIT;
    void *at[3] = { of->a, of->b, of->c };
    there_block blocks[3];
    for (int i = 0; i < 3; i++) {
        assert_int_equal(lay_desc_natural(2, shape[i], &desc[i]), LAY_OK);
        blocks[i] = (there_block){ at[i], (size_t)(shape[i][0] * shape[i][1]) * 2 * sizeof(float), &at[i] };
    }
    there_send(3, blocks, 0, &options);
    options.kernel = kernel;
    options.compute = LAY_COMPUTE_F32_SPLIT;
    if (!there_is_elsewhere())
        options.backend = LAY_BACKEND_CPU;
    product.type_a = product.type_b = product.type_c = LAY_C32;
    product.a = desc[0], product.b = desc[1], product.c = desc[2];
    product.labels = "ik,jk->ij";
    product.conjugated = of->conjugated;
    const lay_status status = lay_plan_create_product(&product, &options, &plan);
    if (status == LAY_OK &&
        (lay_plan_reserve(plan) || lay_plan_run(plan, one, at[0], at[1], zero, at[2]) || lay_plan_path(plan, path)))
        fail_msg("%s", lay_last_error());
    if (status != LAY_OK && status != LAY_ERR_UNSUPPORTED)
        fail_msg("%s", lay_last_error());
    there_fetch();
    lay_plan_destroy(plan);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
    return status == LAY_OK;
}

/* docs/numerics.md, of a real product of k steps. */
static double bound_of(int64_t k, numbers_kind of, lay_path path)
{
    enum { SLICES = 16 };
    const double steps = (double)k;
    if (!there_is_elsewhere())
        return split_bound(k, split_paths[of]);
    const double strict = fmin(steps, 64) + fmin(steps / 64, 32) + steps / 2048 + 2; /* of patched elements, too */
    return fmax(strict, path == LAY_PATH_FP16X3   ? 44 + steps / 32 + 2 * SLICES
                        : path == LAY_PATH_BF16X6 ? 25 + steps / 16 + 2 * SLICES
                                                  : 0);
}

/* Largest errors of an element's parts: in u |A| |B|, of a chain, and of the bound. */
typedef struct errors {
    double split, chain, of_bound;
} errors;

static void add_part(errors *found, const operands *of, int64_t i, int64_t j, int part, double bound)
{
    const float *const a = of->a + 2 * i * of->k, *const b = of->b + 2 * j * of->k;
    const float sign_a = of->conjugated & LAY_CONJUGATED_A ? -1 : 1,
                sign_b = of->conjugated & LAY_CONJUGATED_B ? -1 : 1;
    long double exact = 0, size = 0;
    float chain = 0;
    for (int64_t p = 0; p < 2 * of->k; p++) {
        const float x = p % 2 ? sign_a * a[p] : a[p];
        const int64_t other = part ? p ^ 1 : p; /* re re - im im, re im + im re */
        const float z = other % 2 ? sign_b * b[other] : b[other], y = !part && p % 2 ? -z : z;
        exact += (long double)x * y;
        size += fabsl((long double)x * y);
        chain = fmaf(x, y, chain);
    }
    if (size == 0)
        return;
    const double unit = (double)(size * 0x1p-24L);
    const double miss = (double)fabsl((long double)of->c[2 * (i * of->n + j) + part] - exact);
    const double share = miss / (bound * unit + 0x1p-148);
    found->of_bound = share > found->of_bound || !(share <= 1) ? share : found->of_bound;
    found->split = fmax(found->split, miss / unit);
    found->chain = fmax(found->chain, (double)fabsl((long double)chain - exact) / unit);
}

static errors measure(const operands *of, double bound)
{
    errors found = { 0, 0, 0 };
    for (int64_t i = 0; i < of->m; i++)
        for (int64_t j = 0; j < of->n; j++)
            for (int part = 0; part < 2; part++)
                add_part(&found, of, i, j, part, bound);
    return found;
}

/* B is expanded, or A; each is conjugated once. */
static const struct {
    int64_t m, n;
    unsigned conjugated;
} forms[] = { { MOST, MOST - 3, 0 },
              { MOST - 3, MOST, 0 },
              { 17, 16, LAY_CONJUGATED_A },
              { 16, 17, LAY_CONJUGATED_A | LAY_CONJUGATED_B } };

static const char *kernel; /* of the test under way */

static void judge(numbers_kind of, int64_t k, size_t form, operands *on)
{
    lay_path path = LAY_PATH_NONE;
    if (!multiply(on, kernel, &path))
        return; /* Meson takes skip() for a failure */
    const errors found = measure(on, bound_of(2 * k, of, path));
    if (!there_is_elsewhere() && split_paths[of] != LAY_PATH_NONE && path != split_paths[of])
        fail_msg("%s, k = %lld: path %d", numbers_name(of), (long long)k, (int)path);
    if (!(found.of_bound <= 1))
        fail_msg("%s, k = %lld, form %zu: %g of the bound", numbers_name(of), (long long)k, form, found.of_bound);
    if (!there_is_elsewhere() && of != NUMBERS_DENORMAL_RESULTS && !(found.split <= fmax(1.6 * found.chain, 4)))
        fail_msg("%s, k = %lld, form %zu: %g u, a chain %g u", numbers_name(of), (long long)k, form, found.split,
                 found.chain);
    if (of == NUMBERS_INTEGERS_16 && found.split != 0)
        fail_msg("%s, k = %lld: not exact", numbers_name(of), (long long)k);
}

static void errors_are_within_the_bound_and_no_worse_than_a_chains(void **state)
{
    static const int64_t ks[] = { 4, 33, 256, 1100 };
    kernel = *state;
    for (int of = 0; of < NUMBERS_KINDS; of++)
        for (size_t q = 0; q < sizeof ks / sizeof ks[0]; q++)
            for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
                operands on = make_operands((numbers_kind)of, forms[f].m, forms[f].n, ks[q], forms[f].conjugated);
                judge((numbers_kind)of, ks[q], f, &on);
                free_operands(&on);
            }
}

int main(int argc, char **argv)
{
    enum { MOST_KERNELS = 4 };
    struct CMUnitTest tests[MOST_KERNELS];
    const int count = argc - 1 < MOST_KERNELS ? argc - 1 : MOST_KERNELS;
    if (!there_exists())
        return 0;
    for (int i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest)cmocka_unit_test_prestate(errors_are_within_the_bound_and_no_worse_than_a_chains,
                                                                argv[1 + i]);
    return _cmocka_run_group_tests("split_complex", tests, (size_t)count, NULL, NULL);
}
