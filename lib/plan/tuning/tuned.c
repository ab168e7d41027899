/* The store asked for a route's product. */
#include "plan/tuning/tuned.h"

#include <stdlib.h>
#include <string.h>

#include "plan/branch.h"
#include "plan/tuning/key.h"
#include "plan/tuning/measure.h"

/* What the store has for a key, or what is measured now. NULL, or why there is none. */
static const char *find(const lay_plan *plan, const lay_problem *problem, const lay_setting *setting,
                        const lay_order *order, const char *key, lay_tuning *out)
{
    static const double usual = 1; /* seconds of a product: most are settled by then */
    if (lay_store_find(key, out))
        return NULL;
    if (!plan->may_measure)
        return "it knows nothing of this product";
    const double asked = plan->options.effort_seconds;
    const char *reason = lay_tuning_measure(problem, setting, order, asked > 0 ? asked : usual, out);
    if (reason)
        return reason;
    memcpy(out->from, "measured here", sizeof "measured here");
    lay_entries one = { .count = 0 };
    const int is_kept = lay_entries_put(&one, key, out) && lay_store_put(&one, NULL);
    lay_entries_free(&one);
    return is_kept ? NULL : lay_no_memory;
}

static const char *find_by_key(const lay_plan *plan, const lay_problem *problem, const lay_setting *setting,
                               const lay_order *order, lay_tuning *out)
{
    char *const key = malloc(LAY_KEY_BYTES);
    if (!key)
        return lay_no_memory;
    lay_text text = { .to = key, .size = LAY_KEY_BYTES };
    const char *reason = lay_key_write(problem, setting, order, &text);
    if (!reason)
        reason = find(plan, problem, setting, order, key, out);
    free(key);
    return reason;
}

void lay_tuning_apply(const lay_plan *plan, const lay_problem *problem, const lay_setting *setting, lay_route *route)
{
    if (lay_store_generation() == 0 && !plan->may_measure)
        return;
    struct lay_route_tuning *const own = calloc(1, sizeof *own);
    lay_setting tuned = *setting;
    if (!own)
        return;
    route->tuning = own;
    own->refusal = find_by_key(plan, problem, setting, route->root->setting.order, &own->of);
    own->is_found = !own->refusal;
    if (own->refusal)
        return;
    tuned.step = own->of.recipe.step;
    lay_branch *const root = lay_branch_find(problem, &tuned, &own->refusal, NULL);
    if (!root)
        return;
    own->refusal = NULL;
    lay_branch_destroy(route->root);
    route->root = root;
}

void lay_tuning_explain(const lay_plan *plan, const lay_route *route, lay_text *text)
{
    const struct lay_route_tuning *own = route->tuning;
    char left_out[LAY_LEFT_OUT] = "";
    if (own && own->is_found && !own->refusal)
        lay_text_add(text, "tuning    %s: %.3g us, what the estimate takes %.3g us\n", own->of.from,
                     own->of.seconds * 1e6, own->of.estimate * 1e6);
    else if (own && own->is_found)
        lay_text_add(text, "tuning    %s, not followed: %s\n", own->of.from, own->refusal);
    else if (own)
        lay_text_add(text, "tuning    none: %s\n", own->refusal);
    else if (plan->options.effort != LAY_EFFORT_ESTIMATE)
        lay_text_add(text, "tuning    none: it is measured when a plan is made, for operands in host memory\n");
    if (own)
        lay_store_left_out(left_out);
    if (*left_out)
        lay_text_add(text, "          %s\n", left_out);
}
