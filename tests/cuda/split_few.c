/* Lines that FP16X3 leaves to the patch: with a few tiny elements, mended; too wide, patched; and path STRICT. Bit for
 * bit as kernels/cuda_split.h has them. */
#include <cuda_runtime_api.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../there.h"
#include "cuda_split.h"
#include "elsewhere.h"
#include "split_rows.h"

static trial trial_of(int64_t m, int64_t n, int64_t k)
{
    lay_cuda_walk walk = lay_cuda_rows(contract);
    trial made = { .type = LAY_F32,
                   .m = m,
                   .n = n,
                   .k = k,
                   .alpha = 1.25,
                   .beta = -0.75,
                   .data = TRIAL_SIGNED,
                   .options = LAY_OPTIONS_INIT };
    made.options.kernel = lay_cuda_next(&walk)->name;
    made.options.compute = LAY_COMPUTE_F32_SPLIT;
    return made;
}

/* An element of a line that is patched, as kernels/cuda_split.h has it: chains of 64 steps, added to segments of 2048.
 */
static float patched(const trial *t, int64_t i, int64_t j)
{
    float whole = 0, segment = 0, chunk = 0;
    for (int64_t p = 0; p < t->k; p++) {
        const int64_t done = p + 1;
        chunk = fmaf((float)t->a[i * t->k + p], (float)t->b[p * t->n + j], chunk);
        if (done % 64 && done < t->k)
            continue;
        segment += chunk;
        chunk = 0;
        if (done % 2048 && done < t->k)
            continue;
        whole += segment;
        segment = 0;
    }
    return whole;
}

/* An element of one operand that is tiny in its line. */
typedef struct mark {
    int line, step;
    double value;
} mark;

enum { ROW_MARKS = LAY_SPLIT_TINY + 4, COLUMN_MARKS = 4 };

/* Of rows 3 (as many as may be), 5 and 256 and columns 7 and 9, which meet at steps that are tiny in one of them or in
 * both. */
static void mark_lines(mark rows[ROW_MARKS], mark columns[COLUMN_MARKS], random_source *from)
{
    static const mark others[] = {
        { 5, 0, 0x1p-30 }, { 5, 199, -0x1.8p-126 }, { 5, 64, 0x1p-149 }, { 256, 77, 0x1p-40 }
    };
    static const mark right[] = { { 7, 0, -0x1p-33 }, { 7, 25, 0x1p-31 }, { 9, 3, 0x1p-90 }, { 9, 64, 0x1.2p-35 } };
    for (int i = 0; i < LAY_SPLIT_TINY; i++) /* steps 0, 25 and 3 among them, in no order */
        rows[i] = (mark){ 3, i * 25 % 200 + i / 8 * 3, ldexp(0.5 + random_unit(from) / 2, -30 - i * 7) };
    for (int i = LAY_SPLIT_TINY; i < ROW_MARKS; i++)
        rows[i] = others[i - LAY_SPLIT_TINY];
    for (int i = 0; i < COLUMN_MARKS; i++)
        columns[i] = right[i];
}

static double marked(const mark *marks, int count, int64_t line, int64_t step)
{
    for (int i = 0; i < count; i++)
        if (marks[i].line == line && marks[i].step == step)
            return (double)(float)marks[i].value;
    return 0;
}

/* What is added to an element of C, as kernels/cuda_split.h has it. */
static double mending(const trial *t, const mark *rows, const mark *columns, int64_t i, int64_t j)
{
    double row = 0, column = 0, both = 0;
    for (int64_t p = 0; p < t->k; p++) {
        const double a = marked(rows, ROW_MARKS, i, p), b = marked(columns, COLUMN_MARKS, j, p);
        if (a != 0 && b != 0)
            both = fma(a, b, both);
        else if (a != 0)
            row = fma(a, (double)(float)t->b[p * t->n + j], row);
        else if (b != 0)
            column = fma((double)(float)t->a[i * t->k + p], b, column);
    }
    return row + column + both;
}

/* The product with tiny elements is that with zeros in their place, and theirs, bit for bit: whatever C's layout, which
 * may turn the product, slices, and Inf in a row. */
