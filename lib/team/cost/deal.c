/* Blocks dealt out in turn: counts by cycles and blocks. */
#include "team/cost/deal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arith.h"

enum { A, B, C };

static int64_t clamp(int64_t x, int64_t most)
{
    return x < 0 ? 0 : min_of(x, most);
}

static int64_t coordinate_of(const lay_deal *of, int64_t place)
{
    return place / of->stride % of->count;
}

lay_block_cyclic lay_block_cyclic_on_grid(int64_t rows, int64_t columns, int64_t row_block, int64_t column_block,
                                          int64_t grid_rows, int64_t grid_columns)
{
    return (lay_block_cyclic){ .dim = { { rows, row_block, grid_rows, grid_columns },
                                        { columns, column_block, grid_columns, 1 } } };
}

int lay_block_cyclic_text(const lay_block_cyclic *of, char *text, size_t size)
{
    static const char *const cycles[] = { "[#A_0]", "[#A_2]" };
    int64_t turns[2];
    for (int d = 0; d < 2; d++)
        turns[d] = ceil_div(of->dim[d].extent, of->dim[d].block * of->dim[d].count);
    return snprintf(text, size, "P=(%lld)(%lld); A=[%lld][%lld][%lld][%lld]; [%lld%s[#P_0][#A_1]][%lld%s[#P_1][#A_3]]",
                    (long long)of->dim[0].count, (long long)of->dim[1].count, (long long)turns[0],
                    (long long)of->dim[0].block, (long long)turns[1], (long long)of->dim[1].block,
                    (long long)of->dim[0].extent, turns[0] > 1 ? cycles[0] : "", (long long)of->dim[1].extent,
                    turns[1] > 1 ? cycles[1] : "");
}

int64_t lay_deal_count(const lay_deal *of, int64_t coordinate, int64_t end)
{
    const int64_t cycle = of->block * of->count, x = clamp(end, of->extent);
    return x / cycle * of->block + clamp(x % cycle - coordinate * of->block, of->block);
}

/* Block number i of a coordinate: its first index, and the end. */
static int64_t first_of(const lay_deal *of, int64_t coordinate, int64_t i)
{
    return (i * of->count + coordinate) * of->block;
}

static int64_t end_of(const lay_deal *of, int64_t first)
{
    return min_of(first + of->block, of->extent);
}

static int is_alike(const lay_deal *x, const lay_deal *y)
{
    return x->block == y->block && x->count == y->count;
}

/* The indices that a coordinate of x and one of y have in common: block by block of x, of y by cycles. */
static int64_t count_both(const lay_deal *x, int64_t at, const lay_deal *y, int64_t other)
{
    if (is_alike(x, y))
        return at == other ? lay_deal_count(x, at, x->extent) : 0;
    if (x->block < y->block)
        return count_both(y, other, x, at);
    int64_t count = 0;
    for (int64_t i = 0, first; (first = first_of(x, at, i)) < x->extent; i++)
        count += lay_deal_count(y, other, end_of(x, first)) - lay_deal_count(y, other, first);
    return count;
}

lay_share lay_block_cyclic_share(const lay_block_cyclic of[3], int64_t place)
{
    int64_t at[3][2], count[3][2];
    for (int i = 0; i < 6; i++) {
        const lay_deal *const dim = &of[i / 2].dim[i % 2];
        at[i / 2][i % 2] = coordinate_of(dim, place);
        count[i / 2][i % 2] = lay_deal_count(dim, at[i / 2][i % 2], dim->extent);
    }
    return (lay_share){ .a_rows = count[A][0],
                        .a_steps = count[A][1],
                        .b_steps = count[B][0],
                        .b_columns = count[B][1],
                        .c_rows = count[C][0],
                        .c_columns = count[C][1],
                        .rows_ac = count_both(&of[A].dim[0], at[A][0], &of[C].dim[0], at[C][0]),
                        .columns_bc = count_both(&of[B].dim[1], at[B][1], &of[C].dim[1], at[C][1]),
                        .steps_ab = count_both(&of[A].dim[1], at[A][1], &of[B].dim[0], at[B][0]),
                        .a_batch = 1,
                        .b_batch = 1,
                        .c_batch = 1,
                        .batch_ac = 1,
                        .batch_bc = 1,
                        .batch_ab = 1 };
}

