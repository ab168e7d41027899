/* Candidates: the planner is asked for trees that begin in a certain way, and says what became of them. */
#include "plan/tuning/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "kernel.h"
#include "plan/branch.h"

static int is_same_step(const lay_step *x, const lay_step *y)
{
    return x->way == y->way && x->kernel == y->kernel && memcmp(x->value, y->value, sizeof x->value) == 0;
}

static int is_same(const lay_recipe *x, const lay_recipe *y)
{
    int i = 1;
    while (x->step[i].way && is_same_step(&x->step[i], &y->step[i]))
        i++;
    return !x->step[i].way && !y->step[i].way;
}

static int is_known(const lay_search *in, const lay_recipe *recipe)
{
    for (int i = 0; i < in->count; i++)
        if (is_same(&in->candidate[i].recipe, recipe))
            return 1;
    return 0;
}

/* The tree that begins so. NULL where there is none, or it is known. */
static lay_candidate *add(lay_search *to, const lay_recipe *begin)
{
    const char *refusal;
    lay_setting setting = *to->setting;
    if (to->count == LAY_MOST_CANDIDATES)
        return NULL;
    lay_candidate *const made = &to->candidate[to->count];
    made->recipe = *begin;
    setting.step = made->recipe.step;
    made->root = lay_branch_find(to->problem, &setting, &refusal, NULL);
    made->seconds = 0;
    made->is_out = 0;
    lay_recipe told;
    if (made->root && made->root->setting.order == to->order && lay_recipe_tell(made->root, &told) &&
        !is_known(to, &told)) {
        made->recipe = told; /* the tree's own steps are of no use to it once it is made */
        to->count++;
        return made;
    }
    lay_branch_destroy(made->root);
    return NULL;
}

/* ---- forms ------------------------------------------------------------------------------------ */

/* What is tried of a branch: each of these numbers, with each other. Sizes come later, of what is fast. */
typedef struct choices {
    const char *kernel[16];
    int kernels;
    lay_tunable which[4];
    int64_t least[4], most[4];
    int count;
} choices;

static void add_choice(choices *to, const lay_way *way, lay_tunable which)
{
    if (!(way->tunes & 1u << which))
        return;
    to->which[to->count] = which;
    to->least[to->count] = lay_tunable_rows[which].least;
    to->most[to->count++] = lay_tunable_rows[which].most;
}

static void list_choices(const lay_search *in, const lay_way *way, choices *out)
{
    const lay_type type = lay_type_real(in->problem->types.sum);
    *out = (choices){ .count = 0 };
    for (int i = 0; i < lay_kernel_count && out->kernels < 16 && (way->tunes & LAY_TUNES_KERNEL); i++)
        if (lay_kernels[i]->type == type && lay_isa_includes(in->setting->choice->isa, lay_kernels[i]->isa))
            out->kernel[out->kernels++] = lay_kernels[i]->name;
    if (!out->kernels)
        out->kernel[out->kernels++] = NULL;
    add_choice(out, way, LAY_TUNE_PACKED);
    add_choice(out, way, LAY_TUNE_BY_ROWS);
    add_choice(out, way, LAY_TUNE_DOTS);
    add_choice(out, way, LAY_TUNE_IMAGES);
    add_choice(out, way, LAY_TUNE_GATHERED);
    add_choice(out, way, LAY_TUNE_SHARED);
    add_choice(out, way, LAY_TUNE_PIECES);
}

/* Of the way of the last step: all its forms. */
static void add_forms(lay_search *to, const lay_recipe *begin, int last)
{
    choices of;
    lay_recipe recipe = *begin;
    lay_step *const step = &recipe.step[last];
    const lay_way *const way = step->way;
    list_choices(to, way, &of);
    int64_t forms = 1;
    for (int i = 0; i < of.count; i++)
        forms *= of.most[i] - of.least[i] + 1;
    const int64_t most = way->tunes & 1u << LAY_TUNE_THREADS ? to->setting->threads : 0;
    for (int kernel = 0; kernel < of.kernels; kernel++)
        for (int64_t form = 0; form < forms; form++)
            for (int64_t threads = most ? 1 : 0; threads <= most; threads += most > 1 ? most - 1 : 1) {
                int64_t rest = form;
                *step = lay_step_of(way);
                step->kernel = of.kernel[kernel];
                for (int i = 0; i < of.count; i++) {
                    const int64_t count = of.most[i] - of.least[i] + 1;
                    step->value[of.which[i]] = of.least[i] + rest % count;
                    rest /= count;
                }
                if (most)
                    step->value[LAY_TUNE_THREADS] = threads;
                add(to, &recipe);
            }
}

