/* Patching: strange rows with all columns, then the other rows with strange columns, each a plain product whose rows
 * and columns are picked from a block. */
#include "cpu/split/split_patch.h"

#include <string.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/packed/pack.h"
#include "threads/parallel.h"

enum { LINES = LAY_CPU_SPLIT_LINES, TASK_PANELS = 16 /* of left: a multiplying task */ };

/* Which lines of a block. */
typedef enum choice { ALL, STRANGE, OTHERS } choice;

typedef struct picked {
    const lay_patch_side *side;
    choice which;
    int64_t count, panels;
    int width; /* mr or nr */
    size_t panel;
    lay_pack_fn *const *pack;
} picked;

typedef struct product {
    const lay_patch *patch;
    picked left, right;
    int64_t chunks; /* of left, in tasks */
} product;

static uint32_t mask_of(const picked *of, int64_t panel)
{
    const int64_t count = min_of(LINES, of->side->count - panel * LINES);
    const uint32_t there = count == LINES ? UINT32_MAX : (1u << count) - 1;
    const uint32_t strange = of->side->lines[panel].strange;
    return of->which == ALL ? there : of->which == STRANGE ? there & strange : there & ~strange;
}

int64_t lay_patch_count(const lay_split_lines lines[], int64_t count)
{
    int64_t strange = 0;
    for (int64_t i = 0; i < ceil_div(count, LINES); i++)
        strange += __builtin_popcount(lines[i].strange);
    return strange;
}

static picked pick(const lay_patch_side *side, choice which, int width, size_t panel, lay_pack_fn *const *pack)
{
    picked made = { .side = side, .which = which, .width = width, .panel = panel, .pack = pack };
    const int64_t strange = lay_patch_count(side->lines, side->count);
    made.count = which == ALL ? side->count : which == STRANGE ? strange : side->count - strange;
    made.panels = ceil_div(made.count, width);
    return made;
}

/* The indices of the picked lines number from .. from + count of all that are picked. */
static void list(const picked *of, int64_t from, int count, int64_t index[])
{
    int64_t panel = 0;
    for (int here; from >= (here = __builtin_popcount(mask_of(of, panel))); panel++)
        from -= here;
    for (int found = 0; found < count; panel++, from = 0)
        for (uint32_t mask = mask_of(of, panel); mask && found < count; mask &= mask - 1)
            if (from-- <= 0)
                index[found++] = of->side->first + panel * LINES + __builtin_ctz(mask);
}

static void find_offsets(const lay_axis *axis, const int64_t index[], int count, int64_t offset[])
{
    for (int i = 0; i < count; i++)
        lay_axis_offsets(axis, index[i], 1, offset + i);
}

static void pack_panel(const product *of, const picked *side, int64_t number)
{
    int64_t index[LAY_MAX_NR], across[LAY_MAX_NR];
    const int64_t first = number * side->width;
    const int w = (int)min_of(side->width, side->count - first);
    char *const to = side->side->room + (size_t)number * side->panel;
    list(side, first, w, index);
    find_offsets(side->side->across, index, w, across);
    if (w < side->width)
        memset(to, 0, side->panel);
    const lay_panel panel = {
        .k = of->patch->k, .w = w, .src = side->side->source, .across = across, .along = side->side->along, .dst = to
    };
    side->pack[lay_offsets_are_unit(across, w) ? LAY_PACK_ACROSS
               : side->side->is_along          ? LAY_PACK_ALONG
                                               : LAY_PACK_ANY](&panel);
}

static void pack_task(void *argument, int64_t number)
{
    const product *of = argument;
    if (number < of->left.panels)
        pack_panel(of, &of->left, number);
    else
        pack_panel(of, &of->right, number - of->left.panels);
}

/* A tile by way of a buffer: its columns may lie anywhere. */
static void multiply_tile(const product *of, lay_tile *tile, const int64_t row[], const int64_t column[])
{
    _Alignas(64) float element[LAY_MAX_TILE_BYTES / sizeof(float)];
    int64_t inner[LAY_MAX_MR];
    const int nr = of->right.width, is_read = !lay_scalar_is(of->patch->beta, LAY_F32, 0);
    float *const c = of->patch->c;
    for (int i = 0; i < tile->m; i++) {
        inner[i] = (int64_t)i * nr;
        for (int j = 0; j < tile->n && is_read; j++)
            element[inner[i] + j] = c[row[i] + column[j]];
    }
    tile->c = element;
    tile->row = inner;
    tile->half = nr / 2;
    of->patch->kernel->tile(tile);
    for (int i = 0; i < tile->m; i++)
        for (int j = 0; j < tile->n; j++)
            c[row[i] + column[j]] = element[inner[i] + j];
}

static void multiply_task(void *argument, int64_t number)
{
    const product *of = argument;
    const int64_t j = number / of->chunks, first = number % of->chunks * TASK_PANELS;
    int64_t index[LAY_MAX_NR], column[LAY_MAX_NR], row[LAY_MAX_MR];
    const int n = (int)min_of(of->right.width, of->right.count - j * of->right.width);
    list(&of->right, j * of->right.width, n, index);
    find_offsets(of->right.side->result, index, n, column);
    const char *const b = of->right.side->room + (size_t)j * of->right.panel;
    for (int64_t i = first; i < min_of(first + TASK_PANELS, of->left.panels); i++) {
        const int m = (int)min_of(of->left.width, of->left.count - i * of->left.width);
        const char *const a = of->left.side->room + (size_t)i * of->left.panel;
        list(&of->left, i * of->left.width, m, index);
        find_offsets(of->left.side->result, index, m, row);
        lay_tile tile = { .k = of->patch->k,
                          .a = a,
                          .b = b,
                          .m = m,
                          .n = n,
                          .alpha = of->patch->alpha,
                          .beta = of->patch->beta,
                          .next_a = a,
                          .next_b = b };
        multiply_tile(of, &tile, row, column);
    }
}

static void multiply_picked(const lay_patch *patch, choice rows, choice columns)
{
    const lay_kernel *kernel = patch->kernel;
    product of = { .patch = patch };
    of.left = pick(&patch->left, rows, kernel->mr, lay_patch_panel(patch->k, kernel->mr), kernel->pack_a);
    of.right = pick(&patch->right, columns, kernel->nr, lay_patch_panel(patch->k, kernel->nr), kernel->pack_b);
    if (of.left.count == 0 || of.right.count == 0)
        return;
    of.chunks = ceil_div(of.left.panels, TASK_PANELS);
    lay_parallel_for(patch->threads, of.left.panels + of.right.panels, pack_task, &of);
    lay_parallel_for(patch->threads, of.right.panels * of.chunks, multiply_task, &of);
}

void lay_patch_run(const lay_patch *patch)
{
    multiply_picked(patch, STRANGE, ALL);
    multiply_picked(patch, OTHERS, STRANGE);
}