/* The panels of so many steps in which a coordinate has some: those of its blocks, in ascending order. */
static int64_t count_panels(const lay_deal *of, int64_t coordinate, int64_t depth)
{
    int64_t count = 0, last = -1;
    if (of->block * of->count <= depth) /* a block in each, but for the end */
        return lay_deal_count(of, coordinate, of->extent) > 0
                   ? ceil_div(of->extent, depth) - (lay_deal_count(of, coordinate, of->extent) ==
                                                    lay_deal_count(of, coordinate, (of->extent - 1) / depth * depth))
                   : 0;
    for (int64_t i = 0, first; (first = first_of(of, coordinate, i)) < of->extent; i++) {
        const int64_t from = max_of(first / depth, last + 1), to = (end_of(of, first) - 1) / depth;
        count += max_of(to - from + 1, 0);
        last = max_of(last, to);
    }
    return count;
}

static int64_t count_all_panels(const lay_deal *of, int64_t depth)
{
    int64_t count = 0;
    for (int64_t i = 0; i < of->count; i++)
        count += count_panels(of, i, depth);
    return count;
}

static double find_senders(const void *of, int operand, int64_t depth)
{
    const lay_deal *const steps = &((const lay_block_cyclic *)of)[operand].dim[1 - operand];
    return steps->extent > 0 ? (double)count_all_panels(steps, depth) / (double)ceil_div(steps->extent, depth) : 1;
}

lay_team_shape lay_block_cyclic_shape(lay_type type, const lay_block_cyclic of[3], int64_t places)
{
    lay_team_shape shape = { .type = type,
                             .batch = 1,
                             .m = of[C].dim[0].extent,
                             .n = of[C].dim[1].extent,
                             .k = of[A].dim[1].extent,
                             .places = places,
                             .products = INFINITY,
                             .senders = find_senders,
                             .of = of };
    for (int64_t place = 0; place < places; place++) {
        const lay_share share = lay_block_cyclic_share(of, place);
        const lay_volume volume = lay_volume_of(&share, shape.m, shape.n, shape.k, LAY_STAYS_C);
        shape.rows = max_of(shape.rows, share.c_rows);
        shape.columns = max_of(shape.columns, share.c_columns);
        shape.moved[A] += (double)volume.of[A];
        shape.moved[B] += (double)volume.of[B];
    }
    return shape;
}

/* How many coordinates of y have some of the indices of one of x. seen: [y->count], none of them `mark` yet. */
static int64_t count_owners(const lay_deal *x, int64_t at, const lay_deal *y, int64_t seen[], int64_t mark)
{
    if (is_alike(x, y))
        return lay_deal_count(x, at, x->extent) > 0;
    int64_t count = 0;
    for (int64_t i = 0, first; (first = first_of(x, at, i)) < x->extent && count < y->count; i++)
        for (int64_t b = first / y->block; b <= (end_of(x, first) - 1) / y->block && count < y->count; b++) {
            count += seen[b % y->count] != mark;
            seen[b % y->count] = mark;
        }
    return count;
}

/* Of one operand: a message from each place that has some of what a place takes in a step, but from itself. */
static double count_messages(const lay_block_cyclic of[3], int operand, const lay_team_cut *cut, int64_t places)
{
    const lay_deal *const lines = &of[operand].dim[operand], *const steps = &of[operand].dim[1 - operand];
    const lay_deal *const wanted = &of[C].dim[operand], *const across = &of[C].dim[1 - operand];
    int64_t *const seen = calloc((size_t)lines->count, sizeof *seen);
    int64_t *const owners = calloc((size_t)wanted->count, sizeof *owners);
    int64_t *const own = calloc((size_t)steps->count, sizeof *own);
    double messages = seen && owners && own ? 0 : -1, panels = 0;
    for (int64_t i = 0; i < wanted->count && messages == 0; i++)
        owners[i] = count_owners(wanted, i, lines, seen, i + 1);
    for (int64_t i = 0; i < steps->count && messages == 0; i++)
        panels += (double)(own[i] = count_panels(steps, i, cut->depth));
    for (int64_t place = 0; place < places && messages >= 0; place++) {
        const int64_t want = coordinate_of(wanted, place), line = coordinate_of(lines, place);
        const int64_t rows = lay_deal_count(wanted, want, wanted->extent);
        const int64_t chunks = operand == B ? ceil_div(rows, cut->width) : rows > 0;
        if (lay_deal_count(across, coordinate_of(across, place), across->extent) == 0 || chunks == 0)
            continue;
        const int is_own = count_both(lines, line, wanted, want) > 0;
        messages +=
            (double)chunks * ((double)owners[want] * panels - (double)(is_own ? own[coordinate_of(steps, place)] : 0));
    }
    free(seen);
    free(owners);
    free(own);
    return messages;
}

double lay_block_cyclic_messages(const lay_block_cyclic of[3], const lay_team_cut *cut, int64_t places)
{
    const double a = count_messages(of, A, cut, places), b = count_messages(of, B, cut, places);
    return a < 0 || b < 0 ? -1 : a + b;
}
