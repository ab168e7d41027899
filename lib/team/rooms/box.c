/* Boxes: lists of offsets cut where their steps change, and their products over the dimensions. */
#include "team/rooms/box.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

/* How many pairs from the first on keep its step to the second. */
static int64_t count_steps(const int64_t from[], const int64_t to[], int64_t count)
{
    int64_t run = count < 2 ? count : 2;
    while (run < count && from[run] - from[run - 1] == from[1] - from[0] && to[run] - to[run - 1] == to[1] - to[0])
        run++;
    return run;
}

/* Whether the row of pairs at `at` is the first one, moved. */
static int repeats(const int64_t from[], const int64_t to[], int64_t at, int64_t run)
{
    for (int64_t i = 1; i < run; i++)
        if (from[at + i] - from[at] != from[i] - from[0] || to[at + i] - to[at] != to[i] - to[0])
            return 0;
    return 1;
}

static lay_piece begin_piece(const int64_t from[], const int64_t to[], int64_t count)
{
    const int64_t run = count_steps(from, to, count);
    lay_piece piece = { .from = from[0], .to = to[0], .count = { run, 1 } };
    if (run > 1) {
        piece.from_step[0] = from[1] - from[0];
        piece.to_step[0] = to[1] - to[0];
    }
    if (2 * run > count || !repeats(from, to, run, run))
        return piece;
    piece.from_step[1] = from[run] - from[0];
    piece.to_step[1] = to[run] - to[0];
    int64_t rows = 2;
    for (; (rows + 1) * run <= count; rows++) {
        const int64_t at = rows * run;
        if (from[at] != from[0] + rows * piece.from_step[1] || to[at] != to[0] + rows * piece.to_step[1] ||
            !repeats(from, to, at, run))
            break;
    }
    piece.count[1] = rows;
    return piece;
}

lay_piece *lay_pieces_of(const int64_t from[], const int64_t to[], int64_t count, int64_t *pieces)
{
    int64_t room = 4;
    lay_piece *list = malloc((size_t)room * sizeof *list);
    *pieces = 0;
    for (int64_t at = 0; at < count && list;) {
        if (*pieces == room) {
            lay_piece *const more = realloc(list, (size_t)(room *= 2) * sizeof *list);
            if (!more)
                free(list);
            list = more;
            if (!list)
                break;
        }
        list[*pieces] = begin_piece(from + at, to + at, count - at);
        at += list[*pieces].count[0] * list[*pieces].count[1];
        ++*pieces;
    }
    return list;
}

static int64_t magnitude(int64_t step)
{
    return step < 0 ? -step : step;
}

/* In its place among those that are there. */
static void add_axis(lay_box *box, int64_t count, int64_t from, int64_t to)
{
    int at = box->axes;
    if (count == 1)
        return;
    for (; at > 0 && magnitude(box->axis[at - 1].to) > magnitude(to); at--)
        box->axis[at] = box->axis[at - 1];
    box->axis[at].count = count;
    box->axis[at].from = from;
    box->axis[at].to = to;
    box->axes++;
}

/* Neighbours that go on where the inner one ends become one axis. */
static void fold(lay_box *box)
{
    int kept = 0;
    for (int i = 1; i < box->axes; i++) {
        if (box->axis[i].from == box->axis[kept].count * box->axis[kept].from &&
            box->axis[i].to == box->axis[kept].count * box->axis[kept].to)
            box->axis[kept].count *= box->axis[i].count;
        else
            box->axis[++kept] = box->axis[i];
    }
    box->axes = box->axes > 0 ? kept + 1 : 0;
}

lay_box lay_box_of(int rank, const lay_piece *const piece[])
{
    lay_box box = { .axes = 0 };
    for (int d = 0; d < rank; d++) {
        box.from += piece[d]->from;
        box.to += piece[d]->to;
        for (int i = 0; i < 2; i++)
            add_axis(&box, piece[d]->count[i], piece[d]->from_step[i], piece[d]->to_step[i]);
    }
    fold(&box);
    return box;
}

int64_t lay_box_run(const lay_box *box, int *is_axis)
{
    *is_axis = box->axes > 0 && box->axis[0].from == 1 && box->axis[0].to == 1;
    return *is_axis ? box->axis[0].count : 1;
}

/* Axes from the last one down to those of the run. */
static void move(const lay_box *box, int axis, int least, size_t bytes, int64_t size, const char *from, char *to)
{
    if (axis < least) {
        memcpy(to, from, bytes);
        return;
    }
    for (int64_t i = 0; i < box->axis[axis].count; i++)
        move(box, axis - 1, least, bytes, size, from + i * box->axis[axis].from * size,
             to + i * box->axis[axis].to * size);
}

void lay_box_move(const lay_box *box, int64_t size, const void *from, void *to)
{
    int is_axis;
    const int64_t run = lay_box_run(box, &is_axis);
    move(box, box->axes - 1, is_axis, (size_t)(run * size), size, (const char *)from + box->from * size,
         (char *)to + box->to * size);
}
