/* Batches whose index lies innermost, by lanes or in chunks, under a table of ways that has nothing else: every
 * index has the bits of its product by itself, whatever else might have computed that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../cases.h"
#include "../../random.h"
#include "base/scalar.h"
#include "cpu/ways.h"
#include "levels.h"
#include "plan/branch.h"
#include "plan/plan.h"
#include "rewrite/ways.h"
#include "storage/half.h"
#include "ways.h"

enum { TYPES = LAY_C64 + 1, DIGITS = 4 };

static const lay_way *const only_lanes[] = { &lay_way_lanes, &lay_way_lanes_widened, NULL };
static const lay_way *const only_chunks[] = { &lay_way_swept,  &lay_way_in_place, &lay_way_packed,     &lay_way_vector,
                                              &lay_way_chunks, &lay_way_complex,  &lay_way_transposed, NULL };

/* An operand: its rows, columns and the two digits of its index in the batch, by stride. */
typedef struct operand {
    int64_t extent[DIGITS], stride[DIGITS]; /* outer digit, inner one, rows, columns */
    lay_desc *batch, *matrix;
    char *memory;
    int64_t count; /* elements of storage */
} operand;

typedef struct scene {
    lay_type type;
    int64_t outer, inner, m, n, k;
    double alpha[2], beta[2];
    int is_conjugated[2];
    lay_options options;
    const lay_way *const *ways; /* that there are for the batch */
    operand of[3];
} scene;

static void insist(lay_status status, const char *what)
{
    if (status != LAY_OK)
        fail_msg("%s: %s: %s", what, lay_status_name(status), lay_last_error());
}

static void fill(const scene *on, operand *of, random_source *from)
{
    const lay_type real = lay_type_real(on->type);
    const int64_t numbers = of->count * (lay_type_is_complex(on->type) ? 2 : 1);
    for (int64_t i = 0; i < numbers; i++) {
        const float value = (float)(4 * random_unit(from) - 2);
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        if (real == LAY_F64)
            ((double *)(void *)of->memory)[i] = (double)value;
        else if (real == LAY_F32)
            ((float *)(void *)of->memory)[i] = value;
        else
            ((uint16_t *)(void *)of->memory)[i] =
                real == LAY_BF16 ? (uint16_t)(bits >> 16)
                                 : (uint16_t)(random_in(from, 0, 1) << 15 | random_in(from, 12, 16) << 10 |
                                              random_in(from, 0, 1023));
    }
}

/* The index's inner digit is the fastest, with a stride of lane; the others lie in any order, some with gaps. */
static void place(const scene *on, operand *of, int64_t rows, int64_t columns, int64_t lane, random_source *from)
{
    static const int order[][3] = { { 0, 2, 3 }, { 0, 3, 2 }, { 2, 0, 3 }, { 3, 0, 2 }, { 2, 3, 0 }, { 3, 2, 0 } };
    const int *const digits = random_of(from, order);
    char text[300];
    of->extent[0] = on->outer;
    of->extent[1] = on->inner;
    of->extent[2] = rows;
    of->extent[3] = columns;
    of->stride[1] = lane;
    int64_t step = lane ? lane * on->inner : 1;
    for (int i = 2; i >= 0; i--) {
        of->stride[digits[i]] = step;
        step = step * of->extent[digits[i]] + (random_one_in(from, 4) ? random_in(from, 1, 5) : 0);
    }
    of->count = step;
    snprintf(text, sizeof text, "[[%lld:%lld][%lld:%lld]][%lld:%lld][%lld:%lld]", (long long)on->outer,
             (long long)of->stride[0], (long long)on->inner, (long long)lane, (long long)rows, (long long)of->stride[2],
             (long long)columns, (long long)of->stride[3]);
    insist(lay_desc_parse(text, &of->batch), text);
    insist(lay_desc_strided(2, (const int64_t[]){ rows, columns }, of->stride + 2, &of->matrix), "matrix");
    of->memory = malloc((size_t)(of->count * lay_size_of(on->type)));
    assert_non_null(of->memory);
    fill(on, of, from);
}

static void free_scene(scene *on)
{
    for (int i = 0; i < 3; i++) {
        lay_desc_destroy(on->of[i].batch);
        lay_desc_destroy(on->of[i].matrix);
        free(on->of[i].memory);
    }
}

