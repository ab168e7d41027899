/* Every way in which a product could have been computed. */
#include "model_ways.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cpu/job.h"
#include "cpu/ways.h"
#include "kernel.h"
#include "plan/branch.h"
#include "plan/routes.h"
#include "rewrite/ways.h"
#include "ways.h"

/* What a branch is made of, interleaved the product. */
typedef struct form {
    const lay_way *way, *inside; /* inside: whom it asks for its own products, NULL: nobody */
    const char *kernel;
    int threads, is_swapped;
    unsigned bench;
} form;

/* Ways that have others compute. */
static int asks(const lay_way *way)
{
    return way == &lay_way_slices || way == &lay_way_widened;
}

/* What a way that reads in place decided inside it. */
static void name_inside(const lay_branch *branch, lay_text *text)
{
    const lay_branch *const leaf = lay_branch_leaf(branch);
    if (leaf->way != &lay_way_in_place)
        return;
    const lay_direct *const direct = &((const lay_blocked *)leaf->job.data)->direct;
    lay_text_add(text, "%s%s%s",
                 direct->is_dotted         ? " dotted"
                 : direct->interleaved     ? " packed interleaved"
                 : direct->is_right_packed ? " packed right"
                                           : "",
                 direct->is_by_rows && !direct->is_dotted ? " by rows" : "",
                 leaf->job.at_once.multiply ? " at once" : "");
}

/* "transposed slices, in place packed right by rows". */
static void name_way(model_way *way, const lay_way *inside)
{
    lay_text text = { .to = way->name, .size = sizeof way->name };
    const lay_branch *branch = way->branch;
    int is_transposed = way->is_swapped;
    for (; branch->way == &lay_way_transposed; branch = branch->child)
        is_transposed ^= 1;
    lay_text_add(&text, "%s", is_transposed ? "transposed " : "");
    lay_branch_name(branch, &text);
    name_inside(branch, &text);
    if (inside && branch->way == &lay_way_widened)
        lay_text_add(&text, ", %s", inside->name);
}

static int is_known(const model_choice *of, const model_way *way)
{
    for (int i = 0; i < of->count; i++)
        if (strcmp(of->way[i].name, way->name) == 0 && of->way[i].branch->job.kernel == way->branch->job.kernel &&
            of->way[i].branch->job.threads == way->branch->job.threads)
            return 1;
    return 0;
}

/* The product and setting of the plan, in this form. */
static void pose(const lay_plan *plan, model_way *way, const form *in, lay_problem *problem, lay_setting *setting)
{
    static lay_desc *const none[2];
    static const lay_order *const orders[] = { &lay_order_cpu, NULL };
    const lay_places places = lay_places_all(LAY_PLACE_HOST, -1);
    lay_problem posed;
    lay_route_pose(plan, &places, none, &posed, setting);
    if (in->is_swapped)
        lay_problem_transpose(&posed, problem);
    else
        *problem = posed;
    way->options = plan->options;
    way->options.kernel = in->kernel;
    way->ways[0] = in->inside ? in->inside : in->way;
    way->ways[1] = in->way == &lay_way_widened ? &lay_way_slices : NULL;
    way->ways[2] = in->way == &lay_way_widened ? &lay_way_transposed : NULL;
    way->table = (lay_table){ .orders = orders, .ways = way->ways };
    setting->table = &way->table;
    setting->options = &way->options;
    setting->named = &lay_order_cpu;
    setting->threads = in->threads;
    setting->inside = LAY_INSIDE_TRANSPOSED;
    setting->bench = in->bench;
}

static void add(model_choice *to, const lay_order *order, const form *in)
{
    model_way *const way = &to->way[to->count];
    lay_problem problem;
    lay_setting setting;
    const char *refusal;
    if (to->count == MODEL_WAYS)
        return;
    *way = (model_way){ .is_swapped = in->is_swapped };
    pose(to->plan, way, in, &problem, &setting);
    if (order->refuse(&problem, &setting))
        return;
    way->branch = lay_branch_make(in->way, &problem, &setting, order, &refusal);
    if (!way->branch)
        return;
    name_way(way, in->inside);
    if (is_known(to, way))
        lay_branch_destroy(way->branch);
    else
        to->count++;
}

