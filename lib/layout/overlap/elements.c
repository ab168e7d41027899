/* A descriptor's offsets one by one. */
#include "layout/overlap/elements.h"

#include <stdlib.h>

#include "base/arith.h"
#include "layout/build.h"

enum { CHUNK = 128 };

/* Calls see for every element until it returns 1; returns whether it did. */
static int visit(const lay_desc *desc, int (*see)(void *context, int64_t offset), void *context)
{
    const lay_node *const inner = desc->map[desc->rank - 1];
    const int64_t rows = desc->total > 0 ? desc->total / inner->extent : 0;
    for (int64_t row = 0; row < rows; row++) {
        int64_t x = row, base = 0;
        for (int i = desc->rank - 2; i >= 0; i--) {
            base += lay_map_offset(desc->map[i], x % desc->map[i]->extent);
            x /= desc->map[i]->extent;
        }
        for (int64_t first = 0; first < inner->extent; first += CHUNK) {
            int64_t offset[CHUNK];
            const int64_t count = min_of(CHUNK, inner->extent - first);
            lay_map_offsets(inner, first, count, offset);
            for (int64_t i = 0; i < count; i++)
                if (see(context, base + offset[i]))
                    return 1;
        }
    }
    return 0;
}

/* Every bit of x moves every bit (the finaliser of MurmurHash3): offsets are multiples of strides, so low bits alone or
 * high bits alone may tell them apart. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

static int64_t *find_slot(const lay_elements *elements, int64_t offset)
{
    for (uint64_t at = mix((uint64_t)offset);; at++) {
        int64_t *const slot = &elements->slot[at & elements->mask];
        if (*slot == offset || *slot == LAY_NO_OFFSET)
            return slot;
    }
}

static int insert(void *context, int64_t offset)
{
    lay_elements *const elements = context;
    int64_t *const slot = find_slot(elements, offset);
    if (*slot == offset)
        elements->distinct = 0;
    *slot = offset;
    return 0;
}

int lay_elements_fill(lay_elements *elements, const lay_desc *desc)
{
    if (desc->total > LAY_MAX_ELEMENTS)
        return 0;
    uint64_t slots = 16;
    while (slots < 2 * (uint64_t)desc->total)
        slots *= 2;
    elements->slot = malloc(slots * sizeof *elements->slot);
    if (!elements->slot)
        return -1;
    for (uint64_t i = 0; i < slots; i++)
        elements->slot[i] = LAY_NO_OFFSET;
    elements->mask = slots - 1;
    elements->distinct = 1;
    visit(desc, insert, elements);
    return 1;
}

void lay_elements_free(lay_elements *elements)
{
    free(elements->slot);
}

struct meeting {
    const lay_elements *elements;
    int64_t by;
};

static int meets(void *context, int64_t offset)
{
    const struct meeting *const meeting = context;
    int64_t moved;
    return fits_add(offset, meeting->by, &moved) && moved != LAY_NO_OFFSET &&
           *find_slot(meeting->elements, moved) == moved;
}

int lay_elements_meet(const lay_elements *elements, const lay_desc *desc, int64_t by)
{
    struct meeting meeting = { elements, by };
    return visit(desc, meets, &meeting);
}
