/* Narrow products as they are planned for a device that is made up: slices, clusters and boxes are what their kernels
 * are promised. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../product/support/layouts.h"
#include "cuda/launch/rows.h"
#include "cuda/launch/units.h"
#include "cuda/narrow/narrow_cost.h"
#include "cuda/narrow/narrow_run.h"
#include "cuda/narrow/narrow_view.h"
#include "cuda/narrow/narrow_walk.h"
#include "cuda/ways.h"
#include "device/place.h"
#include "made_up.h"
#include "plan/branch.h"
#include "plan/plan.h"
#include "plan/problem.h"
#include "ways.h"

static const lay_type types[] = { LAY_F16, LAY_BF16, LAY_F32 };
enum { TYPES = 3, CASES = 2000, LANES = 32, MOST_BLOCKS = 8 };

static void clusters_are_of_slices_or_of_neighbours(void **state)
{
    (void)state;
    int together = 0, shared = 0, alone = 0;
    for (int number = 0; number < CASES; number++) {
        random_source from = random_case(311, (uint64_t)number);
        const int64_t m = random_in(&from, 1, 6000), n = random_in(&from, 1, 6000), k = random_in(&from, 1, 20000);
        const int slices = (int)random_in(&from, 1, 32);
        const lay_cuda_shape of = lay_units_cut(types[number % TYPES], m, n, k, slices);
        lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_NARROW);
        for (const lay_cuda_kernel *row; of.slices && (row = lay_cuda_next(&walk));) {
            const lay_narrow_cluster cluster = lay_narrow_cluster_of(row, &of, 0, &made_up, NULL, NULL);
            const double seconds = lay_narrow_cost(row, &of, 0, &made_up);
            assert_true(seconds > 0 && seconds < 1);
            const int blocks = lay_narrow_cluster_blocks(cluster);
            assert_in_range(blocks, 1, MOST_BLOCKS);
            if (cluster.together > 1)
                assert_true(of.slices > 1 && blocks == of.slices);
            else if (blocks > 1)
                assert_true(of.slices == 1 && m > row->bm * (cluster.down - 1) && n > row->bn * (cluster.across - 1));
            together += cluster.together > 1;
            shared += cluster.together == 1 && blocks > 1;
            alone += blocks == 1;
        }
    }
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_NARROW);
    if (lay_cuda_next(&walk)) /* a build without code for 9.0 has no rows */
        assert_true(together > 100 && shared > 100 && alone > 100);
}

/* TF32's five were not. */
static int is_timed(lay_type type, int slices)
{
    static const int timed[] = { 1, 2, 3, 4, 5, 8, 12, 16, 24, 32 };
    for (size_t i = 0; i < sizeof timed / sizeof timed[0]; i++)
        if (slices == timed[i])
            return type != LAY_F32 || slices != 5;
    return 0;
}

typedef struct known_slices {
    int m, n, k, slices;
} known_slices;

/* Whichever of the two has more lines. */
static void slices_are(lay_type type, lay_compute compute, const known_slices *known, size_t count)
{
    static const lay_device device = MADE_UP_H200;
    static lay_problem problem;
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_NARROW);
    if (!lay_cuda_next(&walk))
        skip();
    for (size_t i = 0; i < count; i++)
        for (int turned = 0; turned < 2; turned++) {
            const int64_t m = turned ? known[i].n : known[i].m, n = turned ? known[i].m : known[i].n, k = known[i].k;
            lay_desc *const a = layout_usual(0, m, k), *const b = layout_usual(0, k, n),
                            *const c = layout_usual(0, m, n);
            lay_problem_make(type, a, b, c, 0, &problem);
            problem.compute = compute;
            assert_int_equal(lay_narrow_slices(&problem, &device), known[i].slices);
            lay_desc_destroy(a);
            lay_desc_destroy(b);
            lay_desc_destroy(c);
        }
}

