/* The notation, written: a text from which the parser makes an equal descriptor of the same shape.
 *
 * Where every leaf of the shape steps evenly and nothing starts elsewhere, the shape with its strides
 * says it all, and without them where they are the natural ones. Else the function is put together
 * in definitions before, and the last one refers to it with the shape wanted:
 *
 *   radices        A=[3:100][5:1];                 #A is the function
 *   a range        [7@3#A]
 *   a base         the same, from further on; or A=[2:base][3:100][5:1]; B=[1@1#A_0][#A_1][#A_2];
 *   a step of 2    B=[7@3[4][2]#A];                #B_0_0 takes every second of 7
 *
 * Over places the grid is said in front, each dimension without copies marked, and strides have two parts: (2!)(4);
 * [[2:0:4][64:8]][8:1]. */
#include <stdarg.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/status.h"
#include "layout/build.h"

typedef struct writer {
    char *text;
    size_t size, length;
    int types; /* definitions written; number n is named by put_name */
    lay_arena *arena;
    const lay_grid *grid;
} writer;

/* How the last definition says one root dimension: [count@start dims # type path]. */
typedef struct saying {
    int limited; /* count@start is said */
    int shaped;  /* the dims of the shape are */
    int64_t start;
    int type, part; /* part >= 0: _part; WHOLE: none; FLAT: _0_0 */
} saying;
enum { WHOLE = -1, FLAT = -2 };

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const size_t room = w->length < w->size ? w->size - w->length : 0;
    const int more = vsnprintf(room > 0 ? w->text + w->length : NULL, room, format, arguments);
    va_end(arguments);
    w->length += (size_t)more;
}

static void put_name(writer *w, int type)
{
    put(w, "%c", 'A' + type % 26);
    if (type >= 26)
        put(w, "%d", type / 26);
}

static int start_type(writer *w)
{
    put_name(w, w->types);
    put(w, "=");
    return w->types++;
}

static void put_reference(writer *w, int type, int part)
{
    put(w, "#");
    put_name(w, type);
    if (part >= 0)
        put(w, "_%d", part);
    if (part == FLAT)
        put(w, "_0_0");
}

/* The product of its parts' extents is more than it has. */
static int is_short(const lay_shape *shape)
{
    return shape->extent > 0 && shape->extent != lay_shape_place(shape, 0) * shape->part[0]->extent;
}

static void put_strided(writer *w, int64_t extent, int64_t stride)
{
    const int64_t places = w->grid->count > 0 ? lay_place_in(stride) : 0;
    put(w, "[%lld:%lld", (long long)extent, (long long)(stride - places * LAY_PLACE_STEP));
    if (places != 0)
        put(w, ":%lld", (long long)places);
    put(w, "]");
}

/* The dims of a shape; strides, one a leaf, may be NULL. Returns the leaves written. */
static int put_shape(writer *w, const lay_shape *shape, const int64_t strides[])
{
    if (shape->parts == 0) {
        if (strides)
            put_strided(w, shape->extent, *strides);
        else
            put(w, "[%lld]", (long long)shape->extent);
        return 1;
    }
    put(w, "[");
    if (is_short(shape))
        put(w, "%lld", (long long)shape->extent);
    int leaves = 0;
    for (int c = 0; c < shape->parts; c++)
        leaves += put_shape(w, shape->part[c], strides ? strides + leaves : NULL);
    put(w, "]");
    return leaves;
}

/* ---- the strides of a shape's leaves ----------------------------------------------------------- */

/* Fills one stride a leaf; 0 where a leaf does not step evenly. */
static int find_strides(lay_arena *arena, lay_dim dim, int64_t strides[], int *n)
{
    if (!dim.func)
        return 0;
    if (dim.shape->parts == 0) {
        strides[(*n)++] = dim.func->stride;
        return dim.func->parts == 0;
    }
    for (int c = 0; c < dim.shape->parts; c++)
        if (!find_strides(arena, lay_dim_part(arena, dim, c), strides, n))
            return 0;
    return 1;
}

static const lay_func *join_strides(lay_arena *arena, const lay_shape *shape, const int64_t strides[], int *n)
{
    if (shape->parts == 0)
        return lay_func_leaf(arena, shape->extent, 0, strides[(*n)++]);
    const lay_func *part[LAY_MAX_PARTS];
    if (shape->parts > LAY_MAX_PARTS)
        return NULL;
    for (int c = 0; c < shape->parts; c++)
        if (!(part[c] = join_strides(arena, shape->part[c], strides, n)))
            return NULL;
    const lay_func *const f = lay_func_list(arena, shape->parts, part);
    return f && f->extent > 0 ? lay_func_range(arena, f, 0, 1, shape->extent) : f;
}

