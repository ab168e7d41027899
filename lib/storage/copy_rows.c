/* The inner loops of a copy: segments that are contiguous on both sides, or blocks transposed in L1. */
#include <string.h>

#include "base/arith.h"
#include "storage/copy.h"
#include "storage/stream.h"

enum {
    ROWS = 64,          /* of a task */
    STRIP = 1024,       /* columns of a task */
    BLOCK = 64,         /* columns of a transposed block: it takes 16 or 32 KiB */
    LONG_COPY = 1 << 20 /* bytes from which memcpy knows best */
};

/* Bits are kept: integers of the element's size, not floats. */
typedef uint16_t word2 __attribute__((may_alias));
typedef uint32_t word4 __attribute__((may_alias));
typedef uint64_t word8 __attribute__((may_alias));
typedef uint16_t vector2 __attribute__((vector_size(16)));
typedef uint32_t vector4 __attribute__((vector_size(16)));
typedef uint64_t vector8 __attribute__((vector_size(16)));

typedef struct segment {
    int64_t from, to, bytes;
} segment;

/* Offsets of the indices first .. first + count - 1 on both sides. */
static void fill_offsets(const lay_copy_axes *axes, int64_t first, int64_t count, int64_t from[], int64_t to[])
{
    if (axes->count == 1 && axes->axis[0].from_map) {
        lay_map_offsets(axes->axis[0].from_map, first, count, from);
        lay_map_offsets(axes->axis[0].to_map, first, count, to);
        return;
    }
    for (int64_t done = 0; done < count;) {
        int64_t rest = first + done, from_at = 0, to_at = 0, run = count - done;
        for (int i = 0; i < axes->count; i++) {
            const lay_copy_axis *axis = &axes->axis[i];
            const int64_t digit = rest % axis->extent;
            if (i == 0)
                run = min_of(run, axis->extent - digit);
            from_at += digit * axis->from;
            to_at += digit * axis->to;
            rest /= axis->extent;
        }
        const int64_t from_step = axes->count ? axes->axis[0].from : 0, to_step = axes->count ? axes->axis[0].to : 0;
        for (int64_t i = 0; i < run; i++) {
            from[done + i] = from_at + i * from_step;
            to[done + i] = to_at + i * to_step;
        }
        done += run;
    }
}

/* The outer loops' offsets: one index each, of axes with or without maps. */
static void add_outers(const lay_copy_axes *axes, int64_t index, int64_t *from, int64_t *to)
{
    for (int i = 0; i < axes->count; i++) {
        const lay_copy_axis *axis = &axes->axis[i];
        const int64_t digit = index % axis->extent;
        *from += axis->from_map ? lay_map_offset(axis->from_map, digit) : digit * axis->from;
        *to += axis->to_map ? lay_map_offset(axis->to_map, digit) : digit * axis->to;
        index /= axis->extent;
    }
}

static int are_unit(const int64_t offset[], int64_t count)
{
    for (int64_t i = 1; i < count; i++)
        if (offset[i] != offset[i - 1] + 1)
            return 0;
    return 1;
}

/* Columns as segments, joined where both sides go on; how many there are. */
static int64_t find_segments(const int64_t from[], const int64_t to[], int64_t columns, int64_t line, int64_t size,
                             segment out[])
{
    int64_t count = 0;
    for (int64_t j = 0; j < columns; j++) {
        segment *last = out + count - 1;
        if (count && from[j] * size == last->from + last->bytes && to[j] * size == last->to + last->bytes)
            last->bytes += line * size;
        else
            out[count++] = (segment){ from[j] * size, to[j] * size, line * size };
    }
    return count;
}

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
        if (part[j].bytes == 16) /* small tiles of floats: a move, no call */
            memcpy(target, source, 16);
        else if (part[j].bytes == 8)
            memcpy(target, source, 8);
        else
            copy_bytes(target, source, (size_t)part[j].bytes, is_streaming);
    }
}

