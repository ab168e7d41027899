/* Whether a batch can go by lanes, how, and what that takes. */
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
    own->is_staged = !own->half && own->batch.mode[own->batch.count - 1].stride[LAY_RESULT] != 1;
    own->runs = own->batch.extent / own->batch.mode[own->batch.count - 1].extent;
    own->is_even[LAY_LEFT] = problem->left_k.class != LAY_AXIS_TABLE && problem->left_k.count <= 1;
    own->is_even[LAY_RIGHT] = problem->right_k.class != LAY_AXIS_TABLE && problem->right_k.count <= 1;
    return NULL;
}

/* How it may be done otherwise: which operands are brought together, a bit each, and whether C is put. */
enum { PUT = 4, FORMS = 8 };

static const lay_mode *lanes_of(const lay_lanes_job *own)
{
    return &own->batch.mode[own->batch.count - 1];
}

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
    const int64_t size = lay_size_of(own->type), lanes = own->row->lanes, all = lanes_of(own)->extent * own->parts;
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
        own->is_planar &= !own->is_copied[x] || lanes_of(own)->stride[x] == 1;
    const int64_t pitch = (own->kc | 1) * (own->is_planar ? ceil_div(own->width, lanes) * lanes : own->width) * size;
    if (is_copied && (pitch > MOST_BYTES / (own->mc + own->nc)))
        return "what is brought together would take too much memory";
    own->left_bytes = own->is_copied[LAY_LEFT] ? (size_t)(own->mc * pitch + LAY_LINE - 1) / LAY_LINE * LAY_LINE : 0;
    own->right_bytes = own->is_copied[LAY_RIGHT] ? (size_t)(own->nc * pitch + LAY_LINE - 1) / LAY_LINE * LAY_LINE : 0;
    const int64_t sums = own->is_put                   ? lay_lanes_plane(own) * ceil_div(own->width, lanes)
                         : own->half || own->is_staged ? own->mc * own->nc * own->width
                                                       : 0;
    own->sums_bytes = (size_t)(sums * size + LAY_LINE - 1) / LAY_LINE * LAY_LINE;
    own->is_beside = can_go_beside(problem, own, machine);
    own->share_bytes = (own->left_bytes + own->right_bytes + own->sums_bytes) * (own->is_beside ? 2 : 1);
    own->table_bytes = lay_lanes_table_bytes(problem, own);
    return NULL;
}

/* Whether the second cache has no room for a block's steps of so many lines, of registers together. */
static int is_beyond_l2(const lay_lanes_job *own, double lines, int64_t registers, const lay_machine *machine)
{
    const double line = own->row->lanes * (double)lay_size_of(own->type);
    return lines * (double)own->kc * (double)registers * line > lay_rates_get()->near_share * (double)machine->l2;
}

/* Seconds that numbers take to be brought together, all of a block's steps for all its products, once. */
static double copy_seconds(const lay_lanes_job *own, int side, double elements, const lay_machine *machine)
{
    const lay_rates *rates = lay_rates_get();
    const double run = (double)(lanes_of(own)->extent * own->parts), lanes = own->row->lanes;
    const double registers = elements * own->parts / run * ceil(run / lanes);
    const double lines =
        (own->is_copied[LAY_LEFT] ? (double)own->mc : 0) + (own->is_copied[LAY_RIGHT] ? (double)own->nc : 0);
    if (!own->is_copied[side])
        return 0;
    /* To the third cache and back where one register of a block is too much, after which the next one comes. */
    const double moved =
        is_beyond_l2(own, lines, 1, machine) ? 2 * lanes * (double)lay_size_of(own->type) / rates->from_l3 : 0;
    if (lanes_of(own)->stride[side] != 1)
        return (elements * rates->lanes_moved +
                registers * (moved + (own->half || own->expand ? rates->lanes_copied : 0))) *
               1e-9;
    return registers * ((own->half ? 3 : 1) * rates->lanes_copied + moved) * 1e-9;
}