static lay_plan *make_plan(const scene *on, const lay_table *table, int is_batch)
{
    lay_plan *made = NULL;
    const operand *of = on->of;
    const lay_asked asked = { .types = lay_types_of(on->type),
                              .a = is_batch ? of[0].batch : of[0].matrix,
                              .b = is_batch ? of[1].batch : of[1].matrix,
                              .c = is_batch ? of[2].batch : of[2].matrix,
                              .is_conjugated = { on->is_conjugated[0], on->is_conjugated[1] } };
    const lay_status status = lay_plan_make_asked(table, &asked, &on->options, &made);
    if (status != LAY_ERR_UNSUPPORTED || !is_batch)
        insist(status, "plan");
    return made;
}

static const void *scalar(const scene *on, const double value[2], float room[2])
{
    room[0] = (float)value[0];
    room[1] = (float)value[1];
    return lay_type_is_double(on->type) ? (const void *)value : (const void *)room;
}

static void run(const scene *on, const lay_plan *plan, int64_t outer, int64_t inner)
{
    float alpha[2], beta[2];
    char *zero[3];
    for (int i = 0; i < 3; i++)
        zero[i] =
            on->of[i].memory + (outer * on->of[i].stride[0] + inner * on->of[i].stride[1]) * lay_size_of(on->type);
    insist(lay_plan_run(plan, scalar(on, on->alpha, alpha), zero[0], zero[1], scalar(on, on->beta, beta), zero[2]),
           "run");
}

/* Whether the way took it. */
static int is_same(const scene *on, const char *what)
{
    const lay_table table = { lay_all_ways.orders, on->ways };
    lay_plan *const together = make_plan(on, &table, 1);
    if (!together)
        return 0;
    lay_plan *const alone = make_plan(on, &lay_all_ways, 0);
    const size_t bytes = (size_t)(on->of[2].count * lay_size_of(on->type));
    char *const before = malloc(bytes), *const expected = malloc(bytes);
    assert_true(before && expected);
    memcpy(before, on->of[2].memory, bytes);
    for (int64_t outer = 0; outer < on->outer; outer++)
        for (int64_t inner = 0; inner < on->inner; inner++)
            run(on, alone, outer, inner);
    memcpy(expected, on->of[2].memory, bytes);
    memcpy(on->of[2].memory, before, bytes);
    run(on, together, 0, 0);
    if (memcmp(expected, on->of[2].memory, bytes) != 0)
        fail_msg(
            "%s: %s, %lld x %lld of %lld x %lld x %lld, beta %g %g, threads %d, isa %s: other bits than one by one",
            what, lay_type_name(on->type), (long long)on->outer, (long long)on->inner, (long long)on->m,
            (long long)on->n, (long long)on->k, on->beta[0], on->beta[1], on->options.threads,
            lay_isa_name(on->options.isa));
    memcpy(on->of[2].memory, before, bytes);
    free(before);
    free(expected);
    lay_plan_destroy(together);
    lay_plan_destroy(alone);
    return 1;
}

static scene make_scene(lay_type type, const int64_t size[5], const int64_t lane[3], random_source *from)
{
    static const double scalars[][2] = { { 0, 0 }, { 1, 0 }, { 1, 0 }, { -0.5, 0 }, { 1.25, 0.75 } };
    scene made = { .type = type,
                   .outer = size[0],
                   .inner = size[1],
                   .m = size[2],
                   .n = size[3],
                   .k = size[4],
                   .is_conjugated = { random_one_in(from, 3), random_one_in(from, 3) },
                   .options = LAY_OPTIONS_INIT,
                   .ways = only_lanes };
    const int most = lay_type_is_complex(type) ? 4 : 3;
    memcpy(made.alpha, scalars[random_in(from, 1, most)], sizeof made.alpha);
    memcpy(made.beta, scalars[random_in(from, 0, most)], sizeof made.beta);
    made.options.backend = LAY_BACKEND_CPU;
    place(&made, &made.of[0], made.m, made.k, lane[0], from);
    place(&made, &made.of[1], made.k, made.n, lane[1], from);
    place(&made, &made.of[2], made.m, made.n, lane[2], from);
    return made;
}

/* At every level there is, by one thread and by several. */
static int expect_same(scene *on, const char *what)
{
    int taken = 0;
    for (lay_isa isa = LAY_ISA_C; isa <= LAY_ISA_AVX512; isa++) {
        lay_choice choice;
        if (lay_machine_choose(1, isa, &choice) != LAY_OK)
            continue;
        on->options.isa = isa;
        for (on->options.threads = 1; on->options.threads <= 3; on->options.threads += 2)
            taken += is_same(on, what);
    }
    return taken;
}

