/* Offsets and extents beyond 32 bits, in address space that costs nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "support/trial.h"

/* A mapping of so many bytes that only the touched pages are real; NULL, and says so, where none is
 * given. (Meson takes cmocka's own way of skipping for a failure.) */
static char *reserve(size_t bytes)
{
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED)
        return memory;
    print_message("# no address space of %zu bytes: not tested\n", bytes);
    return NULL;
}

/* A product of integers with each operand in the same few pages' worth of a huge span. */
static void multiply_in(lay_type type, const char *text_a, const char *text_b, const char *text_c, char *memory,
                        size_t each)
{
    const char *const texts[3] = { text_a, text_b, text_c };
    lay_desc *desc[3];
    void *zero[3];
    double *numbers[3];
    random_source from = random_case(17, 0);
    for (int q = 0; q < 3; q++) {
        int64_t lowest, highest;
        desc[q] = layout_parse("%s", texts[q]);
        lay_desc_span(desc[q], &lowest, &highest);
        assert_true((size_t)(highest - lowest + 1) * lay_type_size(type) <= each);
        zero[q] = memory + (size_t)q * each - lowest * (int64_t)lay_type_size(type);
        const int64_t count = lay_desc_extent(desc[q], NULL);
        numbers[q] = oracle_memory((size_t)count * sizeof *numbers[q]);
        for (int64_t at = 0; at < count; at++)
            numbers[q][at] = (double)random_in(&from, -9, 9);
        oracle_scatter(type, desc[q], zero[q], numbers[q]);
        oracle_gather(type, desc[q], zero[q], numbers[q]);
    }
    const trial_scalar alpha = trial_scalar_of(type, 2), beta = trial_scalar_of(type, -1);
    if (lay_gemm(type, desc[0], desc[1], desc[2], &alpha, zero[0], zero[1], &beta, zero[2], NULL) != LAY_OK)
        fail_msg("%s", lay_last_error());
    const oracle_problem problem = { .type = type,
                                     .m = lay_desc_extent(desc[2], "0"),
                                     .n = lay_desc_extent(desc[2], "1"),
                                     .k = lay_desc_extent(desc[0], "1"),
                                     .alpha = 2,
                                     .beta = -1,
                                     .a = numbers[0],
                                     .b = numbers[1],
                                     .c = numbers[2],
                                     .gate = ORACLE_EXACT };
    double *const got = oracle_memory((size_t)(problem.m * problem.n) * sizeof *got);
    oracle_miss miss;
    oracle_gather(type, desc[2], zero[2], got);
    assert_true(oracle_product(&problem, got, &miss));
    free(got);
    for (int q = 0; q < 3; q++) {
        lay_desc_destroy(desc[q]);
        free(numbers[q]);
    }
}

static void strides_beyond_32_bits_reach_their_elements(void **state)
{
    (void)state;
    const size_t each = (size_t)1 << 38; /* 256 GiB */
    char *const memory = reserve(3 * each);
    if (!memory)
        return;
    multiply_in(LAY_F32, "[5:3000000000][7:2147483648]", "[7:-4294967296][3:1]", "[5:1][3:4294967297]", memory, each);
    multiply_in(LAY_F64, "[5:-3000000000][7:2147483648]", "[7:4294967296][3:-2147483649]", "[5:-4294967297][3:-1]",
                memory, each);
    multiply_in(LAY_F64, "[[2:2147483648][3:1]][7:3]", "[7:1][[2:4294967296][5:7]]",
                "A=[2][5][4294967][6]; [#A_3][[#A_0][#A_1]]", memory, each);
    munmap(memory, 3 * each);
}

/* Only the numbers are large: without columns in C there is no work. */
static void empty_products_may_have_any_other_extent(void **state)
{
    (void)state;
    lay_desc *a = layout_parse("[8589934592:0][536870912:0]"), *b = layout_parse("[536870912:0][0:1]");
    lay_desc *c = layout_parse("[8589934592:1][0:1]");
    assert_int_equal(lay_sgemm(a, b, c, 1, NULL, NULL, 0, NULL, NULL), LAY_OK);
    lay_desc_destroy(a);
    lay_desc_destroy(b);
    lay_desc_destroy(c);
}

/* 2^31 + 2^20 ones times as many twos, by strides of 0; every block of the sum is exact. */
static void a_sum_longer_than_32_bits_counts_right(void **state)
{
    (void)state;
    if (trial_cases() < TRIAL_CASES) /* it takes seconds, with sanitizers more */
        return;
    const double a = 1, b = 2;
    double c = 5;
    lay_desc *row = layout_parse("[1:1][2148532224:0]"), *column = layout_parse("[2148532224:0][1:1]");
    lay_desc *one = layout_parse("[1][1]");
    assert_int_equal(lay_dgemm(row, column, one, 1, &a, &b, 1, &c, NULL), LAY_OK);
    assert_true(c == 2.0 * 2148532224 + 5);
    lay_desc_destroy(row);
    lay_desc_destroy(column);
    lay_desc_destroy(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strides_beyond_32_bits_reach_their_elements),
        cmocka_unit_test(empty_products_may_have_any_other_extent),
        cmocka_unit_test(a_sum_longer_than_32_bits_counts_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