/* The fastest of what was timed, or next to it, as rows have it and as columns of B have (bench/LOG.md, 167). */
static void tf32_has_the_slices_that_were_the_fastest(void **state)
{
    (void)state;
    static const known_slices timed[] = { { 1, 1024, 4096, 8 },    { 16, 5120, 5120, 3 },   { 64, 2560, 2560, 3 },
                                          { 64, 5120, 13824, 3 },  { 256, 1024, 4096, 4 },  { 256, 2560, 2560, 3 },
                                          { 128, 4096, 11008, 4 }, { 128, 8192, 8192, 2 },  { 512, 4096, 4096, 1 },
                                          { 128, 11008, 4096, 1 }, { 256, 11008, 4096, 1 }, { 2048, 2048, 2048, 1 } };
    slices_are(LAY_F32, LAY_COMPUTE_TF32, timed, sizeof timed / sizeof timed[0]);
}

static void halves_have_the_slices_that_were_the_fastest(void **state)
{
    (void)state;
    static const known_slices timed[] = { { 1, 1024, 4096, 5 },   { 8, 1024, 4096, 5 },   { 2, 2560, 2560, 5 },
                                          { 16, 2560, 2560, 5 },  { 64, 2560, 2560, 5 },  { 1, 5120, 5120, 3 },
                                          { 16, 5120, 5120, 3 },  { 16, 5120, 13824, 3 }, { 64, 5120, 13824, 3 },
                                          { 8, 11008, 4096, 2 },  { 64, 4096, 14336, 2 }, { 128, 4096, 11008, 2 },
                                          { 256, 1024, 4096, 4 }, { 256, 2560, 2560, 1 }, { 128, 8192, 8192, 1 },
                                          { 512, 4096, 4096, 1 }, { 456, 456, 456, 1 },   { 1024, 1024, 1024, 1 } };
    for (int i = 0; i < 2; i++)
        slices_are(i ? LAY_F16 : LAY_BF16, LAY_COMPUTE_AUTO, timed, sizeof timed / sizeof timed[0]);
}

static void slices_are_as_many_as_were_timed(void **state)
{
    (void)state;
    static const lay_device device = MADE_UP_H200;
    static lay_problem problem;
    int seen[TYPES][33] = { { 0 } };
    for (int number = 0; number < 600; number++) {
        random_source from = random_case(109, (uint64_t)number);
        const int64_t m = random_in(&from, 1, 700), n = random_in(&from, 1, 5000), k = random_in(&from, 500, 30000);
        const int type = number % TYPES;
        lay_desc *const a = layout_usual(0, m, k), *const b = layout_usual(0, k, n), *const c = layout_usual(0, m, n);
        lay_problem_make(types[type], a, b, c, 0, &problem);
        problem.compute = types[type] == LAY_F32 ? LAY_COMPUTE_TF32 : LAY_COMPUTE_AUTO;
        const int slices = lay_narrow_slices(&problem, &device);
        assert_true(is_timed(types[type], slices));
        seen[type][slices]++;
        lay_desc_destroy(a);
        lay_desc_destroy(b);
        lay_desc_destroy(c);
    }
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_NARROW);
    for (int type = 0; type < TYPES && lay_cuda_next(&walk); type++) {
        const int few = seen[type][2] + seen[type][3] + seen[type][4] + seen[type][8];
        assert_true(seen[type][1] > 10 && few > 10);
    }
}

/* What a cluster sends is little where tiles are small; of large ones a memory takes more at a time (bench/LOG.md,
 * 162). */
static void slices_of_large_tiles_are_added_by_the_last_block(void **state)
{
    (void)state;
    const lay_cuda_shape few = lay_units_cut(LAY_BF16, 5120, 16, 5120, 2);
    const lay_cuda_shape many = lay_units_cut(LAY_BF16, 1024, 256, 4096, 4);
    int seen = 0;
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_NARROW);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
        if (row->type != LAY_BF16 || row->is_walked)
            continue;
        if (row->bm == 64 && row->bn == 16)
            assert_int_equal(lay_narrow_cluster_of(row, &few, 0, &made_up, NULL, NULL).together, 2);
        if (row->bm == 128 && row->bn == 64)
            assert_int_equal(lay_narrow_cluster_of(row, &many, 0, &made_up, NULL, NULL).together, 1);
        if (row->bn >= 192) /* no room for others' sums */
            assert_int_equal(lay_narrow_cluster_of(row, &few, 0, &made_up, NULL, NULL).together, 1);
        seen++;
    }
    walk = lay_cuda_rows(LAY_CUDA_NARROW);
    assert_true(seen > 5 || !lay_cuda_next(&walk));
}

