/* Whether two descriptors' elements stay clear of each other in memory. */
#include "layout/overlap/apart.h"

#include <assert.h>

#include "base/status.h"
#include "layout/build.h"
#include "layout/overlap/elements.h"

enum { BUDGET = 200000 }; /* choices tried: some milliseconds */

int lay_boxes_meet(const lay_box *a, const lay_box *b, lay_wide by, int *budget)
{
    if ((lay_wide)a->highest < b->lowest + by || b->highest + by < (lay_wide)a->lowest)
        return 0;
    if (a->n + b->n > LAY_MAX_TERMS || --*budget < 0)
        return -1;
    lay_term term[LAY_MAX_TERMS];
    int n = 0;
    for (int c = 0; c < a->n; c++)
        term[n++] = (lay_term){ a->leaf[c].stride, a->leaf[c].extent - 1 };
    for (int c = 0; c < b->n; c++)
        term[n++] = (lay_term){ -b->leaf[c].stride, b->leaf[c].extent - 1 };
    return lay_sum_reaches(n, term, b->base + by - a->base, budget);
}

/* As lay_boxes_meet for whole descriptors. */
static int search(lay_arena *arena, const lay_desc *a, const lay_desc *b, lay_wide by)
{
    lay_box around[2];
    const int exact_a = lay_box_around(arena, a, &around[0]);
    const int exact_b = lay_box_around(arena, b, &around[1]);
    if (exact_a < 0 || exact_b < 0)
        return -1;
    int budget = BUDGET;
    const int answer = lay_boxes_meet(&around[0], &around[1], by, &budget);
    if (answer == 0 || (exact_a && exact_b))
        return answer;
    lay_box *const box = lay_arena_take(arena, 2 * LAY_MAX_BOXES * sizeof *box);
    const int m = box ? lay_boxes_of(arena, a, box) : -1;
    const int n = box ? lay_boxes_of(arena, b, box + LAY_MAX_BOXES) : -1;
    budget = BUDGET;
    int meet = m < 0 || n < 0 ? -1 : 0;
    for (int i = 0; i < m && meet != 1; i++)
        for (int j = 0; j < n && meet != 1; j++) {
            const int both = lay_boxes_meet(&box[i], &box[LAY_MAX_BOXES + j], by, &budget);
            meet = both != 0 ? both : meet;
        }
    return meet;
}

/* 1 when an element of a may be one of b plus by, 0 when none is, -1 when memory was out before that
 * was known. */
static int may_meet(const lay_desc *a, const lay_desc *b, lay_wide by)
{
    if (a->highest < b->lowest + by || b->highest + by < a->lowest)
        return 0;
    lay_arena arena;
    lay_arena_start(&arena, LAY_VIEW_BYTES);
    arena.quiet = 1;
    int meet = search(&arena, a, b, by);
    lay_arena_free(&arena);
    if (meet >= 0)
        return meet;
    lay_elements elements;
    int filled = 0;
    if (b->total <= LAY_MAX_ELEMENTS && by >= -INT64_MAX && by <= INT64_MAX)
        filled = lay_elements_fill(&elements, a);
    if (filled == 1) {
        meet = lay_elements_meet(&elements, b, (int64_t)by);
        lay_elements_free(&elements);
        return meet;
    }
    return filled < 0 || arena.status == LAY_ERR_MEMORY ? -1 : 1;
}

/* With b_zero - a_zero = q * size + r, element i of a and j of b share a byte exactly when their
 * offsets differ by q, or, where r > 0, by q + 1. */
int lay_desc_is_apart(const lay_desc *a, const void *a_zero, const lay_desc *b, const void *b_zero, size_t size)
{
    assert(size > 0);
    if (a->total == 0 || b->total == 0)
        return 1;
    const lay_wide distance = (lay_wide)(uintptr_t)b_zero - (lay_wide)(uintptr_t)a_zero;
    lay_wide q = distance / (lay_wide)size, r = distance % (lay_wide)size;
    if (r < 0) {
        r += size;
        q--;
    }
    int meet = may_meet(a, b, q);
    if (meet == 0 && r > 0)
        meet = may_meet(a, b, q + 1);
    if (meet < 0)
        lay_fail(LAY_ERR_MEMORY, "no memory to find out whether two operands overlap");
    return meet < 0 ? -1 : !meet;
}

/* A descriptor's offsets in bytes fit: it was checked for that. */
static lay_wide address(const void *zero, int64_t offset, size_t size)
{
    return (lay_wide)(uintptr_t)zero + (lay_wide)offset * (lay_wide)size;
}

int lay_desc_is_clear(const lay_desc *a, const void *a_zero, size_t a_size, const lay_desc *b, const void *b_zero,
                      size_t b_size)
{
    if (a_size == b_size)
        return lay_desc_is_apart(a, a_zero, b, b_zero, a_size);
    return a->total == 0 || b->total == 0 ||
           address(a_zero, a->highest + 1, a_size) <= address(b_zero, b->lowest, b_size) ||
           address(b_zero, b->highest + 1, b_size) <= address(a_zero, a->lowest, a_size);
}
