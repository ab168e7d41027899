/* What options ask of a plan: ways and kernels left out, a grid of threads, aligned addresses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/refusal.h"
#include "packing.h"

static const int64_t shapes[][3] = { { 70, 90, 110 }, { 300, 40, 30 }, { 5, 700, 40 }, { 130, 7, 600 }, { 33, 1, 64 } };
enum { SHAPES = sizeof shapes / sizeof shapes[0], LAYOUTS = 4 };

/* Operands of one of the shapes, A, B and C in one of the usual layouts each. */
static trial make_trial(int shape, int layout, int threads, random_source *from)
{
    trial t = { .type = LAY_F32,
                .m = shapes[shape][0],
                .n = shapes[shape][1],
                .k = shapes[shape][2],
                .alpha = 1.5,
                .beta = -1,
                .data = TRIAL_UNIT,
                .options = LAY_OPTIONS_INIT };
    t.options.threads = threads;
    t.options.backend = LAY_BACKEND_CPU;
    trial_fill(&t, from);
    trial_place(&t, layout_usual(layout, t.m, t.k), layout_usual((layout + 1) % LAYOUTS, t.k, t.n),
                layout_usual(layout, t.m, t.n), OPERAND_ANYWHERE, from);
    return t;
}

static void free_trial(trial *t)
{
    trial_unplace(t);
    trial_free(t);
}

static lay_plan_info query(const lay_plan *plan)
{
    lay_plan_info info = LAY_PLAN_INFO_INIT;
    assert_int_equal(lay_plan_query(plan, LAY_MEMORY_HOST, &info), LAY_OK);
    return info;
}

/* ---- the list ---------------------------------------------------------------------------------- */

static char *list_all(void)
{
    const int length = lay_implementations(NULL, 0);
    char *const text = malloc((size_t)length + 1);
    assert_true(length > 0 && text);
    assert_int_equal(lay_implementations(text, (size_t)length + 1), length);
    assert_int_equal(strlen(text), length);
    return text;
}

/* Each may be skipped, and each of the CPU's kernels named. */
static void what_is_listed_has_the_names_that_options_take(void **state)
{
    (void)state;
    char *const text = list_all(), *rest = text;
    int ways = 0, kernels = 0;
    assert_string_equal(strsep(&rest, "\n"), "kind,name,order,type,needs");
    for (char *line; (line = strsep(&rest, "\n")) && *line;) {
        lay_options options = LAY_OPTIONS_INIT;
        lay_plan *plan = NULL;
        char *kind = strsep(&line, ","), *name = *line == '"' ? (line++, strsep(&line, "\"")) : strsep(&line, ",");
        line += *line == ',';
        const char *order = strsep(&line, ","), *type = strsep(&line, ",");
        lay_desc *square = layout_usual(0, 20, 20);
        const int is_way = strcmp(kind, "way") == 0, is_cpus = strncmp(order, "cpu", 3) == 0;
        assert_true(is_way || strcmp(kind, "kernel") == 0);
        *(is_way ? &ways : &kernels) += 1;
        options.skip = name;
        lay_status status = lay_plan_create(LAY_F32, square, square, square, &options, &plan);
        assert_int_equal(status == LAY_ERR_OPTION, !is_way && !is_cpus);
        if (status == LAY_OK)
            lay_plan_destroy(plan);
        options.skip = NULL;
        options.kernel = name;
        if (!is_way && is_cpus) {
            status =
                lay_plan_create(strcmp(type, "f64") == 0 ? LAY_F64 : LAY_F32, square, square, square, &options, &plan);
            assert_true(status == LAY_OK || status == LAY_ERR_UNSUPPORTED); /* a level that is not here */
            if (status == LAY_OK)
                lay_plan_destroy(plan);
        }
        lay_desc_destroy(square);
    }
    free(text);
    assert_true(ways >= 15 && kernels >= 2);
    assert_int_equal(lay_implementations(NULL, 10), -1);
}

/* ---- skipping ---------------------------------------------------------------------------------- */

static const char *last_way(const lay_plan_info *info)
{
    const char *last = info->way;
    for (const char *at = info->way; (at = strstr(at, ", ")); last = at += 2)
        ;
    return last;
}