/* Of a form whose slices are apart: a counter for each tile, and all sums of all slices behind its images. */
static int has_room_for_sums(const lay_narrow_form *form, const lay_needs *needs)
{
    const lay_launch *launch = &form->launch;
    const int is_apart = launch->kernel && launch->slices > 1 && form->cluster.together == 1;
    const size_t images = lay_narrow_image_size(&form->left) + lay_narrow_image_size(&form->right);
    const size_t tiles = is_apart ? (size_t)launch->tiles_m * (size_t)launch->tiles_n : 0;
    const size_t sums =
        tiles ? tiles * (size_t)launch->slices * (size_t)(launch->kernel->bm * launch->kernel->bn) * sizeof(float) : 0;
    assert_true(needs->counters >= tiles * sizeof(unsigned));
    assert_true(needs->partial >= images + sums + tiles * sizeof(unsigned));
    return is_apart;
}

static void sums_of_slices_have_room(void **state)
{
    (void)state;
    const lay_places there = lay_places_all(LAY_PLACE_DEVICE, 0);
    const lay_options options = LAY_OPTIONS_INIT;
    int apart = 0;
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_NARROW);
    if (!lay_cuda_next(&walk))
        skip();
    for (int number = 0; number < 120; number++) {
        random_source from = random_case(173, (uint64_t)number);
        const int64_t m = random_in(&from, 1, 300), n = random_in(&from, 1, 900), k = random_in(&from, 3000, 40000);
        lay_desc *const a = layout_usual((int)random_in(&from, 0, LAYOUT_USUAL - 1), m, k);
        lay_desc *const b = layout_usual((int)random_in(&from, 0, LAYOUT_USUAL - 1), k, n);
        lay_desc *const c = layout_usual(0, m, n);
        lay_plan *plan;
        lay_route *route;
        assert_int_equal(lay_plan_make(&lay_all_ways, LAY_BF16, a, b, c, &options, &plan), LAY_OK);
        assert_int_equal(lay_plan_find_route(plan, &there, &route), LAY_OK);
        for (const lay_branch *branch = route->root; branch; branch = branch->child)
            if (branch->way == &lay_way_device_narrow) {
                const lay_narrow *const narrow = branch->job.data;
                const lay_needs plain = { .counters = branch->job.needs.counters, .partial = SIZE_MAX };
                apart += has_room_for_sums(&narrow->form, &branch->job.needs);
                has_room_for_sums(&narrow->plain, &plain); /* whose workspace a run takes for itself */
            }
        lay_plan_destroy(plan);
        lay_desc_destroy(a);
        lay_desc_destroy(b);
        lay_desc_destroy(c);
    }
    assert_true(apart > 5);
}

/* Rows or columns of C lie together: whichever way round the product is, sums of slices leave in vectors. */
static void gathered_sums_leave_in_vectors(void **state)
{
    (void)state;
    const lay_places there = lay_places_all(LAY_PLACE_DEVICE, 0);
    const lay_options options = LAY_OPTIONS_INIT;
    int down = 0, across = 0;
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_NARROW);
    if (!lay_cuda_next(&walk))
        skip();
    for (int number = 0; number < 60; number++) {
        random_source from = random_case(179, (uint64_t)number);
        const int m = 8 * (int)random_in(&from, 1, 60), n = 8 * (int)random_in(&from, 1, 60);
        const int k = (int)random_in(&from, 3000, 40000), by_columns = (int)random_in(&from, 0, 1);
        lay_desc *const a = layout_parse("[%d][%d]", m, k), *const b = layout_parse("[%d][%d]", k, n);
        lay_desc *const c = layout_parse("[%d:%d][%d:%d]", m, by_columns ? 1 : n, n, by_columns ? m : 1);
        lay_plan *plan;
        lay_route *route;
        assert_int_equal(lay_plan_make(&lay_all_ways, LAY_BF16, a, b, c, &options, &plan), LAY_OK);
        assert_int_equal(lay_plan_find_route(plan, &there, &route), LAY_OK);
        const lay_branch *const leaf = lay_branch_leaf(route->root);
        if (leaf->way == &lay_way_device_narrow) {
            const lay_narrow_form *const form = &((const lay_narrow *)leaf->job.data)->form;
            const int is_across = form->launch.is_c_vector && !form->is_c_down;
            if (form->launch.slices > 1)
                assert_true(is_across || form->is_c_down);
            down += form->launch.slices > 1 && form->is_c_down;
            across += form->launch.slices > 1 && is_across;
        }
        lay_plan_destroy(plan);
        lay_desc_destroy(a);
        lay_desc_destroy(b);
        lay_desc_destroy(c);
    }
    assert_true(down > 5 && across > 5);
}

