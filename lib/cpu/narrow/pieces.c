/* A piece is moved line by line, by the segments in which a line's elements lie one stride apart. */
#include "cpu/narrow/pieces.h"

#include "base/arith.h"
#include "threads/parallel.h"

enum { LINES = 16 }; /* of a task: some 30000 elements */

typedef struct moving {
    const lay_piece *piece;
    float alpha, beta;
} moving;

/* A task's lines: where they are, and their elements' offsets from there. */
typedef struct lines {
    int64_t first, count, outer[LINES], inner[LAY_PIECE_SIDE];
} lines;

static void find_lines(const lay_piece *piece, int64_t number, lines *out)
{
    out->first = number * LINES;
    out->count = min_of(LINES, piece->outers - out->first);
    lay_axis_offsets(piece->outer, piece->first_outer + out->first, out->count, out->outer);
    lay_axis_offsets(piece->inner, piece->first_inner, piece->inners, out->inner);
}

/* Of the elements from number from on, those that lie one stride apart. */
typedef struct run {
    int64_t count, stride;
} run;

static run find_run(const int64_t offset[], int64_t from, int64_t count)
{
    run found = { .count = 1, .stride = from + 1 < count ? offset[from + 1] - offset[from] : 1 };
    while (from + found.count < count && offset[from + found.count] == offset[from + found.count - 1] + found.stride)
        found.count++;
    return found;
}

static void widen_task(void *argument, int64_t number)
{
    const lay_piece *piece = ((const moving *)argument)->piece;
    lines own;
    find_lines(piece, number, &own);
    run next;
    for (int64_t j = 0; j < piece->inners; j += next.count) {
        next = find_run(own.inner, j, piece->inners);
        for (int64_t i = 0; i < own.count; i++)
            piece->row->widen((const uint16_t *)(void *)piece->matrix + own.outer[i] + own.inner[j], next.stride,
                              next.count, piece->dense + (own.first + i) * piece->inners + j);
    }
}

void lay_piece_widen_line(const lay_half_row *row, const lay_axis *axis, const uint16_t *zero, int64_t first,
                          int64_t count, float to[])
{
    enum { SOME = 512 };
    int64_t offset[SOME];
    if (axis->class != LAY_AXIS_TABLE && axis->count <= 1) {
        row->widen(zero + lay_axis_offset(axis, first), axis->count ? axis->mode[0].stride : 0, count, to);
        return;
    }
    for (int64_t p = 0, n; p < count; p += n) {
        run next;
        n = min_of(SOME, count - p);
        lay_axis_offsets(axis, first + p, n, offset);
        for (int64_t i = 0; i < n; i += next.count) {
            next = find_run(offset, i, n);
            row->widen(zero + offset[i], next.stride, next.count, to + p + i);
        }
    }
}

/* value = what C's elements become, before they are rounded. */
static void blend(const moving *how, const uint16_t *c, int64_t stride, const float *sum, int64_t count, float value[])
{
    const float alpha = how->alpha, beta = how->beta;
    if (beta == 0) {
        for (int64_t i = 0; i < count; i++)
            value[i] = sum ? alpha * sum[i] : 0;
        return;
    }
    how->piece->row->widen(c, stride, count, value);
    if (sum)
        for (int64_t i = 0; i < count; i++)
            value[i] = alpha * sum[i] + beta * value[i];
    else
        for (int64_t i = 0; i < count; i++)
            value[i] = beta * value[i];
}

static void round_task(void *argument, int64_t number)
{
    const moving *how = argument;
    const lay_piece *piece = how->piece;
    float value[LAY_PIECE_SIDE];
    lines own;
    find_lines(piece, number, &own);
    run next;
    for (int64_t j = 0; j < piece->inners; j += next.count) {
        next = find_run(own.inner, j, piece->inners);
        for (int64_t i = 0; i < own.count; i++) {
            uint16_t *const c = (uint16_t *)(void *)piece->matrix + own.outer[i] + own.inner[j];
            const float *const sum = piece->dense ? piece->dense + (own.first + i) * piece->inners + j : NULL;
            blend(how, c, next.stride, sum, next.count, value);
            piece->row->round(value, next.count, c, next.stride);
        }
    }
}

lay_piece lay_piece_of(const lay_half_row *row, const lay_axis *rows, const lay_axis *columns, void *matrix,
                       float *dense, int *is_by_rows)
{
    *is_by_rows = columns->run >= rows->run;
    return (lay_piece){ .row = row,
                        .outer = *is_by_rows ? rows : columns,
                        .inner = *is_by_rows ? columns : rows,
                        .matrix = matrix,
                        .dense = dense };
}

void lay_piece_widen(const lay_piece *piece, int threads)
{
    moving how = { .piece = piece };
    lay_parallel_for(threads, ceil_div(piece->outers, LINES), widen_task, &how);
}

void lay_piece_round(const lay_piece *piece, float alpha, float beta, int threads)
{
    moving how = { piece, alpha, beta };
    lay_parallel_for(threads, ceil_div(piece->outers, LINES), round_task, &how);
}
