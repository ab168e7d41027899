/* Blocks of words transposed in registers, for what copies them and what scales them. */
#ifndef LAY_STORAGE_TURN_H
#define LAY_STORAGE_TURN_H

#include <stdint.h>
#include <string.h>

#include "machine/machine.h"
#include "storage/rows.h"

/* Bits are kept: integers of the element's size, not floats. Complex numbers lie at multiples of their parts' size. */
typedef uint16_t word2 __attribute__((may_alias));
typedef uint32_t word4 __attribute__((may_alias));
typedef uint64_t word8 __attribute__((may_alias, aligned(4)));
typedef uint16_t vector2 __attribute__((vector_size(16)));
typedef uint32_t vector4 __attribute__((vector_size(16)));
typedef uint64_t vector8 __attribute__((vector_size(16)));

/* Row i's element j = column j's i-th, 8 x 8: three times the first half interleaved with the second. */
static inline __attribute__((always_inline)) void turn_word2(const word2 *from, const int64_t column[], word2 *to,
                                                             const int64_t row[])
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
        memcpy(to + row[i], &at[i], sizeof at[i]);
}

/* The same, 4 x 4. */
static inline __attribute__((always_inline)) void turn_word4(const word4 *from, const int64_t column[], word4 *to,
                                                             const int64_t row[])
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
        memcpy(to + row[i], &out[i], sizeof out[i]);
}

/* The same, 2 x 2. */
static inline __attribute__((always_inline)) void turn_word8(const word8 *from, const int64_t column[], word8 *to,
                                                             const int64_t row[])
{
    vector8 in[2];
    for (int j = 0; j < 2; j++)
        memcpy(&in[j], from + column[j], sizeof in[j]);
    const vector8 out[2] = { __builtin_shufflevector(in[0], in[1], 0, 2), __builtin_shufflevector(in[0], in[1], 1, 3) };
    for (int i = 0; i < 2; i++)
        memcpy(to + row[i], &out[i], sizeof out[i]);
}

/* Where a piece of so many begins that shall end in time: pieces may overlap, for what is written twice is equal. */
static inline int place_piece(int at, int width, int count)
{
    return at + width <= count ? at : count - width;
}

/* rows x columns to rows whose elements lie side by side: a line of a cache's columns at a time, so that what is
 * written becomes whole lines soon. */
#define LAY_TURN_LINES(word, width)                                                                                    \
    static inline void turn_lines_##word(const word *from, const int64_t from_row[], int rows,                         \
                                         const int64_t from_column[], int columns, word *to, const int64_t to_row[])   \
    {                                                                                                                  \
        enum { LINE = LAY_LINE / sizeof(word) };                                                                       \
        int are_together[LAY_COPY_ROWS / width + 1] = { 0 };                                                           \
        for (int i = 0; i < rows && rows >= width && columns >= width; i += width)                                     \
            are_together[i / width] = are_unit(from_row + place_piece(i, width, rows), width);                         \
        for (int first = 0; first < columns; first += LINE)                                                            \
            for (int i = 0; i < rows; i += width) {                                                                    \
                const int last = first + LINE < columns ? first + LINE : columns, row = place_piece(i, width, rows);   \
                for (int j = first; are_together[i / width] && j < last; j += width) {                                 \
                    const int column = place_piece(j, width, columns);                                                 \
                    turn_##word(from + from_row[row], from_column + column, to + column, to_row + row);                \
                }                                                                                                      \
                for (int y = i; !are_together[i / width] && y < rows && y < i + width; y++)                            \
                    for (int x = first; x < last; x++)                                                                 \
                        to[to_row[y] + x] = from[from_row[y] + from_column[x]];                                        \
            }                                                                                                          \
    }
LAY_TURN_LINES(word2, 8)
LAY_TURN_LINES(word4, 4)
LAY_TURN_LINES(word8, 2)

/* rows x columns to a corner of the first cache, a few columns at a time: all lines of those are used up before the
 * next ones come, whose sets may be the same. */
#define LAY_FILL_CORNER(word, width)                                                                                   \
    static void fill_corner_##word(const word *from, const int64_t from_row[], int rows, const int64_t from_column[],  \
                                   int columns, word *corner)                                                          \
    {                                                                                                                  \
        static const int64_t next[8] = { 0,                                                                            \
                                         LAY_COPY_BLOCK,                                                               \
                                         2 * LAY_COPY_BLOCK,                                                           \
                                         3 * LAY_COPY_BLOCK,                                                           \
                                         4 * LAY_COPY_BLOCK,                                                           \
                                         5 * LAY_COPY_BLOCK,                                                           \
                                         6 * LAY_COPY_BLOCK,                                                           \
                                         7 * LAY_COPY_BLOCK };                                                         \
        int are_together[LAY_COPY_ROWS / width] = { 0 };                                                               \
        for (int i = 0; i + width <= rows; i += width)                                                                 \
            are_together[i / width] = are_unit(from_row + i, width);                                                   \
        int j = 0;                                                                                                     \
        for (; j + width <= columns; j += width)                                                                       \
            for (int i = 0; i < rows; i += width)                                                                      \
                if (are_together[i / width])                                                                           \
                    turn_##word(from + from_row[i], from_column + j, corner + i * LAY_COPY_BLOCK + j, next);           \
                else                                                                                                   \
                    for (int y = i; y < rows && y < i + width; y++)                                                    \
                        for (int x = j; x < j + width; x++)                                                            \
                            corner[y * LAY_COPY_BLOCK + x] = from[from_row[y] + from_column[x]];                       \
        for (; j < columns; j++)                                                                                       \
            for (int i = 0; i < rows; i++)                                                                             \
                corner[i * LAY_COPY_BLOCK + j] = from[from_row[i] + from_column[j]];                                   \
    }
LAY_FILL_CORNER(word2, 8)
LAY_FILL_CORNER(word4, 4)
LAY_FILL_CORNER(word8, 2)

#endif
