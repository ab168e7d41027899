/* The inner loops of a copy that changes elements: lines that are contiguous on both sides as they lie, all else
 * through rows of words. */
#include "storage/change.h"

#include <assert.h>

#include "base/arith.h"
#include "storage/half.h"
#include "storage/rows.h"
#include "storage/stream.h"
#include "storage/turn.h"
#include "threads/parallel.h"

enum {
    ROWS = LAY_COPY_ROWS,
    STRIP = LAY_COPY_STRIP,
    BLOCK = LAY_COPY_BLOCK,
    SHORT = 16,               /* elements of a segment from which on a call for it alone pays */
    LARGEST = 16,             /* bytes of an element */
    CORNER = ROWS * BLOCK * 8 /* bytes: of larger elements fewer rows at once */
};

/* Words one by one from and to where they lie. */
#define GATHER_AND_SCATTER(word)                                                                                       \
    static void gather_##word(const void *from, const int64_t offset[], int64_t count, void *to)                       \
    {                                                                                                                  \
        for (int64_t j = 0; j < count; j++)                                                                            \
            ((word *)to)[j] = ((const word *)from)[offset[j]];                                                         \
    }                                                                                                                  \
    static void scatter_##word(const void *from, void *to, const int64_t offset[], int64_t count)                      \
    {                                                                                                                  \
        for (int64_t j = 0; j < count; j++)                                                                            \
            ((word *)to)[offset[j]] = ((const word *)from)[j];                                                         \
    }                                                                                                                  \
    static void fill_##word(const void *from, const int64_t row[], int rows, const int64_t column[], int columns,      \
                            void *restrict corner)                                                                     \
    {                                                                                                                  \
        fill_corner_##word(from, row, rows, column, columns, corner);                                                  \
    }
GATHER_AND_SCATTER(word2)
GATHER_AND_SCATTER(word4)
GATHER_AND_SCATTER(word8)

/* Larger than what is turned in registers. */
typedef struct word16 {
    word8 part[2];
} __attribute__((may_alias)) word16;
static inline void fill_corner_word16(const word16 *from, const int64_t row[], int rows, const int64_t column[],
                                      int columns, word16 *corner)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            corner[i * BLOCK + j] = from[row[i] + column[j]];
}
GATHER_AND_SCATTER(word16)

/* The same for words of one size. */
typedef struct mover {
    void (*gather)(const void *from, const int64_t offset[], int64_t count, void *to);
    void (*scatter)(const void *from, void *to, const int64_t offset[], int64_t count);
    void (*fill)(const void *from, const int64_t row[], int rows, const int64_t column[], int columns, void *corner);
} mover;
static const mover movers[] = { { gather_word2, scatter_word2, fill_word2 },
                                { gather_word4, scatter_word4, fill_word4 },
                                { gather_word8, scatter_word8, fill_word8 },
                                { gather_word16, scatter_word16, fill_word16 } };

static const mover *mover_of(int64_t size)
{
    return &movers[size == 2 ? 0 : size == 4 ? 1 : size == 8 ? 2 : 3];
}

/* Columns of y, side by side or not, of x side by side: x is NULL if it is not read. */
static void change_to_columns(const lay_changer *by, const void *x, char *y, const int64_t column[], int64_t count,
                              int is_unit)
{
    const lay_copy_job *job = by->job;
    _Alignas(64) char old[BLOCK * LARGEST];
    const mover *words = mover_of(job->size);
    assert(count <= BLOCK);
    if (is_unit) {
        lay_change_line(by, x, y + column[0] * job->size, count, job->is_streaming);
        return;
    }
    if (job->reads_to)
        words->gather(y, column, count, old);
    lay_change_line(by, x, old, count, 0);
    words->scatter(old, y, column, count);
}

/* rows x columns, at most BLOCK of these, through a corner of L1. */
static void change_block(const lay_changer *by, const char *x, char *y, const int64_t from_row[],
                         const int64_t to_row[], int rows, const int64_t from_column[], const int64_t to_column[],
                         int columns)
{
    const lay_copy_job *job = by->job;
    _Alignas(64) char corner[CORNER];
    if (job->reads_from)
        mover_of(job->from_size)->fill(x, from_row, rows, from_column, columns, corner);
    const int is_unit = are_unit(to_column, columns);
    for (int i = 0; i < rows; i++)
        change_to_columns(by, job->reads_from ? corner + i * BLOCK * job->from_size : NULL, y + to_row[i] * job->size,
                          to_column, columns, is_unit);
}

