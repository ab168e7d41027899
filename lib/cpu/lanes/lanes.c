/* Whether a batch can go by lanes, how, and what memory that takes. */
#include "cpu/lanes/lanes.h"

#include <math.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/narrow/pieces.h"
#include "cpu/ways.h"
#include "machine/rates.h"
#include "plan/branch.h"
#include "plan/summation.h"
#include "storage/expand.h"
#include "storage/half.h"
#include "threads/workspace.h"

const lay_lanes_row *lay_lanes_find(lay_type type, const lay_choice *choice)
{
    const lay_lanes_row *found = NULL;
    for (int i = 0; i < lay_lanes_row_count; i++)
        if (lay_lanes_rows[i]->type == type && lay_isa_includes(choice->isa, lay_lanes_rows[i]->isa) &&
            lay_lanes_rows[i]->summation == lay_summation_choose(choice->isa))
            found = lay_lanes_rows[i];
    return found;
}

/* NULL, or why there is none. */
static const char *find_kernels(const lay_branch *branch, lay_lanes_job *own)
{
    const lay_types *types = &branch->problem.types;
    const lay_choice *choice = branch->setting.choice;
    const int is_half = types->left == LAY_F16 || types->left == LAY_BF16;
    if (branch->setting.options->kernel)
        return "options.kernel names another";
    own->type = lay_type_real(types->sum);
    own->parts = lay_type_is_complex(types->sum) ? 2 : 1;
    own->half = is_half ? lay_half_find(types->left, choice->isa) : NULL;
    own->expand = own->parts > 1 ? lay_expand_find(types->left, choice->isa) : NULL;
    own->row = lay_lanes_find(own->type, choice);
    return own->row ? NULL : "no kernel has products in its lanes";
}

/* The order of the sum, which is the single product's, or that of the whole one that it is a part of. */
static const char *find_sum(const lay_problem *problem, lay_lanes_job *own)
{
    own->side = lay_problem_expands(problem) ? LAY_RIGHT : LAY_LEFT;
    own->sum = problem->sum;
    if (own->parts > 1) {
        lay_problem real;
        lay_problem_as_real(problem, &real);
        own->sum = real.sum;
    }
    if (!own->half && !own->sum.has_partial_sums && own->sum.slice < lay_lanes_steps(problem, own))
        return "the sum is cut in slices first";
    return NULL;
}

/* The lanes' mode, and the others. */
static const char *find_lanes(const lay_problem *problem, lay_lanes_job *own)
{
    own->batch = problem->batch;
    if (!own->batch.is_plain)
        return "radices do not divide: the batch's index has no strides";
    lay_group_order_by(&own->batch, LAY_RESULT);
    if (own->batch.count == 0)
        return "there is one product alone";
    own->is_staged = !own->half && lay_lanes_mode(own)->stride[LAY_RESULT] != 1;
    own->runs = own->batch.extent / lay_lanes_mode(own)->extent;
    own->is_even[LAY_LEFT] = problem->left_k.class != LAY_AXIS_TABLE && problem->left_k.count <= 1;
    own->is_even[LAY_RIGHT] = problem->right_k.class != LAY_AXIS_TABLE && problem->right_k.count <= 1;
    return NULL;
}

/* How it may be done otherwise: which operands are brought together, a bit each, and whether C is put. */
enum { PUT = 4, FORMS = 8 };

/* Whether the next chunk comes, and the last one's C leaves, beside the tiles of one: a block has all of a product,
 * both chunks are near, and steps are nearly as many as what is moved at each. */
static int can_go_beside(const lay_problem *problem, const lay_lanes_job *own, const lay_machine *machine)
{
    const double m = (double)problem->m.extent, n = (double)problem->n.extent, k = (double)problem->k.extent;
    const double steps =
        (double)(ceil_div(problem->m.extent, own->row->mr) * ceil_div(problem->n.extent, own->row->nr)) * k;
    return own->is_put && own->is_planar && !own->sum.has_partial_sums && own->parts_m == 1 &&
           own->width % (LAY_LANES_AT_ONCE * own->row->lanes) == 0 && own->mc == problem->m.extent &&
           own->nc == problem->n.extent && own->kc >= problem->k.extent &&
           own->left_bytes + own->right_bytes <= (size_t)machine->l2 &&
           (m + n) * k + m * n <= lay_rates_get()->lanes_beside * LAY_LANES_AT_ONCE * steps;
}