static const lay_cuda_kernel *find_row(const char *name)
{
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_NARROW);
    const lay_cuda_kernel *row;
    while ((row = lay_cuda_next(&walk)) && strcmp(row->name, name) != 0)
        continue;
    return row;
}

/* What all blocks would ask for without end (bench/LOG.md, 166): of few tiles, by so many steps that the other
 * operand's turns find room. */
static void few_lines_stay_in_shared_memory(void **state)
{
    (void)state;
    static const lay_device device = MADE_UP_H200;
    const lay_cuda_kernel *const turns = find_row("narrow_bf16_64x256_pingpong"),
                                 *walked = find_row("narrow_bf16_128x256_walked");
    if (!turns || !walked)
        skip();
    assert_int_equal(lay_narrow_staying(turns, 24, 1200000, 120), LAY_NARROW_LEFT_STAYS);
    assert_int_equal(lay_narrow_staying(turns, 256, 1200000, 832), LAY_NARROW_LEFT_STAYS);
    assert_int_equal(lay_narrow_staying(turns, 256, 1200000, 833), LAY_NARROW_NONE_STAYS);
    assert_int_equal(lay_narrow_staying(turns, 257, 1200000, 120), LAY_NARROW_NONE_STAYS);
    assert_int_equal(lay_narrow_staying(turns, 5000, 1024, 256), LAY_NARROW_RIGHT_STAYS);
    assert_int_equal(lay_narrow_staying(turns, 5000, 1024, 257), LAY_NARROW_NONE_STAYS);
    assert_int_equal(lay_narrow_staying(walked, 24, 1200000, 120), LAY_NARROW_NONE_STAYS);
    assert_int_equal(lay_narrow_staying_blocks(turns, 152, 1200000, LAY_NARROW_LEFT_STAYS, 133), 132); /* of 3 tiles */
    assert_int_equal(lay_narrow_staying_blocks(turns, 100000, 1000, LAY_NARROW_RIGHT_STAYS, 131), 128);
    assert_int_equal(lay_narrow_staying_blocks(turns, 24, 500, LAY_NARROW_LEFT_STAYS, 132), 2);
    const lay_cuda_shape few = lay_units_cut(LAY_BF16, 24, 1280000, 120, 1),
                         many = lay_units_cut(LAY_BF16, 4096, 4096, 4096, 1);
    assert_true(lay_narrow_cost(turns, &few, 0, &device) < 0.75 * lay_narrow_cost(walked, &few, 0, &device));
    assert_true(lay_narrow_cost(turns, &many, 0, &device) > lay_narrow_cost(walked, &many, 0, &device));
}

/* The busiest multiprocessor's share of what nobody has read before is to be small (bench/LOG.md, 158). */
static void few_rows_are_cut_until_all_multiprocessors_read(void **state)
{
    (void)state;
    static const lay_device device = MADE_UP_H200;
    static lay_problem problem;
    static const struct {
        int64_t m, n, k;
        int slices;
    } known[] = { { 16, 5120, 13824, 3 }, { 8, 11008, 4096, 2 }, { 16, 5120, 5120, 3 }, { 64, 14336, 4096, 1 } };
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_NARROW);
    if (!lay_cuda_next(&walk))
        skip();
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        for (int by_columns = 0; by_columns <= 1; by_columns++) {
            lay_desc *const a = layout_usual(0, known[i].m, known[i].k);
            lay_desc *const b = layout_usual(by_columns, known[i].k, known[i].n);
            lay_desc *const c = layout_usual(0, known[i].m, known[i].n);
            lay_problem_make(LAY_BF16, a, b, c, 0, &problem);
            assert_int_equal(lay_narrow_slices(&problem, &device), known[i].slices);
            lay_desc_destroy(a);
            lay_desc_destroy(b);
            lay_desc_destroy(c);
        }
}

