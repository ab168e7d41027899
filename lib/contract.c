/* Contractions of the public API: labels become matrices, and matrices are multiplied. */
#include "contract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scalar.h"
#include "base/status.h"
#include "base/text.h"
#include "base/versioned.h"
#include "cache.h"
#include "ending.h"
#include "plan/options.h"
#include "plan/plan.h"
#include "ways.h"

enum { D = LAY_LABELLED, TENSORS };

/* A contraction as matrices. */
typedef struct matrices {
    lay_desc *of[TENSORS]; /* A, B, C, D; D is NULL where it is C */
} matrices;

static void free_matrices(matrices *made)
{
    for (int i = 0; i < TENSORS; i++)
        lay_desc_destroy(made->of[i]);
}

/* d, if there is one, has C's labels. What was made before a failure is freed. */
static lay_status make_matrices(const lay_labels *labels, const lay_desc *const tensor[LAY_LABELLED], int has_d,
                                const lay_desc *d, const lay_arrangement *arrangement, matrices *out)
{
    lay_status status = LAY_OK;
    *out = (matrices){ { NULL } };
    for (int which = 0; which < LAY_LABELLED && status == LAY_OK; which++)
        status = lay_labels_make_matrix(labels, tensor, arrangement, which, &out->of[which]);
    const lay_desc *const with_d[LAY_LABELLED] = { tensor[LAY_LABEL_A], tensor[LAY_LABEL_B], d };
    if (status == LAY_OK && has_d)
        status = lay_labels_make_matrix(labels, with_d, arrangement, LAY_LABEL_C, &out->of[D]);
    if (status != LAY_OK)
        free_matrices(out);
    return status;
}

/* Of an output that does not map each index to its own element: by its label, where one alone is at fault. */
static lay_status say_shared(lay_status status, const lay_labels *labels, const lay_desc *output, char name)
{
    for (int i = 0; status == LAY_ERR_INJECTIVE && i < labels->count[LAY_LABEL_C]; i++) {
        int64_t stride;
        char path[12];
        snprintf(path, sizeof path, "%d", i);
        const int64_t extent = lay_desc_extent(output, path);
        if (extent > 1 && lay_desc_stride(output, path, &stride) == 1 && stride == 0)
            return lay_fail(LAY_ERR_INJECTIVE,
                            "%c cannot be shown to give every index an element of its own: the label %s has %lld "
                            "indices and the stride 0",
                            name, lay_label_say(labels, labels->label[LAY_LABEL_C][i]).text, (long long)extent);
    }
    return status;
}

lay_status lay_contract(lay_type type, const char *labels, const lay_desc *desc_a, const lay_desc *desc_b,
                        const lay_desc *desc_c, const void *alpha, const void *a, const void *b, const void *beta,
                        void *c, const lay_options *options)
{
    const lay_desc *const tensor[LAY_LABELLED] = { desc_a, desc_b, desc_c };
    lay_labels read;
    lay_arrangement arrangement;
    matrices made;
    lay_options complete;
    const lay_order *named;
    lay_held *held;
    lay_status status;
    if ((status = lay_options_read(options, &lay_all_ways, &complete, &named)) ||
        (status = lay_labels_read(labels, &read)) || (status = lay_labels_check(&read, tensor, 'C')))
        return status;
    lay_labels_arrange(&read, tensor, 0, &arrangement);
    if ((status = make_matrices(&read, tensor, 0, NULL, &arrangement, &made)))
        return status;
    status = lay_cache_borrow(type, made.of[LAY_LABEL_A], made.of[LAY_LABEL_B], made.of[LAY_LABEL_C], &complete, &held);
    free_matrices(&made);
    if (status != LAY_OK)
        return say_shared(status, &read, desc_c, 'C');
    status = lay_plan_run(lay_held_plan(held), alpha, a, b, beta, c);
    lay_cache_return(held);
    return status;
}

/* ---- plans ------------------------------------------------------------------------------------ */

