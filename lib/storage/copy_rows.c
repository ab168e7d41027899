/* The inner loops of a copy: segments that are contiguous on both sides, or blocks transposed in L1. */
#include <string.h>

#include "base/arith.h"
#include "storage/copy.h"
#include "storage/rows.h"
#include "storage/stream.h"
#include "storage/turn.h"

enum {
    ROWS = LAY_COPY_ROWS,
    STRIP = LAY_COPY_STRIP,
    BLOCK = LAY_COPY_BLOCK,
    LONG_COPY = 1 << 20 /* bytes from which memcpy knows best */
};

static void copy_bytes(char *to, const char *from, size_t bytes, int is_streaming)
{
    if (is_streaming && bytes >= 64 && bytes < LONG_COPY)
        stream_bytes(to, from, bytes);
    else
        memcpy(to, from, bytes);
}

static void copy_segments(const char *from, char *to, const segment part[], int64_t count, int is_streaming)
{
    for (int64_t j = 0; j < count; j++) {
        const char *source = from + part[j].from;
        char *target = to + part[j].to;
        if (part[j].length == 16) /* small tiles of floats: a move, no call */
            memcpy(target, source, 16);
        else if (part[j].length == 8)
            memcpy(target, source, 8);
        else
            copy_bytes(target, source, (size_t)part[j].length, is_streaming);
    }
}

/* Whether what is turned is written where it belongs at once: the destination's columns lie side by side, and the
 * source's do not push each other out of the first cache. What is written past all
 * caches goes in longer pieces, by a corner. */
static int is_turned_in_place(const int64_t from_column[], int columns, int is_unit, int64_t size, int is_streaming)
{
    return is_unit && !is_streaming && columns > 1 && (from_column[1] - from_column[0]) * size % LAY_PAGE != 0;
}

/* rows x columns, else through a corner of L1: read as the source lies, written as the destination does. */
#define TURN_BLOCK(word, width)                                                                                        \
    static void turn_block_##word(const char *from_bytes, char *to, const int64_t from_row[], const int64_t to_row[],  \
                                  int rows, const int64_t from_column[], const int64_t to_column[], int columns,       \
                                  int is_streaming)                                                                    \
    {                                                                                                                  \
        const word *from = (const word *)(const void *)from_bytes;                                                     \
        _Alignas(64) word corner[ROWS * BLOCK];                                                                        \
        const int is_unit = are_unit(to_column, columns);                                                              \
        if (is_turned_in_place(from_column, columns, is_unit, sizeof(word), is_streaming)) {                           \
            turn_lines_##word(from, from_row, rows, from_column, columns, (word *)(void *)to + to_column[0], to_row);  \
            return;                                                                                                    \
        }                                                                                                              \
        fill_corner_##word(from, from_row, rows, from_column, columns, corner);                                        \
        for (int i = 0; i < rows; i++) {                                                                               \
            word *line = (word *)(void *)to + to_row[i];                                                               \
            if (is_unit)                                                                                               \
                copy_bytes((char *)(line + to_column[0]), (const char *)(corner + i * BLOCK),                          \
                           (size_t)columns * sizeof(word), is_streaming);                                              \
            else                                                                                                       \
                for (int x = 0; x < columns; x++)                                                                      \
                    line[to_column[x]] = corner[i * BLOCK + x];                                                        \
        }                                                                                                              \
    }
TURN_BLOCK(word2, 8)
TURN_BLOCK(word4, 4)
TURN_BLOCK(word8, 2)

/* Elements as large as a vector: there is nothing to turn. */
static void move_block16(const char *from, char *to, const int64_t from_row[], const int64_t to_row[], int rows,
                         const int64_t from_column[], const int64_t to_column[], int columns, int is_streaming)
{
    enum { SIZE = 16 };
    (void)is_streaming;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            memcpy(to + (to_row[i] + to_column[j]) * SIZE, from + (from_row[i] + from_column[j]) * SIZE, SIZE);
}

/* Asks the second cache for the lines of elements from each offset on. Inlined, or gcc takes it for a function without
 * effects and drops its calls. */
static inline __attribute__((always_inline)) void ask_for(const char *from, const int64_t offset[], int64_t count,
                                                          int64_t elements, int64_t size)
{
    enum { SECOND = 2 };
    for (int64_t i = 0; i < count; i++)
        for (int64_t at = 0; at < elements * size + LAY_LINE; at += LAY_LINE)
            __builtin_prefetch(from + offset[i] * size + min_of(at, elements * size - 1), 0, SECOND);
}

