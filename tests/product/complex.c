/* What complex products have beyond real ones: conjugated operands, blocks of images, layouts of images; below the API,
 * where a problem can be posed as it is. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../oracle.h"
#include "../random.h"
#include "plan/branch.h"
#include "plan/plan.h"
#include "plan/routes.h"
#include "support/layouts.h"
#include "ways.h"

/* A product of dense operands in usual layouts. */
typedef struct scene {
    lay_type type;
    int64_t m, n, k;
    double alpha[2], beta[2];
    int is_conjugated[2];
    lay_desc *a, *b, *c;
    double *a_numbers, *b_numbers, *c_numbers;
    void *a_data, *b_data, *c_data;
    const char *skip; /* a way that is not taken; NULL: any may be */
} scene;

static double *some_numbers(int64_t count, int is_whole, random_source *from)
{
    double *const made = oracle_memory((size_t)(2 * count) * sizeof *made);
    for (int64_t i = 0; i < 2 * count; i++)
        made[i] = is_whole ? (double)random_in(from, -8, 8) : (double)(float)(2 * random_unit(from) - 1);
    return made;
}

static void *place(lay_type type, const lay_desc *desc, const double *numbers)
{
    const lay_type real = oracle_real(type);
    int64_t lowest, highest, *row, *column;
    lay_desc_span(desc, &lowest, &highest);
    char *const memory = oracle_memory((size_t)(highest + 1) * lay_type_size(type));
    oracle_offsets(desc, &row, &column);
    const int64_t rows = lay_desc_extent(desc, "0"), columns = lay_desc_extent(desc, "1");
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            for (int q = 0; q < 2; q++)
                oracle_store(real, memory, 2 * (row[i] + column[j]) + q, numbers[2 * (i * columns + j) + q]);
    free(row);
    free(column);
    return memory;
}

static double *read_back(const scene *of)
{
    const lay_type real = oracle_real(of->type);
    double *const numbers = oracle_memory((size_t)(2 * of->m * of->n) * sizeof *numbers);
    int64_t *row, *column;
    oracle_offsets(of->c, &row, &column);
    for (int64_t i = 0; i < of->m; i++)
        for (int64_t j = 0; j < of->n; j++)
            for (int q = 0; q < 2; q++)
                numbers[2 * (i * of->n + j) + q] = oracle_load(real, of->c_data, 2 * (row[i] + column[j]) + q);
    free(row);
    free(column);
    return numbers;
}

enum { DENSE = 2 }; /* by rows, by columns */

static void make_scene(scene *of, int layout, int is_whole, random_source *from)
{
    of->a = layout_usual(layout % DENSE, of->m, of->k);
    of->b = layout_usual(layout / 2 % DENSE, of->k, of->n);
    of->c = layout_usual(layout / 4 % DENSE, of->m, of->n);
    of->a_numbers = some_numbers(of->m * of->k, is_whole, from);
    of->b_numbers = some_numbers(of->k * of->n, is_whole, from);
    of->c_numbers = some_numbers(of->m * of->n, is_whole, from);
    of->a_data = place(of->type, of->a, of->a_numbers);
    of->b_data = place(of->type, of->b, of->b_numbers);
    of->c_data = place(of->type, of->c, of->c_numbers);
}

static void free_scene(scene *of)
{
    lay_desc *const desc[] = { of->a, of->b, of->c };
    void *const memory[] = { of->a_numbers, of->b_numbers, of->c_numbers, of->a_data, of->b_data, of->c_data };
    for (size_t i = 0; i < sizeof desc / sizeof desc[0]; i++)
        lay_desc_destroy(desc[i]);
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        free(memory[i]);
}

/* The branch that a plan's route would have if its product were conjugated so; NULL where what is skipped leaves none.
 */
static lay_branch *seek_branch(const scene *of, int threads, lay_plan **plan)
{
    lay_options options = LAY_OPTIONS_INIT;
    lay_setting setting;
    lay_desc *const none[2] = { NULL, NULL };
    const char *refusal;
    const lay_places places = lay_places_all(LAY_PLACE_HOST, 0);
    options.threads = threads;
    options.backend = LAY_BACKEND_CPU;
    assert_int_equal(lay_plan_make(&lay_all_ways, of->type, of->a, of->b, of->c, &options, plan), LAY_OK);
    lay_problem *const problem = malloc(2 * sizeof *problem);
    lay_route_pose(*plan, &places, none, &problem[0], &setting);
    lay_posed posed = problem[0].posed;
    memcpy(posed.is_conjugated, of->is_conjugated, sizeof posed.is_conjugated);
    lay_problem_pose(&posed, &problem[1]);
    static lay_options chosen; /* a branch refers to it */
    chosen = (*plan)->options;
    chosen.skip = of->skip;
    setting.options = &chosen;
    lay_branch *const found = lay_branch_find(&problem[1], &setting, &refusal, NULL);
    free(problem);
    return found;
}

