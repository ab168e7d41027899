/* Finding the way for operands where they lie: made once, when first met, and then found without a lock. */
#include "plan/ways.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"

const char lay_no_memory[] = "there is no memory to find out";

static unsigned make_key(const lay_places *places)
{
    return (unsigned)(places->device + 1) << 8 | (unsigned)!!places->packed[1] << 7 |
           (unsigned)!!places->packed[0] << 6 | (unsigned)places->c << 4 | (unsigned)places->b << 2 |
           (unsigned)places->a;
}

static lay_panels panels_of(const lay_packed *packed)
{
    return packed ? packed->panels : (lay_panels){ .kernel = NULL };
}

static int same_panels(lay_panels x, lay_panels y)
{
    return x.kernel == y.kernel && x.split == y.split && x.pieces == y.pieces && x.is_right == y.is_right;
}

static lay_way *find(lay_way *way, unsigned key, const lay_places *places)
{
    for (; way; way = way->next) {
        const int first = way->problem.is_turned ? LAY_RIGHT : LAY_LEFT; /* A's side */
        if (way->key == key && same_panels(way->setting.panels[first], panels_of(places->packed[0])) &&
            same_panels(way->setting.panels[1 - first], panels_of(places->packed[1])))
            break;
    }
    return way;
}

/* Copies stand in for packed operands. 0 without memory. */
static int lay_out_copies(const lay_plan *plan, const lay_places *places, lay_way *way)
{
    const int64_t rows[2] = { plan->m, plan->k }, columns[2] = { plan->k, plan->n };
    for (int i = 0; i < 2; i++)
        if (places->packed[i] && lay_packed_layout(plan->type, rows[i], columns[i], &way->dense[i]) != LAY_OK)
            return 0;
    return 1;
}

void lay_way_pose(const lay_plan *plan, const lay_places *places, int is_turned, lay_way *way)
{
    const lay_desc *a = way->dense[0] ? way->dense[0] : plan->a, *b = way->dense[1] ? way->dense[1] : plan->b;
    way->setting = (lay_setting){ .options = &plan->options,
                                  .choice = &plan->choice,
                                  .place = { [LAY_LEFT] = is_turned ? places->b : places->a,
                                             [LAY_RIGHT] = is_turned ? places->a : places->b,
                                             [LAY_RESULT] = places->c },
                                  .panels = { [LAY_LEFT] = panels_of(places->packed[is_turned]),
                                              [LAY_RIGHT] = panels_of(places->packed[!is_turned]) },
                                  .device = places->device };
    lay_problem_make_in_order(plan->type, a, b, plan->c, is_turned, places->packed[is_turned] != NULL,
                              places->packed[!is_turned] != NULL, &way->problem);
    if (places->c != LAY_PLACE_DEVICE)
        lay_problem_order_for_caches(a, b, plan->c, places->packed[is_turned] != NULL,
                                     places->packed[!is_turned] != NULL, &way->problem);
}

/* Asks one executor for the problem as it stands in asked; keeps the job in best if it is cheaper than what best
 * has. The refusal, of the first way round, goes to why, if the product is of the executor's kind. 0: it had no memory
 * to find out. */
static int keep_cheaper(lay_way *best, const lay_way *asked, const lay_executor *executor, lay_text *why)
{
    lay_job job = { .executor = executor };
    const char *refusal = executor->prepare(&asked->problem, &asked->setting, &job);
    if (refusal == lay_no_memory)
        return 0;
    if (refusal && refusal != executor->not_mine && !asked->problem.is_turned)
        lay_text_add(why, "%s%s: %s", why->length ? "; " : "", executor->name, refusal);
    if (refusal || (best->job.executor && job.seconds >= best->job.seconds))
        return 1;
    best->job = job;
    best->problem = asked->problem;
    best->setting = asked->setting;
    return 1;
}

static void destroy(lay_way *way)
{
    if (!way)
        return;
    if (way->job.executor && way->job.executor->release)
        way->job.executor->release(way);
    lay_desc_destroy(way->dense[0]);
    lay_desc_destroy(way->dense[1]);
    free(way);
}

/* NULL where none serves, with each executor's reason in why, and without memory, with none. The first executor that
 * serves has it: whether it does is no matter of layouts, what it predicts may be. */
static lay_way *make(const lay_plan *plan, const lay_places *places, lay_text *why)
{
    lay_way *best = calloc(1, sizeof *best), *asked = calloc(1, sizeof *asked);
    int has_memory = best && asked && lay_out_copies(plan, places, asked);
    for (int i = 0; has_memory && i < lay_executor_count && !best->job.executor; i++)
        for (int is_turned = 0; is_turned <= 1 && has_memory; is_turned++) {
            lay_way_pose(plan, places, is_turned, asked);
            has_memory = keep_cheaper(best, asked, lay_executors[i], why);
        }
    if (!has_memory)
        lay_text_clear(why);
    if (has_memory && best->job.executor) {
        best->plan = plan;
        best->key = make_key(places);
        memcpy(best->dense, asked->dense, sizeof best->dense);
        memset(asked->dense, 0, sizeof asked->dense);
    } else {
        destroy(best);
        best = NULL;
    }
    destroy(asked);
    return best;
}

lay_way *lay_plan_try_way(lay_plan *plan, const lay_places *places, lay_text *why)
{
    const unsigned key = make_key(places);
    lay_way *first = atomic_load_explicit(&plan->ways, memory_order_acquire), *found = find(first, key, places);
    if (found)
        return found;
    lay_way *made = make(plan, places, why);
    if (!made)
        return NULL;
    do {
        made->next = first;
        if ((found = find(first, key, places))) { /* another thread was faster */
            destroy(made);
            return found;
        }
    } while (
        !atomic_compare_exchange_weak_explicit(&plan->ways, &first, made, memory_order_acq_rel, memory_order_acquire));
    lay_plan_log(plan, made, LAY_OK, "plan", made->job.seconds);
    return made;
}

lay_status lay_plan_find_way(lay_plan *plan, const lay_places *places, lay_way **way)
{
    *way = find(atomic_load_explicit(&plan->ways, memory_order_acquire), make_key(places), places);
    if (*way)
        return LAY_OK;
    char why[512] = "";
    lay_text reasons = { .to = why, .size = sizeof why };
    *way = lay_plan_try_way(plan, places, &reasons);
    if (*way)
        return LAY_OK;
    return *why ? lay_fail(LAY_ERR_UNSUPPORTED, "no way to run the product: %s", why)
                : lay_fail(LAY_ERR_MEMORY, "no memory for a plan");
}

void lay_ways_destroy(lay_way *first)
{
    while (first) {
        lay_way *next = first->next;
        destroy(first);
        first = next;
    }
}
