/* Choosing among ways: refuse what does not fit, cost the rest, keep the cheapest. */
#include "plan/branch.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/scalar.h"

const char lay_no_memory[] = "there is no memory to find out";
const char lay_too_large[] = "images would take too large a share of the memory";
static const char skipped[] = "options.skip names it";
static const char no_grid[] = "has no grid of threads, which options.grid_m and options.grid_n ask for";

/* Panels were packed to be used: first as many of them as can be, then cost. What C costs that is not contiguous this
 * way round is not known so well that panels should be packed again for it (docs/decisions/0012). */
int lay_job_is_better(const lay_job *job, const lay_job *than)
{
    return job->given != than->given ? job->given > than->given : job->seconds < than->seconds;
}

const char *lay_job_why_worse(const lay_job *job, const lay_job *than)
{
    return job->given < than->given ? "refused: what is packed is not for it" : "refused: not cheaper";
}

static int is_of(const lay_way *way, const lay_order *order)
{
    return !way->order || way->order == order;
}

/* What is said of who is asked in this setting: it is the parent's. */
static const lay_step *step_of_child(const lay_setting *setting)
{
    const lay_step *const step = setting->step ? setting->step + 1 : NULL;
    return step && step->way ? step : NULL;
}

/* With data of its own behind it, zeroed. */
static lay_branch *pose(const lay_way *way, const lay_problem *problem, const lay_setting *setting,
                        const lay_order *order)
{
    enum { UNIT = 64 };
    const size_t own = (sizeof(lay_branch) + UNIT - 1) / UNIT * UNIT;
    lay_branch *made = malloc(own + way->data); /* not cleared whole: for each way of each problem that would show */
    if (!made)
        return NULL;
    made->way = way;
    made->problem = *problem;
    made->setting = *setting;
    made->setting.order = order;
    made->setting.step = step_of_child(setting);
    made->job = (lay_job){ .data = (char *)made + own };
    memset(made->job.data, 0, way->data);
    made->child = NULL;
    atomic_init(&made->kept, NULL);
    return made;
}

static unsigned kinds_of(const lay_problem *problem, const lay_setting *setting)
{
    const int is_mixed = lay_types_are_mixed(&problem->types), is_complex = lay_type_is_complex(problem->types.result);
    return (problem->is_batch ? LAY_TAKES_BATCH : 0) | (is_mixed ? LAY_TAKES_MIXED : 0) |
           (problem->posed.addend ? LAY_TAKES_ADDEND : 0) | (is_complex ? LAY_TAKES_COMPLEX : 0) |
           (problem->posed.end ? LAY_TAKES_ENDING : 0) | (setting->options->grid_m ? LAY_TAKES_GRID : 0) |
           (problem->posed.is_of_numbers ? LAY_TAKES_NUMBERS : 0);
}

/* NULL, or why the way's row is not for such a problem, as a phrase. */
static const char *refuse_kind(const lay_way *way, const lay_problem *problem, const lay_setting *setting)
{
    static const struct {
        unsigned kind;
        const char *taken_by_others, *absent;
    } reasons[] = {
        { LAY_TAKES_ENDING, "leaves sums as they are", "there is no ending" },
        { LAY_TAKES_ADDEND, "adds to what is in C", "C is what is written" },
        { LAY_TAKES_BATCH, "computes one product, not a batch of them", "there is one product alone" },
        { LAY_TAKES_MIXED, "takes operands of one type alone", "the operands have one type" },
        { LAY_TAKES_COMPLEX, "multiplies real numbers", "the operands are real" },
        { LAY_TAKES_GRID, no_grid, "" },
        { LAY_TAKES_NUMBERS, "does not take complex numbers by their parts", "" },
    };
    const unsigned kinds = kinds_of(problem, setting), others = kinds & ~way->takes, absent = way->only & ~kinds;
    for (size_t i = 0; (others | absent) && i < sizeof reasons / sizeof reasons[0]; i++) {
        if (others & reasons[i].kind)
            return reasons[i].taken_by_others;
        if (absent & reasons[i].kind)
            return reasons[i].absent;
    }
    return NULL;
}

lay_branch *lay_branch_make(const lay_way *way, const lay_problem *problem, const lay_setting *setting,
                            const lay_order *order, const char **refusal)
{
    *refusal = lay_list_has(setting->options->skip, way->name) ? skipped : refuse_kind(way, problem, setting);
    if (*refusal)
        return NULL;
    lay_branch *made = pose(way, problem, setting, order);
    *refusal = made ? way->prepare(made) : lay_no_memory;
    if (!*refusal)
        return made;
    lay_branch_destroy(made);
    return NULL;
}