static lay_branch *find_branch(const scene *of, int threads, lay_plan **plan)
{
    lay_branch *const found = seek_branch(of, threads, plan);
    assert_non_null(found);
    return found;
}

static void run_scene(scene *of, int threads)
{
    lay_plan *plan;
    lay_branch *const branch = find_branch(of, threads, &plan);
    const float alpha32[] = { (float)of->alpha[0], (float)of->alpha[1] },
                beta32[] = { (float)of->beta[0], (float)of->beta[1] };
    const int is_double = of->type == LAY_C64;
    const lay_call call = { .alpha = is_double ? (const void *)of->alpha : (const void *)alpha32,
                            .left = of->a_data,
                            .right = of->b_data,
                            .beta = is_double ? (const void *)of->beta : (const void *)beta32,
                            .c = of->c_data };
    assert_int_equal(branch->way->run(branch, &call), LAY_OK);
    lay_branch_destroy(branch);
    lay_plan_destroy(plan);
}

static void expect_right(const scene *of, oracle_gate gate)
{
    double *const got = read_back(of);
    oracle_miss miss;
    const oracle_problem problem = { .type = of->type,
                                     .m = of->m,
                                     .n = of->n,
                                     .k = of->k,
                                     .alpha = of->alpha[0],
                                     .alpha_i = of->alpha[1],
                                     .beta = of->beta[0],
                                     .beta_i = of->beta[1],
                                     .is_conjugated = { of->is_conjugated[0], of->is_conjugated[1] },
                                     .a = of->a_numbers,
                                     .b = of->b_numbers,
                                     .c = of->c_numbers,
                                     .gate = gate };
    if (!oracle_product(&problem, got, &miss))
        fail_msg("type %d, %lld x %lld x %lld, conjugated %d %d: C(%lld, part %lld) is %.17g, not %.17g within %g",
                 (int)of->type, (long long)of->m, (long long)of->n, (long long)of->k, of->is_conjugated[0],
                 of->is_conjugated[1], (long long)miss.i, (long long)miss.j, miss.got, miss.wanted, miss.bound);
    free(got);
}

static const int64_t sizes[][3] = { { 1, 1, 1 },    { 3, 5, 7 },    { 5, 3, 7 },    { 40, 33, 70 }, { 33, 40, 70 },
                                    { 1, 20, 300 }, { 20, 1, 300 }, { 64, 64, 64 }, { 100, 9, 513 } };

/* Every layout, so that either operand is expanded with segments along k and across it, read in place and copied. */
static void conjugated_operands_are_multiplied_as_such(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int conjugated = 0; conjugated < 4; conjugated++)
            for (int layout = 0; layout < 8; layout++) {
                random_source from = random_case(51, s * 32 + (uint64_t)(conjugated * 8 + layout));
                const int is_whole = layout % 3 != 0;
                scene of = { .type = random_one_in(&from, 2) ? LAY_C32 : LAY_C64,
                             .m = sizes[s][0],
                             .n = sizes[s][1],
                             .k = sizes[s][2],
                             .alpha = { 2, layout % 4 == 1 ? -3 : 0 },
                             .beta = { -1, layout % 3 == 2 ? 2 : 0 },
                             .is_conjugated = { conjugated & 1, conjugated >> 1 } };
                make_scene(&of, layout, is_whole, &from);
                run_scene(&of, 1 + layout % 2);
                expect_right(&of, is_whole ? ORACLE_EXACT : ORACLE_RANDOM);
                free_scene(&of);
            }
}

/* Signs alone: the bits are those of the product of the conjugates. */
static void conjugation_costs_no_rounding(void **state)
{
    (void)state;
    for (int conjugated = 1; conjugated < 4; conjugated++)
        for (int layout = 0; layout < 8; layout++) {
            random_source from = random_case(52, (uint64_t)(conjugated * 8 + layout));
            scene of = { .type = layout % 2 ? LAY_C32 : LAY_C64,
                         .m = 37 + layout,
                         .n = 40,
                         .k = 700,
                         .alpha = { 0.7, 0.3 },
                         .is_conjugated = { conjugated & 1, conjugated >> 1 } };
            make_scene(&of, layout, 0, &from);
            run_scene(&of, 1);
            double *const by_flag = read_back(&of);
            double *const numbers[] = { of.a_numbers, of.b_numbers };
            const int64_t counts[] = { of.m * of.k, of.k * of.n };
            for (int side = 0; side < 2; side++)
                for (int64_t i = 0; i < counts[side] && of.is_conjugated[side]; i++)
                    numbers[side][2 * i + 1] = -numbers[side][2 * i + 1];
            free(of.a_data);
            free(of.b_data);
            of.a_data = place(of.type, of.a, of.a_numbers);
            of.b_data = place(of.type, of.b, of.b_numbers);
            of.is_conjugated[0] = of.is_conjugated[1] = 0;
            run_scene(&of, 1);
            double *const by_hand = read_back(&of);
            assert_memory_equal(by_flag, by_hand, (size_t)(2 * of.m * of.n) * sizeof *by_flag);
            free(by_flag);
            free(by_hand);
            free_scene(&of);
        }
}