/* More tiles than clusters of four find place at once would be two rounds of them: each tile's last block adds. */
static void slices_meet_where_their_clusters_find_place(void **state)
{
    (void)state;
    const lay_cuda_shape fits = lay_units_cut(LAY_F32, 64 * 24, 16, 8192, 4);
    const lay_cuda_shape waits = lay_units_cut(LAY_F32, 64 * 32, 16, 8192, 4);
    const lay_cuda_kernel *const row = find_row("narrow_tf32_64x16");
    if (!row)
        skip();
    assert_int_equal(lay_narrow_cluster_of(row, &fits, 0, &made_up, NULL, NULL).together, 4);
    assert_int_equal(lay_narrow_cluster_of(row, &waits, 0, &made_up, NULL, NULL).together, 1);
}

/* Whole lines come so fast that a row-major product's tiles share none, where tiles of nested operands do (172). */
static void nested_operands_share(void **state)
{
    (void)state;
    const lay_cuda_shape square = lay_units_cut(LAY_BF16, 1024, 1024, 1024, 1);
    const lay_cuda_kernel *const row = find_row("narrow_bf16_128x64");
    if (!row)
        skip();
    const lay_narrow_cluster plain = lay_narrow_cluster_of(row, &square, 0, &made_up, NULL, NULL);
    const lay_narrow_cluster nested = lay_narrow_cluster_of(row, &square, 1, &made_up, NULL, NULL);
    assert_int_equal(plain.down * plain.across, 1);
    assert_int_equal(nested.down * nested.across, 2);
}

/* Contractions of 1 GB and of 200 MB as they were timed (172): 152 lines that stay in tiles of 64, 100 in one of 128.
 */
static void many_lines_stay_in_narrow_tiles(void **state)
{
    (void)state;
    const lay_cuda_shape many = lay_units_cut(LAY_BF16, 152, 152 * 152 * 168, 168, 1);
    const lay_cuda_shape few = lay_units_cut(LAY_BF16, 100, 100 * 100 * 120, 120, 1);
    const lay_cuda_kernel *const narrow = find_row("narrow_bf16_64x256_pingpong");
    const lay_cuda_kernel *const square = find_row("narrow_bf16_128x128_pingpong");
    const lay_cuda_kernel *const wide = find_row("narrow_bf16_128x192");
    if (!narrow || !square || !wide)
        skip();
    assert_true(lay_narrow_cost(narrow, &many, 0, &made_up) < lay_narrow_cost(square, &many, 0, &made_up));
    assert_true(lay_narrow_cost(narrow, &many, 0, &made_up) < 0.8 * lay_narrow_cost(wide, &many, 0, &made_up));
    assert_true(lay_narrow_cost(square, &few, 0, &made_up) < lay_narrow_cost(narrow, &few, 0, &made_up));
}

/* Blocks of inner lines and steps, or none; lines or steps are contiguous. */
static lay_narrow_view view_of(int size, int is_across, int inner, int outer)
{
    const lay_cuda_digits near = { .inner = 8192, .outer = 1, .stride = 1 };
    const lay_cuda_digits far = { .inner = inner, .outer = outer, .stride = 8192, .outer_stride = 1 << 26 };
    return (lay_narrow_view){
        .lines = is_across ? near : far, .steps = is_across ? far : near, .size = size, .is_across = is_across
    };
}

