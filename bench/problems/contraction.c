/* Contractions as short texts: labels and extents; and what a bench needs to know of them. */
#include "contraction.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/args.h"
#include "bench/base/complain.h"
#include "bench/base/texts.h"

enum { A, B, C, TENSORS, MAX_EXTENT = 1 << 30, VIEW_TEXT = 2048 };

static const label_role across[TENSORS] = { LABEL_M, LABEL_K, LABEL_M }, along[TENSORS] = { LABEL_K, LABEL_N, LABEL_N };

/* A's, B's and C's names; 1 where the first one is contiguous, 0 where it is the last one, -1 where it is no text of
 * labels. */
static int split(const char *labels, contraction *out)
{
    char word[TENSORS][CONTRACTION_RANK + 2];
    const char *const forms[] = { "%11[a-zA-Z],%11[a-zA-Z]->%11[a-zA-Z]%n", "%11[a-zA-Z]-%11[a-zA-Z]-%11[a-zA-Z]%n" };
    for (int form = 0; form < 2; form++) {
        int end = 0;
        if (sscanf(labels, forms[form], word[0], word[1], word[2], &end) != TENSORS || labels[end])
            continue;
        for (int i = 0; i < TENSORS; i++) {
            const int which = form ? (i + C) % TENSORS : i; /* C, A, B */
            out->rank[which] = (int)strlen(word[i]);
            if (out->rank[which] > CONTRACTION_RANK)
                return -1;
            strcpy(out->name[which], word[i]);
        }
        return form;
    }
    return -1;
}

/* "a=24,b=20", every letter once; others than the labels are refused. */
static int read_extents(const char *text, int64_t extent[128])
{
    int count, status = EXIT_FINE;
    char **list = list_split(text, ',', &count);
    if (!list)
        return fail("out of memory");
    for (int i = 0; i < count && status == EXIT_FINE; i++) {
        const unsigned char name = (unsigned char)list[i][0];
        int64_t value;
        if (name >= 128 || !name || list[i][1] != '=' || extent[name] ||
            !read_integer(list[i] + 2, 1, MAX_EXTENT, &value))
            status = refuse("extents are \"a=24,b=20\", each label once and none below 1, not '%s'", text);
        else
            extent[name] = value;
    }
    free(list);
    return status;
}

int64_t contraction_stride(const contraction *of, int tensor, char label)
{
    const char *at = strchr(of->name[tensor], label);
    return at ? of->stride[tensor][at - of->name[tensor]] : 0;
}

int64_t contraction_extent(const contraction *of, char label)
{
    for (int i = 0; i < TENSORS; i++) {
        const char *at = strchr(of->name[i], label);
        if (at)
            return of->extent[i][at - of->name[i]];
    }
    return 1;
}

int64_t contraction_elements(const contraction *of, int tensor)
{
    return of->count[LABEL_BATCH] * of->count[across[tensor]] * of->count[along[tensor]];
}

static int set_strides(contraction *of, const int64_t extent[128], int first_is_unit, const char *text)
{
    for (int which = 0; which < TENSORS; which++) {
        int64_t at = 1;
        for (int i = 0; i < of->rank[which]; i++) {
            const int dimension = first_is_unit ? i : of->rank[which] - 1 - i;
            const char name = of->name[which][dimension];
            if (!extent[(unsigned char)name])
                return refuse("'%s' has no extent of '%c'", text, name);
            if (strchr(of->name[which] + dimension + 1, name))
                return refuse("'%s' has '%c' twice in one tensor, which is not timed", text, name);
            of->extent[which][dimension] = extent[(unsigned char)name];
            of->stride[which][dimension] = at;
            if (__builtin_mul_overflow(at, of->extent[which][dimension], &at))
                return refuse("'%s' has more elements than fit any memory", text);
        }
    }
    return EXIT_FINE;
}

