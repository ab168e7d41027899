/* Packing: lines of the inner dimension, in pieces that are contiguous on both sides. */
#include "team/pack.h"

#include <stdint.h>
#include <string.h>

/* Where one side's elements are: at sums of offsets, a list a dimension; without lists one behind the other. */
typedef struct end {
    char *base;
    int64_t *const *offset; /* NULL: packed */
} end;

/* A line of count elements; offsets NULL: contiguous. */
static void copy_line(char *to, const int64_t *to_offset, const char *from, const int64_t *from_offset, int64_t count,
                      size_t size)
{
    for (int64_t i = 0; i < count;) {
        int64_t run = 1;
        while (i + run < count && (!to_offset || to_offset[i + run] == to_offset[i] + run) &&
               (!from_offset || from_offset[i + run] == from_offset[i] + run))
            run++;
        char *const target = to + (to_offset ? to_offset[i] : i) * (int64_t)size;
        const char *const source = from + (from_offset ? from_offset[i] : i) * (int64_t)size;
        if (run == 1 && size == 4)
            memcpy(target, source, 4);
        else if (run == 1 && size == 8)
            memcpy(target, source, 8);
        else
            memcpy(target, source, (size_t)run * size);
        i += run;
    }
}

/* Dimensions from d on, the inner one left for the lines. Returns the packed elements behind. */
static int64_t walk(const lay_parcel *parcel, int rank, size_t size, int d, const end *to, int64_t to_at,
                    const end *from, int64_t from_at, int64_t packed)
{
    d += d == parcel->inner;
    if (d < rank) {
        for (int64_t i = 0; i < parcel->count[d]; i++)
            packed = walk(parcel, rank, size, d + 1, to, to_at + (to->offset ? to->offset[d][i] : 0), from,
                          from_at + (from->offset ? from->offset[d][i] : 0), packed);
        return packed;
    }
    const int inner = parcel->inner;
    copy_line(to->base + (to->offset ? to_at : packed) * (int64_t)size, to->offset ? to->offset[inner] : NULL,
              from->base + (from->offset ? from_at : packed) * (int64_t)size, from->offset ? from->offset[inner] : NULL,
              parcel->count[inner], size);
    return packed + parcel->count[inner];
}

static void copy(const lay_parcel *parcel, int rank, size_t size, end to, end from)
{
    walk(parcel, rank, size, 0, &to, 0, &from, 0, 0);
}

void lay_pack_parcel(const lay_parcel *parcel, int rank, size_t size, const void *source, void *packed)
{
    copy(parcel, rank, size, (end){ packed, NULL }, (end){ (char *)source, parcel->source });
}

void lay_unpack_parcel(const lay_parcel *parcel, int rank, size_t size, const void *packed, void *target)
{
    copy(parcel, rank, size, (end){ target, parcel->target }, (end){ (char *)packed, NULL });
}

void lay_move_parcel(const lay_parcel *parcel, int rank, size_t size, const void *source, void *target)
{
    copy(parcel, rank, size, (end){ target, parcel->target }, (end){ (char *)source, parcel->source });
}