/* Without a driver there is no map, but boxes are counted. */
static void boxes_fill_a_turn_and_straddle_no_block(void **state)
{
    (void)state;
    static const int inner[] = { 16, 48, 64, 96, 160, 256, 1000 },
                     tiles[] = { 16, 32, 64, 96, 128, 160, 192, 224, 256 };
    static char room[16] __attribute__((aligned(16)));
    for (int number = 0; number < 7 * 9 * 8; number++) {
        const int is_across = number & 1, parts = 1 + (number >> 1 & 1), size = number & 4 ? 4 : 2;
        const int own = inner[number / 8 % 7], tile = tiles[number / 56], outer = own == 1000 ? 1 : 5;
        const lay_narrow_view view = view_of(size, is_across, own, outer);
        const int steps = LAY_NARROW_LINE / size, lines = is_across ? (tile + steps - 1) / steps * steps : tile;
        lay_narrow_operand operand = { .boxes = 0 };
        (void)lay_narrow_view_fill(&view, room, size == 2 ? LAY_BF16 : LAY_F32, (lay_narrow_tile){ tile, parts, 0 },
                                   LAY_NARROW_OF_BLOCKS, &operand);
        assert_int_equal(operand.is_across, is_across);
        assert_int_equal(operand.boxes * operand.box, lines);
        assert_int_equal(operand.boxes % parts, 0);
        assert_int_equal(operand.box % 8, 0); /* whole swizzled pieces */
        assert_true(outer == 1 || own % operand.box == 0);
        assert_true(!is_across || (steps % operand.box == 0 && (operand.box & (operand.box - 1)) == 0));
        assert_true(operand.boxes <= LANES * 2 / 3);
    }
}

/* Where a line of a walk is, as kernels/cuda_narrow.h has it; 0: nowhere. */
static int find_line(const lay_narrow_view *view, int64_t at, int64_t *operand, int64_t *c)
{
    const lay_narrow_walk *walk = &view->walk;
    const int64_t together = INT64_C(1) << walk->log_together;
    const int64_t own = at % together, crossed = at / together % LAY_NARROW_CROSSED;
    int64_t rest = at / together / (walk->is_crossed ? LAY_NARROW_CROSSED : 1);
    *operand = *c = 0;
    for (int i = 0; i < LAY_NARROW_DIGITS; i++) {
        int64_t digit = rest % walk->extent[i];
        rest /= walk->extent[i];
        if (i == 0 && (digit = digit * together + own) >= walk->lines)
            return 0;
        if (i == 2 && walk->is_crossed)
            digit = digit * LAY_NARROW_CROSSED + crossed;
        *operand += digit * (i < walk->count ? view->apart[i] : 0);
        *c += digit * (i == 0 ? walk->own : walk->stride[i]);
    }
    return 1;
}

