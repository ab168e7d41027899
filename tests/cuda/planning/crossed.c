/* Rows walked by two modes at once: the same points, in segments of both operands. */
#include "planning.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cuda/crossed.h"
#include "cuda/launch/lie.h"
#include "cuda_strict.h"
#include "plan/problem.h"

enum { ROWS = 2 * 12 * 16, COLUMNS = 5, STEPS = 10 };

static lay_problem problem, crossed;

/* Rows of A and of C as these say; B by rows. */
static void pose_times(lay_type type, const char *a, const char *c, int is_transposed, int times)
{
    lay_desc *desc[3];
    assert_int_equal(lay_desc_parse(a, &desc[0]), LAY_OK);
    assert_int_equal(lay_desc_parse("[10:5][5:1]", &desc[1]), LAY_OK);
    assert_int_equal(lay_desc_parse(c, &desc[2]), LAY_OK);
    lay_problem_make(type, desc[0], desc[1], desc[2], is_transposed, &problem);
    const int is_crossed = lay_launch_cross(&problem, times, &crossed);
    if (!is_crossed)
        crossed.m.count = -1;
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
}

static void pose(lay_type type, const char *a, const char *c, int is_transposed)
{
    pose_times(type, a, c, is_transposed, 1);
}

static int compare(const void *x, const void *y)
{
    const int64_t *const a = x, *const b = y;
    return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

static void find_points(const lay_problem *of, int64_t out[ROWS][2])
{
    for (int i = 0; i < ROWS; i++) {
        out[i][0] = lay_axis_offset(&of->left_m, i);
        out[i][1] = lay_axis_offset(&of->result_m, i);
    }
}

void crossed_rows_are_the_same_points(void **state)
{
    (void)state;
    static int64_t before[ROWS][2], after[ROWS][2];
    pose(LAY_F32, "[[2:1920][12:160][16:1]][10:16]", "[[2:192][12:1][16:12]][5:384]", 0);
    assert_int_equal(crossed.m.extent, ROWS);
    find_points(&problem, before);
    find_points(&crossed, after);
    for (int i = 1; i < 8; i++) {
        assert_int_equal(after[i][0] - after[0][0], i);     /* left's neighbours go down */
        assert_int_equal(after[8 * i][1] - after[0][1], i); /* and C's to the right */
    }
    qsort(before, ROWS, sizeof before[0], compare);
    qsort(after, ROWS, sizeof after[0], compare);
    assert_memory_equal(before, after, sizeof before);
    assert_int_equal(lay_launch_find_down(&crossed), lay_cuda_down(3, 3));
}

void doubles_are_crossed_by_half_as_many(void **state)
{
    (void)state;
    pose(LAY_F64, "[[2:1920][12:160][16:1]][10:16]", "[[2:192][12:1][16:12]][5:384]", 0);
    assert_int_equal(lay_launch_find_down(&crossed), lay_cuda_down(2, 3));
    pose(LAY_C32, "[[2:1920][12:160][16:1]][10:16]", "[[2:192][12:1][16:12]][5:384]", 0); /* so are numbers */
    assert_int_equal(lay_launch_find_down(&crossed), lay_cuda_down(2, 3));
    pose(LAY_C64, "[[2:1920][12:160][16:1]][10:16]", "[[2:192][12:1][16:12]][5:384]", 0); /* a sector holds two */
    assert_int_equal(lay_launch_find_down(&crossed), lay_cuda_down(1, 3));
}

/* So left is read in longer segments. */
void rows_are_crossed_by_several_sectors_too(void **state)
{
    (void)state;
    static const char a[] = "[[2:1920][12:160][16:1]][10:16]", c[] = "[[2:192][12:1][16:12]][5:384]";
    double lines[2];
    for (int i = 0; i < 2; i++) {
        pose_times(LAY_F32, a, c, 0, 1 + i);
        assert_int_equal(lay_launch_find_down(&crossed), lay_cuda_down(3 + i, 3));
        lines[i] =
            lay_cuda_lie_of(&crossed, LAY_CUDA_ACROSS_VECTOR, LAY_CUDA_ACROSS_VECTOR, 0, lay_launch_find_down(&crossed))
                .left.lines;
    }
    assert_true(lines[1] > 0 && lines[0] > 1.5 * lines[1]);
    pose_times(LAY_F32, a, c, 0, 4);
    assert_int_equal(crossed.m.count, -1); /* 32 of 16 */
}

/* Parts of complex numbers, whose rows follow where they end: C [384] x [3] of them. */
void columns_in_pairs_are_written_down_by_two(void **state)
{
    (void)state;
    static const struct {
        const char *c;
        unsigned down;
    } cases[] = {
        { "[384:2][[3:768][2:1]]", LAY_CUDA_DOWN_PAIRS | 5 },
        { "[[12:32][32:2]][[3:768][2:1]]", LAY_CUDA_DOWN_PAIRS | 5 },
        { "[[48:16][8:2]][[3:768][2:1]]", LAY_CUDA_DOWN_PAIRS | 5 }, /* one mode of 384 */
        { "[[8:2][48:16]][[3:768][2:1]]", 0 },                       /* rows go on elsewhere */
        { "[384:2][[3:769][2:1]]", 0 },                              /* pairs lie at odd places */
        { "[384:4][[3:1536][2:1]]", 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lay_desc *desc[3];
        assert_int_equal(lay_desc_parse("[384:1][10:384]", &desc[0]), LAY_OK);
        assert_int_equal(lay_desc_parse("[10:6][6:1]", &desc[1]), LAY_OK);
        assert_int_equal(lay_desc_parse(cases[i].c, &desc[2]), LAY_OK);
        lay_problem_make(LAY_F32, desc[0], desc[1], desc[2], 0, &problem);
        const unsigned found = lay_launch_find_down(&problem), pairs = LAY_CUDA_DOWN_PAIRS;
        if ((found & pairs) != (cases[i].down & pairs) || (found & pairs && (found & 15) != (cases[i].down & 15)))
            fail_msg("%s: %#x", cases[i].c, found);
        const lay_cuda_lie lie = lay_cuda_lie_of(&problem, LAY_CUDA_ACROSS, LAY_CUDA_ACROSS, 0, found);
        assert_int_equal(lie.c.together, found & pairs ? 2 : 1);
        assert_true(!(found & pairs) || lie.c.passing == 1); /* whole sectors go */
        for (int j = 0; j < 3; j++)
            lay_desc_destroy(desc[j]);
    }
}

void rows_that_one_order_serves_are_not_crossed(void **state)
{
    (void)state;
    static const struct {
        const char *a, *c;
        unsigned down;
    } rows[] = {
        { "[[24:160][16:1]][10:16]", "[[24:16][16:1]][5:384]", LAY_CUDA_DOWN | 5 },  /* one unit mode */
        { "[[24:160][16:10]][10:1]", "[[24:1][16:30]][5:480]", LAY_CUDA_DOWN | 4 },  /* left's lies along k */
        { "[[24:160][16:1]][10:16]", "[[24:5][16:120]][5:1]", 0 },                   /* C's is a column */
        { "[[24:150][15:1]][10:15]", "[[24:1][15:24]][5:360]", 0 },                  /* no vector divides it */
        { "[[24:160][16:1]][10:16]", "[[24:1][16:24]][5:-384]", LAY_CUDA_DOWN | 4 }, /* crossed, for contrast */
    };
    enum { COUNT = sizeof rows / sizeof rows[0] };
    for (int i = 0; i < COUNT; i++) {
        pose(LAY_F32, rows[i].a, rows[i].c, 0);
        assert_int_equal(crossed.m.count == -1, i < COUNT - 1);
        if (i < COUNT - 2)
            assert_int_equal(lay_launch_find_down(&problem), rows[i].down);
    }
}
