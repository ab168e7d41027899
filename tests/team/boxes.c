/* What moves from room to room, as boxes, and in which chunks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../random.h"
#include "claim.h"
#include "device/driver.h"
#include "team/cost/cut.h"
#include "team/rooms/box.h"
#include "team/rooms/room.h"

/* ---- boxes ------------------------------------------------------------------------------------ */

/* Offsets of digits, as layouts have them, cut at both ends; or any. */
static void fill_lists(random_source *from, int64_t count, int64_t one[], int64_t other[])
{
    const int64_t inner = random_in(from, 1, 6), middle = random_in(from, 1, 4), first = random_in(from, 0, 5);
    int64_t step[2][3];
    const int is_any = random_one_in(from, 8);
    for (int i = 0; i < 6; i++)
        step[i / 3][i % 3] = random_in(from, -3, 12);
    for (int64_t i = 0; i < count; i++) {
        const int64_t x = first + i, digit[] = { x % inner, x / inner % middle, x / inner / middle };
        one[i] = other[i] = 0;
        for (int d = 0; d < 3; d++) {
            one[i] += digit[d] * step[0][d];
            other[i] += digit[d] * step[1][d];
        }
        if (is_any)
            one[i] = random_in(from, 0, 1000);
    }
}

static void pieces_have_each_pair_once_and_in_order(void **state)
{
    (void)state;
    for (int number = 1; number <= cases(4000); number++) {
        random_source from = random_case(31, (uint64_t)number);
        int64_t one[80], other[80], pieces, at = 0;
        const int64_t count = random_in(&from, 1, 80);
        fill_lists(&from, count, one, other);
        lay_piece *const list = lay_pieces_of(one, other, count, &pieces);
        assert_non_null(list);
        for (int64_t p = 0; p < pieces; p++)
            for (int64_t row = 0; row < list[p].count[1]; row++)
                for (int64_t i = 0; i < list[p].count[0]; i++, at++) {
                    claim(at < count, "case %d", number);
                    claim(one[at] == list[p].from + row * list[p].from_step[1] + i * list[p].from_step[0] &&
                              other[at] == list[p].to + row * list[p].to_step[1] + i * list[p].to_step[0],
                          "case %d, pair %lld", number, (long long)at);
                }
        claim(at == count, "case %d: %lld of %lld", number, (long long)at, (long long)count);
        free(list);
    }
}

static void lists_of_layouts_are_few_pieces(void **state)
{
    (void)state;
    int64_t one[512], other[512], pieces;
    for (int64_t i = 0; i < 512; i++) { /* every second block of 32, to where all are */
        one[i] = i;
        other[i] = i / 32 * 64 + i % 32;
    }
    free(lay_pieces_of(one, other, 512, &pieces));
    assert_int_equal(pieces, 1);
    free(lay_pieces_of(one, other, 509, &pieces));
    assert_int_equal(pieces, 2);
    free(lay_pieces_of(one, one, 512, &pieces));
    assert_int_equal(pieces, 1);
}

