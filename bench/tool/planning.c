/* Plans of problems. */
#include "planning.h"

lay_status plan_problem(const problem *of, lay_type type, int is_by_storage, const lay_options *options, lay_plan **out)
{
    if (!of->labels)
        return lay_plan_create(type, of->desc[0], of->desc[1], of->desc[2], options, out);
    return contraction_plan(of->labels, type, is_by_storage, options, out);
}
