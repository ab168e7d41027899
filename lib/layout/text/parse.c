/* The notation, read: a text becomes a descriptor (docs/notation.md has the grammar).
 *
 *   text := { [name '='] ( dims | grid ) ';' } dims
 *   grid := '(' extent ['!'] ')' { '(' extent ['!'] ')' }
 *   dims := dim { dim }
 *   dim  := '[' extent [':' stride [':' places]] ']'
 *         | '[' [count] dims ']'
 *         | '[' [count ['@' start]] '#' ref ']'
 *         | '[' [count ['@' start]] dims '#' ref ']'
 *   ref  := [name] { '_' number } | number { '_' number }
 *
 * A definition is read into items first, as a leaf's natural stride is known only when all leaves to
 * its right are. */
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "base/status.h"
#include "layout/text/reader.h"

enum { MAX_TEXT = 1 << 16 };

typedef enum item_kind { LEAF, NEST, REFERENCE, RESHAPED } item_kind;

/* One dim of the text. */
typedef struct item {
    item_kind kind;
    int at; /* its first character, counted from 1 */
    int has_count, has_stride;
    int n;                        /* dims inside */
    int64_t count, start, stride; /* count is a leaf's extent */
    int64_t places;               /* that a step of the leaf goes on */
    lay_dim target;               /* what the reference leads to */
    const lay_shape *shape;
    struct item *first, *next; /* inside it; beside it */
} item;

/* The earlier definition that a reference without a name means. */
static const type *find_unnamed(parser *p, int at)
{
    const type *found = NULL;
    for (const type *t = p->newest; t; t = t->earlier) {
        if (t->length > 0)
            continue;
        if (found)
            return lay_read_fail(p, at, LAY_ERR_REFERENCE,
                                 "the reference needs a name: there are several unnamed types");
        found = t;
    }
    return found ? found
                 : lay_read_fail(p, at, LAY_ERR_REFERENCE, "the reference needs a name: there is no unnamed type");
}

static const type *find_named(parser *p, int at, const char *name, int length)
{
    for (const type *t = p->newest; t; t = t->earlier)
        if (t->length == length && memcmp(t->name, name, (size_t)length) == 0)
            return t;
    char sentence[100];
    snprintf(sentence, sizeof sentence, "there is no earlier type named %.*s",
             min_of(length, 40) == length ? length : 40, name);
    return lay_read_fail(p, at, LAY_ERR_REFERENCE, sentence);
}

static int read_name(parser *p)
{
    const char *const name = p->next;
    while (is_letter(*p->next) || is_digit(*p->next))
        p->next++;
    return (int)(p->next - name);
}

/* Behind '#': the dimension that the reference leads to. */
static int read_reference(parser *p, lay_dim *target)
{
    const char first = peek(p);
    const int at = position(p);
    const char *const name = p->next;
    const type *const t = is_letter(first) ? find_named(p, at, name, read_name(p)) : find_unnamed(p, at);
    if (!t)
        return 0;
    int numbers = 0, first_number = 0;
    for (int more = is_digit(first) || take(p, '_'); more; more = take(p, '_'), numbers++) {
        int64_t number;
        peek(p);
        const int here = position(p);
        if (!is_digit(*p->next))
            return lay_read_expect(p, "the number of a dimension"), 0;
        if (!lay_read_number(p, "the number of a dimension", &number))
            return 0;
        if (number >= (numbers == 0 ? t->rank : target->shape->parts))
            return lay_read_fail(p, here, LAY_ERR_REFERENCE, "the reference leads to no dimension"), 0;
        first_number = numbers == 0 ? (int)number : first_number;
        *target = numbers == 0 ? t->dims[number] : lay_dim_part(p->arena, *target, (int)number);
        if (!target->func)
            return lay_read_fail_here(p, at), 0;
    }
    p->mentions |= t->mentions & (t->is_grid && numbers > 0 ? 1U << first_number : ~0U);
    if (numbers == 0)
        *target = lay_dim_whole(p->arena, t->rank, t->dims);
    return target->shape && target->func ? 1 : (lay_read_fail_here(p, at), 0);
}