/* What a block to be transposed is read from and written to, all at once: its lines are short pieces of many, which no
 * prefetcher sees coming. */
static inline __attribute__((always_inline)) void ask_for_block(const lay_copy_job *job, const char *from,
                                                                const char *to, const int64_t from_row[],
                                                                const int64_t to_row[], int64_t rows,
                                                                const int64_t from_column[], const int64_t to_column[],
                                                                int64_t columns)
{
    if (are_unit(from_row, rows))
        ask_for(from + from_row[0] * job->size, from_column, columns, rows, job->size);
    if (are_unit(to_column, columns) && !job->is_streaming)
        ask_for(to + to_column[0] * job->size, to_row, rows, columns, job->size);
}

/* Steps in bytes. */
#define MOVE_LINE(SIZE)                                                                                                \
    static void move_line_##SIZE(const char *from, char *to, int64_t from_step, int64_t to_step, int64_t count)        \
    {                                                                                                                  \
        for (int64_t j = 0; j < count; j++)                                                                            \
            memcpy(to + j * to_step, from + j * from_step, SIZE);                                                      \
    }
MOVE_LINE(2)
MOVE_LINE(4)
MOVE_LINE(8)
MOVE_LINE(16)

static void move_line(const lay_copy_job *job, const char *from, char *to, int64_t first, int64_t count)
{
    const lay_copy_axis *const axis = &job->columns.axis[0];
    const int64_t size = job->size, from_step = axis->from * size, to_step = axis->to * size;
    void (*const move)(const char *, char *, int64_t, int64_t, int64_t) = size == 2   ? move_line_2
                                                                          : size == 4 ? move_line_4
                                                                          : size == 8 ? move_line_8
                                                                                      : move_line_16;
    move(from + first * from_step, to + first * to_step, from_step, to_step, count);
}

int64_t lay_copy_count_tasks(const lay_copy_job *job)
{
    return job->outers.extent * ceil_div(job->rows.extent, ROWS) * ceil_div(job->columns.extent, STRIP) *
           ceil_div(job->line, job->piece);
}

void lay_copy_do_task(void *argument, int64_t number)
{
    const lay_copy_job *job = argument;
    int64_t from_row[ROWS], to_row[ROWS], from_column[STRIP], to_column[STRIP];
    segment part[STRIP];
    const int64_t pieces = ceil_div(job->line, job->piece), strips = ceil_div(job->columns.extent, STRIP),
                  parts = ceil_div(job->rows.extent, ROWS), size = job->size;
    int64_t from_at = number % pieces * job->piece, to_at = from_at;
    const int64_t line = min_of(job->piece, job->line - from_at);
    const int64_t column = number / pieces % strips * STRIP, row = number / pieces / strips % parts * ROWS;
    const int64_t rows = min_of(ROWS, job->rows.extent - row), columns = min_of(STRIP, job->columns.extent - column);
    add_outers(&job->outers, number / pieces / strips / parts, &from_at, &to_at);
    if (lay_copy_is_line(job)) {
        move_line(job, job->from + from_at * size, job->to + to_at * size, column, columns);
        return;
    }
    fill_offsets(&job->rows, row, rows, from_row, to_row);
    fill_offsets(&job->columns, column, columns, from_column, to_column);
    const char *from = job->from + from_at * size;
    char *to = job->to + to_at * size;

    const int64_t count = find_segments(from_column, to_column, columns, line, size, part);
    void (*const turn_block)(const char *, char *, const int64_t[], const int64_t[], int, const int64_t[],
                             const int64_t[], int, int) = size == 2    ? turn_block_word2
                                                          : size == 4  ? turn_block_word4
                                                          : size == 16 ? move_block16
                                                                       : turn_block_word8;
    if (line > 1 || count * 2 <= columns || (rows == 1 && columns == 1)) {
        for (int64_t i = 0; i < rows; i++)
            copy_segments(from + from_row[i] * size, to + to_row[i] * size, part, count, job->is_streaming);
    } else {
        for (int64_t j = 0; j < columns; j += BLOCK) {
            const int64_t wide = min_of(BLOCK, columns - j);
            if (job->is_far)
                ask_for_block(job, from, to, from_row, to_row, rows, from_column + j, to_column + j, wide);
            turn_block(from, to, from_row, to_row, (int)rows, from_column + j, to_column + j, (int)wide,
                       job->is_streaming);
        }
    }
    if (job->is_streaming)
        end_stream();
}