static void boxes_move_what_pieces_say(void **state)
{
    (void)state;
    for (int number = 1; number <= cases(2000); number++) {
        random_source from = random_case(32, (uint64_t)number);
        lay_piece piece[2];
        const lay_piece *const both[] = { &piece[0], &piece[1] };
        int64_t counts[4], order[] = { 0, 1, 2, 3 }, from_step[4], to_step[4], next[2] = { 1, 1 }, elements = 1;
        for (int side = 0; side < 2; side++) { /* all four digits dense, each side in an order of its own */
            for (int i = 3; i > 0; i--) {
                const int64_t j = random_in(&from, 0, i), kept = order[i];
                order[i] = order[j];
                order[j] = kept;
            }
            for (int i = 0; i < 4; i++) {
                if (side == 0)
                    counts[order[i]] = random_in(&from, 1, 5);
                (side ? to_step : from_step)[order[i]] = next[side];
                next[side] *= counts[order[i]];
            }
        }
        for (int d = 0; d < 4; d++) {
            piece[d / 2].from = piece[d / 2].to = 0;
            piece[d / 2].count[d % 2] = counts[d];
            piece[d / 2].from_step[d % 2] = from_step[d];
            piece[d / 2].to_step[d % 2] = to_step[d];
            elements *= counts[d];
        }
        float source[625], target[625], wanted[625];
        for (int64_t i = 0; i < elements; i++) {
            int64_t rest = i, x = 0, y = 0;
            for (int d = 0; d < 4; rest /= counts[d++]) {
                x += rest % counts[d] * from_step[d];
                y += rest % counts[d] * to_step[d];
            }
            source[x] = (float)i;
            wanted[y] = (float)i;
        }
        const lay_box box = lay_box_of(2, both);
        lay_box_move(&box, sizeof(float), source, target);
        claim(memcmp(target, wanted, (size_t)elements * sizeof(float)) == 0, "case %d", number);
        for (int i = 1; i < box.axes; i++) /* none could be one with the next */
            claim(box.axis[i].from != box.axis[i - 1].count * box.axis[i - 1].from ||
                      box.axis[i].to != box.axis[i - 1].count * box.axis[i - 1].to,
                  "case %d", number);
    }
}

/* ---- chunks ----------------------------------------------------------------------------------- */

/* 50 TFLOP/s, however small. */
static double as_flops(const void *k, int64_t rows, int64_t columns)
{
    return 2e-12 / 50 * (double)rows * (double)columns * (double)*(const int64_t *)k;
}

/* One operand moves: it comes in steps, a chunk ahead of others, all of them together the whole; what is waited for is
 * less than with any other chunks that there were. */
static void what_moves_comes_in_steps_with_a_chunk_ahead(void **state)
{
    (void)state;
    const lay_team_links links = lay_team_links_get(1, 0);
    const int64_t k = 16384, n = 16384;
    for (int which = 0; which < 2; which++) {
        lay_team_shape shape = {
            .type = LAY_F32, .batch = 1, .m = n, .n = n, .k = k, .places = 2, .rows = n, .columns = n
        };
        lay_team_candidate of[LAY_TEAM_CANDIDATES];
        *(which ? &shape.rows : &shape.columns) = n / 2;
        shape.moved[which] = (double)n * (double)k;
        const int count = lay_team_cut_direct(&shape, &links, as_flops, &k, of);
        const lay_team_cut *const cut = &of[0].cut;
        const double arrives = shape.moved[which] * 4 / 2 / links.rate;
        claim(count > 5 && cut->by_rows == !which && cut->chunks >= 2, "%d", which);
        claim(cut->lead * 4 <= n && cut->lead % lay_team_lead_unit == 0, "%d", which);
        claim(of[0].seconds < 0.1 * arrives && of[0].seconds <= of[1].seconds, "%g beside %g", of[0].seconds, arrives);
        int growing = 0;
        for (int i = 0; i < count; i++) {
            const int64_t last = of[i].cut.chunks - 1, side = of[i].cut.by_rows ? shape.rows : shape.columns;
            claim(lay_team_chunk_first(&of[i].cut, last) < side &&
                      lay_team_chunk_first(&of[i].cut, last) + lay_team_chunk_most(&of[i].cut, last) >= side,
                  "%d, %d", which, i);
            growing += of[i].cut.more > 0;
        }
        claim(growing > 3, "%d", which);
    }
}

/* 700 TFLOP/s. */
static double as_units(const void *k, int64_t rows, int64_t columns)
{
    return as_flops(k, rows, columns) / 14;
}

/* Where one chunk ahead would have to be large, several grow. */
static void chunks_grow_where_products_are_fast(void **state)
{
    (void)state;
    const lay_team_links links = lay_team_links_get(1, 0);
    const int64_t k = 16384;
    lay_team_candidate of[LAY_TEAM_CANDIDATES];
    const lay_team_shape shape = { .type = LAY_BF16,
                                   .batch = 1,
                                   .m = k,
                                   .n = k,
                                   .k = k,
                                   .places = 2,
                                   .rows = k / 2,
                                   .columns = k,
                                   .moved = { 0, (double)k * (double)k } };
    assert_true(lay_team_cut_direct(&shape, &links, as_units, &k, of) > 5);
    claim(of[0].cut.more > 0 && of[0].cut.growth > 1 && of[0].cut.chunks > 2, "%d", of[0].cut.more);
}