/* The caller's struct, which may be shorter or longer, and what it leaves out. */
static lay_status read_product(const lay_product *given, lay_product *complete)
{
    static const lay_versioned structure = { "product", "LAY_PRODUCT_INIT", offsetof(lay_product, labels),
                                             sizeof(lay_product) };
    *complete = (lay_product)LAY_PRODUCT_INIT;
    if (!given)
        return lay_fail(LAY_ERR_ARGUMENT, "product is NULL");
    const lay_status status = lay_versioned_read(&structure, given, complete);
    if (status != LAY_OK)
        return status;
    if ((unsigned)complete->sum_order > LAY_SUM_BY_STORAGE)
        return lay_fail(LAY_ERR_OPTION, "product.sum_order has no value %d", (int)complete->sum_order);
    if ((unsigned)complete->sum_precision > LAY_SUM_F64)
        return lay_fail(LAY_ERR_OPTION, "product.sum_precision has no value %d", (int)complete->sum_precision);
    if (complete->conjugated & ~(LAY_CONJUGATED_A | LAY_CONJUGATED_B | LAY_CONJUGATED_C))
        return lay_fail(LAY_ERR_OPTION, "product.conjugated has no bits %#x", complete->conjugated);
    if (complete->reserved != 0)
        return lay_fail(LAY_ERR_OPTION, "product.reserved is %d, not 0", complete->reserved);
    return LAY_OK;
}

int lay_contract_has_d(const lay_product *of)
{
    return of->d || of->has_d;
}

static lay_status read_types(const lay_product *of, lay_types *types)
{
    const lay_type type[] = { of->type_a, of->type_b, of->type_c, lay_contract_has_d(of) ? of->type_d : of->type_c };
    const int is_one = type[1] == type[0] && type[2] == type[0] && type[3] == type[0];
    for (int i = 0; i < TENSORS; i++)
        if (lay_type_size(type[i]) == 0)
            return lay_fail(LAY_ERR_TYPE, "product.type_%c: %d is no lay_type", "abcd"[i], (int)type[i]);
    if (!is_one || of->sum_precision == LAY_SUM_F64)
        return lay_types_mix(type, lay_contract_has_d(of), of->sum_precision == LAY_SUM_F64, types);
    *types = lay_types_of(type[0]);
    return LAY_OK;
}

static lay_status check_conjugation(const lay_product *of)
{
    if (!(of->conjugated & LAY_CONJUGATED_C) || lay_contract_has_d(of) || lay_type_real(of->type_c) == of->type_c)
        return LAY_OK;
    return lay_fail(LAY_ERR_UNSUPPORTED, "a conjugated C is not written in place: name a D");
}

static lay_status read_labels(const lay_product *of, const lay_desc *const tensor[LAY_LABELLED], lay_labels *out)
{
    const int64_t *const label[LAY_LABELLED] = { of->labels_a, of->labels_b, of->labels_c };
    lay_status status = of->labels ? lay_labels_read(of->labels, out) : lay_labels_take(tensor, label, out);
    if (status != LAY_OK || (status = lay_labels_check(out, tensor, 'C')) || !lay_contract_has_d(of))
        return status;
    const lay_desc *const with_d[LAY_LABELLED] = { tensor[LAY_LABEL_A], tensor[LAY_LABEL_B], of->d };
    return lay_labels_check(out, with_d, 'D');
}

static void add_role(lay_text *text, const lay_labels *labels, const lay_arrangement *of, lay_label_role role,
                     const char *name)
{
    lay_text_add(text, "%s", name);
    for (int i = 0; i < of->count[role]; i++)
        lay_text_add(text, " %s", lay_label_say(labels, of->label[role][i]).text);
    lay_text_add(text, of->count[role] ? ";" : " none;");
}

int lay_contract_text(const lay_labels *labels, const lay_arrangement *of, int is_by_storage, char *to, size_t size)
{
    lay_text text = { .to = to, .size = size };
    lay_text_add(&text, "labels   ");
    if (of->count[LAY_ROLE_BATCH] > 0)
        add_role(&text, labels, of, LAY_ROLE_BATCH, " batch");
    add_role(&text, labels, of, LAY_ROLE_M, " rows");
    add_role(&text, labels, of, LAY_ROLE_N, " columns");
    add_role(&text, labels, of, LAY_ROLE_K, " summed");
    lay_text_add(&text, " in an order by %s\n", is_by_storage ? "storage" : "labels and extents");
    return (int)text.length;
}