/* k so long that an image has room for a part of B's columns: each part has the bits that it has alone. */
static void columns_in_blocks_have_the_bits_of_their_own_products(void **state)
{
    (void)state;
    enum { PART = 70 };
    static char text[60000];
    random_source from = random_case(53, 0);
    scene whole = { .type = LAY_C64, .m = 150, .n = 2 * PART, .k = 17000, .alpha = { 1, 0 }, .skip = "numbers" };
    make_scene(&whole, 0, 0, &from);
    lay_plan *plan;
    lay_branch *const branch = find_branch(&whole, 1, &plan);
    lay_text out = { .to = text, .size = sizeof text };
    branch->way->explain(branch, &out);
    assert_non_null(strstr(text, "in blocks"));
    lay_branch_destroy(branch);
    lay_plan_destroy(plan);
    run_scene(&whole, 2);
    double *const got = read_back(&whole);
    for (int part = 0; part < 2; part++) {
        scene own = whole;
        own.n = PART;
        assert_int_equal(lay_desc_slice(whole.b, 1, part * PART, PART, &own.b), LAY_OK);
        own.c = layout_usual(0, own.m, own.n);
        own.c_data = oracle_memory((size_t)(own.m * own.n) * lay_type_size(own.type));
        run_scene(&own, 1);
        double *const wanted = read_back(&own);
        for (int64_t i = 0; i < own.m; i++)
            assert_memory_equal(got + 2 * (i * whole.n + part * PART), wanted + 2 * i * PART,
                                2 * PART * sizeof *wanted);
        free(wanted);
        free(own.c_data);
        lay_desc_destroy(own.b);
        lay_desc_destroy(own.c);
    }
    free(got);
    free_scene(&whole);
}

enum { LINES = 144, OTHERS = 145, LONG = 17000 /* so that an image has room for 128 of the lines */ };

/* The same product with the expanded operand's and C's lines in such digits. */
static scene lay_out_lines(const scene *of, const char *operand, const char *result)
{
    const int is_left = of->m < of->n;
    scene made = *of;
    made.a = is_left ? layout_parse("[%s][%d:%d]", operand, LONG, LINES) : layout_usual(0, OTHERS, LONG);
    made.b = is_left ? layout_usual(0, LONG, OTHERS) : layout_parse("[%d:%d][%s]", LONG, LINES, operand);
    made.c = is_left ? layout_parse("[%s][%d:%d]", result, OTHERS, LINES)
                     : layout_parse("[%d:%d][%s]", OTHERS, LINES, result);
    made.a_data = place(of->type, made.a, of->a_numbers);
    made.b_data = place(of->type, made.b, of->b_numbers);
    made.c_data = place(of->type, made.c, of->c_numbers);
    return made;
}

static void drop_layouts(scene *of)
{
    lay_desc *const desc[] = { of->a, of->b, of->c };
    void *const memory[] = { of->a_data, of->b_data, of->c_data };
    for (int i = 0; i < 3; i++) {
        lay_desc_destroy(desc[i]);
        free(memory[i]);
    }
}

static void expect_blocks(const scene *of, int are_cut_at_digits)
{
    static char text[60000];
    lay_plan *plan;
    lay_branch *const branch = find_branch(of, 1, &plan);
    lay_text out = { .to = text, .size = sizeof text };
    branch->way->explain(branch, &out);
    assert_non_null(strstr(text, "in blocks"));
    const lay_problem *real = &branch->child->problem;
    assert_int_equal(real->m.is_plain && real->n.is_plain, are_cut_at_digits);
    lay_branch_destroy(branch);
    lay_plan_destroy(plan);
}

/* 128 is a multiple of no digit's lines here: blocks end where digits do, so that C goes by strides; and where radices
 * do not divide each other the bits are the same. */
