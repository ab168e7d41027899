/* Making the ways of a product, and running them. */
#include "model_ways.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/base/element.h"
#include "cpu/ways.h"
#include "model_place.h"
#include "plan/branch.h"
#include "plan/routes.h"
#include "rewrite/image.h"
#include "rewrite/ways.h"
#include "ways.h"

static int is_image(const lay_branch *branch)
{
    return strcmp(branch->way->name, lay_way_image.name) == 0;
}

/* "image of AC, "; on a device, where both are tried, "image of AC as they lie, ". */
static void name_images(const lay_branch *branch, lay_text *text)
{
    const lay_images *const images = branch->job.data;
    const int is_on_device = branch->way->order->backend == LAY_BACKEND_CUDA;
    lay_text_add(text, "%s of ", branch->way->name);
    for (int i = 0; i < LAY_OPERANDS; i++)
        lay_text_add(text, "%s", !images->desc[i] ? "" : i == LAY_LEFT ? "A" : i == LAY_RIGHT ? "B" : "C");
    lay_text_add(text, "%s, ", is_on_device && (images->which & LAY_IMAGE_AS_IT_LIES) ? " as they lie" : "");
}

/* "transposed slices, in place packed right by rows". */
static void name_way(const model_place *place, model_way *way, const lay_way *inside)
{
    lay_text text = { .to = way->name, .size = sizeof way->name };
    const lay_branch *branch = way->branch;
    int is_transposed = way->is_swapped;
    for (; branch->way == &lay_way_transposed; branch = branch->child)
        is_transposed ^= 1;
    lay_text_add(&text, "%s", is_transposed ? "transposed " : "");
    if (is_image(branch))
        name_images(branch, &text);
    lay_branch_name(is_image(branch) ? branch->child : branch, &text);
    place->name_inside(branch, &text);
    if (inside && branch->way == &lay_way_widened)
        lay_text_add(&text, ", %s", inside->name);
    lay_text kernel = { .to = way->kernel, .size = sizeof way->kernel };
    place->name_kernel(way->branch, &kernel);
}

void model_way_write(const model_way *way, char to[MODEL_WAY_TEXT])
{
    snprintf(to, MODEL_WAY_TEXT, "%s/%s/%d", way->name, way->kernel, way->branch->job.threads);
}

static int is_known(const model_choice *of, const model_way *way)
{
    for (int i = 0; i < of->count; i++)
        if (strcmp(of->way[i].name, way->name) == 0 && strcmp(of->way[i].kernel, way->kernel) == 0 &&
            of->way[i].branch->job.threads == way->branch->job.threads)
            return 1;
    return 0;
}

static const lay_branch *taken(const model_choice *of)
{
    return of->way[0].branch;
}

/* The product and setting of the plan, in this form. Images are for the whole product, whatever computes it. */
static void pose(const model_choice *of, model_way *way, const model_form *in, lay_problem *problem,
                 lay_setting *setting)
{
    static lay_desc *const none[2];
    const lay_places places = of->place->places();
    const lay_order *const order = of->place == &model_host ? &lay_order_cpu : taken(of)->setting.order;
    const int is_whole = strcmp(in->way->name, lay_way_image.name) == 0;
    lay_problem posed;
    lay_route_pose(of->plan, &places, none, &posed, setting);
    if (in->is_swapped)
        lay_problem_transpose(&posed, problem);
    else
        *problem = posed;
    way->options = of->plan->options;
    way->options.kernel = in->kernel;
    way->ways[0] = in->inside ? in->inside : in->way;
    const int is_of_any_sum = in->inside && in->way != &lay_way_slices;
    way->ways[1] = is_of_any_sum ? &lay_way_slices : NULL;
    way->ways[2] = is_of_any_sum ? &lay_way_transposed : NULL;
    way->orders[0] = order;
    way->table = (lay_table){ .orders = way->orders, .ways = is_whole ? lay_all_ways.ways : way->ways };
    setting->table = &way->table;
    setting->options = &way->options;
    setting->named = in->kernel ? order : NULL;
    setting->threads = in->threads;
    setting->inside = is_whole ? 0 : LAY_INSIDE_TRANSPOSED;
    setting->bench = in->bench;
}