/* Whether a way's reason is the order's: a leaf's, or that of who is for such problems only. */
static int is_telling(const lay_way *way, const lay_problem *problem, const lay_setting *setting)
{
    return (way->order || way->only) && !refuse_kind(way, problem, setting);
}

/* The cheapest of an order that does not refuse. *refusal, where none serves: of a way that lacks memory alone, else of
 * the first way whose reason it is. */
static lay_branch *find_cheapest(const lay_problem *problem, const lay_setting *setting, const lay_order *order,
                                 const char **refusal)
{
    lay_branch *best = NULL;
    lay_setting within = *setting;
    const lay_step *const step = step_of_child(setting);
    const char *kind = NULL;             /* why the first way that does not take such products does not */
    int is_skipped = 0, has_no_grid = 0; /* one of them */
    *refusal = NULL;
    for (const lay_way *const *way = setting->table->ways; *way; way++) {
        const char *reason;
        if (!is_of(*way, order) || (step && step->way != *way))
            continue;
        lay_branch *made = lay_branch_make(*way, problem, &within, order, &reason);
        if (reason == lay_no_memory) {
            lay_branch_destroy(best);
            *refusal = lay_no_memory;
            return NULL;
        }
        is_skipped |= reason == skipped;
        has_no_grid |= reason == no_grid;
        if (!made && (reason == lay_too_large || (!*refusal && (step || is_telling(*way, problem, setting)))))
            *refusal = reason;
        else if (!made && !kind)
            kind = refuse_kind(*way, problem, setting);
        if (!made || (best && !lay_job_is_better(&made->job, &best->job))) {
            lay_branch_destroy(made);
            continue;
        }
        lay_branch_destroy(best);
        best = made;
        if (!setting->bench && (within.limit == 0 || best->job.seconds < within.limit))
            within.limit = best->job.seconds;
    }
    if (!best && is_skipped && !step)
        *refusal = "options.skip leaves no way that serves";
    else if (!best && has_no_grid)
        *refusal = no_grid;
    else if (!best && !*refusal)
        *refusal = kind ? kind : "no way computes it";
    return best;
}

static __attribute__((noinline)) const char *ask_as_real(const lay_order *order, const lay_problem *problem,
                                                         const lay_setting *setting)
{
    lay_problem real; /* large, and not there for others */
    lay_problem_as_real(problem, &real);
    return order->refuse(&real, setting);
}

static const char *ask(const lay_order *order, const lay_problem *problem, const lay_setting *setting);

/* Elements change on their way within one memory alone. */
static int are_all_on_device(const lay_setting *setting)
{
    for (int i = 0; i < LAY_OPERANDS; i++)
        if (setting->place[i] != LAY_PLACE_DEVICE)
            return 0;
    return 1;
}

static __attribute__((noinline)) const char *ask_as_one_type(const lay_order *order, const lay_problem *problem,
                                                             const lay_setting *setting)
{
    lay_problem one;
    if (order->backend != LAY_BACKEND_CPU && !are_all_on_device(setting))
        return "operands of several types lie all in device memory, or all in host memory";
    lay_problem_as_one_type(problem, &one);
    return ask(order, &one, setting);
}

/* An ending changes no sums: they have the order of the product whose D has their type. */
static __attribute__((noinline)) const char *ask_without_ending(const lay_order *order, const lay_problem *problem,
                                                                const lay_setting *setting)
{
    lay_problem sums = *problem;
    if (order->backend != LAY_BACKEND_CPU)
        return "an ending is computed on the CPU alone: with operands in host memory, or by a pass over D afterwards";
    sums.posed.end = NULL;
    sums.types.result = sums.types.addend = problem->types.sum;
    return ask(order, &sums, setting);
}

/* Whose order the sum has: of a complex product the sum of the real one that it is, of several types that of the one
 * they become. */
static const char *ask(const lay_order *order, const lay_problem *problem, const lay_setting *setting)
{
    if (problem->posed.end)
        return ask_without_ending(order, problem, setting);
    if (lay_types_are_mixed(&problem->types) && !(order->mixes && order->mixes(problem)))
        return ask_as_one_type(order, problem, setting);
    return lay_type_is_complex(problem->types.left) ? ask_as_real(order, problem, setting)
                                                    : order->refuse(problem, setting);
}

