/* The inner loops of a copy: square blocks, so that both sides' cache lines are used whole. */
#include <string.h>

#include "base/arith.h"
#include "storage/copy.h"

enum { BLOCK = 32, STRIP = 512 }; /* BLOCK x BLOCK doubles of both sides fit L1 */

#define COPY_BLOCK(type)                                                                                               \
    static void copy_block_##type(const char *from_bytes, char *to_bytes, const int64_t from_row[],                    \
                                  const int64_t to_row[], int rows, const int64_t from_column[],                       \
                                  const int64_t to_column[], int columns, int is_turning)                              \
    {                                                                                                                  \
        const type *from = (const type *)(const void *)from_bytes;                                                     \
        type *to = (type *)(void *)to_bytes;                                                                           \
        if (is_turning) { /* read along the source's lines into a corner of L1, write along ours */                    \
            type corner[BLOCK][BLOCK];                                                                                 \
            for (int j = 0; j < columns; j++)                                                                          \
                memcpy(corner[j], from + from_column[j] + from_row[0], (size_t)rows * sizeof(type));                   \
            for (int i = 0; i < rows; i++)                                                                             \
                for (int j = 0; j < columns; j++)                                                                      \
                    to[to_row[i] + to_column[j]] = corner[j][i];                                                       \
            return;                                                                                                    \
        }                                                                                                              \
        for (int i = 0; i < rows; i++)                                                                                 \
            for (int j = 0; j < columns; j++)                                                                          \
                to[to_row[i] + to_column[j]] = from[from_row[i] + from_column[j]];                                     \
    }

/* Bits are kept: integers of the element's size, not floats. */
typedef uint32_t word4;
typedef uint64_t word8;
COPY_BLOCK(word4)
COPY_BLOCK(word8)

static int are_unit(const int64_t offset[], int64_t count)
{
    for (int64_t i = 1; i < count; i++)
        if (offset[i] != offset[i - 1] + 1)
            return 0;
    return 1;
}

/* Stretches that are contiguous on both sides, whole; the others element by element. */
static void copy_line(const lay_copy_job *job, const char *from, char *to, const int64_t from_column[],
                      const int64_t to_column[], int64_t count)
{
    for (int64_t j = 0, end; j < count; j = end) {
        end = j + 1;
        while (end < count && from_column[end] == from_column[end - 1] + 1 && to_column[end] == to_column[end - 1] + 1)
            end++;
        memcpy(to + to_column[j] * (int64_t)job->size, from + from_column[j] * (int64_t)job->size,
               (size_t)(end - j) * job->size);
    }
}

/* Rows and columns of one strip, both offsets known. */
static void copy_strip(const lay_copy_job *job, const char *from, char *to, const int64_t from_row[],
                       const int64_t to_row[], int64_t rows, const int64_t from_column[], const int64_t to_column[],
                       int64_t columns)
{
    const int64_t size = (int64_t)job->size;
    const int lines = columns > 1 && from_column[1] == from_column[0] + 1 && to_column[1] == to_column[0] + 1;
    for (int64_t i = 0; lines && i < rows; i++)
        copy_line(job, from + from_row[i] * size, to + to_row[i] * size, from_column, to_column, columns);
    for (int64_t i = 0; !lines && i < rows; i += BLOCK) {
        const int block_rows = (int)min_of(BLOCK, rows - i);
        const int is_turning = block_rows > 1 && are_unit(from_row + i, block_rows);
        for (int64_t j = 0; j < columns; j += BLOCK)
            (size == 4 ? copy_block_word4 : copy_block_word8)(from, to, from_row + i, to_row + i, block_rows,
                                                              from_column + j, to_column + j,
                                                              (int)min_of(BLOCK, columns - j), is_turning);
    }
}

void lay_copy_rows(const lay_copy_job *job, int64_t outer, int64_t row, int64_t count)
{
    int64_t from_row[BLOCK], to_row[BLOCK], from_column[STRIP], to_column[STRIP];
    int64_t from_at = 0, to_at = 0;
    for (int i = job->outers - 1; i >= 0; i--) {
        int64_t from_offset, to_offset;
        lay_axis_offsets(&job->outer[i].from, outer % job->outer[i].extent, 1, &from_offset);
        lay_axis_offsets(&job->outer[i].to, outer % job->outer[i].extent, 1, &to_offset);
        from_at += from_offset;
        to_at += to_offset;
        outer /= job->outer[i].extent;
    }
    const char *from = job->from + from_at * (int64_t)job->size;
    char *to = job->to + to_at * (int64_t)job->size;
    for (int64_t i = row; i < row + count; i += BLOCK) {
        const int64_t rows = min_of(BLOCK, row + count - i);
        lay_axis_offsets(&job->rows.from, i, rows, from_row);
        lay_axis_offsets(&job->rows.to, i, rows, to_row);
        for (int64_t j = 0; j < job->columns.extent; j += STRIP) {
            const int64_t columns = min_of(STRIP, job->columns.extent - j);
            lay_axis_offsets(&job->columns.from, j, columns, from_column);
            lay_axis_offsets(&job->columns.to, j, columns, to_column);
            copy_strip(job, from, to, from_row, to_row, rows, from_column, to_column, columns);
        }
    }
}