/* One thing after the other is left out, the way that computes or its kernel, until nothing is left. */
static int leave_out(trial *t, int is_kernel)
{
    char skip[400] = "";
    lay_plan *plan = packing_plan(t);
    char *const first = packing_bits(t, plan, NULL, NULL);
    int count = 0;
    while (plan) {
        const lay_plan_info info = query(plan);
        const char *const gone = is_kernel ? info.kernel : last_way(&info);
        assert_null(strstr(skip, gone));
        packing_expect_same(t, first, packing_bits(t, plan, NULL, NULL), skip);
        snprintf(skip + strlen(skip), sizeof skip - strlen(skip), " %s ;;", gone);
        lay_plan_destroy(plan);
        plan = NULL;
        count++;
        t->options.skip = skip;
        const lay_status status = lay_plan_create(t->type, t->in_a.desc, t->in_b.desc, t->out.desc, &t->options, &plan);
        if (status != LAY_OK)
            expect_refusal(skip, status, LAY_ERR_UNSUPPORTED, "options.skip");
    }
    free(first);
    return count;
}

static void what_is_skipped_is_not_taken_and_no_bit_is_other(void **state)
{
    (void)state;
    random_source from = { 21 };
    int ways = 0, kernels = 0;
    for (int shape = 0; shape < SHAPES; shape++)
        for (int layout = 0; layout < LAYOUTS; layout++)
            for (int is_kernel = 0; is_kernel < 2; is_kernel++) {
                trial t = make_trial(shape, layout, 1 + layout % 2, &from);
                *(is_kernel ? &kernels : &ways) += leave_out(&t, is_kernel);
                free_trial(&t);
            }
    assert_true(ways > 2 * SHAPES * LAYOUTS && kernels >= SHAPES * LAYOUTS);
}

/* Behind lay_gemm the text of skip is no part of the remembered plan. */
static void a_remembered_plan_has_a_list_of_its_own(void **state)
{
    (void)state;
    random_source from = { 22 };
    char skip[] = "in place; swept";
    trial t = make_trial(0, 0, 1, &from);
    int before, after;
    lay_cache_clear();
    t.options.skip = skip;
    assert_int_equal(trial_run(&t, TRIAL_CACHED), LAY_OK);
    lay_cache_query(&before, NULL);
    strcpy(skip, "none of these");
    t.options.skip = (char[]){ "in place; swept" };
    assert_int_equal(trial_run(&t, TRIAL_CACHED), LAY_OK);
    lay_cache_query(&after, NULL);
    assert_int_equal(before, after);
    t.options.skip = "packed";
    assert_int_equal(trial_run(&t, TRIAL_CACHED), LAY_OK);
    lay_cache_query(&after, NULL);
    assert_int_equal(before + 1, after);
    t.options.skip = skip;
    expect_refusal("another text there", trial_run(&t, TRIAL_CACHED), LAY_ERR_OPTION, "\"none of these\"");
    free_trial(&t);
}

/* "vector" is another way than "vector, widened". */
static void a_name_is_all_of_it(void **state)
{
    (void)state;
    random_source from = { 25 };
    trial t = make_trial(SHAPES - 1, 0, 1, &from);
    t.options.skip = "vector, widened";
    lay_plan *plan = packing_plan(&t);
    assert_string_equal(query(plan).way, "vector");
    lay_plan_destroy(plan);
    free_trial(&t);
}

/* ---- a grid ------------------------------------------------------------------------------------ */

/* "grid      2 x 3 tasks" of an explanation. */
static void read_grid(const lay_plan *plan, long long *down, long long *right)
{
    const char *at = strstr(packing_explanation(plan), "\ngrid      ");
    assert_non_null(at);
    assert_int_equal(sscanf(at, " grid %lld x %lld tasks", down, right), 2);
}

/* 1 where the grid is obeyed. */
static int check_grid(trial *t, const char *bits, int grid_m, int grid_n)
{
    lay_plan *plan = NULL;
    long long down, right;
    t->options.grid_m = grid_m;
    t->options.grid_n = grid_n;
    const int m = grid_m ? grid_m : 1, n = grid_n ? grid_n : 1;
    const lay_status status = lay_plan_create(t->type, t->in_a.desc, t->in_b.desc, t->out.desc, &t->options, &plan);
    if (status != LAY_OK) {
        expect_refusal("a grid", status, LAY_ERR_UNSUPPORTED, "");
        if (!t->options.skip) /* with a list it may be that nothing is left */
            assert_true(strstr(lay_last_error(), "grid") || strstr(lay_last_error(), "options ask for parts") ||
                        strstr(lay_last_error(), "each task of a sweep"));
        else
            assert_non_null(strstr(lay_last_error(), "options.skip"));
        return 0;
    }
    read_grid(plan, &down, &right);
    const int is_transposed = strstr(packing_explanation(plan), "(transposed") != NULL;
    if (t->options.threads > 1 && m * n > 1)
        assert_true(down <= (is_transposed ? n : m) && right <= (is_transposed ? m : n));
    assert_in_range(query(plan).threads, 1, m * n);
    packing_expect_same(t, bits, packing_bits(t, plan, NULL, NULL), "with a grid");
    lay_plan_destroy(plan);
    return 1;
}

