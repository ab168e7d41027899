/* Whether a descriptor maps every index to its own element: from the cheapest proof to the dearest. */
#include "layout/overlap/injective.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "layout/build.h"
#include "layout/desc.h"
#include "layout/overlap/apart.h"
#include "layout/overlap/boxes.h"
#include "layout/overlap/elements.h"

enum { QUICK_BUDGET = 500, LONG_BUDGET = 200000 }; /* choices tried: microseconds; some milliseconds */

static int64_t magnitude(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

static int by_stride(const void *a, const void *b)
{
    const int64_t x = magnitude(((const lay_leaf *)a)->stride), y = magnitude(((const lay_leaf *)b)->stride);
    return (x > y) - (x < y);
}

/* Two choices of digits share an offset exactly when their differences d, -(e-1) <= d <= e-1 each and
 * not all 0, sum to 0. Nearly always each stride outreaches all smaller ones together, and there are
 * none. Else the search: for each leaf, d = 0 in all leaves before it and d >= 1 in it. */
static int box_is_injective(const lay_box *box, int *budget)
{
    qsort(box->leaf, (size_t)box->n, sizeof *box->leaf, by_stride);
    int64_t reach = 0;
    int outreached = 1;
    for (int c = 0; c < box->n; c++) {
        if (box->leaf[c].stride == 0)
            return 0;
        outreached = outreached && magnitude(box->leaf[c].stride) > reach;
        reach += magnitude(box->leaf[c].stride) * (box->leaf[c].extent - 1);
    }
    int answer = 1;
    for (int lead = 0; lead < box->n && !outreached && answer != 0; lead++) {
        lay_term term[2 * LAY_MAX_NODES];
        lay_wide target = -(lay_wide)box->leaf[lead].stride;
        int n = 0;
        term[n++] = (lay_term){ box->leaf[lead].stride, box->leaf[lead].extent - 2 };
        for (int c = lead + 1; c < box->n; c++) {
            const int64_t far = box->leaf[c].extent - 1;
            if (far > INT64_MAX / 2)
                return -1;
            target += (lay_wide)box->leaf[c].stride * far;
            term[n++] = (lay_term){ box->leaf[c].stride, 2 * far };
        }
        const int collides = lay_sum_reaches(n, term, target, budget);
        answer = collides == 1 ? 0 : collides == 0 ? answer : -1;
    }
    return answer;
}

/* Box by box, and every two boxes apart. */
static int boxes_are_injective(lay_arena *arena, const lay_desc *desc, int *budget)
{
    lay_box *const box = lay_arena_take(arena, LAY_MAX_BOXES * sizeof *box);
    const int n = box ? lay_boxes_of(arena, desc, box) : -1;
    int answer = n < 0 ? -1 : 1;
    for (int i = 0; i < n && answer != 0; i++) {
        const int alone = box_is_injective(&box[i], budget);
        answer = alone != 1 ? alone : answer;
        for (int j = 0; j < i && answer != 0; j++) {
            const int meet = lay_boxes_meet(&box[i], &box[j], 0, budget);
            answer = meet == 1 ? 0 : meet == 0 ? answer : -1;
        }
    }
    return answer;
}

static int search(lay_arena *arena, const lay_desc *desc, int budget, int in_pieces)
{
    lay_box around;
    const int exact = lay_box_around(arena, desc, &around);
    if (exact < 0)
        return -1;
    int share = budget;
    const int answer = box_is_injective(&around, &share);
    if (answer == 1 || exact || !in_pieces) /* part of an injective function is injective */
        return answer == 0 && !exact ? -1 : answer;
    return boxes_are_injective(arena, desc, &budget);
}

int lay_injective_quickly(const lay_desc *desc)
{
    if (desc->total <= 1)
        return 1;
    lay_arena arena;
    lay_arena_start(&arena, LAY_VIEW_BYTES);
    arena.quiet = 1;
    const int answer = search(&arena, desc, QUICK_BUDGET, 0);
    lay_arena_free(&arena);
    return answer;
}

int lay_desc_prove_injective(const lay_desc *desc)
{
    if (desc->injective >= 0)
        return desc->injective;
    lay_arena arena;
    lay_arena_start(&arena, LAY_VIEW_BYTES);
    arena.quiet = 1;
    const int answer = search(&arena, desc, LONG_BUDGET, 1);
    lay_arena_free(&arena);
    if (answer >= 0)
        return answer;
    lay_elements elements;
    const int filled = lay_elements_fill(&elements, desc);
    if (filled == 1) {
        lay_elements_free(&elements);
        return elements.distinct;
    }
    if (filled < 0 || arena.status == LAY_ERR_MEMORY) {
        lay_fail(LAY_ERR_MEMORY, "no memory to find out whether two indices share an element");
        return -1;
    }
    return 0;
}

static int has_stride_of_zero(const lay_desc *desc, const char *path)
{
    int64_t stride;
    return lay_desc_extent(desc, path) > 1 && lay_desc_stride(desc, path, &stride) == 1 && stride == 0;
}

/* Of rows and columns that are a constant stride apart: why they meet, or nothing. */
static const char *name_mistake(const int64_t extent[2], const int64_t stride[2])
{
    const int64_t row = magnitude(stride[0]), column = magnitude(stride[1]);
    if (extent[0] > 1 && row == 0)
        return ": the row stride is 0";
    if (extent[1] > 1 && column == 0)
        return ": the column stride is 0";
    if (column == 1 && row < extent[1])
        return ": the row stride is less than the number of columns";
    if (row == 1 && column < extent[0])
        return ": the column stride is less than the number of rows";
    return "";
}

lay_status lay_desc_refuse_shared(const lay_desc *desc, const char *name)
{
    static const char *const path[] = { "0", "1" };
    int64_t extent[2], stride[2];
    int is_strided = desc->rank == 2;
    for (int i = 0; i < 2 && is_strided; i++) {
        extent[i] = lay_desc_extent(desc, path[i]);
        is_strided = lay_desc_stride(desc, path[i], &stride[i]) == 1;
    }
    if (is_strided)
        return lay_fail(
            LAY_ERR_INJECTIVE,
            "%s cannot be shown to give every index an element of its own: it has %lld rows with stride %lld "
            "and %lld columns with stride %lld%s",
            name, (long long)extent[0], (long long)stride[0], (long long)extent[1], (long long)stride[1],
            name_mistake(extent, stride));
    char notation[120]; /* its beginning: layouts may be long */
    const int length = lay_desc_format(desc, notation, sizeof notation);
    if (length < 0)
        return LAY_ERR_MEMORY;
    if (length >= (int)sizeof notation)
        memcpy(notation + sizeof notation - 4, "...", 4);
    return lay_fail(LAY_ERR_INJECTIVE, "%s cannot be shown to give every index an element of its own: it is %s%s", name,
                    notation, desc->rank == 3 && has_stride_of_zero(desc, "0") ? ": the batch stride is 0" : "");
}

int lay_desc_is_injective(const lay_desc *desc)
{
    if (!desc)
        return lay_fail(LAY_ERR_ARGUMENT, "desc is NULL"), 0;
    return lay_desc_prove_injective(desc) == 1;
}