static int find_role(const contraction *of, char name)
{
    static const int roles[8] = { [3] = LABEL_K, [5] = LABEL_M, [6] = LABEL_N, [7] = LABEL_BATCH };
    int found = 0;
    for (int i = 0; i < TENSORS; i++)
        found |= (strchr(of->name[i], name) != NULL) << i;
    return found == 3 || found >= 5 ? roles[found] : LABEL_ROLES;
}

static int set_roles(contraction *of, const int64_t extent[128], const char *text)
{
    for (int role = 0; role < LABEL_ROLES; role++)
        of->count[role] = 1;
    for (int name = 0; name < 128; name++) {
        if (!extent[name])
            continue;
        const int role = find_role(of, (char)name);
        if (role == LABEL_ROLES)
            return refuse("'%s' has '%c' in fewer than two tensors, which is not timed", text, name);
        of->order[role][strlen(of->order[role])] = (char)name;
        of->count[role] *= extent[name];
    }
    return EXIT_FINE;
}

/* A role's labels as a tensor stores them, those of the longest stride first. */
static void sort_labels(const contraction *of, int tensor, char order[])
{
    for (int i = 1; order[i]; i++)
        for (int j = i;
             j > 0 && contraction_stride(of, tensor, order[j]) > contraction_stride(of, tensor, order[j - 1]); j--) {
            const char moved = order[j];
            order[j] = order[j - 1];
            order[j - 1] = moved;
        }
}

/* Whether a role's labels, in their order, step through a tensor by one stride. */
static int is_one_step(const contraction *of, int tensor, label_role role)
{
    const char *order = of->order[role];
    for (int i = 0; order[0] && order[i + 1]; i++)
        if (contraction_stride(of, tensor, order[i]) !=
            contraction_stride(of, tensor, order[i + 1]) * contraction_extent(of, order[i + 1]))
            return 0;
    return 1;
}

/* Whether the tensor's matrices are such as a BLAS reads. */
static int is_plain(const contraction *of, int tensor)
{
    const char *rows = of->order[across[tensor]], *columns = of->order[along[tensor]];
    const int unit = (*rows && contraction_stride(of, tensor, rows[strlen(rows) - 1]) == 1) ||
                     (*columns && contraction_stride(of, tensor, columns[strlen(columns) - 1]) == 1);
    return unit && is_one_step(of, tensor, across[tensor]) && is_one_step(of, tensor, along[tensor]);
}

/* The orders in which the fewest elements are copied to make matrices that a BLAS reads: m and n as their tensor has
 * them or as C has, k as A or B has. */
static void choose_orders(contraction *of)
{
    static const struct {
        label_role role;
        int as[2];
    } choice[] = { { LABEL_M, { C, A } }, { LABEL_N, { C, B } }, { LABEL_K, { A, B } } };
    int64_t least = INT64_MAX;
    int best = 0;
    sort_labels(of, C, of->order[LABEL_BATCH]);
    for (int step = 0; step <= 8; step++) {
        const int which = step < 8 ? step : best;
        int64_t copied = 0;
        for (int i = 0; i < 3; i++)
            sort_labels(of, choice[i].as[which >> i & 1], of->order[choice[i].role]);
        for (int i = 0; i < TENSORS; i++)
            copied += is_plain(of, i) ? 0 : contraction_elements(of, i);
        if (copied < least) {
            least = copied;
            best = which;
        }
    }
}

static int write_dimension(const contraction *of, int tensor, label_role role, char *to, size_t size)
{
    size_t used = (size_t)snprintf(to, size, "[");
    for (const char *name = of->order[role]; *name; name++)
        used += (size_t)snprintf(to + used, size - used, "[%" PRId64 ":%" PRId64 "]", contraction_extent(of, *name),
                                 contraction_stride(of, tensor, *name));
    used += (size_t)snprintf(to + used, size - used, "%s]", of->order[role][0] ? "" : "[1:1]");
    return (int)used;
}