/* The share of a tile's lines, read where they lie, that the first cache's sets have no room for. */
static double find_crowded(const lay_problem *problem, const lay_lanes_job *own)
{
    enum { SETS = 64, WAYS = 8, STEPS = 64, MOST = 8 };
    const int64_t size = lay_size_of(own->type), rows = min_of(own->row->mr, problem->m.extent);
    const int64_t columns = min_of(own->row->nr, problem->n.extent), steps = min_of(STEPS, problem->k.extent);
    int64_t left[STEPS], right[STEPS];
    /* Numbers of few products share a line. */
    const int most = WAYS * (int)max_of(1, LAY_LINE / (lanes_of(own)->extent * size));
    int set[SETS] = { 0 }, lines = 0, crowded = 0;
    lay_axis_offsets(&problem->left_k, 0, steps, left);
    lay_axis_offsets(&problem->right_k, 0, steps, right);
    for (int64_t x = 0; x < rows + columns; x++) {
        const int is_left = x < rows;
        if (own->is_copied[is_left ? LAY_LEFT : LAY_RIGHT])
            continue;
        const int64_t line =
            is_left ? lay_axis_offset(&problem->left_m, x) : lay_axis_offset(&problem->right_n, x - rows);
        for (int64_t p = 0; p < steps; p++, lines++)
            crowded += ++set[(uint64_t)((line + (is_left ? left : right)[p]) * size) / LAY_LINE % SETS] > most;
    }
    return lines ? (double)crowded / lines : 0;
}

/* Sets of the first cache that a tile's lines lie in, those that are read in place; as many as there are where they are
 * so few that one set has them all. Lines that are whole pages apart meet in one set, and in few ones of the second
 * cache. */
static int count_sets(const lay_problem *problem, const lay_lanes_job *own)
{
    enum { SETS = LAY_PAGE / LAY_LINE, WAYS = 8, STEPS = 64 };
    const int64_t size = lay_size_of(own->type), steps = min_of(STEPS, problem->k.extent);
    const lay_axis *const along[] = { &problem->left_k, &problem->right_k };
    const lay_axis *const across[] = { &problem->left_m, &problem->right_n };
    const int64_t most[] = { own->row->mr, own->row->nr };
    int is_used[SETS] = { 0 }, used = 0, lines = 0;
    int64_t step[STEPS];
    for (int x = LAY_LEFT; x <= LAY_RIGHT; x++) {
        lay_axis_offsets(along[x], 0, steps, step);
        for (int64_t i = 0; !own->is_copied[x] && i < min_of(most[x], across[x]->extent); i++)
            for (int64_t p = 0; p < steps; p++, lines++) {
                int *const set =
                    &is_used[(uint64_t)((lay_axis_offset(across[x], i) + step[p]) * size) / LAY_LINE % SETS];
                used += !*set;
                *set = 1;
            }
    }
    return lines > WAYS ? used : SETS;
}

/* Whether a step's numbers lie so far behind those of the one before that prefetchers do not follow. */
static int are_steps_far(const lay_lanes_job *own)
{
    return (double)(lanes_of(own)->extent * lay_size_of(own->type)) > lay_rates_get()->lanes_followed;
}

/* Whether left's numbers, read where they lie, are gone from the second cache when the next panel of columns comes. */
static int is_left_again(const lay_problem *problem, const lay_lanes_job *own, const lay_machine *machine)
{
    return !own->is_copied[LAY_LEFT] && !own->is_copied[LAY_RIGHT] &&
           is_beyond_l2(own, (double)(problem->m.extent + problem->n.extent), ceil_div(own->width, own->row->lanes),
                        machine);
}

/* Seconds until the numbers of a step of a tile have come, r rows and s columns: from the second cache, of lines that
 * the first one's sets have no room for, and of all where it has none for a block of steps. */
