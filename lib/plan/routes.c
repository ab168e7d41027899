/* Finding the route for operands where they lie: made once, when first met, and then found without a lock. */
#include "plan/routes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/status.h"
#include "base/text.h"
#include "plan/branch.h"
#include "plan/tuning/tuned.h"

static unsigned make_key(const lay_places *places)
{
    return (unsigned)(places->device + 1) << 9 | (unsigned)!!places->is_alone << 8 |
           (unsigned)!!places->packed[1] << 7 | (unsigned)!!places->packed[0] << 6 | (unsigned)places->c << 4 |
           (unsigned)places->b << 2 | (unsigned)places->a;
}

static lay_panels panels_of(const lay_packed *packed)
{
    return packed ? packed->panels : (lay_panels){ .kernel = NULL };
}

static int same_panels(lay_panels x, lay_panels y)
{
    return x.kernel == y.kernel && x.split == y.split && x.limbs == y.limbs && x.is_right == y.is_right;
}

static int forks; /* that this process has come through: written where it has one thread */

static void count_fork(void)
{
    forks++;
}

__attribute__((constructor)) static void start(void)
{
    pthread_atfork(NULL, NULL, count_fork);
}

/* A device does not come through a fork: who had one is asked again. */
static int is_left_behind(const lay_route *route)
{
    return route->forks != forks && route->root->setting.order->backend != LAY_BACKEND_CPU;
}

static lay_route *find(lay_route *route, unsigned key, const lay_places *places)
{
    for (; route; route = route->next)
        if (route->key == key && !is_left_behind(route) &&
            same_panels(route->panels[0], panels_of(places->packed[0])) &&
            same_panels(route->panels[1], panels_of(places->packed[1])))
            break;
    return route;
}

/* Packed operands are matrices, too: in the layout of their copies or panels. 0 without memory. */
static int lay_out_packed(const lay_plan *plan, const lay_places *places, lay_desc *layout[2])
{
    const int64_t rows[2] = { plan->m, plan->k }, columns[2] = { plan->k, plan->n };
    for (int i = 0; i < 2; i++)
        if (places->packed[i] && lay_packed_layout((lay_operand)i, lay_types_at(&plan->types, i), rows[i], columns[i],
                                                   places->packed[i]->panels, &layout[i]) != LAY_OK)
            return 0;
    return 1;
}

void lay_route_pose(const lay_plan *plan, const lay_places *places, lay_desc *const layout[2], lay_problem *problem,
                    lay_setting *setting)
{
    *setting = (lay_setting){
        .table = plan->table,
        .options = &plan->options,
        .named = plan->named,
        .choice = &plan->choice,
        .threads = places->is_alone ? 1 : plan->choice.threads,
        .place = { [LAY_LEFT] = places->a, [LAY_RIGHT] = places->b, [LAY_RESULT] = places->c },
        .panels = { [LAY_LEFT] = panels_of(places->packed[0]), [LAY_RIGHT] = panels_of(places->packed[1]) },
        .device = places->device,
        .plan = plan,
    };
    /* The real product that real times complex is has the parts as rows or columns of their own. */
    const int is_half = lay_types_are_half_complex(&plan->types), is_left = lay_type_is_complex(plan->types.left);
    const int64_t m = plan->whole[0] ? plan->whole[0] : plan->m, n = plan->whole[1] ? plan->whole[1] : plan->n;
    const int64_t k = plan->whole[2] ? plan->whole[2] : plan->k;
    const lay_sum sum = lay_sum_of(is_half && is_left ? 2 * m : m, is_half && !is_left ? 2 * n : n, k);
    const lay_posed posed = { .types = plan->types,
                              .compute = plan->options.compute,
                              .sum = lay_sum_within(sum, plan->k),
                              .whole = { plan->whole[0], plan->whole[1], plan->whole[2] },
                              .a = layout[0] ? layout[0] : plan->a,
                              .b = layout[1] ? layout[1] : plan->b,
                              .c = plan->c,
                              .addend = plan->addend,
                              .end = plan->end,
                              .is_addend_conjugated = plan->is_conjugated[LAY_RESULT],
                              .is_conjugated = { plan->is_conjugated[LAY_LEFT], plan->is_conjugated[LAY_RIGHT] },
                              .is_m_in_order = places->packed[0] != NULL,
                              .is_n_in_order = places->packed[1] != NULL,
                              .is_for_host = places->c != LAY_PLACE_DEVICE };
    lay_problem_pose(&posed, problem);
}

static void destroy(lay_route *route)
{
    if (!route)
        return;
    lay_branch_destroy(route->root);
    free(route->tuning);
    lay_desc_destroy(route->layout[0]);
    lay_desc_destroy(route->layout[1]);
    free(route);
}

/* NULL where no order serves, and why. */
static lay_route *make(const lay_plan *plan, const lay_places *places, const char **refusal, lay_text *why)
{
    lay_sentence kept; /* some ways may fail where another one is found */
    lay_sentence_keep(&kept);
    *refusal = lay_no_memory;
    lay_route *made = calloc(1, sizeof *made);
    lay_problem *problem = malloc(sizeof *problem); /* large: callers' stacks may be small */
    if (made && problem && lay_out_packed(plan, places, made->layout)) {
        lay_setting setting;
        lay_route_pose(plan, places, made->layout, problem, &setting);
        made->key = make_key(places);
        made->forks = forks;
        made->panels[0] = panels_of(places->packed[0]);
        made->panels[1] = panels_of(places->packed[1]);
        made->root = lay_branch_find(problem, &setting, refusal, why);
        if (made->root)
            lay_tuning_apply(plan, problem, &setting, made);
    }
    free(problem);
    if (made && made->root) {
        lay_sentence_restore(&kept);
        return made;
    }
    destroy(made);
    return NULL;
}

lay_route *lay_plan_try_route(lay_plan *plan, const lay_places *places, const char **refusal, lay_text *why)
{
    const unsigned key = make_key(places);
    lay_route *first = atomic_load_explicit(&plan->routes, memory_order_acquire), *found = find(first, key, places);
    if (found)
        return found;
    lay_route *made = make(plan, places, refusal, why);
    if (!made)
        return NULL;
    do {
        made->next = first;
        if ((found = find(first, key, places))) { /* another thread was faster */
            destroy(made);
            return found;
        }
    } while (!atomic_compare_exchange_weak_explicit(&plan->routes, &first, made, memory_order_acq_rel,
                                                    memory_order_acquire));
    if (lay_log_tells(LAY_LOG_PLANS))
        lay_plan_log(plan, made->root, LAY_OK, "plan", made->root->job.seconds);
    return made;
}

lay_status lay_plan_find_route(lay_plan *plan, const lay_places *places, lay_route **route)
{
    *route = find(atomic_load_explicit(&plan->routes, memory_order_acquire), make_key(places), places);
    if (*route)
        return LAY_OK;
    char why[512] = "";
    const char *refusal;
    lay_text reasons = { .to = why, .size = sizeof why };
    *route = lay_plan_try_route(plan, places, &refusal, &reasons);
    if (*route)
        return LAY_OK;
    if (refusal == lay_no_memory)
        return lay_fail(LAY_ERR_MEMORY, "no memory for a plan");
    return lay_fail(LAY_ERR_UNSUPPORTED, "no way to run the product: %s", *why ? why : refusal);
}

void lay_routes_destroy(lay_route *first)
{
    while (first) {
        lay_route *next = first->next;
        destroy(first);
        first = next;
    }
}