static void what_lies_there_needs_no_steps_and_little_room_needs_many(void **state)
{
    (void)state;
    const lay_team_links links = lay_team_links_get(1, 0);
    const int64_t k = 4096, bytes = lay_team_room_bytes;
    lay_team_shape shape = {
        .type = LAY_F64, .batch = 1, .m = k, .n = k, .k = k, .places = 2, .rows = k / 2, .columns = k
    };
    lay_team_candidate of[LAY_TEAM_CANDIDATES];
    assert_int_equal(lay_team_cut_direct(&shape, &links, as_flops, &k, of), 1);
    assert_true(of[0].cut.steps == 1 && of[0].memory == 0 && of[0].moves == 0);
    shape.moved[1] = (double)k * (double)k;
    lay_team_room_bytes = 512 * k * 8;
    const int count = lay_team_cut_direct(&shape, &links, as_flops, &k, of);
    for (int i = 0; i < count; i++)
        assert_true(of[i].cut.lead <= 512 && of[i].cut.width <= 512 && of[i].cut.chunks >= 8 &&
                    of[i].cut.lead + (of[i].cut.chunks - 1) * of[i].cut.width >= k &&
                    of[i].memory <= 2.0 * (double)lay_team_room_bytes);
    lay_team_room_bytes = bytes;
}

/* ---- what moves a box ------------------------------------------------------------------------- */

static int engines, kernels; /* asked to */

static lay_status copy_lines(const lay_lines *lines, void *stream)
{
    (void)stream;
    assert_true(lines->from_line <= INT32_MAX && lines->to_line <= INT32_MAX); /* CUDA's limit of a pitch */
    engines++;
    return LAY_OK;
}

static lay_status copy(const struct lay_copy_job *job, int device, void *stream)
{
    (void)job, (void)device, (void)stream;
    kernels++;
    return LAY_OK;
}

/* Lines of 32 KiB, from or to lines so many bytes apart. */
static void move_lines(int64_t from, int64_t to)
{
    static const int64_t size = sizeof(double);
    char *const nowhere = (char *)(uintptr_t)1 + 63;
    lay_box box = { .axes = 2, .axis = { { 4096, 1, 1 }, { 3, from / size, to / size } } };
    lay_room room = { .device = 1 };
    const lay_room other = { .device = 0 };
    engines = kernels = 0;
    assert_int_equal(lay_room_device.move(&room, &other, &box, LAY_F64, nowhere, nowhere), LAY_OK);
    assert_int_equal(engines + kernels, 1);
}

static void lines_too_far_apart_for_copy_engines_are_a_kernel_s(void **state)
{
    static const lay_device_driver driver = { .copy = copy, .copy_lines = copy_lines };
    static const int64_t near = 1 << 16, most = INT32_MAX / 8 * 8;
    const lay_device_driver *const before = lay_devices;
    (void)state;
    lay_devices = &driver;
    move_lines(near, near);
    assert_int_equal(engines, 1);
    move_lines(most, most);
    assert_int_equal(engines, 1);
    move_lines(near, most + 8);
    assert_int_equal(kernels, 1);
    move_lines(most + 8, near);
    assert_int_equal(kernels, 1);
    lay_devices = before;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_have_each_pair_once_and_in_order),
        cmocka_unit_test(lists_of_layouts_are_few_pieces),
        cmocka_unit_test(boxes_move_what_pieces_say),
        cmocka_unit_test(what_moves_comes_in_steps_with_a_chunk_ahead),
        cmocka_unit_test(chunks_grow_where_products_are_fast),
        cmocka_unit_test(what_lies_there_needs_no_steps_and_little_room_needs_many),
        cmocka_unit_test(lines_too_far_apart_for_copy_engines_are_a_kernel_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