static item *read_dims(parser *p, int depth, int *n);

/* Behind the count, if there is one: "#ref", "dims" or "dims#ref". */
static int read_inside(parser *p, item *dim, int depth)
{
    if (take(p, '#')) {
        dim->kind = REFERENCE;
        return read_reference(p, &dim->target);
    }
    dim->kind = NEST;
    dim->first = read_dims(p, depth + 1, &dim->n);
    if (!dim->first || !take(p, '#'))
        return dim->first != NULL;
    dim->kind = RESHAPED;
    return read_reference(p, &dim->target);
}

/* Behind a stride: how many places a step goes on, if that is said. */
static int read_places(parser *p, item *dim)
{
    if (!take(p, ':'))
        return 1;
    peek(p);
    const int at = position(p);
    if (!p->grid)
        return lay_read_fail(p, at, LAY_ERR_REFERENCE, "steps over places are given, but no places before"), 0;
    if (!lay_read_number(p, "a number of places", &dim->places))
        return 0;
    if (dim->places <= -p->grid->places || dim->places >= p->grid->places)
        return lay_read_fail(p, at, LAY_ERR_EXTENT, "a step over more places than there are"), 0;
    return 1;
}

static item *read_dim(parser *p, int depth)
{
    item *const dim = lay_arena_take(p->arena, sizeof *dim);
    if (!dim)
        return lay_read_fail_here(p, position(p));
    peek(p);
    dim->at = position(p);
    if (++p->items > LAY_MAX_NODES)
        return lay_read_fail(p, dim->at, LAY_ERR_SYNTAX, "the definition has too many dimensions");
    if (depth > LAY_MAX_DEPTH)
        return lay_read_fail(p, dim->at, LAY_ERR_SYNTAX, "the dimensions are nested too deeply");
    if (!take(p, '['))
        return lay_read_expect(p, "'['");
    const char first = peek(p);
    int inside = first == '[' || first == '#';
    if (!inside) {
        if (!lay_read_count(p, "an extent, '[' or '#'", &dim->count))
            return NULL;
        dim->has_count = 1;
        const int starts = take(p, '@');
        if (starts && !lay_read_count(p, "the first index", &dim->start))
            return NULL;
        const char next = peek(p);
        inside = next == '[' || next == '#';
        dim->has_stride = !starts && take(p, ':');
        if (dim->has_stride && (!lay_read_number(p, "a stride", &dim->stride) || !read_places(p, dim)))
            return NULL;
        if (starts && !inside)
            return lay_read_expect(p, "'[' or '#'");
        if (starts && !read_inside(p, dim, depth))
            return NULL;
        if (starts && dim->kind == NEST)
            return lay_read_expect(p, "'#'");
        inside = inside && !starts;
    }
    if (inside && !read_inside(p, dim, depth))
        return NULL;
    if (!take(p, ']'))
        return lay_read_expect(p, dim->kind != LEAF ? (dim->kind == NEST ? "'[', '#' or ']'" : "'_' or ']'")
                                  : dim->has_stride ? "']'"
                                                    : "']', ':', '@', '#' or '['");
    return dim;
}

static item *read_dims(parser *p, int depth, int *n)
{
    item *const first = read_dim(p, depth);
    *n = 1;
    for (item *last = first; last && peek(p) == '['; last = last->next, ++*n) {
        last->next = read_dim(p, depth);
        if (!last->next)
            return NULL;
    }
    return first;
}

/* ---- meaning ---------------------------------------------------------------------------------- */

/* What the leaves of a definition are; one kind throughout. */
typedef enum leaf_kind { UNKNOWN, NATURAL, STRIDED, ARTIFICIAL } leaf_kind;