static void a_grid_is_obeyed_or_refused_and_no_bit_is_other(void **state)
{
    static const int grids[][2] = {
        { 2, 2 }, { 1, 4 }, { 4, 1 }, { 3, 0 }, { 0, 2 }, { 7, 5 }, { 1, 1 }, { 4096, 4096 }
    };
    static const char *const skips[] = { NULL, "in place; swept", "packed; swept", "in place; packed; image; pieces" };
    (void)state;
    random_source from = { 23 };
    int obeyed = 0, asked = 0;
    for (int shape = 0; shape < SHAPES - 1; shape++)
        for (int layout = 0; layout < LAYOUTS; layout++)
            for (size_t skip = 0; skip < sizeof skips / sizeof skips[0]; skip++) {
                trial t = make_trial(shape, layout, layout == 3 ? 1 : 3, &from);
                lay_plan *plan = packing_plan(&t);
                char *const bits = packing_bits(&t, plan, NULL, NULL);
                t.options.skip = skips[skip];
                for (size_t i = 0; i < sizeof grids / sizeof grids[0]; i++)
                    obeyed += check_grid(&t, bits, grids[i][0], grids[i][1]), asked++;
                lay_plan_destroy(plan);
                free(bits);
                free_trial(&t);
            }
    assert_in_range(obeyed, asked / 2, asked - 1);
}

/* Of many rows each part is more than one task's. */
static void a_tall_part_is_many_tasks(void **state)
{
    (void)state;
    random_source from = { 24 };
    trial t = { .type = LAY_F64, .m = 2500, .n = 70, .k = 20, .alpha = 1, .beta = 0, .options = LAY_OPTIONS_INIT };
    long long down, right;
    trial_fill(&t, &from);
    trial_place(&t, layout_usual(0, t.m, t.k), layout_usual(1, t.k, t.n), layout_usual(0, t.m, t.n), OPERAND_ANYWHERE,
                &from);
    t.options.threads = 2;
    t.options.backend = LAY_BACKEND_CPU;
    lay_plan *plan = packing_plan(&t);
    char *const bits = packing_bits(&t, plan, NULL, NULL);
    lay_plan_destroy(plan);
    t.options.skip = "in place; swept; image; pieces";
    t.options.grid_m = 2;
    plan = packing_plan(&t);
    read_grid(plan, &down, &right);
    assert_int_equal(down * right, 2);
    packing_expect_same(&t, bits, packing_bits(&t, plan, NULL, NULL), "in two parts");
    lay_plan_destroy(plan);
    free(bits);
    free_trial(&t);
}

static void create_and_refuse(lay_type type, const char *a, const char *b, const char *c, const lay_options *options,
                              lay_status wanted, const char *fact)
{
    lay_desc *const desc[] = { layout_parse("%s", a), layout_parse("%s", b), layout_parse("%s", c) };
    lay_plan *plan = NULL;
    expect_refusal(fact, lay_plan_create(type, desc[0], desc[1], desc[2], options, &plan), wanted, fact);
    assert_null(plan);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
}

static void what_has_no_grid_says_so(void **state)
{
    (void)state;
    static const char has_none[] = "has no grid of threads, which options.grid_m and options.grid_n ask for";
    lay_options options = LAY_OPTIONS_INIT;
    options.backend = LAY_BACKEND_CPU;
    options.threads = 2;
    options.grid_m = 2;
    create_and_refuse(LAY_F32, "[64][64]", "[64][1]", "[64][1]", &options, LAY_ERR_UNSUPPORTED, has_none);
    create_and_refuse(LAY_F32, "[9][64][64]", "[64][8]", "[9][64][8]", &options, LAY_ERR_UNSUPPORTED, has_none);
    create_and_refuse(LAY_F32, "[8][9000]", "[9000][8]", "[8][8]", &options, LAY_ERR_UNSUPPORTED, has_none);
    create_and_refuse(LAY_BF16, "[64][64]", "[64][64]", "[64][64]", &options, LAY_ERR_UNSUPPORTED, has_none);
    options.grid_m = -1;
    create_and_refuse(LAY_F32, "[4][4]", "[4][4]", "[4][4]", &options, LAY_ERR_OPTION, "options.grid_m is -1");
    options.grid_m = 0;
    options.grid_n = LAY_GRID_MOST + 1;
    create_and_refuse(LAY_F32, "[4][4]", "[4][4]", "[4][4]", &options, LAY_ERR_OPTION, "options.grid_n is 4097");
}