/* Sizes of blocks and chunks, and a run's workspace. */
static const char *choose_blocks(const lay_problem *problem, const lay_machine *machine, int threads,
                                 lay_lanes_job *own)
{
    enum { MOST_BYTES = 1 << 26, COPIED = 8, LEAST_IN_PLACE = 16 /* registers */ };
    const int64_t m = problem->m.extent, n = problem->n.extent, steps = lay_lanes_steps(problem, own);
    const int64_t size = lay_size_of(own->type), lanes = own->row->lanes,
                  all = lay_lanes_mode(own)->extent * own->parts;
    const int is_copied = own->is_copied[LAY_LEFT] || own->is_copied[LAY_RIGHT];
    const int64_t line = lanes * size;
    own->kc = own->half ? min_of(steps, own->sum.has_partial_sums ? LAY_PIECE_SIDE : LAY_KC)
                        : (own->sum.has_partial_sums ? steps : own->sum.block);
    own->mc = max_of(own->row->mr, min_of(m, machine->l2 / 4 / (own->kc * line) / own->row->mr * own->row->mr));
    own->nc = max_of(own->row->nr, min_of(n, machine->l2 / 2 / (own->kc * line) / own->row->nr * own->row->nr));
    own->mc = min_of(own->mc, m);
    own->nc = min_of(own->nc, n);
    /* Whole lines of a page are used up while it is near; what is read in place again and again stays in the second
     * cache; and threads have something each. */
    const int64_t registers = ceil_div(all, lanes), held = machine->l2 / 2 / ((m + n) * own->kc * line);
    const int64_t tasks = ceil_div(4 * (int64_t)threads, own->runs);
    /* Threads with few registers each write parts of the same lines: they share rows, unless B, which each of them then
     * brings together, is widened, expanded or the only one that is. */
    const int is_by_rows = !own->half && !own->expand && own->is_copied[LAY_RIGHT] <= own->is_copied[LAY_LEFT] &&
                           own->runs < threads && registers <= tasks && m >= threads * own->row->mr;
    const int64_t busy = threads > 1 && !is_by_rows ? max_of(1, registers / tasks) : registers;
    int64_t copied = COPIED; /* as many of C as the second cache holds, where it is put */
    while (own->is_put && copied > 1 && copied * own->mc * own->nc * line > machine->l2)
        copied /= 2;
    const int64_t most = is_copied || own->half || own->is_staged ? copied : max_of(held, LEAST_IN_PLACE);
    own->width = min_of(all, min_of(most, busy) * lanes);
    own->chunks = ceil_div(all, own->width);
    own->parts_m = is_by_rows ? threads
                   : own->runs * own->chunks < threads
                       ? min_of(ceil_div(threads, own->runs * own->chunks), ceil_div(m, own->row->mr))
                       : 1;
    own->is_planar = is_copied && !own->half && !own->expand;
    for (int x = LAY_LEFT; x <= LAY_RIGHT; x++)
        own->is_planar &= !own->is_copied[x] || lay_lanes_mode(own)->stride[x] == 1;
    const int64_t pitch = (own->kc | 1) * (own->is_planar ? round_up(own->width, lanes) : own->width) * size;
    if (is_copied && (pitch > MOST_BYTES / (own->mc + own->nc)))
        return "what is brought together would take too much memory";
    own->left_bytes = own->is_copied[LAY_LEFT] ? lay_workspace_part((size_t)(own->mc * pitch)) : 0;
    own->right_bytes = own->is_copied[LAY_RIGHT] ? lay_workspace_part((size_t)(own->nc * pitch)) : 0;
    const int64_t sums = own->is_put                   ? lay_lanes_plane(own) * ceil_div(own->width, lanes)
                         : own->half || own->is_staged ? own->mc * own->nc * own->width
                                                       : 0;
    own->sums_bytes = lay_workspace_part((size_t)(sums * size));
    own->is_beside = can_go_beside(problem, own, machine);
    own->share_bytes = (own->left_bytes + own->right_bytes + own->sums_bytes) * (own->is_beside ? 2 : 1);
    own->table_bytes = lay_lanes_table_bytes(problem, own);
    return NULL;
}

