/* A piece is moved line by line, by the stretches in which a line lies together. */
#include "cpu/pieces.h"

#include "base/arith.h"
#include "cpu/half.h"
#include "cpu/parallel.h"

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

/* One behind the stretch of unit stride that begins at from. */
static int64_t find_end(const int64_t inner[], int64_t from, int64_t count)
{
    int64_t end = from + 1;
    while (end < count && inner[end] == inner[end - 1] + 1)
        end++;
    return end;
}

static void widen_task(void *argument, int64_t number)
{
    const lay_piece *piece = ((const moving *)argument)->piece;
    lines own;
    find_lines(piece, number, &own);
    for (int64_t end, j = 0; j < piece->inners; j = end) {
        end = find_end(own.inner, j, piece->inners);
        for (int64_t i = 0; i < own.count; i++)
            lay_half_widen(piece->type, (const uint16_t *)(void *)piece->matrix + own.outer[i] + own.inner[j], end - j,
                           piece->dense + (own.first + i) * piece->inners + j);
    }
}

/* value = what C's elements become, before they are rounded. */
static void blend(const moving *how, const uint16_t *c, const float *sum, int64_t count, float value[])
{
    const float alpha = how->alpha, beta = how->beta;
    if (beta == 0) {
        for (int64_t i = 0; i < count; i++)
            value[i] = sum ? alpha * sum[i] : 0;
        return;
    }
    lay_half_widen(how->piece->type, c, count, value);
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
    for (int64_t end, j = 0; j < piece->inners; j = end) {
        end = find_end(own.inner, j, piece->inners);
        for (int64_t i = 0; i < own.count; i++) {
            uint16_t *const c = (uint16_t *)(void *)piece->matrix + own.outer[i] + own.inner[j];
            blend(how, c, piece->dense ? piece->dense + (own.first + i) * piece->inners + j : NULL, end - j, value);
            lay_half_round(piece->type, value, end - j, c);
        }
    }
}

lay_piece lay_piece_of(lay_type type, const lay_axis *rows, const lay_axis *columns, void *matrix, float *dense,
                       int *is_by_rows)
{
    *is_by_rows = columns->run >= rows->run;
    return (lay_piece){ .type = type,
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
