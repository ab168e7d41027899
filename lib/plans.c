/* Plans of this build's ways. */
#include "plan/plan.h"
#include "ways.h"

lay_status lay_plan_create(lay_type type, const lay_desc *desc_a, const lay_desc *desc_b, const lay_desc *desc_c,
                           const lay_options *options, lay_plan **out)
{
    return lay_plan_make(&lay_all_ways, type, desc_a, desc_b, desc_c, options, out);
}
