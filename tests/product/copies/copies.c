/* lay_copy and lay_alloc: random pairs of layouts, every bit, nothing outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/trial.h"

static void check_copy(lay_type type, lay_desc *from_desc, lay_desc *to_desc, int threads, random_source *from)
{
    operand source = operand_make(type, from_desc, NULL, OPERAND_ANYWHERE, from);
    operand target = operand_make(type, to_desc, NULL, OPERAND_ANYWHERE, from);
    operand_fill_bits(&source, from);
    lay_options options = LAY_OPTIONS_INIT;
    options.threads = threads;
    if (lay_copy(type, from_desc, source.zero, to_desc, target.zero, &options) != LAY_OK)
        fail_msg("%s\n  from %s\n  to %s", lay_last_error(), layout_text(from_desc), layout_text(to_desc));
    const size_t bytes = (size_t)(source.rows * source.columns) * lay_type_size(type);
    char *const wanted = oracle_memory(bytes), *const got = oracle_memory(bytes);
    operand_bytes(&source, wanted);
    operand_bytes(&target, got);
    if (memcmp(wanted, got, bytes) != 0)
        fail_msg("a copy of %lld x %lld, %d bytes an element, differs\n  from %s\n  to %s", (long long)source.rows,
                 (long long)source.columns, (int)lay_type_size(type), layout_text(from_desc), layout_text(to_desc));
    if (!operand_gaps_are_kept(&target) || !operand_is_untouched(&source))
        fail_msg("a copy wrote outside of its elements\n  from %s\n  to %s", layout_text(from_desc),
                 layout_text(to_desc));
    free(wanted);
    free(got);
    operand_free(&source);
    operand_free(&target);
}

static void a_copy_between_random_layouts_keeps_every_bit(void **state)
{
    (void)state;
    random_source from = random_case(15, 0);
    for (int round = 0; round < trial_rounds(20000); round++) {
        const lay_type type = (lay_type)random_in(&from, LAY_F32, LAY_C64);
        const int is_large = random_one_in(&from, 100);
        const int64_t rows = random_in(&from, 0, is_large ? 600 : 70),
                      columns = random_in(&from, 0, is_large ? 600 : 70);
        check_copy(type, layout_random(&from, LAYOUT_INPUT, rows, columns),
                   layout_random(&from, LAYOUT_OUTPUT, rows, columns), (int)random_in(&from, 1, 4), &from);
    }
}

/* Ranks other than 2, by their own offsets. */
static void a_copy_of_any_rank_keeps_every_bit(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        { "[60]", "[60:3]" },
        { "[60:-1]", "A=[5][3][4]; [[#A_2][#A_1][#A_0]]" },
        { "[3][4][5]", "A=[5][4][3]; [#A_2][#A_1][#A_0]" },
        { "[3][4][5]", "A=[4][3][5]; [#A_1][#A_0][#A_2]" },
        { "[3:0][4:5][5:1]", "[3][4][5]" },
        { "[2][3][2][5]", "[2:1][3:2][2:6][5:12]" },
        { "[[3][4]][5]", "A=[6][14]; [[3][[2][2]]#A_1][5#A_0]" },
    };
    for (lay_type type = LAY_F32; type <= LAY_C64; type++)
        for (size_t q = 0; q < sizeof pairs / sizeof pairs[0]; q++) {
            lay_desc *source = layout_parse("%s", pairs[q][0]), *target = layout_parse("%s", pairs[q][1]);
            int64_t lowest[2], highest[2];
            lay_desc_span(source, &lowest[0], &highest[0]);
            lay_desc_span(target, &lowest[1], &highest[1]);
            const size_t size = lay_type_size(type);
            char *const from = oracle_memory((size_t)(highest[0] - lowest[0] + 1) * size);
            char *const to = oracle_memory((size_t)(highest[1] - lowest[1] + 1) * size);
            void *const from_zero = from - lowest[0] * (int64_t)size, *const to_zero = to - lowest[1] * (int64_t)size;
            for (int64_t at = lowest[0]; at <= highest[0]; at++)
                oracle_store(type, from_zero, at, (double)(at + 128));
            assert_int_equal(lay_copy(type, source, from_zero, target, to_zero, NULL), LAY_OK);
            for (int64_t at = 0; at < lay_desc_extent(source, NULL); at++)
                assert_true(oracle_load(type, to_zero, lay_desc_offset(target, 1, &at)) ==
                            oracle_load(type, from_zero, lay_desc_offset(source, 1, &at)));
            free(from);
            free(to);
            lay_desc_destroy(source);
            lay_desc_destroy(target);
        }
}

static void an_empty_copy_touches_nothing(void **state)
{
    (void)state;
    lay_desc *source = layout_parse("[0][5]"), *target = layout_parse("[0:1][5:9]");
    assert_int_equal(lay_copy(LAY_F32, source, NULL, target, NULL, NULL), LAY_OK);
    lay_desc_destroy(source);
    lay_desc_destroy(target);
}

static void a_copy_into_the_gaps_of_its_source_is_no_overlap(void **state)
{
    (void)state;
    double memory[40];
    lay_desc *odd = layout_parse("[4:10][5:2]");
    for (int i = 0; i < 40; i++)
        memory[i] = i;
    assert_int_equal(lay_copy(LAY_F64, odd, memory, odd, memory + 1, NULL), LAY_OK);
    for (int i = 0; i < 40; i++)
        assert_true(memory[i] == i - i % 2);
    lay_desc_destroy(odd);
}

/* Every element can be written and read back, whatever the span. */
static void allocated_memory_holds_every_element(void **state)
{
    (void)state;
    random_source from = random_case(16, 0);
    for (int round = 0; round < trial_rounds(3000); round++) {
        const lay_type type = (lay_type)random_in(&from, LAY_F32, LAY_C64);
        lay_desc *desc = layout_random(&from, LAYOUT_OUTPUT, random_in(&from, 0, 30), random_in(&from, 0, 30));
        const int64_t count = lay_desc_extent(desc, NULL);
        int64_t lowest, highest;
        void *zero = NULL, *other = NULL;
        lay_desc_span(desc, &lowest, &highest);
        assert_int_equal(lay_alloc(type, desc, LAY_MEMORY_HOST, &zero), LAY_OK);
        assert_int_equal(lay_alloc(type, desc, LAY_MEMORY_HOST, &other), LAY_OK);
        if (count > 0)
            assert_int_equal(((uintptr_t)zero + (uintptr_t)(lowest * (int64_t)lay_type_size(type))) % 64, 0);
        double *const values = oracle_memory((size_t)count * sizeof *values), *const back = oracle_memory(
                                                                                  (size_t)count * sizeof *back);
        for (int64_t at = 0; at < count; at++)
            values[at] = (double)(at % 251); /* which every type holds */
        oracle_scatter(type, desc, zero, values);
        lay_free(other);
        oracle_gather(type, desc, zero, back);
        assert_memory_equal(values, back, (size_t)count * sizeof *values);
        lay_free(zero);
        lay_desc_destroy(desc);
        free(values);
        free(back);
    }
    lay_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_between_random_layouts_keeps_every_bit),
        cmocka_unit_test(a_copy_of_any_rank_keeps_every_bit),
        cmocka_unit_test(an_empty_copy_touches_nothing),
        cmocka_unit_test(a_copy_into_the_gaps_of_its_source_is_no_overlap),
        cmocka_unit_test(allocated_memory_holds_every_element),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