static double fetch_seconds(const lay_problem *problem, const lay_lanes_job *own, const lay_machine *machine, double r,
                            double s)
{
    const lay_rates *rates = lay_rates_get();
    const double size = (double)lay_size_of(own->type), line = own->row->lanes * size;
    const double element =
        fmin(LAY_LINE, (double)lanes_of(own)->extent * size); /* few products have not all of a line */
    const double in_place = (own->is_copied[LAY_LEFT] ? 0 : r) + (own->is_copied[LAY_RIGHT] ? 0 : s);
    const double steps = fmin((double)lay_lanes_steps(problem, own), (double)own->kc);
    const int is_large = (r + s) * line * steps > (double)machine->l1;
    const double near =
        is_large ? in_place * element + (r + s - in_place) * line : in_place * element * find_crowded(problem, own);
    const double again = is_left_again(problem, own, machine) && !are_steps_far(own) ? r * element : 0;
    return fmax(near / rates->from_l2, again / rates->from_l3) * 1e-9;
}

/* Seconds of loads of numbers where they lie, r and s of each of so many steps of tiles: each lies in another page than
 * the one before. */
static double apart_seconds(const lay_problem *problem, const lay_lanes_job *own, double tile_steps, double r, double s)
{
    const lay_rates *rates = lay_rates_get();
    const double of_page = fmin(1, (double)(lanes_of(own)->extent * lay_size_of(own->type)) / LAY_PAGE);
    const double rows = own->is_copied[LAY_LEFT] ? 0 : (double)problem->m.extent;
    const double left = own->is_copied[LAY_LEFT] ? 0 : r, right = own->is_copied[LAY_RIGHT] ? 0 : s;
    const int is_once = problem->m.extent <= own->row->mr && problem->n.extent <= own->row->nr;
    const int is_far = !is_once && (rows + right) * (double)problem->k.extent * of_page > rates->pages_known;
    const double split = lanes_of(own)->extent * lay_size_of(own->type) % LAY_LINE ? rates->lanes_split : 0;
    const double met = rates->lanes_met * pow(count_sets(problem, own), -1.5);
    return tile_steps * (left + right) * ((is_far ? rates->lanes_far : rates->lanes_apart + split) + met) * 1e-9;
}

/* More seconds of C's numbers: by way of a buffer; or, written one register of all after the other, where their lines
 * leave the second cache before their other parts are written. */
static double result_seconds(const lay_problem *problem, const lay_lanes_job *own, const lay_machine *machine,
                             double registers, double bytes)
{
    const lay_rates *rates = lay_rates_get();
    const double lines = (double)problem->m.extent * (double)problem->n.extent * registers * own->row->lanes *
                         (double)lay_size_of(own->type) / LAY_LINE;
    const double left = fmax(0, 1 - rates->lanes_near * (double)machine->l2 / bytes);
    if (!own->is_planar || own->is_staged)
        return 0;
    return lines * (own->is_put ? rates->lanes_put : left * rates->lanes_left) * 1e-9;
}

/* More seconds of lines where they lie that no prefetcher follows: left's again for each panel of columns; and where
 * the other operand is brought together, all of one register after the other. registers: of all products. */
static double unfollowed_seconds(const lay_problem *problem, const lay_lanes_job *own, const lay_machine *machine,
                                 double registers, double bytes)
{
    const lay_rates *rates = lay_rates_get();
    const double k = (double)problem->k.extent, panels = (double)ceil_div(problem->n.extent, own->row->nr);
    const int64_t lines = own->is_copied[LAY_LEFT] ? problem->n.extent : problem->m.extent;
    if (!are_steps_far(own))
        return 0;
    if (is_left_again(problem, own, machine))
        return (double)problem->m.extent * k * registers * (panels - 1) * rates->line_l3 * 1e-9;
    return own->is_copied[LAY_LEFT] != own->is_copied[LAY_RIGHT] && bytes > rates->lanes_kept * (double)machine->l3
               ? (double)lines * k * registers * rates->lanes_far * 1e-9
               : 0;
}