static const int64_t side_by_side[] = { 1, 1, 1 };

static void every_lane_has_the_bits_of_its_product(void **state)
{
    (void)state;
    const int64_t cases = cases_asked(3700) / 10 + 30;
    int taken[TYPES] = { 0 };
    for (int64_t number = 0; number < cases; number++) {
        random_source from = random_case(211, (uint64_t)number);
        const lay_type type = (lay_type)(number % TYPES);
        const int64_t longest = random_one_in(&from, 3) ? 21 : 7;
        const int64_t size[] = { random_in(&from, 1, 3), random_in(&from, 2, random_one_in(&from, 4) ? 300 : 40),
                                 random_in(&from, 1, longest), random_in(&from, 1, longest),
                                 random_in(&from, 1, longest) };
        static const int64_t of_inputs[] = { 1, 1, 1, 1, 2, 3, 0 }, of_c[] = { 1, 1, 1, 2, 5 };
        const int64_t lane[] = { random_of(&from, of_inputs), random_of(&from, of_inputs), random_of(&from, of_c) };
        scene on = make_scene(type, size, lane, &from);
        taken[type] += expect_same(&on, "random") > 0;
        free_scene(&on);
    }
    for (int type = 0; type < TYPES; type++)
        assert_true(taken[type] >= cases / TYPES * 9 / 10);
}

/* Several blocks of k, 16-bit chunks, partial sums; more rows and columns than a block has; one product in a lane. */
static void every_order_of_the_sum_is_kept(void **state)
{
    (void)state;
    static const int64_t sizes[][5] = { { 1, 20, 5, 6, 1030 }, { 2, 9, 1, 7, 40 },    { 1, 33, 9, 1, 600 },
                                        { 3, 18, 1, 1, 77 },   { 1, 17, 1, 1, 2100 }, { 1, 6, 3, 1, 2070 },
                                        { 1, 4, 70, 75, 520 }, { 1, 2, 9, 9, 33 },    { 1, 1100, 1, 1, 1 },
                                        { 1, 16, 40, 2, 16 },  { 2, 5, 2, 40, 2 },    { 1, 40, 4, 5, 1700 },
                                        { 1, 17, 1, 1, 4100 } };
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int type = 0; type < TYPES; type++) {
            random_source from = random_case(212, s * TYPES + (uint64_t)type);
            scene on = make_scene((lay_type)type, sizes[s], side_by_side, &from);
            const int is_sliced = lay_type_is_complex(on.type) && sizes[s][4] == 2070; /* of twice the steps */
            if (expect_same(&on, "order") == 0 && !is_sliced)
                fail_msg("%s, sizes %zu: not taken", lay_type_name(on.type), s);
            free_scene(&on);
        }
}

/* Where rates put C in a buffer (lanes_put.rates) the next chunk comes beside tiles: of whole rows and parts of them,
 * of fewer rows than a tile has steps, and a last chunk that is shorter. */
static void chunks_that_come_beside_others_are_the_same(void **state)
{
    (void)state;
    static const int64_t sizes[][5] = {
        { 1, 300, 9, 10, 11 }, { 2, 512, 8, 12, 16 }, { 1, 700, 5, 7, 33 }, { 1, 330, 16, 16, 8 }
    };
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int type = LAY_F32; type <= LAY_F64; type++) {
            char text[8000];
            random_source from = random_case(218, s * 2 + (uint64_t)type);
            scene on = make_scene((lay_type)type, sizes[s], side_by_side, &from);
            on.beta[0] = on.beta[1] = 0;
            assert_true(expect_same(&on, "beside") > 0);
            on.options.threads = 1;
            on.options.isa = LAY_ISA_C;
            lay_plan *const plan = make_plan(&on, &(lay_table){ lay_all_ways.orders, only_lanes }, 1);
            assert_true(lay_plan_explain(plan, text, sizeof text) > 0);
            if (getenv("LAY_RATES"))
                assert_non_null(strstr(text, "the next ones beside"));
            lay_plan_destroy(plan);
            free_scene(&on);
        }
}

static void slices_are_left_to_others(void **state)
{
    (void)state;
    random_source from = random_case(213, 0);
    scene sliced = make_scene(LAY_F32, (const int64_t[]){ 1, 20, 3, 4, 4000 }, side_by_side, &from);
    assert_int_equal(expect_same(&sliced, "sliced"), 0);
    free_scene(&sliced);
}