/* In this form. NULL, or why not. */
static const char *choose_form(const lay_branch *branch, unsigned form, lay_lanes_job *own, lay_job *job)
{
    const lay_problem *problem = &branch->problem;
    const lay_machine *machine = lay_machine_get();
    const int64_t tuned = lay_tuned(&branch->setting, LAY_TUNE_GATHERED);
    if (tuned >= 0 && (uint64_t)tuned != form)
        return "tuning brings others together";
    for (int x = LAY_LEFT; x <= LAY_RIGHT; x++) {
        own->is_copied[x] = form >> x & 1;
        if (!own->is_copied[x] && (own->half || own->expand || lay_lanes_mode(own)->stride[x] != 1))
            return "lanes of other types and strides are brought together";
    }
    own->is_put = !!(form & PUT);
    if (own->is_put && !(own->is_copied[LAY_LEFT] && own->is_copied[LAY_RIGHT]))
        return "C is put where A and B are brought together";
    const char *reason = choose_blocks(problem, machine, branch->setting.threads, own);
    if (reason)
        return reason;
    if (own->is_put && (own->is_staged || !own->is_planar))
        return "C goes another way";
    const lay_rates *rates = lay_rates_get();
    own->is_far = !own->half && !own->is_staged && !own->is_put &&
                  lay_lanes_bytes(problem) > rates->lanes_near * (double)machine->l2;
    const double alone = lay_cost_lanes(problem, own, machine);
    const int64_t tasks = own->runs * own->chunks * own->parts_m;
    const int64_t threads = min_of(branch->setting.threads, tasks);
    const double shared = alone * (double)ceil_div(tasks, threads) / (double)tasks + rates->wake * 1e-9;
    const int64_t tuned_threads = lay_tuned(&branch->setting, LAY_TUNE_THREADS);
    job->threads = tuned_threads >= 0 ? (int)max_of(1, min_of(tuned_threads, threads))
                   : shared < alone   ? (int)threads
                                      : 1;
    job->seconds = 50e-9 + fmin(shared, alone);
    job->workspace = own->table_bytes + (size_t)job->threads * own->share_bytes;
    return NULL;
}

static const char *prepare(lay_branch *branch)
{
    lay_lanes_job *const own = branch->job.data;
    const lay_problem *problem = &branch->problem;
    const char *reason;
    if (problem->is_transposed)
        return "either way round is the same work";
    if (problem->m.extent == 0 || problem->n.extent == 0 || problem->k.extent == 0 || problem->batch.extent == 0)
        return "there is nothing to multiply";
    if ((reason = find_kernels(branch, own)) || (reason = find_lanes(problem, own)) ||
        (reason = find_sum(problem, own)))
        return reason;
    lay_job best = { .seconds = INFINITY };
    unsigned form_of_best = 0;
    for (unsigned form = 0; form < FORMS; form++) {
        lay_job job = { .seconds = INFINITY };
        const char *refusal = choose_form(branch, form, own, &job);
        reason = refusal ? refusal : reason;
        if (job.seconds < best.seconds) {
            best = job;
            form_of_best = form;
        }
    }
    if (best.seconds == INFINITY)
        return reason;
    choose_form(branch, form_of_best, own, &best);
    branch->job.kernel = own->row->name;
    branch->job.threads = best.threads;
    branch->job.seconds = best.seconds;
    branch->job.workspace = best.workspace;
    return NULL;
}

static void explain(const lay_branch *branch, lay_text *text)
{
    static const char *const copied[] = { "neither A nor B", "A", "B", "A and B" };
    const lay_lanes_job *own = branch->job.data;
    lay_text_add(text,
                 "lanes     %lld runs of %lld products side by side, one in each lane%s\n"
                 "          %lld numbers at a time, %s brought together%s; %d threads share %lld tasks\n",
                 (long long)own->runs, (long long)lay_lanes_mode(own)->extent, own->expand ? ", its parts in two" : "",
                 (long long)own->width, copied[own->is_copied[LAY_LEFT] + 2 * own->is_copied[LAY_RIGHT]],
                 own->is_beside ? ", the next ones beside, C in a buffer"
                 : own->is_put  ? ", C in a buffer"
                                : "",
                 branch->job.threads, (long long)(own->runs * own->chunks * own->parts_m));
}

static void tell(const lay_branch *branch, lay_step *step)
{
    const lay_lanes_job *own = branch->job.data;
    step->value[LAY_TUNE_THREADS] = branch->job.threads;
    step->value[LAY_TUNE_GATHERED] = own->is_copied[LAY_LEFT] + 2 * own->is_copied[LAY_RIGHT] + (own->is_put ? PUT : 0);
}

const lay_way lay_way_lanes = {
    .name = "lanes",
    .order = &lay_order_cpu,
    .takes = LAY_TAKES_BATCH | LAY_TAKES_COMPLEX,
    .only = LAY_TAKES_BATCH,
    .tunes = 1 << LAY_TUNE_THREADS | 1 << LAY_TUNE_GATHERED,
    .tell = tell,
    .data = sizeof(lay_lanes_job),
    .prepare = prepare,
    .run = lay_lanes_run,
    .scale = lay_lanes_scale,
    .explain = explain,
};

const lay_way lay_way_lanes_widened = {
    .name = "lanes",
    .order = &lay_order_cpu_narrow,
    .takes = LAY_TAKES_BATCH,
    .only = LAY_TAKES_BATCH,
    .tunes = 1 << LAY_TUNE_THREADS | 1 << LAY_TUNE_GATHERED,
    .tell = tell,
    .data = sizeof(lay_lanes_job),
    .prepare = prepare,
    .run = lay_lanes_run,
    .scale = lay_lanes_scale,
    .explain = explain,
};