/* All that begins with steps up to, but not with, the last one. */
static void add_ways(lay_search *to, const lay_recipe *begin, int last)
{
    if (last > LAY_MOST_STEPS)
        return;
    for (const lay_way *const *way = to->setting->table->ways; *way; way++) {
        lay_recipe recipe = *begin, told;
        const char *refusal;
        lay_setting setting = *to->setting;
        if ((*way)->order && (*way)->order != to->order)
            continue;
        recipe.step[last] = lay_step_of(*way);
        recipe.step[last + 1] = lay_step_of(NULL);
        setting.step = recipe.step;
        lay_branch *const root = lay_branch_find(to->problem, &setting, &refusal, NULL);
        const int is_told = root && lay_recipe_tell(root, &told);
        lay_branch_destroy(root);
        if (!is_told)
            continue;
        add_forms(to, &recipe, last);
        if (!told.step[last + 1].way)
            continue;
        recipe.step[last] = told.step[last];
        add_ways(to, &recipe, last + 1);
    }
}

int lay_search_start(const lay_problem *problem, const lay_setting *setting, const lay_order *order, lay_search *out)
{
    out->problem = problem;
    out->setting = setting;
    out->order = order;
    out->count = 0;
    lay_recipe none;
    none.step[0] = none.step[1] = lay_step_of(NULL);
    if (!add(out, &none))
        return 0;
    add_ways(out, &none, 1);
    return 1;
}

static int compare(const void *x, const void *y)
{
    const double of_x = ((const lay_candidate *)x)->root->job.seconds;
    const double of_y = ((const lay_candidate *)y)->root->job.seconds;
    return (of_x > of_y) - (of_x < of_y);
}

void lay_search_sort(lay_search *in, double times)
{
    qsort(in->candidate + 1, (size_t)(in->count - 1), sizeof in->candidate[0], compare);
    double least = in->candidate[0].root->job.seconds;
    if (in->count > 1 && in->candidate[1].root->job.seconds < least)
        least = in->candidate[1].root->job.seconds;
    while (in->count > 1 && in->candidate[in->count - 1].root->job.seconds > times * least)
        lay_branch_destroy(in->candidate[--in->count].root);
}

/* ---- neighbours ------------------------------------------------------------------------------- */

/* What is done to a number, one after the other. */
enum { HALVED, DOUBLED, LESS, MORE, CHANGES };

/* 0 where it cannot be. */
static int change(lay_tunable which, int how, int64_t *value)
{
    const lay_tunable_row *row = &lay_tunable_rows[which];
    const int64_t old = *value;
    const int is_flag = row->least == 0;
    switch (how) {
    case HALVED:
        *value = is_flag ? old ^ 1 : old / 2;
        break;
    case DOUBLED:
        *value = is_flag ? old ^ 2 : 2 * old;
        break;
    case LESS:
        *value = old - max_of(1, old / 4);
        break;
    default:
        *value = old + max_of(1, old / 4);
    }
    return *value != old && *value >= row->least && *value <= row->most;
}

lay_candidate *lay_search_neighbour(lay_search *in, int number, int turn, int *is_end)
{
    lay_recipe recipe = in->candidate[number].recipe;
    const int changes = LAY_TUNABLES * CHANGES, step = 1 + turn / changes;
    const lay_tunable which = (lay_tunable)(turn % changes / CHANGES);
    *is_end = step > lay_recipe_length(&recipe) || in->count == LAY_MOST_CANDIDATES;
    int64_t *const value = &recipe.step[step].value[which];
    if (*is_end || *value < 0 || !change(which, turn % CHANGES, value))
        return NULL;
    return add(in, &recipe);
}

void lay_search_end(lay_search *of)
{
    for (int i = 0; i < of->count; i++)
        lay_branch_destroy(of->candidate[i].root);
    of->count = 0;
}