/* corner[i][j] = column j's i-th, 8 x 8: three times the first half interleaved with the second. */
static void turn_word2(const word2 *from, const int64_t column[], word2 *corner)
{
    vector2 at[8], next[8];
    for (int j = 0; j < 8; j++)
        memcpy(&at[j], from + column[j], sizeof at[j]);
    for (int turn = 0; turn < 3; turn++) {
        for (int j = 0; j < 4; j++) {
            next[2 * j] = __builtin_shufflevector(at[j], at[j + 4], 0, 8, 1, 9, 2, 10, 3, 11);
            next[2 * j + 1] = __builtin_shufflevector(at[j], at[j + 4], 4, 12, 5, 13, 6, 14, 7, 15);
        }
        memcpy(at, next, sizeof at);
    }
    for (int i = 0; i < 8; i++)
        memcpy(corner + i * BLOCK, &at[i], sizeof at[i]);
}

/* The same, 4 x 4. */
static void turn_word4(const word4 *from, const int64_t column[], word4 *corner)
{
    vector4 in[4], mid[4], out[4];
    for (int j = 0; j < 4; j++)
        memcpy(&in[j], from + column[j], sizeof in[j]);
    mid[0] = __builtin_shufflevector(in[0], in[1], 0, 4, 1, 5);
    mid[1] = __builtin_shufflevector(in[2], in[3], 0, 4, 1, 5);
    mid[2] = __builtin_shufflevector(in[0], in[1], 2, 6, 3, 7);
    mid[3] = __builtin_shufflevector(in[2], in[3], 2, 6, 3, 7);
    for (int i = 0; i < 4; i += 2) {
        out[i] = __builtin_shufflevector(mid[i], mid[i + 1], 0, 1, 4, 5);
        out[i + 1] = __builtin_shufflevector(mid[i], mid[i + 1], 2, 3, 6, 7);
    }
    for (int i = 0; i < 4; i++)
        memcpy(corner + i * BLOCK, &out[i], sizeof out[i]);
}

/* The same, 2 x 2. */
static void turn_word8(const word8 *from, const int64_t column[], word8 *corner)
{
    vector8 in[2];
    for (int j = 0; j < 2; j++)
        memcpy(&in[j], from + column[j], sizeof in[j]);
    const vector8 out[2] = { __builtin_shufflevector(in[0], in[1], 0, 2), __builtin_shufflevector(in[0], in[1], 1, 3) };
    for (int i = 0; i < 2; i++)
        memcpy(corner + i * BLOCK, &out[i], sizeof out[i]);
}

/* rows x columns through a corner of L1: read as the source lies, written as the destination does. */
#define TURN_BLOCK(word, width)                                                                                        \
    static void turn_block_##word(const char *from_bytes, char *to, const int64_t from_row[], const int64_t to_row[],  \
                                  int rows, const int64_t from_column[], const int64_t to_column[], int columns,       \
                                  int is_streaming)                                                                    \
    {                                                                                                                  \
        const word *from = (const word *)(const void *)from_bytes;                                                     \
        _Alignas(64) word corner[ROWS * BLOCK];                                                                        \
        int are_together[ROWS / width] = { 0 };                                                                        \
        for (int i = 0; i + width <= rows; i += width)                                                                 \
            are_together[i / width] = are_unit(from_row + i, width);                                                   \
        int j = 0;                                                                                                     \
        for (; j + width <= columns; j += width)                                                                       \
            for (int i = 0; i < rows; i += width)                                                                      \
                if (are_together[i / width])                                                                           \
                    turn_##word(from + from_row[i], from_column + j, corner + i * BLOCK + j);                          \
                else                                                                                                   \
                    for (int y = i; y < rows && y < i + width; y++)                                                    \
                        for (int x = j; x < j + width; x++)                                                            \
                            corner[y * BLOCK + x] = from[from_row[y] + from_column[x]];                                \
        for (; j < columns; j++)                                                                                       \
            for (int i = 0; i < rows; i++)                                                                             \
                corner[i * BLOCK + j] = from[from_row[i] + from_column[j]];                                            \
        const int is_unit = are_unit(to_column, columns);                                                              \
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
        for (int64_t j = 0; j < columns; j += BLOCK)
            turn_block(from, to, from_row, to_row, (int)rows, from_column + j, to_column + j,
                       (int)min_of(BLOCK, columns - j), job->is_streaming);
    }
    if (job->is_streaming)
        end_stream();
}
