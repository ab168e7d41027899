/* Contractions over places: labels become matrices over the same places. */
#include "contract.h"

#include <stdlib.h>

#include "base/status.h"
#include "team/product.h"

enum { A, B, C };

/* What products over places have not. */
static lay_status check(const lay_contract_asked *asked)
{
    const lay_product *const of = &asked->product;
    const int is_one = of->type_a == of->type_b && of->type_a == of->type_c;
    const char *const why = !is_one                                 ? "A, B and C are of several types"
                            : lay_contract_has_d(of)                ? "there is a D"
                            : of->ending                            ? "there is an ending"
                            : of->sum_order != LAY_SUM_BY_LABELS    ? "sums are by storage"
                            : of->sum_precision != LAY_SUM_BY_TYPES ? "sums have a precision of their own"
                                                                    : NULL;
    return why ? lay_fail(LAY_ERR_UNSUPPORTED, "%s, which contractions over places have not", why) : LAY_OK;
}

static void free_matrices(lay_desc *matrix[3])
{
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(matrix[i]);
}

/* The matrices, freed where one is not made, and the words on the labels. */
static lay_status arrange(const lay_contract_asked *asked, lay_desc *matrix[3], char **text)
{
    const lay_desc *const tensor[LAY_LABELLED] = { asked->product.a, asked->product.b, asked->product.c };
    lay_arrangement arrangement;
    lay_labels_arrange(&asked->labels, tensor, 0, &arrangement);
    lay_status status = check(asked);
    for (int i = 0; i < 3 && status == LAY_OK; i++)
        status = lay_labels_make_matrix(&asked->labels, tensor, &arrangement, i, &matrix[i]);
    if (status != LAY_OK)
        return status;
    const size_t size = (size_t)lay_contract_text(&asked->labels, &arrangement, 0, NULL, 0) + 1;
    *text = malloc(size);
    if (!*text)
        return lay_fail(LAY_ERR_MEMORY, "no memory for a plan");
    lay_contract_text(&asked->labels, &arrangement, 0, *text, size);
    return LAY_OK;
}

lay_status lay_team_plan_create_product(lay_team *team, const lay_product *product, const lay_options *options,
                                        lay_team_plan **out)
{
    lay_contract_asked asked;
    lay_desc *matrix[3] = { NULL, NULL, NULL };
    char *text = NULL;
    lay_status status = lay_contract_read(product, &asked);
    if (status == LAY_OK)
        status = arrange(&asked, matrix, &text);
    const unsigned conjugated = status == LAY_OK ? asked.product.conjugated : 0;
    const lay_dealt dealt[] = {
        { .desc = matrix[A], .name = "A", .is_conjugated = !!(conjugated & LAY_CONJUGATED_A) },
        { .desc = matrix[B], .name = "B", .is_conjugated = !!(conjugated & LAY_CONJUGATED_B) },
        { .desc = matrix[C], .name = "C" },
    };
    status = lay_team_plan_of(team, status == LAY_OK ? asked.product.type_a : LAY_F32, dealt, status, options, out);
    free_matrices(matrix);
    if (status == LAY_OK)
        (*out)->labels = text;
    else
        free(text);
    return status;
}

lay_status lay_team_contract(lay_team *team, lay_type type, const char *labels, const lay_desc *desc_a,
                             const lay_desc *desc_b, const lay_desc *desc_c, const void *alpha, const void *const a[],
                             const void *const b[], const void *beta, void *const c[], const lay_options *options)
{
    lay_product product = LAY_PRODUCT_INIT;
    lay_team_plan *plan = NULL;
    product.type_a = product.type_b = product.type_c = type;
    product.a = desc_a;
    product.b = desc_b;
    product.c = desc_c;
    product.labels = labels;
    lay_status status = lay_team_plan_create_product(team, &product, options, &plan);
    if (status == LAY_OK)
        status = lay_team_plan_run(plan, alpha, a, b, beta, c);
    lay_team_plan_destroy(plan);
    return status;
}
