/* What might have been taken on the CPU. */
#include "cpu/job.h"
#include "cpu/ways.h"
#include "kernel.h"
#include "model_host.h"
#include "plan/branch.h"
#include "plan/types.h"
#include "rewrite/ways.h"
#include "ways.h"

/* Ways that have others compute. */
static int asks(const lay_way *way)
{
    return way == &lay_way_slices || way == &lay_way_widened || way == &lay_way_complex || way == &lay_way_numbers;
}

static int is_complex(const lay_branch *taken)
{
    return lay_type_is_complex(taken->problem.types.sum);
}

/* Images have products of their own. */
static int serves(const lay_way *way, const lay_branch *taken)
{
    if (is_complex(taken))
        return way == &lay_way_complex || way == &lay_way_numbers;
    return way->order == taken->setting.order && way != &lay_way_image;
}

/* What a way that reads in place decided inside it. */
void model_host_name_inside(const lay_branch *branch, lay_text *text)
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

void model_host_name_kernel(const lay_branch *branch, lay_text *text)
{
    lay_text_add(text, "%s", branch->job.kernel);
}

static void add(model_choice *to, const model_form *in)
{
    model_way *const made = model_make(to, in);
    if (made)
        model_keep(to, made, in->inside);
}

/* One way of the order; where it asks others, with each of them. */
static void add_way(model_choice *to, model_form in)
{
    if (!asks(in.way)) {
        add(to, &in);
        return;
    }
    for (const lay_way *const *inside = lay_all_ways.ways; *inside; inside++)
        if ((*inside)->order == &lay_order_cpu && !asks(*inside) && *inside != &lay_way_image) {
            in.inside = *inside;
            add(to, &in);
        }
}

/* As it decides inside it, and otherwise. */
static void add_forms(model_choice *to, model_form in)
{
    enum { UNIT = LAY_BENCH_OTHER_PACKING, FORMS = 8 }; /* of packing, loops and dots, a bit each */
    for (unsigned other = 0; other < FORMS; other++) {
        in.bench = LAY_BENCH_EVERY_WAY | other * UNIT;
        add_way(to, in);
    }
}

/* Which complex operand is expanded hangs on the sizes, and bits hang on that: only the real product is swapped. */
static void add_kernel(model_choice *to, const char *kernel)
{
    const lay_branch *const taken = to->way[0].branch;
    const int most = to->plan->choice.threads, ways_round = is_complex(taken) ? 1 : 2;
    for (const lay_way *const *way = lay_all_ways.ways; *way; way++)
        for (int threads = 1; threads <= most; threads += most > 1 ? most - 1 : 1)
            for (int is_swapped = 0; is_swapped < ways_round && serves(*way, taken); is_swapped++)
                add_forms(to, (model_form){ *way, NULL, kernel, threads, is_swapped, 0 });
}

/* Of each set of operands. */
static void add_images(model_choice *to)
{
    enum { SETS = 8 };
    if (to->way[0].branch->setting.order != &lay_order_cpu)
        return;
    for (unsigned set = 1; set < SETS; set++)
        add(to, &(model_form){ &lay_way_image, NULL, NULL, to->plan->choice.threads, 0, set * LAY_BENCH_IMAGES });
}

void model_host_add_ways(model_choice *to)
{
    const lay_type type = lay_type_real(to->plan->types.sum);
    for (int i = 0; i < lay_kernel_count; i++)
        if (lay_kernels[i]->type == type)
            add_kernel(to, lay_kernels[i]->name);
    add_images(to);
}
