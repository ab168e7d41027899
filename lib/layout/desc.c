/* Descriptors: making and freeing them, and what the library may ask of them. */
#include "layout/desc.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/status.h"
#include "layout/build.h"
#include "layout/overlap/injective.h"
#include "layout/spread.h"

/* Root dimension i's function as offsets at a place; to has room for LAY_MAX_NODES. */
static const lay_node *narrow(const lay_desc *desc, int i, lay_node to[])
{
    const lay_node *const map = desc->map[i];
    for (int n = 0; n < map->size; n++) {
        to[n] = map[n];
        to[n].base = lay_offset_in(map[n].base);
        to[n].stride = lay_offset_in(map[n].stride);
    }
    return to;
}

/* The span of the sum of the dimensions; total is set. */
static int set_span(lay_desc *desc)
{
    desc->lowest = 0;
    desc->highest = -1;
    if (desc->total == 0)
        return 1;
    desc->highest = 0;
    int budget = LAY_SPAN_BUDGET;
    for (int i = 0; i < desc->rank; i++) {
        int64_t low, high;
        lay_node narrowed[LAY_MAX_NODES];
        const lay_node *const map = desc->grid.count > 0 ? narrow(desc, i, narrowed) : desc->map[i];
        lay_map_span(map, 0, map->extent - 1, &budget, &low, &high);
        if (!fits_add(desc->lowest, low, &desc->lowest) || !fits_add(desc->highest, high, &desc->highest))
            return 0;
    }
    return 1;
}

static uint64_t hash_words(const int64_t word[], size_t count)
{
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ (uint64_t)word[i]) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    return hash;
}

static void set_key(lay_desc *desc, int64_t key[], size_t nodes)
{
    key[0] = desc->rank;
    key[1] = 0;
    memcpy(key + 2, desc->map[0], nodes * sizeof(lay_node));
    for (int i = 0; i < desc->rank; i++) {
        lay_node *const root = (lay_node *)(key + 2) + (desc->map[i] - desc->map[0]);
        key[1] += root->base;
        root->base = 0;
    }
    desc->key = key;
    desc->key_size = 2 * sizeof key[0] + nodes * sizeof(lay_node);
    desc->hash = hash_words(key, desc->key_size / sizeof key[0]);
}

static int is_empty(int rank, const lay_dim dims[])
{
    for (int i = 0; i < rank; i++)
        if (dims[i].func->extent == 0)
            return 1;
    return 0;
}

/* Everything that creation promises about sizes: the elements can be counted, and no sum of offsets
 * in any order leaves 63 bits. */
static lay_status check_sizes(int rank, const lay_dim dims[], int64_t *total, size_t *nodes, size_t *shapes)
{
    int64_t reach = 0;
    *nodes = *shapes = 0;
    for (int i = 0; i < rank; i++) {
        *nodes += (size_t)dims[i].func->size;
        *shapes += (size_t)dims[i].shape->size;
        if (!fits_add(reach, dims[i].func->reach, &reach))
            return lay_fail(LAY_ERR_OVERFLOW, "the offsets do not fit 63 bits");
    }
    *total = is_empty(rank, dims) ? 0 : 1;
    for (int i = 0; i<rank && * total> 0; i++)
        if (!fits_mul(*total, dims[i].func->extent, total))
            return lay_fail(LAY_ERR_OVERFLOW, "the number of elements does not fit 63 bits");
    if (*nodes > LAY_MAX_NODES || *shapes > LAY_MAX_NODES)
        return lay_fail(LAY_ERR_UNSUPPORTED, "a layout of more than %d dimensions", LAY_MAX_NODES);
    return LAY_OK;
}

/* Bounds every offset at a place, and every partial sum; INT64_MAX: none does. */
static int64_t narrow_reach(const lay_func *f)
{
    const int64_t base = lay_offset_in(f->base), stride = lay_offset_in(f->stride);
    int64_t far = 0, sum = base < 0 ? -base : base;
    if (f->parts == 0 && !fits_mul(stride < 0 ? -stride : stride, max_of(f->extent - 1, 0), &far))
        return INT64_MAX;
    if (!fits_add(sum, far, &sum))
        return INT64_MAX;
    for (int c = 0; c < f->parts; c++)
        if (!fits_add(sum, narrow_reach(f->part[c]), &sum))
            return INT64_MAX;
    return sum;
}

/* What creation promises of a layout over places. */
static lay_status check_places(const lay_grid *grid, int rank, const lay_dim dims[])
{
    lay_spread spread;
    int64_t reach = 0;
    for (int i = 0; i < rank; i++)
        if (!fits_add(reach, narrow_reach(dims[i].func), &reach) || reach >= LAY_PLACE_REACH)
            return lay_fail(LAY_ERR_OVERFLOW, "the offsets at a place do not fit %d bits", LAY_PLACE_BITS - 2);
    const char *const why = lay_spread_find(grid, rank, dims, &spread);
    return why ? lay_fail(LAY_ERR_REFERENCE, "%s", why) : LAY_OK;
}