/* 1 and the strides when the shape with strides says the whole dimension, -1 when memory is out. */
static int says_itself(lay_dim dim, int64_t strides[])
{
    lay_arena arena;
    lay_arena_start(&arena, LAY_VIEW_BYTES);
    arena.quiet = 1;
    int n = 0, joined = 0;
    int says = dim.func->base == 0 && find_strides(&arena, dim, strides, &n);
    if (says) {
        const lay_func *const f = join_strides(&arena, dim.shape, strides, &joined);
        says = f && f->base == 0 && lay_func_same_but_base(f, dim.func);
    }
    says = arena.status == LAY_ERR_MEMORY ? -1 : says;
    lay_arena_free(&arena);
    return says;
}

/* The natural strides are these, and can be computed. place is that of the last leaf, -1 for one
 * that does not fit. strides may hold anything where no element tells (any). */
static int is_natural(const lay_shape *shape, int64_t place, const int64_t strides[], int any)
{
    if (shape->parts == 0) {
        int64_t far;
        return shape->extent <= 1 ||
               (place >= 0 && fits_mul(place, shape->extent - 1, &far) && (any || *strides == place));
    }
    int leaf = shape->leaves;
    for (int c = shape->parts - 1; c >= 0; c--) {
        leaf -= shape->part[c]->leaves;
        if (!is_natural(shape->part[c], place, strides + leaf, any))
            return 0;
        place = lay_natural_before(place, shape->part[c]->extent);
    }
    return 1;
}

/* ---- definitions before the last -------------------------------------------------------------- */

static int put_radices(writer *w, const lay_func *f);

/* A type whose part 0_0 is f, as one dimension without parts. */
static int put_flat(writer *w, const lay_func *f)
{
    const int radices = put_radices(w, f);
    const int type = start_type(w);
    const int64_t spread = f->step * (f->extent - 1) + 1;
    put(w, "[");
    if (!lay_func_is_plain(f))
        put(w, "%lld@%lld", (long long)spread, (long long)f->start);
    put(w, "[%lld]", (long long)f->extent);
    if (f->step > 1)
        put(w, "[%lld]", (long long)f->step);
    put_reference(w, radices, WHOLE);
    put(w, "]; ");
    return type;
}

static void put_leaf(writer *w, const lay_func *f)
{
    put_strided(w, f->full, f->stride);
}

/* A type which, whole, is f before it is cut to a range: its base and its radices. */
static int put_radices(writer *w, const lay_func *f)
{
    const lay_func *const *const part = f->parts ? f->part : &f;
    const int parts = f->parts ? f->parts : 1;
    int flat[LAY_MAX_PARTS], leaves = 0;
    for (int c = 0; c < parts; c++) {
        flat[c] = part[c]->parts > 0 ? put_flat(w, part[c]) : -1;
        leaves += part[c]->parts == 0;
    }
    int strided = -1;
    if (leaves > 0 || f->base != 0) {
        strided = start_type(w);
        if (f->base != 0)
            put_strided(w, 2, f->base);
        for (int c = 0; c < parts; c++)
            if (flat[c] < 0)
                put_leaf(w, part[c]);
        put(w, "; ");
    }
    if (leaves == parts && f->base == 0)
        return strided;
    const int type = start_type(w);
    int next = 0;
    if (f->base != 0) {
        put(w, "[1@1");
        put_reference(w, strided, next++);
        put(w, "]");
    }
    for (int c = 0; c < parts; c++) {
        put(w, "[");
        put_reference(w, flat[c] < 0 ? strided : flat[c], flat[c] < 0 ? next++ : FLAT);
        put(w, "]");
    }
    put(w, "; ");
    return type;
}

/* The range of f in the type that put_radices writes keeps the nesting of that type. */
static int keeps_nesting(const lay_func *f)
{
    const int64_t outer = f->base != 0 ? 1 : f->parts > 0 ? f->part[0]->extent : f->full;
    const int64_t w = f->full / outer;
    return (f->base != 0 || f->parts > 0) &&
           (f->extent == f->full ||
            (f->start % w == 0 && f->extent >= w && (f->extent % w == 0 || f->start + f->extent == f->full)));
}

static saying put_dim(writer *w, lay_dim dim)
{
    const lay_func *const f = dim.func;
    saying s = { .shaped = dim.shape->parts > 0, .part = WHOLE };
    if (f->step > 1 || (!s.shaped && keeps_nesting(f))) {
        s.type = put_flat(w, f);
        s.part = FLAT;
        s.limited = s.shaped && is_short(dim.shape);
        return s;
    }
    s.type = put_radices(w, f);
    s.start = f->start;
    s.limited = s.start > 0 || (s.shaped ? is_short(dim.shape) : f->extent < f->full);
    return s;
}

static void put_last(writer *w, lay_dim dim, const saying *s)
{
    put(w, "[");
    if (s->limited)
        put(w, "%lld", (long long)dim.shape->extent);
    if (s->limited && s->start > 0)
        put(w, "@%lld", (long long)s->start);
    for (int c = 0; s->shaped && c < dim.shape->parts; c++)
        put_shape(w, dim.shape->part[c], NULL);
    put_reference(w, s->type, s->part);
    put(w, "]");
}

/* f with its base said as a range of more first digits, where the base is a multiple of their stride:
 * the rows of a slice start further on. Not normal: for writing only. */