static int check_kind(parser *p, const item *dim, leaf_kind *kind)
{
    const leaf_kind own = dim->kind != LEAF ? ARTIFICIAL : dim->has_stride ? STRIDED : NATURAL;
    if (*kind == UNKNOWN)
        *kind = own;
    if (own == *kind)
        return 1;
    const char *const why =
        *kind == ARTIFICIAL ? "a reference is expected, as elsewhere in this definition: a stride would be a guess"
        : own == ARTIFICIAL ? "an extent is expected, as elsewhere in this definition, not a reference"
        : own == STRIDED    ? "no stride is expected, as other leaves of this definition have none"
                            : "a stride is expected, as other leaves of this definition have one";
    return lay_read_fail(p, dim->at, LAY_ERR_SYNTAX, why), 0;
}

static int check_kinds(parser *p, const item *dim, leaf_kind *kind)
{
    for (; dim; dim = dim->next) {
        leaf_kind inner = NATURAL; /* the shape of a reference has extents only */
        if (dim->kind != NEST && !check_kind(p, dim, kind))
            return 0;
        if (dim->first && !check_kinds(p, dim->first, dim->kind == NEST ? kind : &inner))
            return 0;
    }
    return 1;
}

/* Sets the shape of dim and of all in it. */
static const lay_shape *make_shape(parser *p, item *dim)
{
    if (dim->kind == LEAF)
        return dim->shape = lay_shape_leaf(p->arena, dim->count);
    if (dim->kind == REFERENCE) {
        const int64_t extent = dim->target.shape->extent;
        if (dim->start > extent || (dim->has_count && dim->count > extent - dim->start))
            return lay_read_fail(p, dim->at, LAY_ERR_EXTENT, "more indices than the referenced dimension has");
        dim->count = dim->has_count ? dim->count : extent;
        dim->shape = lay_shape_slice(p->arena, dim->target.shape, dim->start, dim->count);
        return dim->shape;
    }
    const lay_shape **const part = lay_arena_take(p->arena, (size_t)dim->n * sizeof *part);
    int c = 0;
    for (item *inner = dim->first; inner && part; inner = inner->next)
        if (!(part[c++] = make_shape(p, inner)))
            return NULL;
    if (part)
        dim->shape = dim->has_count ? lay_shape_short(p->arena, dim->n, part, dim->count)
                                    : lay_shape_list(p->arena, dim->n, part);
    if (!dim->shape)
        return lay_read_fail_here(p, dim->at);
    dim->count = dim->shape->extent;
    if (dim->kind == RESHAPED &&
        (dim->start > dim->target.shape->extent || dim->count > dim->target.shape->extent - dim->start))
        return lay_read_fail(p, dim->at, LAY_ERR_EXTENT, "more indices than the referenced dimension has");
    return dim->shape;
}

/* The natural stride of dim's last leaf, place being that of the last dim beside it. */
static int64_t find_place(const item *dim, int64_t place)
{
    for (const item *right = dim->next; right; right = right->next)
        place = lay_natural_before(place, right->count);
    return place;
}

/* Its function; place is the natural stride of its last leaf. */
static const lay_func *make_func(parser *p, const item *dim, int64_t place)
{
    const lay_func *f = NULL;
    if (dim->kind == REFERENCE || dim->kind == RESHAPED) {
        f = lay_func_range(p->arena, dim->target.func, dim->start, 1, dim->count);
    } else if (dim->kind == LEAF) {
        if (!dim->has_stride && place < 0 && dim->count > 1)
            return lay_read_fail(p, dim->at, LAY_ERR_OVERFLOW, "the natural stride does not fit 63 bits");
        f = lay_func_leaf(p->arena, dim->count, 0, dim->has_stride ? dim->stride : place);
        if (f && f->reach >= LAY_PLACE_REACH)
            p->far_at = dim->at;
        else if (f && dim->places != 0 && dim->count > 1)
            f = lay_func_leaf(p->arena, dim->count, 0, dim->stride + dim->places * LAY_PLACE_STEP);
    } else {
        const lay_func **const part = lay_arena_take(p->arena, (size_t)dim->n * sizeof *part);
        int c = 0;
        for (const item *inner = dim->first; inner && part; inner = inner->next, c++) {
            if (!(part[c] = make_func(p, inner, find_place(inner, place))))
                return NULL;
        }
        f = part ? lay_func_list(p->arena, dim->n, part) : NULL;
        f = f && f->extent > 0 ? lay_func_range(p->arena, f, 0, 1, dim->count) : f;
    }
    return f ? f : lay_read_fail_here(p, dim->at);
}