/* What explanations say of it; NULL without memory. */
static lay_contraction *make_contraction(const lay_labels *labels, const lay_desc *const tensor[LAY_LABELLED],
                                         const lay_arrangement *taken, int is_by_storage)
{
    lay_arrangement other;
    lay_sentence kept;
    lay_contraction *made = calloc(1, sizeof *made);
    const int length = lay_contract_text(labels, taken, is_by_storage, NULL, 0);
    if (!made || !(made->text = malloc((size_t)length + 1))) {
        free(made);
        return NULL;
    }
    lay_contract_text(labels, taken, is_by_storage, made->text, (size_t)length + 1);
    lay_labels_arrange(labels, tensor, !is_by_storage, &other);
    const size_t summed = (size_t)taken->count[LAY_ROLE_K] * sizeof other.label[0][0];
    lay_sentence_keep(&kept);
    if (memcmp(other.label[LAY_ROLE_K], taken->label[LAY_ROLE_K], summed) != 0)
        for (int i = LAY_LABEL_A; i <= LAY_LABEL_B; i++)
            if (lay_labels_make_matrix(labels, tensor, &other, i, &made->other[i]) != LAY_OK)
                break;
    lay_sentence_restore(&kept); /* without them there is less to explain */
    return made;
}

static lay_status make_plan(const lay_contract_asked *from, const lay_options *options, lay_plan **out)
{
    const lay_product *const of = &from->product;
    const lay_labels *const labels = &from->labels;
    const lay_desc *const tensor[LAY_LABELLED] = { of->a, of->b, of->c };
    lay_arrangement arrangement;
    matrices made;
    lay_plan *plan;
    lay_end end;
    lay_labels_arrange(labels, tensor, of->sum_order == LAY_SUM_BY_STORAGE, &arrangement);
    lay_status status = make_matrices(labels, tensor, lay_contract_has_d(of), of->d, &arrangement, &made);
    if (status != LAY_OK)
        return status;
    const int has_end = of->ending != NULL;
    if (has_end &&
        (status = lay_ending_read(of->ending, labels, tensor[LAY_LABEL_C], &arrangement, &from->types, &end))) {
        free_matrices(&made);
        return status;
    }
    const lay_asked asked = { .types = from->types,
                              .end = has_end && lay_ending_does(&end) ? &end : NULL,
                              .a = made.of[LAY_LABEL_A],
                              .b = made.of[LAY_LABEL_B],
                              .c = made.of[lay_contract_has_d(of) ? D : LAY_LABEL_C],
                              .addend = lay_contract_has_d(of) ? made.of[LAY_LABEL_C] : NULL,
                              .is_conjugated = { !!(of->conjugated & LAY_CONJUGATED_A),
                                                 !!(of->conjugated & LAY_CONJUGATED_B),
                                                 !!(of->conjugated & LAY_CONJUGATED_C) } };
    status = lay_plan_make_asked(&lay_all_ways, &asked, options, &plan);
    free_matrices(&made);
    if (has_end)
        lay_end_free(&end);
    if (status != LAY_OK)
        return say_shared(status, labels, lay_contract_has_d(of) ? of->d : of->c, lay_contract_has_d(of) ? 'D' : 'C');
    plan->contraction = make_contraction(labels, tensor, &arrangement, of->sum_order == LAY_SUM_BY_STORAGE);
    if (!plan->contraction) {
        lay_plan_destroy(plan);
        return lay_fail(LAY_ERR_MEMORY, "no memory for a plan");
    }
    *out = plan;
    return LAY_OK;
}

lay_status lay_contract_read(const lay_product *product, lay_contract_asked *out)
{
    lay_status status;
    if ((status = read_product(product, &out->product)) || (status = read_types(&out->product, &out->types)) ||
        (status = check_conjugation(&out->product)))
        return status;
    const lay_desc *const tensor[LAY_LABELLED] = { out->product.a, out->product.b, out->product.c };
    return read_labels(&out->product, tensor, &out->labels);
}

lay_status lay_plan_create_product(const lay_product *product, const lay_options *options, lay_plan **out)
{
    lay_contract_asked asked;
    if (!out)
        return lay_fail(LAY_ERR_ARGUMENT, "out is NULL");
    const lay_status status = lay_contract_read(product, &asked);
    return status == LAY_OK ? make_plan(&asked, options, out) : status;
}