static void blocks_end_where_digits_do(void **state)
{
    (void)state;
    static const char *const lines[][2] = { { "[6:24][24:1]", "[6:1][24:6]" },
                                            { "[3:1][2:72][24:3]", "[6:1][24:6]" },
                                            { "[9:1][16:9]", "[16:1][9:16]" } };
    for (int is_left = 0; is_left < 2; is_left++) {
        random_source from = random_case(55, (uint64_t)is_left);
        scene plain = { .type = LAY_C64,
                        .m = is_left ? LINES : OTHERS,
                        .n = is_left ? OTHERS : LINES,
                        .k = LONG,
                        .alpha = { 1, 0.5 },
                        .beta = { -1, is_left ? 0.25 : 0 },
                        .is_conjugated = { is_left, 1 } };
        make_scene(&plain, 0, 0, &from);
        scene others[3];
        for (int i = 0; i < 3; i++)
            others[i] = lay_out_lines(&plain, lines[i][0], lines[i][1]);
        for (int i = 0; i < 3; i++)
            others[i].skip = "numbers";
        run_scene(&plain, 1);
        double *const wanted = read_back(&plain);
        for (int i = 0; i < 3; i++) {
            expect_blocks(&others[i], i < 2);
            run_scene(&others[i], 1 + is_left);
            double *const got = read_back(&others[i]);
            assert_memory_equal(got, wanted, (size_t)(2 * plain.m * plain.n) * sizeof *got);
            free(got);
            drop_layouts(&others[i]);
        }
        free(wanted);
        free_scene(&plain);
    }
}

/* Whether this machine has a row that makes complex numbers of their parts. */
static int has_numbers(const scene *of)
{
    lay_plan *plan;
    lay_branch *const any = find_branch(of, 1, &plan);
    int has = 0;
    for (int i = 0; i < lay_kernel_count; i++)
        has |= lay_kernels[i]->numbers && lay_kernels[i]->type == oracle_real(of->type) &&
               !lay_machine_refuse(any->setting.choice, lay_kernels[i]->isa);
    lay_branch_destroy(any);
    lay_plan_destroy(plan);
    return has;
}

/* By parts and expanded, every layout, either operand the smaller one, conjugated, with a complex alpha and without. */
static void numbers_have_the_bits_of_expanded_products(void **state)
{
    (void)state;
    static const int64_t extents[][3] = { { 40, 33, 70 },  { 33, 40, 70 },  { 64, 64, 64 },
                                          { 13, 35, 700 }, { 35, 13, 700 }, { 200, 70, 300 } };
    for (size_t s = 0; s < sizeof extents / sizeof extents[0]; s++)
        for (int number = 0; number < 32; number++) {
            const int layout = number / 4, conjugated = number % 4;
            random_source from = random_case(56, s * 32 + (uint64_t)number);
            scene of = { .type = (layout + conjugated) % 2 ? LAY_C32 : LAY_C64,
                         .m = extents[s][0],
                         .n = extents[s][1],
                         .k = extents[s][2],
                         .alpha = { 0.7, layout / 2 % 2 ? 0.3 : 0 },
                         .beta = { conjugated == 2 ? 0 : 0.6, layout % 3 == 2 ? -0.2 : 0 },
                         .is_conjugated = { conjugated & 1, conjugated >> 1 } };
            make_scene(&of, layout, 0, &from);
            scene by_parts = of;
            by_parts.c_data = place(of.type, of.c, of.c_numbers);
            of.skip = "numbers";
            by_parts.skip = "complex";
            if (has_numbers(&of)) {
                run_scene(&of, 1);
                run_scene(&by_parts, 1 + number % 2);
                double *const wanted = read_back(&of), *const got = read_back(&by_parts);
                assert_memory_equal(got, wanted, (size_t)(2 * of.m * of.n) * sizeof *got);
                free(wanted);
                free(got);
            }
            free(by_parts.c_data);
            free_scene(&of);
        }
}

/* A real alpha and beta are factors of each part: infinity stays what it is, and no NaN comes of its imaginary 0. */
static void real_factors_leave_the_parts_to_themselves(void **state)
{
    (void)state;
    random_source from = random_case(54, 0);
    scene of = { .type = LAY_C64, .m = 2, .n = 2, .k = 1, .alpha = { 2, 0 }, .beta = { 3, 0 } };
    make_scene(&of, 0, 1, &from);
    ((double *)of.c_data)[0] = INFINITY; /* re C(0,0) */
    ((double *)of.a_data)[2] = INFINITY; /* re A(1,0) */
    ((double *)of.a_data)[3] = 0;
    ((double *)of.b_data)[0] = 1;
    ((double *)of.b_data)[1] = 1;
    run_scene(&of, 1);
    const double *const c = of.c_data;
    assert_true(c[0] == INFINITY && isfinite(c[1]));
    assert_true(c[4] == INFINITY && c[5] == INFINITY);
    free_scene(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conjugated_operands_are_multiplied_as_such),
        cmocka_unit_test(conjugation_costs_no_rounding),
        cmocka_unit_test(columns_in_blocks_have_the_bits_of_their_own_products),
        cmocka_unit_test(blocks_end_where_digits_do),
        cmocka_unit_test(numbers_have_the_bits_of_expanded_products),
        cmocka_unit_test(real_factors_leave_the_parts_to_themselves),
    };
    return cmocka_run_group_tests_name("complex", tests, NULL, NULL);
}
