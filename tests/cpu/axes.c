/* An operand's side of a dimension (lib/plan/axis.h) where the other operand's radices do not divide its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "layout/desc.h"
#include "layoutgemm.h"
#include "plan/axis.h"

enum { EXTENT = 24 };

static lay_desc *parse(const char *text)
{
    lay_desc *desc = NULL;
    assert_int_equal(lay_desc_parse(text, &desc), LAY_OK);
    return desc;
}

/* The left side of a dimension that the two layouts share; its offsets are those of its own map. */
static lay_axis left_of(const lay_desc *left, const lay_desc *right)
{
    const lay_node *map = lay_desc_map(left, 0);
    lay_group group;
    lay_axis axis;
    lay_group_refine((const lay_node *[]){ map, lay_desc_map(right, 0), NULL }, &group);
    lay_axis_make(&group, LAY_LEFT, map, &axis);
    int64_t offset[EXTENT];
    assert_int_equal(axis.extent, EXTENT);
    for (int first = 0; first < EXTENT; first++) {
        lay_axis_offsets(&axis, first, EXTENT - first, offset);
        for (int i = first; i < EXTENT; i++)
            assert_int_equal(offset[i - first], lay_map_offset(map, i));
    }
    for (int first = 0; first < EXTENT; first++)
        for (int by = 1; by <= EXTENT; by++) {
            lay_axis_walk walk;
            lay_axis_walk_start(&axis, first, &walk);
            for (int i = first; i < EXTENT; i += by, lay_axis_walk_on(&walk, by))
                assert_int_equal(walk.offset, lay_map_offset(map, i));
        }
    return axis;
}

static lay_axis read_left(const char *left, const char *right)
{
    lay_desc *one = parse(left), *other = parse(right);
    const lay_axis axis = left_of(one, other);
    lay_desc_destroy(one);
    lay_desc_destroy(other);
    return axis;
}

static void one_stride_stays_one_whatever_the_other_operand_has(void **state)
{
    (void)state;
    const lay_axis unit = read_left("[24]", "[24[5:24][5:1]]"), strided = read_left("[24:7]", "[24[5:24][5:1]]");
    assert_int_equal(unit.class, LAY_AXIS_UNIT);
    assert_int_equal(unit.run, EXTENT);
    assert_int_equal(strided.class, LAY_AXIS_STRIDED);
    assert_int_equal(strided.count, 1);
    assert_int_equal(strided.mode[0].stride, 7);
}

static void blocks_stay_blocks(void **state)
{
    (void)state;
    const lay_axis blocks = read_left("[[4:100][6:1]]", "[[3:8][8:1]]");
    assert_int_equal(blocks.class, LAY_AXIS_NESTED);
    assert_int_equal(blocks.count, 2);
    assert_int_equal(blocks.run, 6);
    assert_int_equal(read_left("[[3:100][8:3]]", "[[4:8][6:1]]").class, LAY_AXIS_NESTED);
}

/* A part that begins inside a block has no digits of its own. */
static void a_cut_block_is_read_from_its_map(void **state)
{
    (void)state;
    assert_int_equal(read_left("T=[5:30][5:1]; [24@1#T]", "[24]").class, LAY_AXIS_TABLE);
    assert_int_equal(read_left("T=[5:30][5:1]; [24@1#T]", "[[3:8][8:1]]").class, LAY_AXIS_TABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_stride_stays_one_whatever_the_other_operand_has),
        cmocka_unit_test(blocks_stay_blocks),
        cmocka_unit_test(a_cut_block_is_read_from_its_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