/* One definition, up to ';' or the end. */
static type *read_definition(parser *p)
{
    int rank;
    p->items = 0;
    p->mentions = 0;
    item *const first = read_dims(p, 1, &rank);
    leaf_kind kind = UNKNOWN;
    if (!first || !check_kinds(p, first, &kind))
        return NULL;
    type *const t = lay_arena_take(p->arena, sizeof *t);
    lay_dim *const dims = lay_arena_take(p->arena, (size_t)rank * sizeof *dims);
    if (!t || !dims)
        return lay_read_fail_here(p, first->at);
    for (item *dim = first; dim; dim = dim->next)
        if (!make_shape(p, dim))
            return lay_read_fail_here(p, dim->at);
    int i = 0;
    for (const item *dim = first; dim; dim = dim->next, i++) {
        dims[i] = (lay_dim){ dim->shape, make_func(p, dim, find_place(dim, 1)) };
        if (!dims[i].func)
            return NULL;
    }
    *t = (type){ .at = first->at, .rank = rank, .dims = dims, .mentions = p->mentions };
    return t;
}

/* The last definition of the text. */
static const type *read_text(parser *p)
{
    for (;;) {
        const int named = is_letter(peek(p)), at = position(p);
        const char *const name = p->next;
        const int length = named ? read_name(p) : 0;
        for (const type *t = p->newest; named && t; t = t->earlier)
            if (t->length == length && memcmp(t->name, name, (size_t)length) == 0)
                return lay_read_fail(p, at, LAY_ERR_SYNTAX, "an earlier type has this name");
        if (named && !take(p, '='))
            return lay_read_expect(p, "'='");
        const char first = peek(p);
        if (first != '[' && first != '(')
            return lay_read_expect(p, named || p->newest ? "'['" : "'[' or a name");
        type *const t = first == '(' ? lay_read_grid(p) : read_definition(p);
        if (!t)
            return NULL;
        if (!named && !t->is_grid && peek(p) == '\0')
            return p->grid && !lay_read_settle_grid(p, t->mentions) ? NULL : t;
        if (t->is_grid && peek(p) != ';')
            return lay_read_expect(p, "'(' or ';'");
        if (!take(p, ';'))
            return lay_read_expect(p, named ? "'[' or ';'" : "'[', ';' or the end of the text");
        t->name = name;
        t->length = length;
        t->earlier = p->newest;
        p->newest = t;
    }
}

lay_status lay_desc_parse(const char *text, lay_desc **out)
{
    if (!text || !out)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", text ? "out" : "text");
    if (strnlen(text, MAX_TEXT) == MAX_TEXT)
        return lay_fail(LAY_ERR_SYNTAX, "at character %d: the text is longer than %d characters", MAX_TEXT,
                        MAX_TEXT - 1);
    lay_arena arena;
    lay_arena_start(&arena, LAY_PARSE_BYTES);
    parser p = { .arena = &arena, .text = text, .next = text };
    const type *const last = read_text(&p);
    const int at = last ? last->at : 1;
    const lay_status status = lay_desc_finish(&arena, last ? last->rank : 0, last ? last->dims : NULL, out);
    return status == LAY_OK ? LAY_OK : lay_read_fail_placed(status, at);
}