static void lines_with_tiny_elements_are_mended(void **state)
{
    (void)state;
    for (int number = 0; number < 8; number++) {
        const int is_long = number / 4;
        char *bits[2];
        mark rows[ROW_MARKS], columns[COLUMN_MARKS];
        for (int is_marked = 0; is_marked <= 1; is_marked++) {
            random_source from = random_case(110, (uint64_t)is_long);
            remote x = { .t = trial_of(257, 129, is_long ? 5000 : 200) }; /* 5000: in slices */
            trial *const t = &x.t;
            trial_fill(t, &from);
            mark_lines(rows, columns, &from);
            for (int i = 0; i < ROW_MARKS; i++)
                t->a[rows[i].line * t->k + rows[i].step] = is_marked ? rows[i].value : 0;
            for (int i = 0; i < COLUMN_MARKS; i++)
                t->b[columns[i].step * t->n + columns[i].line] = is_marked ? columns[i].value : 0;
            t->a[6 * t->k + 1] = INFINITY;
            trial_place(t, layout_usual(number % 2, t->m, t->k), layout_usual(number / 2 % 2, t->k, t->n),
                        layout_usual(number % 2, t->m, t->n), OPERAND_ANYWHERE, &from);
            remote_send(&x);
            assert_int_equal(remote_path(&x), LAY_PATH_FP16X3);
            remote_insist_on_right(&x);
            bits[is_marked] = remote_bits(&x);
            if (!is_marked) {
                remote_free(&x);
                continue;
            }
            const float *const without = (const float *)bits[0], *const with = (const float *)bits[1];
            for (int64_t i = 0; i < t->m; i++)
                for (int64_t j = 0; j < t->n; j++) {
                    const double sum = mending(t, rows, columns, i, j);
                    const float before = without[i * t->n + j], got = with[i * t->n + j],
                                wanted = i == 6 ? before : (float)fma(t->alpha, sum, (double)before);
                    if (memcmp(&got, &wanted, sizeof got) != 0 && !(isnan(got) && isnan(wanted)))
                        fail_msg("case %d (%d, %d): %.9g becomes %.9g, not %.9g", number, (int)i, (int)j,
                                 (double)before, (double)got, (double)wanted);
                }
            remote_free(&x);
        }
        free(bits[0]);
        free(bits[1]);
    }
}

/* Path STRICT of rows of 9.0: C as the plain product has it by the row that they name. */
static void insist_on_plain(remote *x, const float *got)
{
    x->t.options.compute = LAY_COMPUTE_STRICT;
    x->t.options.kernel = "gemm_f32_128x256x32_simt90";
    remote_restore(x);
    assert_int_equal(remote_call(x), LAY_OK);
    char *const wanted = remote_bits(x);
    assert_memory_equal(got, wanted, remote_size(x));
    free(wanted);
}

/* Two wide lines of a large C, which are patched alone; C with a line too wide for limbs, and a large one, of more
 * tiles than there are multiprocessors, with some. */
static void patched_sums_have_the_order_that_is_written_down(void **state)
{
    static const struct {
        int64_t m, n, k;
        int rows; /* that are wide, from row 3 on */
        double tiny;
        lay_path path;
    } cases[] = { { 1024, 1024, 2200, 1, 0x1p-70, LAY_PATH_FP16X3 },
                  { 70, 90, 4200, 1, 0x1p-149, LAY_PATH_STRICT },
                  { 1700, 1650, 100, 1700 / LAY_SPLIT_FEW_WIDE + 1, 0x1p-149, LAY_PATH_STRICT } };
    (void)state;
    for (size_t number = 0; number < sizeof cases / sizeof cases[0]; number++) {
        const int is_strict = cases[number].path == LAY_PATH_STRICT, is_plain = is_strict && contract == LAY_CUDA_SPLIT;
        random_source from = random_case(108, 0);
        remote x = { .t = trial_of(cases[number].m, cases[number].n, cases[number].k) };
        trial *const t = &x.t;
        t->alpha = 1, t->beta = 0;
        trial_fill(t, &from);
        for (int i = 0; i <= LAY_SPLIT_TINY; i++) {
            for (int row = 0; row < cases[number].rows; row++)
                t->a[(3 + row) * t->k + 5 + i] = cases[number].tiny;
            t->b[(7 + i) * t->n + 9] = 0x1p-70;
        }
        t->a[30 * t->k + 8] = 0x1p-70; /* mended, but where column 9 is patched */
        trial_place(t, layout_usual(0, t->m, t->k), layout_usual(1, t->k, t->n), layout_usual(0, t->m, t->n),
                    OPERAND_ANYWHERE, &from);
        remote_send(&x);
        assert_int_equal(remote_path(&x), cases[number].path);
        char *const bits = remote_bits(&x);
        const float *const got = (const float *)bits;
        if (is_plain)
            insist_on_plain(&x, got);
        for (int64_t i = 0; i < t->m && !is_plain; i++)
            for (int64_t j = 0; j < t->n; j++)
                if ((is_strict || i == 3 || j == 9) && got[i * t->n + j] != patched(t, i, j))
                    fail_msg("(%d, %d) is %.9g, not %.9g", (int)i, (int)j, (double)got[i * t->n + j],
                             (double)patched(t, i, j));
        free(bits);
        remote_free(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_with_tiny_elements_are_mended),
        cmocka_unit_test(patched_sums_have_the_order_that_is_written_down),
        ON_ANY_DEVICE(lines_with_tiny_elements_are_mended),
        ON_ANY_DEVICE(patched_sums_have_the_order_that_is_written_down),
    };
    setenv("LAY_TEST_PLACE", "device", 1); /* for the oracle: sums are cut as there */
    if (!there_exists())
        return 0;
    find_own();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