static lay_status make_views(contraction *of, int tensor)
{
    char text[VIEW_TEXT];
    const int batch = write_dimension(of, tensor, LABEL_BATCH, text, VIEW_TEXT);
    int used = batch;
    used += write_dimension(of, tensor, across[tensor], text + used, (size_t)(VIEW_TEXT - used));
    write_dimension(of, tensor, along[tensor], text + used, (size_t)(VIEW_TEXT - used));
    const lay_status status = lay_desc_parse(text, &of->batches[tensor]);
    return status == LAY_OK ? lay_desc_parse(text + batch, &of->view[tensor]) : status;
}

static int describe(contraction *of, const char *text)
{
    lay_status status = LAY_OK;
    for (int i = 0; i < TENSORS && status == LAY_OK; i++) {
        const char *const rows = of->order[across[i]];
        for (const char *name = rows; *name; name++)
            of->by_columns[i] |= contraction_stride(of, i, *name) == 1 && contraction_extent(of, *name) > 1;
        status = lay_desc_strided(of->rank[i], of->extent[i], of->stride[i], &of->desc[i]);
        if (status == LAY_OK)
            status = make_views(of, i);
    }
    return status == LAY_OK ? EXIT_FINE : refuse_status(status, text);
}

int contraction_read(const char *text, contraction *out)
{
    int64_t extent[128] = { 0 };
    *out = (contraction){ 0 };
    const char *colon = strchr(text, ':');
    char *labels = strndup(text, colon ? (size_t)(colon - text) : strlen(text));
    if (!labels)
        return fail("out of memory");
    const int form = colon ? split(labels, out) : -1;
    free(labels);
    if (form < 0)
        return refuse("'%s' is no contraction: \"ik,kj->ij:i=8,j=9,k=7\" is one, of at most %d labels a tensor", text,
                      CONTRACTION_RANK);
    int status = read_extents(colon + 1, extent);
    if (status == EXIT_FINE)
        status = set_strides(out, extent, form, text);
    if (status == EXIT_FINE)
        status = set_roles(out, extent, text);
    if (status != EXIT_FINE)
        return status;
    choose_orders(out);
    out->labels = text_write("%s,%s->%s", out->name[A], out->name[B], out->name[C]);
    return out->labels ? describe(out, text) : fail("out of memory");
}

void contraction_offsets(const contraction *of, int tensor, label_role role, int64_t out[])
{
    out[0] = 0;
    int64_t filled = 1;
    const char *order = of->order[role];
    for (size_t i = strlen(order); i-- > 0;) {
        const int64_t extent = contraction_extent(of, order[i]), stride = contraction_stride(of, tensor, order[i]);
        for (int64_t j = 1; j < extent; j++)
            for (int64_t k = 0; k < filled; k++)
                out[j * filled + k] = out[k] + j * stride;
        filled *= extent;
    }
}

lay_status contraction_matrices(const contraction *of, int tensor, lay_desc **one, lay_desc **all)
{
    const int64_t m = of->count[across[tensor]], n = of->count[along[tensor]];
    const int64_t shape[] = { of->count[LABEL_BATCH], m, n };
    const int64_t strides[] = { m * n, of->by_columns[tensor] ? 1 : n, of->by_columns[tensor] ? m : 1 };
    const lay_status status = lay_desc_strided(3, shape, strides, all);
    return status == LAY_OK ? lay_desc_strided(2, shape + 1, strides + 1, one) : status;
}

lay_status contraction_plan(const contraction *of, lay_type type, int is_by_storage, const lay_options *options,
                            lay_plan **out)
{
    lay_product product = LAY_PRODUCT_INIT;
    product.type_a = product.type_b = product.type_c = type;
    product.a = of->desc[A], product.b = of->desc[B], product.c = of->desc[C];
    product.labels = of->labels;
    product.sum_order = is_by_storage ? LAY_SUM_BY_STORAGE : LAY_SUM_BY_LABELS;
    return lay_plan_create_product(&product, options, out);
}

void contraction_free(contraction *of)
{
    free(of->labels);
    for (int i = 0; i < TENSORS; i++) {
        lay_desc_destroy(of->desc[i]);
        lay_desc_destroy(of->view[i]);
        lay_desc_destroy(of->batches[i]);
    }
    *of = (contraction){ 0 };
}
