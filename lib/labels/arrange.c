/* From labels to matrices: what each label is to a product, and the dimensions of A, B and C that follow. */
#include "labels/labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/status.h"
#include "base/text.h"
#include "layout/build.h"
#include "layout/places.h"

/* The dimension of the tensor that has the label, from `from` on; -1: none. */
static int find(const lay_labels *labels, int which, int64_t label, int from)
{
    for (int i = from; i < labels->count[which]; i++)
        if (labels->label[which][i] == label)
            return i;
    return -1;
}

static int has(const lay_labels *labels, int which, int64_t label)
{
    return find(labels, which, label, 0) >= 0;
}

static lay_label_role role_of(const lay_labels *labels, int64_t label)
{
    const int in_a = has(labels, LAY_LABEL_A, label), in_b = has(labels, LAY_LABEL_B, label);
    if (!has(labels, LAY_LABEL_C, label))
        return LAY_ROLE_K;
    return in_a && in_b ? LAY_ROLE_BATCH : in_b ? LAY_ROLE_N : LAY_ROLE_M;
}

/* Of labels that are summed: what they are ordered by. */
typedef struct summed {
    int64_t label, extent;
    uint64_t step; /* by which the larger operand steps along it, if that decides; else 0 */
} summed;

/* The last varies fastest: small steps, long extents, great labels. */
static int compare(const void *x, const void *y)
{
    const summed *a = x, *b = y;
    if (a->step != b->step)
        return a->step > b->step ? -1 : 1;
    if (a->extent != b->extent)
        return a->extent < b->extent ? -1 : 1;
    return a->label < b->label ? -1 : a->label > b->label;
}

/* From the first index to the second, whatever the nesting. */
static uint64_t step_of(const lay_node *map)
{
    if (map->extent < 2)
        return 0;
    const int64_t step = lay_map_offset(map, 1) - lay_map_offset(map, 0);
    return step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
}

static int64_t elements_of(const lay_desc *tensor)
{
    return tensor ? lay_desc_extent(tensor, NULL) : 1;
}

static void order_summed(const lay_labels *labels, const lay_desc *const tensor[LAY_LABELLED], int is_by_storage,
                         int count, int64_t label[])
{
    summed of[LAY_MAX_SUMMED];
    const int larger = elements_of(tensor[LAY_LABEL_A]) >= elements_of(tensor[LAY_LABEL_B]) ? LAY_LABEL_A : LAY_LABEL_B;
    for (int i = 0; i < count; i++) {
        const int which = has(labels, larger, label[i]) ? larger : LAY_LABEL_B - larger;
        const lay_node *map = lay_desc_map(tensor[which], find(labels, which, label[i], 0));
        of[i] = (summed){ label[i], map->extent, is_by_storage ? step_of(map) : 0 };
    }
    qsort(of, (size_t)count, sizeof of[0], compare);
    for (int i = 0; i < count; i++)
        label[i] = of[i].label;
}

void lay_labels_arrange(const lay_labels *labels, const lay_desc *const tensor[LAY_LABELLED], int is_by_storage,
                        lay_arrangement *out)
{
    for (int role = 0; role < LAY_ROLES; role++)
        out->count[role] = 0;
    for (int i = 0; i < labels->count[LAY_LABEL_C]; i++) {
        const int64_t label = labels->label[LAY_LABEL_C][i];
        const lay_label_role role = role_of(labels, label);
        out->label[role][out->count[role]++] = label;
    }
    for (int which = LAY_LABEL_A; which <= LAY_LABEL_B; which++)
        for (int i = 0; i < labels->count[which]; i++) {
            const int64_t label = labels->label[which][i];
            const int is_known = find(labels, which, label, 0) < i || (which && has(labels, LAY_LABEL_A, label));
            if (!is_known && role_of(labels, label) == LAY_ROLE_K)
                out->label[LAY_ROLE_K][out->count[LAY_ROLE_K]++] = label;
        }
    order_summed(labels, tensor, is_by_storage, out->count[LAY_ROLE_K], out->label[LAY_ROLE_K]);
}

static lay_dim make_leaf(lay_arena *arena, int64_t extent)
{
    return (lay_dim){ lay_shape_leaf(arena, extent), lay_func_leaf(arena, extent, 0, 0) };
}

