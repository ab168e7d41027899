/* What a plan whose sums are split over places says of itself. */
#include "team/layers/layered.h"

static void explain_candidate(const lay_team_plan *plan, int i, lay_text *text)
{
    const lay_layers_candidate *const of = &plan->layered->candidate[i];
    const int64_t *const count = of->layers.count, *const stride = of->layers.stride;
    const double size = (double)lay_type_size(plan->type), sum = (double)lay_type_size(plan->layered->sum);
    lay_text_add(text, "way      ");
    if (count[LAY_AT_LAYER] == 1)
        lay_text_add(text, "C stays");
    else
        lay_text_add(text, "%lld layers of %lld x %lld places, a layer %lld apart, a row %lld, a column %lld",
                     (long long)count[LAY_AT_LAYER], (long long)count[LAY_AT_ROW], (long long)count[LAY_AT_COLUMN],
                     (long long)stride[LAY_AT_LAYER], (long long)stride[LAY_AT_ROW], (long long)stride[LAY_AT_COLUMN]);
    lay_text_add(text, ": %.4g us with products, %.4g bytes of A, %.4g of B, %.4g of sums%s\n", 1e6 * of->seconds,
                 of->moved[0] * size, of->moved[1] * size, of->moved[2] * sum,
                 i == plan->layered->pick ? ", taken" : "");
}

void lay_layered_explain(const lay_team_plan *plan, lay_text *text)
{
    lay_text_add(text, "time     %.4g us predicted, for places of one speed\n",
                 1e6 * plan->layered->candidate[plan->layered->pick].seconds);
    for (int i = 0; i < plan->layered->candidates; i++)
        explain_candidate(plan, i, text);
}
