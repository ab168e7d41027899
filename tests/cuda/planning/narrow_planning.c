/* Narrow products as they are planned for a device that is made up: slices, clusters and boxes are what their kernels
 * are promised. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../../product/support/layouts.h"
#include "cuda/launch/rows.h"
#include "cuda/launch/units.h"
#include "cuda/narrow/narrow_cost.h"
#include "cuda/narrow/narrow_view.h"
#include "made_up.h"

static const lay_type types[] = { LAY_F16, LAY_BF16, LAY_F32 };
enum { TYPES = 3, CASES = 2000, LANES = 32, MOST_BLOCKS = 8 };

static void clusters_are_of_slices_or_of_pairs(void **state)
{
    (void)state;
    int together = 0, pairs = 0, alone = 0;
    for (int number = 0; number < CASES; number++) {
        random_source from = random_case(311, (uint64_t)number);
        const int64_t m = random_in(&from, 1, 6000), n = random_in(&from, 1, 6000), k = random_in(&from, 1, 20000);
        const int slices = (int)random_in(&from, 1, 32);
        const lay_cuda_shape of = lay_units_cut(types[number % TYPES], m, n, k, slices);
        lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_NARROW);
        for (const lay_cuda_kernel *row; of.slices && (row = lay_cuda_next(&walk));) {
            const lay_narrow_cluster cluster = lay_narrow_cluster_of(row, &of, &made_up);
            const double seconds = lay_narrow_cost(row, &of, &made_up);
            assert_true(seconds > 0 && seconds < 1);
            assert_in_range(cluster.blocks, 1, MOST_BLOCKS);
            if (cluster.is_together)
                assert_true(of.slices > 1 && cluster.blocks == of.slices);
            else if (cluster.blocks > 1)
                assert_true(of.slices == 1 && cluster.blocks == 2 && m > row->bm);
            together += cluster.is_together;
            pairs += !cluster.is_together && cluster.blocks > 1;
            alone += cluster.blocks == 1;
        }
    }
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_NARROW);
    if (lay_cuda_next(&walk)) /* a build without code for 9.0 has no rows */
        assert_true(together > 100 && pairs > 100 && alone > 100);
}

/* Blocks of inner lines and steps, or none; lines or steps are contiguous. */
static lay_narrow_view view_of(int size, int is_across, int inner, int outer)
{
    const lay_narrow_digits near = { .inner = 8192, .outer = 1, .stride = 1 };
    const lay_narrow_digits far = { .inner = inner, .outer = outer, .stride = 8192, .outer_stride = 1 << 26 };
    return (lay_narrow_view){
        .lines = is_across ? near : far, .steps = is_across ? far : near, .size = size, .is_across = is_across
    };
}

/* Without a driver there is no map, but boxes are counted. */
static void boxes_fill_a_turn_and_straddle_no_block(void **state)
{
    (void)state;
    static const int inner[] = { 16, 48, 64, 96, 160, 256, 1000 }, tiles[] = { 16, 32, 64, 128, 192, 256 };
    static char room[16] __attribute__((aligned(16)));
    for (int number = 0; number < 7 * 6 * 8; number++) {
        const int is_across = number & 1, is_halved = number >> 1 & 1, size = number & 4 ? 4 : 2;
        const int own = inner[number / 8 % 7], tile = tiles[number / 56], outer = own == 1000 ? 1 : 5;
        const lay_narrow_view view = view_of(size, is_across, own, outer);
        const int steps = LAY_NARROW_LINE / size, lines = is_across ? (tile + steps - 1) / steps * steps : tile;
        lay_narrow_operand operand = { .boxes = 0 };
        (void)lay_narrow_view_fill(&view, room, size == 2 ? LAY_BF16 : LAY_F32, tile, is_halved, 0, &operand);
        assert_int_equal(operand.is_across, is_across);
        assert_int_equal(operand.boxes * operand.box, lines);
        assert_true(!is_halved || operand.boxes % 2 == 0);
        assert_int_equal(operand.box % 8, 0); /* whole swizzled pieces */
        assert_true(outer == 1 || own % operand.box == 0);
        assert_true(!is_across || (steps % operand.box == 0 && (operand.box & (operand.box - 1)) == 0));
        assert_true(operand.boxes <= LANES * 2 / 3);
    }
}

int main(void)
{
    made_up_install();
    const struct CMUnitTest tests[] = { cmocka_unit_test(clusters_are_of_slices_or_of_pairs),
                                        cmocka_unit_test(boxes_fill_a_turn_and_straddle_no_block) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