static void names_that_there_are_not_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *skip, *fact;
    } wrong[] = {
        { "in plaice", "options.skip has \"in plaice\", which is neither a way nor a kernel of this build" },
        { "packed;gemm", "options.skip has \"gemm\"" },
        { "packed, swept", "options.skip has \"packed, swept\"" },
        { "a name as long as nobody would have thought of for a way or a kernel or a family of those", "\"a name as" },
    };
    lay_options options = LAY_OPTIONS_INIT;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        options.skip = wrong[i].skip;
        create_and_refuse(LAY_F32, "[4][4]", "[4][4]", "[4][4]", &options, LAY_ERR_OPTION, wrong[i].fact);
    }
}

/* ---- aligned addresses ------------------------------------------------------------------------- */

static void a_promise_of_alignment_is_checked_by_each_run(void **state)
{
    (void)state;
    _Alignas(256) float a[128], b[128], c[128];
    const float one = 1, zero = 0;
    lay_desc *square = layout_usual(0, 4, 4);
    lay_options options = LAY_OPTIONS_INIT;
    lay_plan *plan = NULL;
    for (int i = 0; i < 128; i++)
        a[i] = b[i] = 1, c[i] = 7;
    options.backend = LAY_BACKEND_CPU;
    options.alignment = 64;
    assert_int_equal(lay_plan_create(LAY_F32, square, square, square, &options, &plan), LAY_OK);
    for (int round = 0; round < 3; round++) { /* a lane for later runs would not ask */
        assert_int_equal(lay_plan_run(plan, &one, a, b + 16, &zero, c), LAY_OK);
        assert_true(c[15] == 4);
        c[15] = 7;
        expect_refusal("A", lay_plan_run(plan, &one, a + 4, b, &zero, c), LAY_ERR_ARGUMENT, "a is no multiple of 64");
        expect_refusal("B", lay_plan_run(plan, &one, a, b + 1, &zero, c), LAY_ERR_ARGUMENT, "b is no multiple of 64");
        expect_refusal("C", lay_plan_run(plan, &one, a, b, &zero, c + 8), LAY_ERR_ARGUMENT, "c is no multiple of 64");
        assert_true(c[15] == 7);
    }
    const void *const many_a[] = { a, a + 16 }, *const many_b[] = { b, b + 4 };
    void *const many_c[] = { c, c + 16 };
    expect_refusal("many", lay_plan_run_many(plan, 2, &one, many_a, many_b, &zero, many_c, NULL), LAY_ERR_ARGUMENT,
                   "b[1] is no multiple of 64");
    assert_true(c[15] == 7);
    lay_plan_destroy(plan);
    expect_refusal("lay_sgemm", lay_sgemm(square, square, square, 1, a, b + 8, 0, c, &options), LAY_ERR_ARGUMENT,
                   "b is no multiple of 64");
    static const size_t wrong[] = { 3, 48, 8192, (size_t)-1 };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        options.alignment = wrong[i];
        create_and_refuse(LAY_F32, "[4][4]", "[4][4]", "[4][4]", &options, LAY_ERR_OPTION,
                          "no power of two up to 4096");
    }
    lay_desc_destroy(square);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_listed_has_the_names_that_options_take),
        cmocka_unit_test(what_is_skipped_is_not_taken_and_no_bit_is_other),
        cmocka_unit_test(a_remembered_plan_has_a_list_of_its_own),
        cmocka_unit_test(a_name_is_all_of_it),
        cmocka_unit_test(a_grid_is_obeyed_or_refused_and_no_bit_is_other),
        cmocka_unit_test(a_tall_part_is_many_tasks),
        cmocka_unit_test(what_has_no_grid_says_so),
        cmocka_unit_test(names_that_there_are_not_are_refused),
        cmocka_unit_test(a_promise_of_alignment_is_checked_by_each_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
