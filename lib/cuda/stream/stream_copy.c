/* Blocks of an image, by threads: segments that are contiguous in the operand, or element by element. */
#include "cuda/stream/stream_copy.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "storage/stream.h"
#include "threads/parallel.h"

enum {
    ROWS = 32,       /* of a task, at most: some 256 KiB with so many columns */
    COLUMNS = 2048,  /* room for their offsets on the stack */
    ALONE = 1 << 16, /* bytes that one thread has copied before others wake up */
};
static const int64_t widest_pitch = INT32_MAX; /* that CUDA's copies of rectangles take, in bytes */

/* Bits are kept: integers of the element's size, not floats. */
typedef uint32_t word4 __attribute__((may_alias));
typedef uint64_t word8 __attribute__((may_alias));

/* Columns that lie together in the operand. */
typedef struct segment {
    int64_t at, column, count;
} segment;

/* A task's part of the image. */
typedef struct block {
    const lay_image *image;
    int64_t row[ROWS], column[COLUMNS]; /* offsets in the operand, in elements */
    int64_t rows, columns;
    char *dense;
} block;

static int64_t find_segments(const block *of, segment part[])
{
    int64_t count = 0;
    for (int64_t j = 0; j < of->columns; j++) {
        if (count && of->column[j] == part[count - 1].at + part[count - 1].count)
            part[count - 1].count++;
        else
            part[count++] = (segment){ of->column[j], j, 1 };
    }
    return count;
}

static void copy_segments(const block *of, const segment part[], int64_t count)
{
    const lay_image *image = of->image;
    const int64_t size = image->size;
    for (int64_t i = 0; i < of->rows; i++) {
        char *const there = (char *)image->zero + of->row[i] * size, *const here = of->dense + i * image->pitch * size;
        for (int64_t x = 0; x < count; x++) {
            char *const far = there + part[x].at * size, *const near = here + part[x].column * size;
            char *const to = image->is_to_host ? far : near;
            const char *const from = image->is_to_host ? near : far;
            const size_t bytes = (size_t)(part[x].count * size);
            if (bytes == 16) /* small tiles of floats: a move, no call */
                memcpy(to, from, 16);
            else if (image->is_streaming && bytes >= 64)
                stream_bytes(to, from, bytes);
            else
                memcpy(to, from, bytes);
        }
    }
    if (image->is_streaming)
        end_stream();
}

/* A strip of columns at a time, so that lines of memory on either side serve for all of their elements. */
#define COPY_ELEMENTS(word)                                                                                            \
    static void copy_elements_##word(const block *of)                                                                  \
    {                                                                                                                  \
        enum { STRIP = 64 };                                                                                           \
        word *const there = (word *)(uintptr_t)of->image->zero, *const here = (word *)(void *)of->dense;               \
        const int64_t pitch = of->image->pitch;                                                                        \
        for (int64_t first = 0; first < of->columns; first += STRIP) {                                                 \
            const int64_t last = min_of(first + STRIP, of->columns);                                                   \
            for (int64_t i = 0; i < of->rows; i++)                                                                     \
                if (of->image->is_to_host)                                                                             \
                    for (int64_t j = first; j < last; j++)                                                             \
                        there[of->row[i] + of->column[j]] = here[i * pitch + j];                                       \
                else                                                                                                   \
                    for (int64_t j = first; j < last; j++)                                                             \
                        here[i * pitch + j] = there[of->row[i] + of->column[j]];                                       \
        }                                                                                                              \
    }
COPY_ELEMENTS(word4)
COPY_ELEMENTS(word8)

/* An image in tasks of rows x COLUMNS, and their number. */
typedef struct sharing {
    const lay_image *image;
    int64_t rows, strips, tasks;
} sharing;

static void copy_block(void *argument, int64_t number)
{
    const sharing *shared = argument;
    const lay_image *image = shared->image;
    const int64_t row = number / shared->strips * shared->rows, column = number % shared->strips * COLUMNS;
    if (number >= shared->tasks)
        return;
    block own; /* field by field: most of its lists is never used */
    own.image = image;
    own.rows = min_of(shared->rows, image->row_count - row);
    own.columns = min_of(COLUMNS, image->column_count - column);
    own.dense = (char *)image->dense + (row * image->pitch + column) * image->size;
    segment part[COLUMNS];
    lay_axis_offsets(image->rows, image->first_row + row, own.rows, own.row);
    lay_axis_offsets(image->columns, image->first_column + column, own.columns, own.column);
    const int64_t count = find_segments(&own, part);
    if (count * 4 <= own.columns)
        copy_segments(&own, part, count);
    else if (image->size == 4)
        copy_elements_word4(&own);
    else
        copy_elements_word8(&own);
}

void lay_image_copy(const lay_image *image, int threads)
{
    sharing shared = { .image = image, .strips = ceil_div(image->column_count, COLUMNS) };
    if (image->row_count * image->column_count * image->size < ALONE)
        threads = 1;
    shared.rows = max_of(1, min_of(ROWS, image->row_count * shared.strips / threads));
    shared.tasks = ceil_div(image->row_count, shared.rows) * shared.strips;
    /* All threads or one, be it for tasks that are none: OpenMP starts threads anew when teams change their size. */
    lay_parallel_for(threads, threads > 1 ? max_of(shared.tasks, threads) : shared.tasks, copy_block, &shared);
}

/* From one index to the next; the largest number where there is no next one. */
static int64_t step_of(const lay_axis *axis)
{
    int64_t offset[2];
    if (axis->extent < 2)
        return INT64_MAX;
    lay_axis_offsets(axis, 0, 2, offset);
    return llabs(offset[1] - offset[0]);
}

int lay_axes_favour_columns(const lay_axis *rows, const lay_axis *columns)
{
    const int64_t row = step_of(rows), column = step_of(columns);
    /* A broadcast has step 0: reading one element again and again is as near as it gets. */
    return column != row ? column < row : columns->run >= rows->run;
}

int64_t lay_axes_pitch(const lay_axis *rows, const lay_axis *columns, int64_t size)
{
    const int has_unit = columns->class == LAY_AXIS_UNIT;
    const int has_step = rows->class == LAY_AXIS_UNIT || rows->class == LAY_AXIS_STRIDED;
    if (!has_unit || !has_step)
        return 0;
    const int64_t step = rows->count ? rows->mode[0].stride : columns->extent;
    return step >= columns->extent && step <= widest_pitch / size ? step * size : 0;
}
