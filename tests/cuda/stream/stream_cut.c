/* Cuts of streamed products, and the images that their buffers hold: what needs no device. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../product/support/trial.h"
#include "cuda/stream/stream.h"
#include "cuda/stream/stream_copy.h"
#include "cuda/stream/stream_cut.h"
#include "plan/problem.h"

enum { CASES = 3000 };

static lay_stream_ask some_ask(random_source *from)
{
    lay_stream_ask ask = { .m = random_in(from, 1, 1 << random_in(from, 1, 14)),
                           .n = random_in(from, 1, 1 << random_in(from, 1, 14)),
                           .k = random_in(from, 1, 1 << random_in(from, 1, 16)),
                           .size = random_one_in(from, 2) ? 4 : 8,
                           .reads_c = (int)random_in(from, 0, 1),
                           .slices = 1,
                           .can_resume = !random_one_in(from, 4),
                           .row_m = 128,
                           .row_n = 128,
                           .blocks_at_once = 132,
                           .memory = (size_t)1 << random_in(from, 12, 34),
                           .link = 50e9,
                           .rate = 50e12,
                           .rates = lay_cuda_rates_get(&(lay_device){ .sm = 90 }) };
    for (int i = 0; i < LAY_OPERANDS; i++)
        ask.is_on_host[i] = (int)random_in(from, 0, 1);
    ask.slice_k = ask.k;
    if (random_one_in(from, 3) && ask.k > 128) {
        ask.slice_k = random_in(from, 1, (ask.k + 63) / 64) * 64;
        ask.slices = (ask.k + ask.slice_k - 1) / ask.slice_k;
    }
    return ask;
}

static void check_segments(lay_range (*of)(const lay_stream_cut *, int64_t), const lay_stream_cut *cut, int64_t count,
                           int64_t extent)
{
    int64_t end = 0;
    for (int64_t i = 0; i < count; i++) {
        const lay_range part = of(cut, i);
        assert_int_equal(part.first, end);
        assert_true(part.count > 0);
        end += part.count;
    }
    assert_int_equal(end, extent);
}

static void check_chunks(const lay_stream_ask *ask, const lay_stream_cut *cut)
{
    check_segments(lay_stream_chunk, cut, cut->chunks, ask->k);
    for (int64_t q = 0; q < cut->chunks; q++) {
        const lay_range steps = lay_stream_chunk(cut, q);
        assert_true(steps.count <= cut->tile_k);
        /* Inside one slice, and a whole one where sums cannot be resumed. */
        const int64_t slice = ask->slices > 1 ? steps.first / ask->slice_k * ask->slice_k : 0;
        const int64_t end = ask->slices > 1 && slice + ask->slice_k < ask->k ? slice + ask->slice_k : ask->k;
        assert_true(steps.first + steps.count <= end);
        if (!ask->can_resume)
            assert_true(steps.first == slice && steps.first + steps.count == end);
    }
}

/* Every tile has its chunks in ascending order, and no two tiles of a block one place for their sums. */
static void check_steps(const lay_stream_cut *cut)
{
    const int64_t tiles = cut->down * cut->across;
    int64_t *const done = calloc((size_t)tiles, sizeof *done), *const number = malloc((size_t)tiles * sizeof *number);
    int64_t *const holder = malloc((size_t)(cut->sum_slots + 1) * sizeof *holder);
    int64_t steps = 0;
    memset(holder, -1, (size_t)(cut->sum_slots + 1) * sizeof *holder);
    lay_stream_step step = lay_stream_first_step(cut);
    do {
        const int64_t tile = step.i * cut->across + step.j;
        assert_true(step.i >= 0 && step.i < cut->down && step.j >= 0 && step.j < cut->across);
        assert_int_equal(step.q, done[tile]++);
        assert_true(step.q == 0 || number[tile] == step.number);
        number[tile] = step.number;
        steps++;
        if (cut->sum_slots == 0)
            continue;
        int64_t *const in = &holder[step.number % cut->sum_slots];
        assert_true(step.q == 0 ? *in < 0 : *in == tile);
        *in = step.q == cut->chunks - 1 ? -1 : tile;
    } while (lay_stream_next_step(cut, &step));
    assert_int_equal(steps, tiles * cut->chunks);
    free(done);
    free(number);
    free(holder);
}

static void a_cut_covers_the_product_in_order_and_fits_its_memory(void **state)
{
    (void)state;
    int fitted = 0;
    for (int number = 0; number < trial_rounds(CASES); number++) {
        random_source from = random_case(21, (uint64_t)number);
        const lay_stream_ask ask = some_ask(&from);
        lay_stream_cut cut;
        if (!lay_stream_cut_choose(&ask, &cut)) {
            assert_true(ask.memory < (size_t)1 << 16 || !ask.can_resume || ask.slices > 1);
            continue;
        }
        fitted++;
        assert_true(cut.bytes <= ask.memory && cut.seconds > 0);
        assert_true(!ask.is_on_host[LAY_LEFT] || cut.left_slots > 0);
        assert_true(!ask.is_on_host[LAY_RIGHT] || cut.right_slots > 0);
        assert_true(cut.chunks == 1 || cut.sum_slots > 0);
        assert_true(!ask.is_on_host[LAY_RESULT] || cut.c_slots > 0 || cut.sum_slots > 0);
        check_segments(lay_stream_rows, &cut, cut.down, ask.m);
        check_segments(lay_stream_columns, &cut, cut.across, ask.n);
        check_chunks(&ask, &cut);
        if (cut.down * cut.across * cut.chunks < 100000)
            check_steps(&cut);
    }
    assert_true(fitted > trial_rounds(CASES) / 2);
}

