/* Questions to a descriptor: extents, strides, offsets, contiguity, span. */
#include <stdint.h>

#include "base/arith.h"
#include "base/status.h"
#include "layout/build.h"

static int lacks(const lay_desc *desc)
{
    if (!desc)
        lay_fail(LAY_ERR_ARGUMENT, "desc is NULL");
    return !desc;
}

static int leads_nowhere(const char *path)
{
    lay_fail(LAY_ERR_REFERENCE, "the path \"%.40s\" leads to no dimension", path);
    return -1;
}

static const lay_shape_node *pick_part(const lay_shape_node *node, int c)
{
    const lay_shape_node *part = node + 1;
    while (c-- > 0)
        part += part->size;
    return part;
}

/* The shape at a path of at least one number; NULL when it leads nowhere. */
static const lay_shape_node *find_shape(const lay_desc *desc, int n, const int number[])
{
    if (number[0] >= desc->rank)
        return NULL;
    const lay_shape_node *node = desc->shape[number[0]];
    for (int i = 1; i < n; i++) {
        if (number[i] >= node->parts)
            return NULL;
        node = pick_part(node, number[i]);
    }
    return node;
}

int lay_desc_rank(const lay_desc *desc)
{
    return lacks(desc) ? 0 : desc->rank;
}

int lay_desc_parts(const lay_desc *desc, const char *path)
{
    int number[LAY_MAX_DEPTH];
    const int n = lacks(desc) ? -1 : lay_path_read(path, number);
    if (n <= 0)
        return n < 0 ? -1 : desc->rank;
    const lay_shape_node *const node = find_shape(desc, n, number);
    return node ? node->parts : leads_nowhere(path);
}

int64_t lay_desc_extent(const lay_desc *desc, const char *path)
{
    int number[LAY_MAX_DEPTH];
    const int n = lacks(desc) ? -1 : lay_path_read(path, number);
    if (n <= 0)
        return n < 0 ? -1 : desc->total;
    const lay_shape_node *const node = find_shape(desc, n, number);
    return node ? node->extent : leads_nowhere(path);
}

int lay_desc_stride(const lay_desc *desc, const char *path, int64_t *stride)
{
    int number[LAY_MAX_DEPTH];
    const int n = lacks(desc) ? -1 : lay_path_read(path, number);
    if (n < 0)
        return -1;
    if (n > 0 && !find_shape(desc, n, number))
        return leads_nowhere(path);
    lay_arena arena;
    lay_arena_start(&arena, LAY_VIEW_BYTES);
    lay_dim dims[LAY_MAX_NODES];
    for (int i = 0; i < desc->rank; i++)
        dims[i] = lay_dim_load(&arena, desc, i);
    lay_dim dim = n == 0 ? lay_dim_whole(&arena, desc->rank, dims) : dims[number[0]];
    for (int i = 1; i < n; i++)
        dim = lay_dim_part(&arena, dim, number[i]);
    int steps = -1;
    if (arena.status == LAY_OK) {
        steps = dim.func->parts == 0 && (desc->grid.count == 0 || lay_place_in(dim.func->stride) == 0);
        if (steps && stride)
            *stride = dim.func->stride;
    }
    lay_arena_free(&arena);
    return steps;
}

int lay_desc_is_contiguous(const lay_desc *desc, const char *path)
{
    int64_t stride = 0;
    const int steps = lay_desc_stride(desc, path, &stride);
    return steps != 1 ? steps : stride == 1 || lay_desc_extent(desc, path) <= 1;
}

/* The index of node from its leaves' indices, which it takes from *index on; -1 out of range. */
static int64_t index_of(const lay_shape_node *node, const int64_t **index)
{
    if (node->parts == 0) {
        const int64_t i = *(*index)++;
        return i >= 0 && i < node->extent ? i : -1;
    }
    int64_t x = 0;
    int inside = node->extent > 0;
    const lay_shape_node *part = node + 1;
    for (int c = 0; c < node->parts; c++, part += part->size) {
        const int64_t digit = index_of(part, index);
        inside = inside && digit >= 0;
        if (inside)
            x = x * part->extent + digit;
    }
    return inside && x < node->extent ? x : -1;
}

static int64_t fail_range(int at, const int64_t index[])
{
    lay_fail(LAY_ERR_EXTENT, "index %lld, number %d, is out of range", (long long)index[at], at);
    return LAY_NO_OFFSET;
}

static int64_t offset_of_number(const lay_desc *desc, const int64_t number[])
{
    if (number[0] < 0 || number[0] >= desc->total)
        return fail_range(0, number);
    int64_t x = number[0], offset = 0;
    for (int i = desc->rank - 1; i >= 0; i--) {
        const int64_t extent = desc->map[i]->extent;
        offset += lay_map_offset(desc->map[i], x % extent);
        x /= extent;
    }
    return offset;
}

int64_t lay_desc_wide(const lay_desc *desc, int n, const int64_t index[])
{
    if (lacks(desc))
        return LAY_NO_OFFSET;
    if (!index) {
        lay_fail(LAY_ERR_ARGUMENT, "index is NULL");
        return LAY_NO_OFFSET;
    }
    int64_t offset = 0;
    if (n == desc->rank) {
        for (int i = 0; i < n; i++) {
            if (index[i] < 0 || index[i] >= desc->map[i]->extent)
                return fail_range(i, index);
            offset += lay_map_offset(desc->map[i], index[i]);
        }
        return offset;
    }
    if (n == 1)
        return offset_of_number(desc, index);
    if (n != desc->leaves) {
        lay_fail(LAY_ERR_RANK, "%d indices, where 1, %d (rank) or %d (leaves) are meant", n, desc->rank, desc->leaves);
        return LAY_NO_OFFSET;
    }
    const int64_t *next = index;
    for (int i = 0; i < desc->rank; i++) {
        const int64_t *const from = next;
        const int64_t x = index_of(desc->shape[i], &next);
        if (x < 0)
            return fail_range((int)(from - index), index);
        offset += lay_map_offset(desc->map[i], x);
    }
    return offset;
}

int64_t lay_desc_offset(const lay_desc *desc, int n, const int64_t index[])
{
    const int64_t wide = lay_desc_wide(desc, n, index);
    return wide == LAY_NO_OFFSET || desc->grid.count == 0 ? wide : lay_offset_in(wide);
}

void lay_desc_span(const lay_desc *desc, int64_t *lowest, int64_t *highest)
{
    const int nothing = lacks(desc);
    if (lowest)
        *lowest = nothing ? 0 : desc->lowest;
    if (highest)
        *highest = nothing ? -1 : desc->highest;
}

int64_t lay_desc_bytes(lay_type type, const lay_desc *desc)
{
    const int64_t size = (int64_t)lay_type_size(type);
    int64_t elements, bytes;
    if (lacks(desc))
        return -1;
    if (size == 0) {
        lay_fail(LAY_ERR_TYPE, "%d is no lay_type", (int)type);
        return -1;
    }
    if (lay_desc_refuse_places(desc, "the layout") != LAY_OK)
        return -1;
    if (desc->highest < desc->lowest)
        return 0;
    if (__builtin_sub_overflow(desc->highest, desc->lowest, &elements) || !fits_add(elements, 1, &elements) ||
        !fits_mul(elements, size, &bytes)) {
        lay_fail(LAY_ERR_OVERFLOW, "the descriptor's span does not fit 63 bits in bytes");
        return -1;
    }
    return bytes;
}