static lay_status make_desc(int rank, const lay_dim dims[], const lay_grid *grid, lay_desc **out)
{
    int64_t total = 0;
    size_t nodes, shapes;
    lay_status status = check_sizes(rank, dims, &total, &nodes, &shapes);
    if (status == LAY_OK && grid && grid->count > 0 && total > 0)
        status = check_places(grid, rank, dims);
    if (status != LAY_OK)
        return status;
    const size_t roots = (size_t)rank * sizeof(void *);
    const size_t key_size = 2 * sizeof(int64_t) + nodes * sizeof(lay_node);
    lay_desc *const desc =
        malloc(sizeof *desc + 2 * roots + nodes * sizeof(lay_node) + key_size + shapes * sizeof(lay_shape_node));
    if (!desc)
        return lay_fail(LAY_ERR_MEMORY, "out of memory for a descriptor");
    *desc = (lay_desc){ .rank = rank, .total = total, .grid = grid ? *grid : (lay_grid){ .places = 1 } };
    desc->map = (const lay_node **)(desc + 1);
    desc->shape = (const lay_shape_node **)(desc->map + rank);
    lay_node *map = (lay_node *)(desc->shape + rank);
    int64_t *const key = (int64_t *)(map + nodes);
    lay_shape_node *shape = (lay_shape_node *)(key + key_size / sizeof *key);
    for (int i = 0; i < rank; i++) {
        desc->leaves += dims[i].shape->leaves;
        lay_func_store(dims[i].func, map);
        lay_shape_store(dims[i].shape, shape);
        desc->map[i] = map;
        desc->shape[i] = shape;
        map += dims[i].func->size;
        shape += dims[i].shape->size;
    }
    set_key(desc, key, nodes);
    if (!set_span(desc)) {
        free(desc);
        return lay_fail(LAY_ERR_OVERFLOW, "the offsets do not fit 63 bits");
    }
    desc->injective = lay_injective_quickly(desc);
    *out = desc;
    return LAY_OK;
}

lay_status lay_desc_finish(lay_arena *arena, int rank, const lay_dim dims[], lay_desc **out)
{
    lay_dim nowhere[LAY_MAX_NODES];
    if (arena->grid && arena->grid->count > 0 && rank <= LAY_MAX_NODES && is_empty(rank, dims)) {
        for (int i = 0; i < rank; i++) /* where no element lies, none lies at a place */
            nowhere[i] = (lay_dim){ .shape = dims[i].shape, .func = lay_func_leaf(arena, dims[i].func->extent, 0, 0) };
        dims = nowhere;
    }
    const lay_status status = arena->status == LAY_OK ? make_desc(rank, dims, arena->grid, out) : arena->status;
    lay_arena_free(arena);
    return status;
}

void lay_desc_destroy(lay_desc *desc)
{
    free(desc);
}

/* Each dimension a leaf; strides NULL: row-major and dense. */
static lay_status make_leaves(int ndim, const int64_t extents[], const int64_t strides[], lay_desc **out)
{
    if (!extents || !out)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", extents ? "out" : "extents");
    if (ndim < 1 || ndim > LAY_MAX_NODES)
        return lay_fail(LAY_ERR_RANK, "%d dimensions, where 1 to %d are meant", ndim, LAY_MAX_NODES);
    for (int i = 0; i < ndim; i++)
        if (extents[i] < 0)
            return lay_fail(LAY_ERR_EXTENT, "dimension %d has the negative extent %lld", i, (long long)extents[i]);
    lay_arena arena;
    lay_arena_start(&arena, LAY_VIEW_BYTES);
    lay_dim dims[LAY_MAX_NODES];
    int64_t place = 1;
    for (int i = ndim - 1; i >= 0; i--) {
        if (!strides && place < 0 && extents[i] > 1)
            lay_arena_fail(&arena, LAY_ERR_OVERFLOW, "the stride of dimension %d does not fit 63 bits", i);
        dims[i].shape = lay_shape_leaf(&arena, extents[i]);
        dims[i].func = lay_func_leaf(&arena, extents[i], 0, strides ? strides[i] : place);
        place = lay_natural_before(place, extents[i]);
    }
    return lay_desc_finish(&arena, ndim, dims, out);
}

lay_status lay_desc_natural(int ndim, const int64_t extents[], lay_desc **out)
{
    return make_leaves(ndim, extents, NULL, out);
}

lay_status lay_desc_strided(int ndim, const int64_t extents[], const int64_t strides[], lay_desc **out)
{
    if (!strides)
        return lay_fail(LAY_ERR_ARGUMENT, "strides is NULL");
    return make_leaves(ndim, extents, strides, out);
}

const lay_node *lay_desc_map(const lay_desc *desc, int i)
{
    return desc->map[i];
}

const void *lay_desc_key(const lay_desc *desc, size_t *size)
{
    *size = desc->key_size;
    return desc->key;
}

uint64_t lay_desc_hash(const lay_desc *desc)
{
    return desc->hash;
}
