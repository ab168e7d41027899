/* Places as digits: found, set, and taken out of a function. */
#include "layout/spread.h"

#include "base/arith.h"

/* ---- the digits ------------------------------------------------------------------------------- */

static void add_digit(lay_spread *spread, lay_place_digit digit)
{
    int at = spread->count++;
    for (; at > 0 && spread->digit[at - 1].step < digit.step; at--)
        spread->digit[at] = spread->digit[at - 1];
    spread->digit[at] = digit;
}

static void collect(lay_spread *spread, int root, const lay_func *f)
{
    const int64_t step = f->parts == 0 ? lay_place_in(f->stride) : 0;
    for (int c = 0; c < f->parts; c++)
        collect(spread, root, f->part[c]);
    if (step == 0 || f->extent < 2)
        return;
    if (step < 0)
        spread->base[root] += step * (f->extent - 1);
    add_digit(spread, (lay_place_digit){ f, root, step < 0, f->extent, step < 0 ? -step : step, 0 });
}

const char *lay_spread_find(const lay_grid *grid, int rank, const lay_dim dims[], lay_spread *spread)
{
    spread->count = 0;
    spread->first = 0;
    for (int i = 0; i < rank; i++) {
        spread->base[i] = lay_place_in(dims[i].func->base);
        collect(spread, i, dims[i].func);
        spread->first += spread->base[i];
    }
    int64_t step = grid->places, most = 0;
    for (int d = 0; d < grid->count; d++) {
        step /= grid->dim[d].extent;
        if (grid->dim[d].is_replicated)
            add_digit(spread, (lay_place_digit){ NULL, -1, 0, grid->dim[d].extent, step, 0 });
    }
    for (int d = spread->count - 1; d >= 0; d--) {
        int64_t far;
        if (spread->digit[d].step <= most)
            return "a dimension of places is used twice, or has copies and is used";
        if (!fits_mul(spread->digit[d].step, spread->digit[d].extent - 1, &far) || !fits_add(most, far, &most))
            return "there are more places than a layout may have";
    }
    if (spread->first < 0 || most >= grid->places - spread->first)
        return "the layout leads to places that there are not";
    return NULL;
}

int64_t lay_spread_at(lay_spread *spread, int64_t place)
{
    int64_t rest = place - spread->first, copy = 0;
    for (int d = 0; d < spread->count && rest >= 0; d++) {
        lay_place_digit *const digit = &spread->digit[d];
        digit->digit = rest / digit->step;
        if (digit->digit >= digit->extent)
            return -1;
        rest -= digit->digit * digit->step;
        copy = digit->leaf ? copy : copy * digit->extent + digit->digit;
    }
    return rest == 0 ? copy : -1;
}

int64_t lay_spread_value(const lay_spread *spread, int root)
{
    int64_t value = spread->base[root];
    for (int d = 0; d < spread->count; d++)
        if (spread->digit[d].root == root)
            value += spread->digit[d].digit * spread->digit[d].step;
    return value;
}

/* ---- what they keep --------------------------------------------------------------------------- */

/* The digit of a leaf that is fixed, -1 where it is free. */
static int64_t fixed_digit(const lay_spread *spread, const lay_func *leaf)
{
    for (int d = 0; d < spread->count; d++) {
        const lay_place_digit *const digit = &spread->digit[d];
        if (digit->leaf == leaf)
            return digit->is_reversed ? digit->extent - 1 - digit->digit : digit->digit;
    }
    return -1;
}

static int has_fixed(const lay_spread *spread, const lay_func *f)
{
    if (f->parts == 0)
        return fixed_digit(spread, f) >= 0;
    for (int c = 0; c < f->parts; c++)
        if (has_fixed(spread, f->part[c]))
            return 1;
    return 0;
}

/* Whether index x of f is kept. */
static int is_kept(const lay_spread *spread, const lay_func *f, int64_t x)
{
    if (f->parts == 0) {
        const int64_t digit = fixed_digit(spread, f);
        return digit < 0 || digit == x;
    }
    x = f->start + f->step * x;
    for (int c = f->parts - 1; c >= 0; c--) {
        const int64_t extent = f->part[c]->extent;
        if (!is_kept(spread, f->part[c], c > 0 ? x % extent : x))
            return 0;
        x /= extent;
    }
    return 1;
}

static int64_t count_below(const lay_spread *spread, const lay_func *f, int64_t x);

/* How many values of the radices of f, before start and step, below y are kept: the digits in front decide first. */
static int64_t count_radices(const lay_spread *spread, const lay_func *f, int64_t y)
{
    int64_t kept = 0, place = f->full, behind = 1;
    for (int c = 0; c < f->parts; c++)
        behind *= count_below(spread, f->part[c], f->part[c]->extent);
    if (y >= f->full || behind == 0)
        return behind;
    for (int c = 0; c < f->parts; c++) {
        const lay_func *const part = f->part[c];
        place /= part->extent;
        const int64_t x = y / place;
        y -= x * place;
        behind /= count_below(spread, part, part->extent);
        kept += count_below(spread, part, x) * behind;
        if (!is_kept(spread, part, x))
            break;
    }
    return kept;
}

/* How many indices of f below x, 0 <= x <= extent, are kept. Step 1 where any digit is fixed. */
static int64_t count_below(const lay_spread *spread, const lay_func *f, int64_t x)
{
    if (f->parts == 0) {
        const int64_t digit = fixed_digit(spread, f);
        return digit < 0 ? x : x > digit;
    }
    return has_fixed(spread, f) ? count_radices(spread, f, f->start + x) - count_radices(spread, f, f->start) : x;
}

static int has_step(const lay_spread *spread, const lay_func *f)
{
    if (f->step > 1 && has_fixed(spread, f))
        return 1;
    for (int c = 0; c < f->parts; c++)
        if (has_step(spread, f->part[c]))
            return 1;
    return 0;
}

/* Values of the radices that are kept lie in the order that they had, so of a range a range is kept. */
static const lay_func *keep(lay_arena *arena, const lay_spread *spread, const lay_func *f)
{
    const int64_t base = lay_offset_in(f->base);
    const int64_t digit = f->parts == 0 ? fixed_digit(spread, f) : -1;
    const lay_func *part[LAY_MAX_PARTS];
    if (digit >= 0)
        return lay_func_leaf(arena, 1, base + lay_offset_in(f->stride) * digit, 0);
    if (!has_fixed(spread, f))
        return lay_func_shift(arena, f, base - f->base);
    for (int c = 0; c < f->parts; c++)
        if (!(part[c] = keep(arena, spread, f->part[c])))
            return NULL;
    const int64_t first = count_radices(spread, f, f->start);
    const lay_func *const radices = lay_func_list(arena, f->parts, part);
    const lay_func *const range =
        radices ? lay_func_range(arena, radices, first, 1, count_radices(spread, f, f->start + f->extent) - first)
                : NULL;
    return lay_func_shift(arena, range, base);
}

const lay_func *lay_spread_local(lay_arena *arena, const lay_spread *spread, const lay_func *f)
{
    if (has_step(spread, f))
        return lay_arena_fail(arena, LAY_ERR_UNSUPPORTED,
                              "a step that cuts across digits of places leaves no layout at one of them");
    return keep(arena, spread, f);
}