/* alpha 0, or no steps: beta C, of every product. */
static void every_lane_is_scaled(void **state)
{
    (void)state;
    for (int number = 0; number < 4 * TYPES; number++) {
        random_source from = random_case(214, (uint64_t)number);
        scene on = make_scene((lay_type)(number % TYPES), (const int64_t[]){ 2, 70, 3, 5, 4 }, side_by_side, &from);
        on.alpha[0] = on.alpha[1] = 0;
        assert_true(expect_same(&on, "scaled") > 0);
        free_scene(&on);
    }
}

/* Whole registers and less, one strip of elements and several, one chunk and several; operands as they lie, too. */
static void every_chunk_has_the_bits_of_its_product(void **state)
{
    (void)state;
    static const lay_type types[] = { LAY_F32, LAY_F64, LAY_C32 };
    static const int64_t of_inputs[] = { 1, 1, 1, 2, 0 }, of_c[] = { 1, 1, 2 };
    const int64_t cases = cases_asked(3400) / 20 + 30;
    int64_t taken = 0, asked_for = 0;
    for (int64_t number = 0; number < cases; number++) {
        random_source from = random_case(216, (uint64_t)number);
        const int64_t inner = random_in(&from, 2, random_one_in(&from, 3) ? 150 : 40), most = inner < 40 ? 40 : 21;
        const int64_t size[] = { random_in(&from, 1, 3), inner, random_in(&from, 8, most), random_in(&from, 8, most),
                                 random_in(&from, inner < 20 ? 16 : 8, most) };
        const int64_t lane[] = { random_of(&from, of_inputs), random_of(&from, of_inputs), random_of(&from, of_c) };
        scene on = make_scene(types[number % 3], size, lane, &from);
        const int is_turned = lane[0] == 1 || lane[1] == 1 || lane[2] == 1;
        const double flops = 2.0 * (double)(on.outer * on.inner * on.m * on.n * on.k);
        on.ways = only_chunks;
        const int is_taken = expect_same(&on, "chunks") > 0;
        assert_true(!is_taken || is_turned);
        asked_for += is_turned && flops >= 1 << 14;
        taken += is_taken;
        free_scene(&on);
    }
    assert_true(asked_for > cases / 2 && taken >= asked_for);
}

/* Images of more elements than a strip has, and chunks of less than half a line each. */
static void chunks_of_large_products_are_the_same(void **state)
{
    (void)state;
    static const int64_t sizes[][5] = { { 1, 5, 70, 65, 90 }, { 2, 19, 33, 64, 40 }, { 1, 70, 24, 24, 24 } };
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int type = LAY_F32; type <= LAY_F64; type++) {
            random_source from = random_case(217, s * 2 + (uint64_t)type);
            scene on = make_scene((lay_type)type, sizes[s], side_by_side, &from);
            on.ways = only_chunks;
            assert_true(expect_same(&on, "large chunks") > 0);
            on.alpha[0] = on.alpha[1] = 0;
            assert_true(expect_same(&on, "scaled chunks") > 0);
            free_scene(&on);
        }
}

/* By cost, among all ways. */
static void a_batch_side_by_side_goes_by_lanes(void **state)
{
    (void)state;
    for (int type = 0; type < TYPES; type++) {
        char text[8000];
        random_source from = random_case(215, (uint64_t)type);
        scene on = make_scene((lay_type)type, (const int64_t[]){ 1, 1000, 8, 8, 8 }, side_by_side, &from);
        on.options.threads = 1;
        lay_plan *const plan = make_plan(&on, &lay_all_ways, 1);
        assert_true(lay_plan_explain(plan, text, sizeof text) > 0);
        assert_non_null(strstr(text, "1 runs of 1000 products side by side"));
        if (type == LAY_F32)
            assert_non_null(strstr(text, "  1.024e+06 flops, 1 flops a byte\n")); /* of all of them */
        lay_plan_destroy(plan);
        free_scene(&on);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_lane_has_the_bits_of_its_product),
        cmocka_unit_test(every_order_of_the_sum_is_kept),
        cmocka_unit_test(chunks_that_come_beside_others_are_the_same),
        cmocka_unit_test(slices_are_left_to_others),
        cmocka_unit_test(every_lane_is_scaled),
        cmocka_unit_test(every_chunk_has_the_bits_of_its_product),
        cmocka_unit_test(chunks_of_large_products_are_the_same),
        cmocka_unit_test(a_batch_side_by_side_goes_by_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