/* One row of segments too short for calls of their own, by elements. */
static void change_short(const lay_changer *by, const char *x, char *y, const segment part[], int64_t count)
{
    const lay_copy_job *job = by->job;
    _Alignas(64) char some[BLOCK * LARGEST];
    int64_t from[BLOCK], to[BLOCK], filled = 0;
    for (int64_t j = 0; j < count; j++)
        for (int64_t i = 0; i < part[j].length; i++) {
            from[filled] = part[j].from + i;
            to[filled++] = part[j].to + i;
            if (filled < BLOCK && (j + 1 < count || i + 1 < part[j].length))
                continue;
            if (job->reads_from)
                mover_of(job->from_size)->gather(x, from, filled, some);
            change_to_columns(by, job->reads_from ? some : NULL, y, to, filled, are_unit(to, filled));
            filled = 0;
        }
}

static void change_segments(const lay_changer *by, const char *x, char *y, const segment part[], int64_t count)
{
    const lay_copy_job *job = by->job;
    if (part[0].length < SHORT) {
        change_short(by, x, y, part, count);
        return;
    }
    for (int64_t j = 0; j < count; j++)
        lay_change_line(by, job->reads_from ? x + part[j].from * job->from_size : NULL, y + part[j].to * job->size,
                        part[j].length, job->is_streaming);
}

/* As lay_copy_do_task. */
static void do_task(void *argument, int64_t number)
{
    const lay_changer *by = argument;
    const lay_copy_job *job = by->job;
    int64_t from_row[ROWS], to_row[ROWS], from_column[STRIP], to_column[STRIP];
    segment part[STRIP];
    const int64_t pieces = ceil_div(job->line, job->piece), strips = ceil_div(job->columns.extent, STRIP),
                  parts = ceil_div(job->rows.extent, ROWS);
    int64_t from_at = number % pieces * job->piece, to_at = from_at;
    const int64_t line = min_of(job->piece, job->line - from_at);
    const int64_t column = number / pieces % strips * STRIP, row = number / pieces / strips % parts * ROWS;
    const int64_t rows = min_of(ROWS, job->rows.extent - row), columns = min_of(STRIP, job->columns.extent - column);
    add_outers(&job->outers, number / pieces / strips / parts, &from_at, &to_at);
    fill_offsets(&job->rows, row, rows, from_row, to_row);
    fill_offsets(&job->columns, column, columns, from_column, to_column);
    const char *from = job->from + from_at * job->from_size;
    char *to = job->to + to_at * job->size;

    const int64_t at_once = min_of(ROWS, CORNER / BLOCK / job->from_size); /* rows of a block */
    const int64_t count = find_segments(from_column, to_column, columns, line, 1, part);
    if (line > 1 || count * 2 <= columns || (rows == 1 && columns == 1))
        for (int64_t i = 0; i < rows; i++)
            change_segments(by, from + from_row[i] * job->from_size, to + to_row[i] * job->size, part, count);
    else
        for (int64_t j = 0; j < columns; j += BLOCK)
            for (int64_t i = 0; i < rows; i += at_once)
                change_block(by, from, to, from_row + i, to_row + i, (int)min_of(at_once, rows - i), from_column + j,
                             to_column + j, (int)min_of(BLOCK, columns - j));
    if (job->is_streaming)
        end_stream();
}

const lay_blend_row *lay_blend_find(lay_isa isa)
{
    const lay_blend_row *found = NULL;
    for (int i = 0; i < lay_blend_row_count; i++)
        if (lay_isa_includes(isa, lay_blend_rows[i]->isa))
            found = lay_blend_rows[i];
    assert(found);
    return found;
}

static const lay_half_row *find_half(lay_type type, lay_isa isa)
{
    return lay_size_of(type) == 2 ? lay_half_find(type, isa) : NULL;
}

void lay_change_on_host(const lay_copy_job *job, int threads, lay_isa isa)
{
    lay_changer by = { .job = job,
                       .blend = lay_blend_find(isa),
                       .half_from = find_half(job->from_type, isa),
                       .half_to = find_half(job->to_type, isa) };
    lay_parallel_for(threads, lay_copy_count_tasks(job), do_task, &by);
}