/* Cycles of a step of a tile whose registers have so many lanes: multiply-adds, loads, or the wait for the sums before.
 */
static double step_cycles(const lay_problem *problem, const lay_lanes_job *own, double lanes, double r, double s)
{
    const lay_rates *rates = lay_rates_get();
    const double width = fmin(2 * lanes, rates->flops * 4 / (double)lay_size_of(own->type) / 2);
    const double wait = own->sum.has_partial_sums || lay_lanes_steps(problem, own) == 1 ? 0 : rates->latency;
    return fmax(fmax(r * s * lanes / width, (r + s) / rates->loads), wait);
}

/* Bytes of a batch's operands and its result. */
static double count_bytes(const lay_problem *problem)
{
    const double m = (double)problem->m.extent, n = (double)problem->n.extent, k = (double)problem->k.extent;
    return ((m + n) * k + m * n) * (double)problem->batch.extent * (double)lay_size_of(problem->types.left);
}

static double predict(const lay_problem *problem, const lay_lanes_job *own, const lay_machine *machine)
{
    const lay_rates *rates = lay_rates_get();
    const double clock = (rates->clock > 0 ? rates->clock : machine->ghz) * 1e9, lanes = own->row->lanes;
    const double m = (double)problem->m.extent, n = (double)problem->n.extent;
    const double steps = (double)lay_lanes_steps(problem, own), products = (double)problem->batch.extent;
    const double rows = (double)ceil_div(problem->m.extent, own->row->mr);
    const double columns = (double)ceil_div(problem->n.extent, own->row->nr);
    const int64_t run = lanes_of(own)->extent * own->parts, rest = run % own->row->lanes;
    const double registers = (double)(own->runs * ceil_div(run, own->row->lanes));
    const double r = m / rows, s = n / columns, tiles = registers * rows * columns;
    const double halves = 0 < rest && rest <= own->row->half ? (double)own->runs * rows * columns : 0;
    const double fetch = fetch_seconds(problem, own, machine, r, s);
    const double whole = fmax(step_cycles(problem, own, lanes, r, s) / clock, fetch);
    const double half = fmax(step_cycles(problem, own, lanes / 2, r, s) / clock, fetch);
    const double elements = (double)problem->k.extent * products;
    const double size = (double)lay_size_of(problem->types.left), result = m * n * products * size;
    const double bytes = count_bytes(problem);
    const double compute = steps * ((tiles - halves) * whole + halves * half) + tiles * rates->lanes_tile * 1e-9 +
                           registers * m * n * rates->lanes_written * 1e-9 +
                           (lanes_of(own)->stride[LAY_RESULT] != 1 ? m * n * products * rates->lanes_moved * 1e-9 : 0) +
                           apart_seconds(problem, own, tiles * steps, r, s) +
                           result_seconds(problem, own, machine, registers, bytes) +
                           unfollowed_seconds(problem, own, machine, registers, bytes);
    const double copies = copy_seconds(own, LAY_LEFT, m * elements * ceil(n / (double)own->nc), machine) +
                          copy_seconds(own, LAY_RIGHT, n * elements * ceil(m / (double)own->mc), machine);
    const double rate = bytes <= (double)machine->l2                       ? rates->from_l2
                        : bytes <= rates->lanes_kept * (double)machine->l3 ? rates->from_l3
                                                                           : rates->from_memory;
    return compute + copies + (bytes + result) / (rate * 1e9); /* C's lines come, and leave again */
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
        if (!own->is_copied[x] && (own->half || own->expand || lanes_of(own)->stride[x] != 1))
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
    own->is_far =
        !own->half && !own->is_staged && !own->is_put && count_bytes(problem) > rates->lanes_near * (double)machine->l2;
    const double alone = predict(problem, own, machine);
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
                 (long long)own->runs, (long long)lanes_of(own)->extent, own->expand ? ", its parts in two" : "",
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