static int compare_points(const void *x, const void *y)
{
    const int64_t *const a = x, *const b = y;
    return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

enum { BLOCKS = 40, BLOCK = 24, LINES = BLOCKS * BLOCK, MOST_LINES = 4 * LINES };

/* Rows of A and of C as these say: each point once, and what is filled up nowhere. How C leaves. */
static lay_narrow_view walk_rows(const char *a, const char *c, int *is_down)
{
    static int64_t before[LINES][2], after[MOST_LINES][2];
    lay_desc *const desc[] = { layout_parse("%s", a), layout_parse("[200:8][5:1]"), layout_parse("%s", c) };
    lay_problem problem;
    lay_problem_make(LAY_BF16, desc[0], desc[1], desc[2], 0, &problem);
    lay_narrow_view view;
    const char *const reason = lay_narrow_walk_of(&problem, 1, &view);
    if (reason)
        fail_msg("%s, %s: %s", a, c, reason);
    const int64_t all = lay_narrow_walked(&view, LINES);
    int64_t count = 0;
    assert_in_range(all, LINES, MOST_LINES);
    for (int64_t i = 0; i < all; i++)
        count += find_line(&view, i, &after[count][0], &after[count][1]);
    assert_int_equal(count, LINES);
    for (int i = 0; i < LINES; i++) {
        before[i][0] = lay_axis_offset(&problem.left_m, i);
        before[i][1] = lay_axis_offset(&problem.result_m, i);
    }
    qsort(before, LINES, sizeof before[0], compare_points);
    qsort(after, LINES, sizeof after[0], compare_points);
    assert_memory_equal(before, after, sizeof before);
    *is_down = lay_narrow_walks_down(&problem, &view);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
    return view;
}

static void walks_visit_every_line_once(void **state)
{
    (void)state;
    static const struct {
        const char *a, *c;
        int together, is_crossed, is_down;
    } rows[] = {
        { "[[40:4800][24:1]][200:24]", "[[40:1][24:40]][5:960]", LAY_NARROW_SECTOR, 1, 1 },
        { "[[40:4800][24:1]][200:24]", "[[40:1][24:48]][5:1152]", LAY_NARROW_SECTOR, 1, 1 },
        { "[[40:4800][24:1]][200:24]", "[[40:1][24:44]][5:1056]", LAY_NARROW_GROUP, 0, 0 }, /* no vectors */
        { "[[40:4800][24:1]][200:24]", "[[40:24][24:1]][5:960]", LAY_NARROW_GROUP, 0, 1 },
        { "[[40:4800][24:1]][200:24]", "[[40:120][24:5]][5:1]", LAY_NARROW_GROUP, 0, 0 },
        { "[[40:200][24:8000]][200:1]", "[[40:24][24:1]][5:960]", 32, 0, 1 },
        { "[[40:200][24:8000]][200:1]", "[[40:1][24:48]][5:1152]", LAY_NARROW_SECTOR, 0, 1 },
        { "[[40:200][24:8000]][200:1]", "[[40:1][24:48]][5:1156]", LAY_NARROW_SECTOR, 0, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int is_down;
        const lay_narrow_view view = walk_rows(rows[i].a, rows[i].c, &is_down);
        assert_int_equal(1 << view.walk.log_together, rows[i].together);
        assert_int_equal(view.walk.is_crossed, rows[i].is_crossed);
        assert_int_equal(is_down, rows[i].is_down);
    }
}

/* Rows and columns of a larger C, as a place of a team has them, are cut along k as all of C would be. */
static void a_part_has_the_slices_of_the_whole(void **state)
{
    (void)state;
    static const lay_device device = MADE_UP_H200;
    static lay_problem part, whole;
    int others = 0;
    for (int number = 0; number < 300; number++) {
        random_source from = random_case(18, (uint64_t)number);
        const int64_t k = random_in(&from, 1, 9000), size[2] = { random_in(&from, 1, 900), random_in(&from, 1, 900) };
        const int64_t all[2] = { size[0] + random_in(&from, 0, 3000), size[1] + random_in(&from, 0, 3000) };
        lay_desc *a[2], *b[2], *c[2];
        for (int i = 0; i < 2; i++) {
            a[i] = layout_usual(0, i ? all[0] : size[0], k);
            b[i] = layout_usual(0, k, i ? all[1] : size[1]);
            c[i] = layout_usual(0, i ? all[0] : size[0], i ? all[1] : size[1]);
        }
        lay_problem_make(LAY_BF16, a[0], b[0], c[0], number % 2, &part);
        lay_problem_make(LAY_BF16, a[1], b[1], c[1], number % 2, &whole);
        const int slices = lay_narrow_slices(&whole, &device);
        others += lay_narrow_slices(&part, &device) != slices;
        part.posed.whole[0] = all[0];
        part.posed.whole[1] = all[1];
        part.posed.whole[2] = k;
        assert_int_equal(lay_narrow_slices(&part, &device), slices);
        for (int i = 0; i < 2; i++) {
            lay_desc_destroy(a[i]);
            lay_desc_destroy(b[i]);
            lay_desc_destroy(c[i]);
        }
    }
    assert_true(others > 20);
}

/* Matrices of n x n in blocks of rows x columns, or the corner of what they cover; in one block they are row-major. */
static lay_desc *in_blocks(int n, int rows, int columns)
{
    const int down = (n + rows - 1) / rows, across = (n + columns - 1) / columns;
    return layout_parse("A=[%d][%d][%d][%d]; B=[[#A_0][#A_2]][[#A_1][#A_3]]; [%d#B_0][%d#B_1]", down, across, rows,
                        columns, n, n);
}

static double plan_in_blocks(int n, int rows, int columns, const char **kernel)
{
    const lay_places there = lay_places_all(LAY_PLACE_DEVICE, 0);
    lay_options options = LAY_OPTIONS_INIT;
    lay_desc *const desc = in_blocks(n, rows, columns);
    lay_plan *plan;
    lay_route *route;
    assert_int_equal(lay_plan_make(&lay_all_ways, LAY_BF16, desc, desc, desc, &options, &plan), LAY_OK);
    assert_int_equal(lay_plan_find_route(plan, &there, &route), LAY_OK);
    const double seconds = route->root->job.seconds;
    *kernel = route->root->job.kernel;
    lay_plan_destroy(plan);
    lay_desc_destroy(desc);
    return seconds;
}

/* Transposed and written down tiles, too. */
static void what_lies_in_blocks_has_row_majors_tiles(void **state)
{
    (void)state;
    static const struct {
        int n, rows, columns;
    } of[] = { { 1280, 1280, 320 },
               { 1536, 768, 768 },
               { 1536, 64, 64 },
               { 1600, 64, 64 },
               { 2048, 64, 64 },
               { 4096, 2048, 2048 },
               /* narrow boxes */
               { 1024, 32, 32 },
               { 1600, 32, 32 },
               { 2048, 32, 32 },
               { 4096, 32, 32 },
               /* strips of blocks */
               { 1280, 640, 640 },
               { 1280, 64, 64 },
               { 1344, 64, 64 },
               { 1920, 64, 64 },
               { 1920, 32, 32 },
               { 1920, 960, 960 },
               /* and turns that end with blocks */
               { 1344, 1344, 336 },
               { 1600, 1600, 400 },
               { 1920, 1920, 480 },
               { 1344, 672, 672 },
               { 1600, 800, 800 } };
    const char *own, *plain;
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_NARROW);
    if (!lay_cuda_next(&walk))
        return;
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        const double seconds = plan_in_blocks(of[i].n, of[i].rows, of[i].columns, &own);
        assert_true(seconds == plan_in_blocks(of[i].n, of[i].n, of[i].n, &plain));
        assert_string_equal(own, plain);
    }
}