static int64_t extent_of(const lay_labels *labels, const lay_desc *const tensor[LAY_LABELLED], int64_t label)
{
    for (int which = 0;; which++) {
        const int i = find(labels, which, label, 0);
        if (i >= 0)
            return lay_desc_map(tensor[which], i)->extent;
    }
}

/* The label's dimension in the tensor: the sum of all that have the label. */
static lay_dim make_dimension(lay_arena *arena, const lay_labels *labels, const lay_desc *const tensor[LAY_LABELLED],
                              int which, int64_t label)
{
    int i = find(labels, which, label, 0);
    if (i < 0)
        return make_leaf(arena, extent_of(labels, tensor, label));
    lay_dim dim = lay_dim_load(arena, tensor[which], i);
    while ((i = find(labels, which, label, i + 1)) >= 0) {
        char name[48];
        snprintf(name, sizeof name, "the label %s of %c", lay_label_say(labels, label).text, "ABC"[which]);
        dim = lay_dim_diagonal(arena, dim, lay_dim_load(arena, tensor[which], i), name);
    }
    return dim;
}

static lay_dim make_group(lay_arena *arena, const lay_labels *labels, const lay_desc *const tensor[LAY_LABELLED],
                          const lay_arrangement *arrangement, int which, lay_label_role role, int *is_sound)
{
    lay_dim dims[LAY_MAX_NODES];
    const lay_status before = arena->status;
    const int count = arrangement->count[role];
    if (count == 0)
        return make_leaf(arena, 1);
    if (count > LAY_MAX_NODES) {
        lay_arena_fail(arena, LAY_ERR_UNSUPPORTED, "%d labels are summed, more than %d", count, LAY_MAX_NODES);
        return (lay_dim){ NULL, NULL };
    }
    for (int i = 0; i < count; i++)
        dims[i] = make_dimension(arena, labels, tensor, which, arrangement->label[role][i]);
    *is_sound &= before != LAY_OK || arena->status == LAY_OK;
    return lay_dim_whole(arena, count, dims);
}

/* A matrix has labels that its tensor has not: so the sentence says whose it is, and along what. */
static lay_status say_whose(lay_status status, const lay_labels *labels, const lay_arrangement *arrangement, int which,
                            const lay_label_role sides[2])
{
    char what[160], list[80];
    const lay_label_role role[] = { LAY_ROLE_BATCH, sides[0], sides[1] };
    lay_text text = { .to = list, .size = sizeof list };
    snprintf(what, sizeof what, "%s", lay_last_error());
    for (int r = 0; r < 3; r++)
        for (int i = 0; i < arrangement->count[role[r]]; i++)
            lay_text_add(&text, " %s", lay_label_say(labels, arrangement->label[role[r]][i]).text);
    char *const last = strrchr(list, ' ');
    if (text.length >= sizeof list && last)
        *last = 0; /* it is cut */
    return lay_fail(status, "%c along the labels%s%s: %s", "ABC"[which], list,
                    text.length < sizeof list ? "" : " and more", what);
}

lay_status lay_labels_make_matrix(const lay_labels *labels, const lay_desc *const tensor[LAY_LABELLED],
                                  const lay_arrangement *arrangement, int which, lay_desc **out)
{
    static const lay_label_role sides[LAY_LABELLED][2] = { { LAY_ROLE_M, LAY_ROLE_K },
                                                           { LAY_ROLE_K, LAY_ROLE_N },
                                                           { LAY_ROLE_M, LAY_ROLE_N } };
    lay_arena arena;
    lay_dim dims[3];
    int rank = 0, is_sound = 1; /* each dimension is what its labels ask for */
    lay_arena_start(&arena, LAY_VIEW_BYTES);
    arena.grid = tensor[which] ? lay_desc_grid(tensor[which]) : NULL;
    if (arrangement->count[LAY_ROLE_BATCH] > 0)
        dims[rank++] = make_group(&arena, labels, tensor, arrangement, which, LAY_ROLE_BATCH, &is_sound);
    for (int side = 0; side < 2; side++)
        dims[rank++] = make_group(&arena, labels, tensor, arrangement, which, sides[which][side], &is_sound);
    const lay_status status = lay_desc_finish(&arena, rank, dims, out);
    const int is_too_large = status == LAY_ERR_OVERFLOW || (status == LAY_ERR_UNSUPPORTED && is_sound);
    return is_too_large ? say_whose(status, labels, arrangement, which, sides[which]) : status;
}