static void a_tenth_of_the_memory_costs_a_large_product_little(void **state)
{
    (void)state;
    lay_stream_ask ask = { .m = 16384,
                           .n = 16384,
                           .k = 16384,
                           .size = 4,
                           .is_on_host = { 1, 1, 1 },
                           .slices = 1,
                           .slice_k = 16384,
                           .can_resume = 1,
                           .row_m = 128,
                           .row_n = 256,
                           .blocks_at_once = 132,
                           .memory = (size_t)100 << 30,
                           .link = 50e9,
                           .rate = 54e12,
                           .rates = lay_cuda_rates_get(&(lay_device){ .sm = 90 }) };
    lay_stream_cut whole, capped;
    assert_true(lay_stream_cut_choose(&ask, &whole));
    ask.memory = (size_t)3 * 16384 * 16384 * 4 / 10;
    assert_true(lay_stream_cut_choose(&ask, &capped));
    assert_true(whole.seconds < 2 * 16384.0 * 16384 * 16384 / 54e12 * 1.07);
    assert_true(capped.seconds < 1.2 * whole.seconds);
}

/* ---- images ----------------------------------------------------------------------------------- */

static void check_image(trial *t, const lay_problem *problem, int is_to_host, random_source *from)
{
    const int64_t first_row = random_in(from, 0, t->m - 1), first_column = random_in(from, 0, t->n - 1);
    const int64_t rows = random_in(from, 1, t->m - first_row), columns = random_in(from, 1, t->n - first_column);
    const int64_t pitch = columns + random_in(from, 0, 5), size = (int64_t)lay_type_size(t->type);
    char *const dense = oracle_memory((size_t)(rows * pitch * size));
    memset(dense, 0x5a, (size_t)(rows * pitch * size));
    const lay_image image = { .rows = &problem->result_m,
                              .columns = &problem->result_n,
                              .zero = t->out.zero,
                              .first_row = first_row,
                              .row_count = rows,
                              .first_column = first_column,
                              .column_count = columns,
                              .dense = dense,
                              .pitch = pitch,
                              .size = size,
                              .is_to_host = is_to_host,
                              .is_streaming = (int)random_in(from, 0, 1) };
    lay_image_copy(&image, 2);
    int64_t *const row = oracle_memory((size_t)t->m * sizeof *row), *const column =
                                                                        oracle_memory((size_t)t->n * sizeof *row);
    lay_axis_offsets(image.rows, 0, t->m, row);
    lay_axis_offsets(image.columns, 0, t->n, column);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            assert_memory_equal(dense + (i * pitch + j) * size,
                                (char *)t->out.zero + (row[first_row + i] + column[first_column + j]) * size,
                                (size_t)size);
    assert_true(is_to_host ? operand_gaps_are_kept(&t->out) : operand_is_untouched(&t->out));
    free(row);
    free(column);
    free(dense);
}

static void an_image_holds_its_rectangle_and_touches_nothing_else(void **state)
{
    (void)state;
    for (int number = 0; number < trial_rounds(CASES / 3); number++) {
        random_source from = random_case(22, (uint64_t)number);
        trial t = { .type = random_one_in(&from, 2) ? LAY_F32 : LAY_F64,
                    .m = random_in(&from, 1, 200),
                    .n = random_in(&from, 1, number % 10 ? 200 : 3000),
                    .k = 1,
                    .beta = 1,
                    .data = TRIAL_SIGNED };
        lay_problem problem;
        trial_fill(&t, &from);
        trial_place(&t, layout_usual(0, t.m, 1), layout_usual(0, 1, t.n), layout_random(&from, LAYOUT_OUTPUT, t.m, t.n),
                    OPERAND_ANYWHERE, &from);
        lay_problem_make(t.type, t.in_a.desc, t.in_b.desc, t.out.desc, 0, &problem);
        check_image(&t, &problem, 0, &from);
        check_image(&t, &problem, 1, &from);
        trial_free(&t);
    }
}

/* ---- the choice ------------------------------------------------------------------------------- */

static void large_products_are_the_device_s_and_small_ones_the_cpu_s(void **state)
{
    static const lay_place host[LAY_OPERANDS] = { LAY_PLACE_HOST, LAY_PLACE_HOST, LAY_PLACE_HOST };
    const lay_device device = { .sm = 90,
                                .multiprocessors = 132,
                                .memory = (size_t)140 << 30,
                                .ghz = 1.9,
                                .bytes_per_second = 4e12,
                                .link_per_second = 50e9 };
    (void)state;
    for (int type = LAY_F32; type <= LAY_F64; type++) {
        assert_true(lay_stream_predict(type, 8192, 8192, 8192, host, &device) <
                    lay_stream_predict_cpu(type, 8192, 8192, 8192, LAY_ISA_AVX512));
        assert_true(lay_stream_predict(type, 64, 64, 64, host, &device) >
                    lay_stream_predict_cpu(type, 64, 64, 64, LAY_ISA_AVX512));
        /* The same for the transposed product. */
        assert_true(fabs(lay_stream_predict(type, 300, 9000, 2000, host, &device) -
                         lay_stream_predict(type, 9000, 300, 2000, host, &device)) <
                    1e-6 * lay_stream_predict(type, 300, 9000, 2000, host, &device));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cut_covers_the_product_in_order_and_fits_its_memory),
        cmocka_unit_test(a_tenth_of_the_memory_costs_a_large_product_little),
        cmocka_unit_test(an_image_holds_its_rectangle_and_touches_nothing_else),
        cmocka_unit_test(large_products_are_the_device_s_and_small_ones_the_cpu_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