/* 3000 is no multiple of 64, nor of 32: of both operands the last turn alone has an image. */
static void tiles_that_are_cut_are_read_in_place(void **state)
{
    (void)state;
    const char *own, *plain;
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_NARROW);
    if (!lay_cuda_next(&walk))
        return;
    for (int tile = 32; tile <= 64; tile *= 2) {
        const double seconds = plan_in_blocks(3000, tile, tile, &own);
        assert_true(seconds < 1.1 * plan_in_blocks(3000, 3000, 3000, &plain));
        assert_string_equal(own, plain);
    }
}

int main(void)
{
    made_up_install();
    const struct CMUnitTest tests[] = { cmocka_unit_test(clusters_are_of_slices_or_of_neighbours),
                                        cmocka_unit_test(slices_are_as_many_as_were_timed),
                                        cmocka_unit_test(tf32_has_the_slices_that_were_the_fastest),
                                        cmocka_unit_test(halves_have_the_slices_that_were_the_fastest),
                                        cmocka_unit_test(slices_of_large_tiles_are_added_by_the_last_block),
                                        cmocka_unit_test(sums_of_slices_have_room),
                                        cmocka_unit_test(gathered_sums_leave_in_vectors),
                                        cmocka_unit_test(few_lines_stay_in_shared_memory),
                                        cmocka_unit_test(few_rows_are_cut_until_all_multiprocessors_read),
                                        cmocka_unit_test(slices_meet_where_their_clusters_find_place),
                                        cmocka_unit_test(nested_operands_share),
                                        cmocka_unit_test(many_lines_stay_in_narrow_tiles),
                                        cmocka_unit_test(boxes_fill_a_turn_and_straddle_no_block),
                                        cmocka_unit_test(walks_visit_every_line_once),
                                        cmocka_unit_test(a_part_has_the_slices_of_the_whole),
                                        cmocka_unit_test(what_lies_in_blocks_has_row_majors_tiles),
                                        cmocka_unit_test(tiles_that_are_cut_are_read_in_place) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