lay_branch *lay_branch_find(const lay_problem *problem, const lay_setting *setting, const char **refusal, lay_text *why)
{
    const char *last = NULL; /* orders beside each other that refuse for one reason share it */
    int is_settled = 0;      /* who does not refuse has it: what its ways can do may hang on layouts, bits may not */
    *refusal = "no order of the sum is for it";
    for (const lay_order *const *order = setting->table->orders; *order && !is_settled; order++) {
        if (setting->order && setting->order != *order)
            continue;
        const char *reason = ask(*order, problem, setting);
        is_settled = !reason;
        lay_branch *found = is_settled ? find_cheapest(problem, setting, *order, &reason) : NULL;
        if (found)
            return found;
        if (reason != (*order)->not_mine)
            *refusal = reason;
        if (reason == lay_no_memory)
            return NULL;
        if (!why || reason == (*order)->not_mine)
            continue;
        if (last && strcmp(last, reason) != 0)
            lay_text_add(why, ": %s; ", last);
        else if (last)
            lay_text_add(why, ", ");
        lay_text_add(why, "%s", (*order)->name);
        last = reason;
    }
    if (last)
        lay_text_add(why, ": %s", last);
    return NULL;
}

/* An image of C is not C. */
lay_status lay_branch_scale(lay_branch *branch, const lay_call *call)
{
    while (!branch->way->scale && branch->child && branch->child->problem.posed.c == branch->problem.posed.c)
        branch = branch->child;
    return branch->way->scale ? branch->way->scale(branch, call) : branch->setting.order->scale(branch, call);
}

lay_status lay_branch_reserve(lay_branch *branch)
{
    lay_status status = LAY_OK;
    for (; branch && status == LAY_OK; branch = branch->child)
        status = branch->way->reserve ? branch->way->reserve(branch) : LAY_OK;
    return status;
}

void lay_branch_destroy(lay_branch *branch)
{
    if (!branch)
        return;
    if (branch->way->release)
        branch->way->release(branch);
    lay_branch_destroy(branch->child);
    free(branch);
}

const lay_branch *lay_branch_leaf(const lay_branch *branch)
{
    while (branch->child)
        branch = branch->child;
    return branch;
}

void lay_branch_name(const lay_branch *branch, lay_text *text)
{
    for (; branch; branch = branch->child)
        lay_text_add(text, "%s%s", branch->way->name, branch->child ? ", " : "");
}

/* Whether two branches compute alike: found twice, from the same problem and setting. */
static int is_same(const lay_branch *x, const lay_branch *y)
{
    while (x && y && x->way == y->way && x->job.kernel == y->job.kernel) {
        x = x->child;
        y = y->child;
    }
    return !x && !y;
}

static void explain_order(const lay_problem *problem, const lay_setting *setting, const lay_order *order,
                          const lay_branch *taken, lay_text *text)
{
    const int is_tuned = taken && taken->setting.step;
    for (const lay_way *const *way = setting->table->ways; *way; way++) {
        char own_name[96] = "";
        lay_text name = { .to = own_name, .size = sizeof own_name };
        const char *refusal;
        if (!is_of(*way, order))
            continue;
        if (is_tuned && *way == taken->way) {
            lay_branch_name(taken, &name);
            lay_text_add(text, "  %-9s %-26s taken: tuned, predicted %.3g us\n", order->name, own_name,
                         taken->job.seconds * 1e6);
            continue;
        }
        lay_branch *made = lay_branch_make(*way, problem, setting, order, &refusal);
        if (made)
            lay_branch_name(made, &name);
        else
            lay_text_add(&name, "%s", (*way)->name);
        lay_text_add(text, "  %-9s %-26s ", order->name, own_name);
        if (refusal)
            lay_text_add(text, "refused: %s\n", refusal);
        else
            lay_text_add(text, "%s, predicted %.3g us\n",
                         is_tuned               ? "refused: tuning has another"
                         : is_same(made, taken) ? "taken"
                                                : lay_job_why_worse(&made->job, taken ? &taken->job : &made->job),
                         made->job.seconds * 1e6);
        lay_branch_destroy(made);
    }
}

void lay_branch_explain_ways(const lay_problem *problem, const lay_setting *setting, const lay_branch *taken,
                             lay_text *text)
{
    int is_settled = 0;
    for (const lay_order *const *order = setting->table->orders; *order; order++) {
        const char *refusal = ask(*order, problem, setting);
        if (refusal)
            lay_text_add(text, "  %-9s %-26s refused: %s\n", (*order)->name, "", refusal);
        else if (is_settled)
            lay_text_add(text, "  %-9s %-26s refused: %s comes before it\n", (*order)->name, "",
                         taken->setting.order->name);
        else
            explain_order(problem, setting, *order, taken, text);
        is_settled |= taken && taken->setting.order == *order;
    }
}
