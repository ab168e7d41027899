/* What the loops of copies and of scaled ones share: where a task's rows, columns and lines lie. */
#ifndef LAY_STORAGE_ROWS_H
#define LAY_STORAGE_ROWS_H

#include <stdint.h>

#include "base/arith.h"
#include "storage/copy.h"

typedef struct segment {
    int64_t from, to, length; /* in bytes, or in elements where size is 1 */
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
        if (count && from[j] * size == last->from + last->length && to[j] * size == last->to + last->length)
            last->length += line * size;
        else
            out[count++] = (segment){ from[j] * size, to[j] * size, line * size };
    }
    return count;
}

#endif