static const lay_func *absorb_base(lay_arena *arena, const lay_func *f)
{
    if (f->base == 0)
        return f;
    const lay_func *const first = f->parts ? f->part[0] : f;
    const int64_t stride = f->extent == 1 ? f->base : first->stride, w = f->full / first->full;
    int64_t skipped, full;
    if (first->parts > 0 || stride == 0 || f->base % stride != 0 || f->base / stride < 0 ||
        !fits_add(first->extent, f->base / stride, &skipped) || !fits_mul(skipped, w, &full))
        return f;
    lay_func *const g = lay_arena_take(arena, sizeof *g + (size_t)f->parts * sizeof g->part[0]);
    if (!g)
        return f;
    *g = *f;
    g->base = 0;
    g->start += full - f->full;
    g->full = full;
    g->stride = f->parts ? 0 : stride;
    for (int c = 0; c < f->parts; c++)
        g->part[c] = c > 0 ? f->part[c] : lay_func_leaf(arena, skipped, 0, stride);
    return f->parts == 0 || g->part[0] ? g : f;
}

/* A slice of an evenly stepping dimension. */
static int is_even_slice(lay_dim dim)
{
    return dim.shape->parts == 0 && dim.func->parts == 0 && dim.func->start > 0;
}

/* dims[i] with says[i]: says itself with the strides from strides[first leaf of i] on. */
static void put_desc(writer *w, int rank, lay_dim dims[], const int says[], const int64_t strides[])
{
    saying saying_of[LAY_MAX_NODES];
    int strided = -1, next = 0;
    for (int i = 0, leaf = 0; i < rank; leaf += dims[i++].shape->leaves) {
        if (!says[i] && w->grid->count == 0)
            dims[i].func = absorb_base(w->arena, dims[i].func);
        if (!says[i] && !is_even_slice(dims[i]))
            continue;
        if (strided < 0)
            strided = start_type(w);
        if (says[i])
            put_shape(w, dims[i].shape, strides + leaf);
        else
            put_leaf(w, dims[i].func);
        saying_of[i] = (saying){ .limited = !says[i], .start = dims[i].func->start, .type = strided, .part = next++ };
    }
    if (strided >= 0)
        put(w, "; ");
    for (int i = 0; i < rank; i++)
        if (!says[i] && !is_even_slice(dims[i]))
            saying_of[i] = put_dim(w, dims[i]);
    for (int i = 0; i < rank; i++)
        put_last(w, dims[i], &saying_of[i]);
}

/* 1 when the shapes with these strides, or without them where *natural, say all of desc; -1 when
 * memory is out. */
static int check_all(const lay_desc *desc, const lay_dim dims[], int says[], int64_t strides[], int *natural)
{
    int all = 1;
    for (int i = 0, leaf = 0; i < desc->rank; leaf += dims[i++].shape->leaves) {
        says[i] = says_itself(dims[i], strides + leaf);
        if (says[i] < 0)
            return -1;
        all = all && says[i];
    }
    int64_t place = 1;
    int leaf = desc->leaves;
    *natural = all && (desc->total > 0 || desc->grid.count == 0); /* natural strides may be more than a place has */
    for (int i = desc->rank - 1; i >= 0 && *natural; i--) {
        leaf -= dims[i].shape->leaves;
        *natural = is_natural(dims[i].shape, place, strides + leaf, dims[i].func->extent == 0);
        place = lay_natural_before(place, dims[i].func->extent);
    }
    return all;
}

static void put_grid(writer *w)
{
    for (int d = 0; d < w->grid->count; d++)
        put(w, "(%lld%s)", (long long)w->grid->dim[d].extent, w->grid->dim[d].is_replicated ? "" : "!");
    if (w->grid->count > 0)
        put(w, "; ");
}

int lay_desc_format(const lay_desc *desc, char *text, size_t size)
{
    if (!desc || (!text && size > 0))
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", desc ? "text" : "desc"), -1;
    lay_arena arena;
    lay_arena_start(&arena, LAY_VIEW_BYTES);
    writer w = { .text = text, .size = size, .arena = &arena, .grid = &desc->grid };
    if (size > 0)
        *text = '\0';
    lay_dim dims[LAY_MAX_NODES];
    for (int i = 0; i < desc->rank; i++)
        dims[i] = lay_dim_load(&arena, desc, i);
    put_grid(&w);
    int says[LAY_MAX_NODES], natural = 0;
    int64_t strides[LAY_MAX_NODES];
    const int all = arena.status == LAY_OK ? check_all(desc, dims, says, strides, &natural) : -1;
    for (int i = 0, leaf = 0; i < desc->rank && all == 1; leaf += dims[i++].shape->leaves)
        put_shape(&w, dims[i].shape, natural ? NULL : strides + leaf);
    if (all == 0)
        put_desc(&w, desc->rank, dims, says, strides);
    lay_arena_free(&arena);
    return all < 0 ? (lay_fail(LAY_ERR_MEMORY, "out of memory for the notation"), -1) : (int)w.length;
}
