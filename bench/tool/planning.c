/* Plans of problems. */
#include "planning.h"

lay_status plan_problem(const problem *of, lay_type type, int is_by_storage, const lay_options *options, lay_plan **out)
{
    if (!of->labels)
        return lay_plan_create(type, of->desc[0], of->desc[1], of->desc[2], options, out);
    lay_product product = LAY_PRODUCT_INIT;
    product.type_a = product.type_b = product.type_c = type;
    product.a = of->labels->desc[0], product.b = of->labels->desc[1], product.c = of->labels->desc[2];
    product.labels = of->labels->labels;
    product.sum_order = is_by_storage ? LAY_SUM_BY_STORAGE : LAY_SUM_BY_LABELS;
    return lay_plan_create_product(&product, options, out);
}
