/* Rows walked by two modes at once: the same points, in segments of both operands. */
#include "planning.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cuda/crossed.h"
#include "cuda_strict.h"
#include "plan/problem.h"

enum { ROWS = 2 * 12 * 16, COLUMNS = 5, STEPS = 10 };

static lay_problem problem, crossed;

/* Rows of A and of C as these say; B by rows. */
static void pose(lay_type type, const char *a, const char *c, int is_transposed)
{
    lay_desc *desc[3];
    assert_int_equal(lay_desc_parse(a, &desc[0]), LAY_OK);
    assert_int_equal(lay_desc_parse("[10:5][5:1]", &desc[1]), LAY_OK);
    assert_int_equal(lay_desc_parse(c, &desc[2]), LAY_OK);
    lay_problem_make(type, desc[0], desc[1], desc[2], is_transposed, &problem);
    const int is_crossed = lay_launch_cross(&problem, &crossed);
    if (!is_crossed)
        crossed.m.count = -1;
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
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