/* One way of the order; where it asks others, with each of them. */
static void add_way(model_choice *to, const lay_order *order, form in)
{
    if (!asks(in.way)) {
        add(to, order, &in);
        return;
    }
    for (const lay_way *const *inside = lay_all_ways.ways; *inside; inside++)
        if ((*inside)->order == &lay_order_cpu && !asks(*inside)) {
            in.inside = *inside;
            add(to, order, &in);
        }
}

/* As it decides inside it, and otherwise. */
static void add_forms(model_choice *to, const lay_order *order, form in)
{
    static const unsigned other[] = { 0, LAY_BENCH_OTHER_PACKING, LAY_BENCH_OTHER_LOOPS,
                                      LAY_BENCH_OTHER_PACKING | LAY_BENCH_OTHER_LOOPS };
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
        in.bench = LAY_BENCH_EVERY_WAY | other[i];
        add_way(to, order, in);
    }
}

static void add_kernel(model_choice *to, const lay_order *order, const char *kernel)
{
    const int most = to->plan->choice.threads;
    for (const lay_way *const *way = lay_all_ways.ways; *way; way++)
        for (int threads = 1; threads <= most; threads += most > 1 ? most - 1 : 1)
            for (int is_swapped = 0; is_swapped < 2 && (*way)->order == order; is_swapped++)
                add_forms(to, order, (form){ *way, NULL, kernel, threads, is_swapped, 0 });
}

lay_status model_choose(const model_operands *of, const lay_options *options, model_choice *out)
{
    const lay_places places = lay_places_all(LAY_PLACE_HOST, -1);
    const lay_type type = of->type == LAY_F64 ? LAY_F64 : LAY_F32; /* in which 16-bit products are computed */
    lay_route *route;
    out->count = 0;
    lay_status status = lay_plan_create(of->type, of->desc[0], of->desc[1], of->desc[2], options, &out->plan);
    if (status != LAY_OK)
        return status;
    status = lay_plan_find_route(out->plan, &places, &route);
    if (status != LAY_OK) {
        lay_plan_destroy(out->plan);
        return status;
    }
    out->way[out->count++] = (model_way){ .branch = route->root };
    name_way(&out->way[0], NULL);
    for (int i = 0; i < lay_kernel_count; i++)
        if (lay_kernels[i]->type == type)
            add_kernel(out, route->root->setting.order, lay_kernels[i]->name);
    return LAY_OK;
}

void model_free(model_choice *of)
{
    for (int i = 1; i < of->count; i++)
        lay_branch_destroy(of->way[i].branch);
    lay_plan_destroy(of->plan);
}

/* As a plan's run does it, once it has found out what there is to find out. */
lay_status model_run(const model_way *way, const model_operands *of)
{
    static const float one32 = 1, zero32 = 0;
    static const double one64 = 1, zero64 = 0;
    const int is_f64 = of->type == LAY_F64;
    const lay_call call = { .alpha = is_f64 ? (const void *)&one64 : &one32,
                            .left = of->zero[way->is_swapped ? 1 : 0],
                            .right = of->zero[way->is_swapped ? 0 : 1],
                            .beta = is_f64 ? (const void *)&zero64 : &zero32,
                            .c = of->zero[2] };
    const lay_at_once *job = &way->branch->job.at_once;
    if (!job->multiply)
        return way->branch->way->run(way->branch, &call);
    job->multiply(&job->whole, call.alpha, (const char *)(job->is_transposed ? call.right : call.left) + job->left,
                  (const char *)(job->is_transposed ? call.left : call.right) + job->right, call.beta,
                  (char *)call.c + job->result);
    return LAY_OK;
}