/* Of complex numbers the sum is that of the real product that they become. */
static int is_refused(const lay_order *order, const lay_problem *problem, const lay_setting *setting)
{
    lay_problem real;
    if (!lay_type_is_complex(problem->types.left))
        return order->refuse(problem, setting) != NULL;
    lay_problem_as_real(problem, &real);
    return order->refuse(&real, setting) != NULL;
}

model_way *model_make(model_choice *to, const model_form *in)
{
    const lay_order *const order = taken(to)->setting.order;
    model_way *const way = &to->way[to->count];
    lay_problem problem;
    lay_setting setting;
    const char *refusal;
    if (to->count == MODEL_WAYS)
        return NULL;
    *way = (model_way){ .is_swapped = in->is_swapped };
    pose(to, way, in, &problem, &setting);
    if (is_refused(order, &problem, &setting))
        return NULL;
    way->branch = lay_branch_make(in->way, &problem, &setting, order, &refusal);
    return way->branch ? way : NULL;
}

void model_keep(model_choice *to, model_way *made, const lay_way *inside)
{
    name_way(to->place, made, inside);
    if (is_known(to, made))
        lay_branch_destroy(made->branch);
    else
        to->count++;
}

lay_status model_choose(const model_operands *of, const lay_options *options, model_choice *out)
{
    const lay_places places = of->place->places();
    lay_route *route;
    out->count = 0;
    out->place = of->place;
    out->missed[0].seconds = out->missed[1].seconds = INFINITY;
    lay_status status = of->labels
                            ? contraction_plan(of->labels, of->type, of->is_by_storage, options, &out->plan)
                            : lay_plan_create(of->type, of->desc[0], of->desc[1], of->desc[2], options, &out->plan);
    if (status != LAY_OK)
        return status;
    status = lay_plan_find_route(out->plan, &places, &route);
    if (status != LAY_OK) {
        lay_plan_destroy(out->plan);
        return status;
    }
    out->way[out->count++] = (model_way){ .branch = route->root };
    name_way(of->place, &out->way[0], NULL);
    of->place->add_ways(out);
    return LAY_OK;
}

void model_free(model_choice *of)
{
    for (int i = 1; i < of->count; i++)
        lay_branch_destroy(of->way[i].branch);
    lay_plan_destroy(of->plan);
}

/* As a plan's run does it, once it has found out what there is to find out. */
lay_status model_run(const model_way *way, const model_operands *of, int set)
{
    char *at[3];
    for (int i = 0; i < 3; i++)
        at[i] = (char *)of->zero[i] + of->apart[i] * (size_t)set;
    const lay_call call = { .alpha = element_scalar(of->type, 1),
                            .left = at[way->is_swapped ? 1 : 0],
                            .right = at[way->is_swapped ? 0 : 1],
                            .beta = element_scalar(of->type, 0),
                            .c = at[2] };
    const lay_at_once *job = &way->branch->job.at_once;
    if (!job->multiply)
        return way->branch->way->run(way->branch, &call);
    job->multiply(&job->whole, call.alpha, (const char *)(job->is_transposed ? call.right : call.left) + job->left,
                  (const char *)(job->is_transposed ? call.left : call.right) + job->right, call.beta,
                  (char *)call.c + job->result);
    return LAY_OK;
}

const model_way *model_best(const model_choice *of, int any)
{
    const model_way *best = &of->way[0];
    for (int i = 1; i < of->count; i++)
        if (!of->way[i].is_out && of->way[i].seconds < best->seconds && (any || !of->way[i].is_other_sum))
            best = &of->way[i];
    return best;
}
