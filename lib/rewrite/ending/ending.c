/* The way "ending": a product without one, whose sums are scaled, biased and activated where they lie, in D or, where
 * D has another type than sums, in workspace: there in pieces that a cache holds. */
#include "rewrite/ending/pieces.h"

#include <math.h>
#include <stdlib.h>

#include "base/arith.h"
#include "layout/desc.h"
#include "machine/rates.h"
#include "plan/branch.h"
#include "rewrite/ways.h"
#include "threads/workspace.h"

static void drop_piece(lay_end_piece *of)
{
    lay_desc_destroy(of->a);
    lay_desc_destroy(of->b);
    lay_desc_destroy(of->from);
    lay_desc_destroy(of->c);
    lay_branch_destroy(of->child);
}

int lay_end_root(const lay_desc *desc, int operand, int dimension)
{
    const int rank = lay_desc_rank(desc);
    switch (dimension) {
    case LAY_END_BATCH:
        return rank == 3 ? 0 : -1;
    case LAY_END_ROWS:
        return operand == LAY_RIGHT ? -1 : rank - 2;
    case LAY_END_COLUMNS:
        return operand == LAY_LEFT ? -1 : rank - 1;
    default:
        return -1;
    }
}

static lay_status take_first(const lay_desc *desc, int operand, int dimension, int64_t count, lay_desc **out)
{
    const int root = desc ? lay_end_root(desc, operand, dimension) : -1;
    return root < 0 ? LAY_OK : lay_desc_slice(desc, root, 0, count, out);
}

const lay_desc *lay_end_read(const lay_posed *posed)
{
    return posed->addend ? posed->addend : posed->c;
}

/* Dense sums of a piece, elements that are near in D side by side. 0: there is no room for so many. */
static int lay_out_sums(const lay_branch *branch, const lay_end_cut *cut, int64_t count, size_t *room,
                        lay_end_piece *out)
{
    const lay_problem *problem = &branch->problem;
    const int inner = ((const lay_ending_job *)branch->job.data)->ender.inner,
              outer = LAY_END_ROWS + LAY_END_COLUMNS - inner;
    int64_t extent[LAY_END_DIMENSIONS] = { problem->batch.extent, problem->m.extent, problem->n.extent }, bytes;
    if (cut->dimension >= 0)
        extent[cut->dimension] = count;
    out->stride[inner] = 1;
    out->stride[outer] = extent[inner];
    if (!fits_mul(extent[inner], extent[outer], &out->stride[LAY_END_BATCH]) ||
        !fits_mul(out->stride[LAY_END_BATCH], extent[LAY_END_BATCH], &bytes) ||
        !fits_mul(bytes, lay_size_of(problem->types.sum), &bytes) || bytes > INT64_MAX / 4)
        return 0;
    const size_t part = lay_workspace_part((size_t)bytes);
    *room = *room > part ? *room : part;
    const int first = problem->is_batch ? LAY_END_BATCH : LAY_END_ROWS;
    return lay_desc_strided(LAY_END_DIMENSIONS - first, extent + first, out->stride + first, &out->c) == LAY_OK;
}

/* NULL, or why there is no such piece. */
static const char *make_piece(const lay_branch *branch, lay_end_plan *of, int64_t count, int threads,
                              lay_end_piece *out)
{
    const char *refusal = lay_no_memory;
    const int dimension = of->cut.dimension;
    lay_posed posed = branch->problem.posed;
    if (take_first(posed.a, LAY_LEFT, dimension, count, &out->a) ||
        take_first(posed.b, LAY_RIGHT, dimension, count, &out->b) ||
        take_first(lay_end_read(&posed), LAY_RESULT, dimension, count, &out->from))
        return "a piece has no layout";
    if (of->is_apart ? !lay_out_sums(branch, &of->cut, count, &of->sums, out)
                     : take_first(posed.c, LAY_RESULT, dimension, count, &out->c) != LAY_OK)
        return of->is_apart ? "sums would take more memory than there is" : "a piece has no layout";
    lay_problem *problem = malloc(sizeof *problem); /* large: callers' stacks may be small */
    if (!problem)
        return lay_no_memory;
    lay_setting setting = branch->setting;
    setting.threads = threads;
    setting.limit = 0;
    setting.step = NULL;
    if (posed.whole[0] == 0) {
        posed.whole[0] = branch->problem.m.extent;
        posed.whole[1] = branch->problem.n.extent;
    }
    posed.end = NULL;
    posed.a = out->a ? out->a : posed.a;
    posed.b = out->b ? out->b : posed.b;
    posed.c = out->c ? out->c : posed.c;
    posed.addend = of->is_apart || !posed.addend ? NULL : out->from ? out->from : posed.addend;
    if (of->is_apart) {
        posed.types.result = posed.types.addend = posed.types.sum;
        setting.place[LAY_RESULT] = LAY_PLACE_HOST;
    }
    lay_problem_pose(&posed, problem);
    out->child = lay_branch_find(problem, &setting, &refusal, NULL);
    free(problem);
    return out->child ? NULL : refusal;
}

/* ---- cost --------------------------------------------------------------------------------------- */

/* GB/s at which a core finds bytes again that it, or all cores, just wrote. */
static double rate_of(double bytes, int64_t threads)
{
    const lay_machine *machine = lay_machine_get();
    const lay_rates *rates = lay_rates_get();
    const double cores = (double)threads;
    if (bytes <= rates->near_share * (double)machine->l2 * cores)
        return rates->from_l2;
    if (bytes <= rates->near_share * (double)machine->l3)
        return rates->from_l3;
    return fmin(rates->from_memory, rates->memory_all / cores);
}

/* Seconds of the ending's pass over elements by so many threads, found again among `bytes` of them. */
static double pass_of(const lay_branch *branch, double elements, double bytes, int64_t threads)
{
    const lay_rates *rates = lay_rates_get();
    const lay_end *end = branch->problem.posed.end;
    const double size = (double)lay_size_of(branch->problem.types.sum);
    const int terms = !!end->term[0].desc + !!end->term[1].desc + !!end->term[LAY_END_BIAS].desc;
    const double each =
        rates->end_element * (1 + terms) + (end->activation == LAY_ACTIVATION_GELU_TANH ? rates->end_gelu : 0);
    return elements / (double)threads * 1e-9 * (each * size / 4 + 2 * size / rate_of(bytes, threads));
}

/* What a run takes in all. */
static double predict(const lay_branch *branch, const lay_end_plan *of)
{
    const lay_problem *problem = &branch->problem;
    const double m = (double)problem->m.extent, n = (double)problem->n.extent;
    const double size = (double)lay_size_of(problem->types.sum), pieces = (double)of->cut.count;
    const double elements = (double)problem->batch.extent * m * n, bytes = elements * size;
    const int threads = branch->setting.threads;
    if (of->cut.count == 1)
        return of->piece.child->job.seconds + pass_of(branch, elements, bytes, threads);
    const double turns = of->shares > 1 ? (double)ceil_div(of->cut.count, of->shares) : pieces;
    const int64_t busy = of->shares > 1 ? of->shares : threads;
    return turns * of->piece.child->job.seconds + pass_of(branch, elements, bytes / pieces, busy) +
           lay_rates_get()->join * 1e-9 * (of->shares > 1 ? 1 : pieces);
}

/* ---- choosing ----------------------------------------------------------------------------------- */

static void drop(lay_end_plan *of)
{
    drop_piece(&of->piece);
    drop_piece(&of->last);
}

/* Keeps the plan with this cut in best where it is sooner. NULL, or why there is none. */
static const char *try_cut(const lay_branch *branch, const lay_end_cut *cut, int is_shared, lay_end_plan *best)
{
    const int threads = is_shared ? 1 : branch->setting.threads, is_first = best->piece.child == NULL;
    const lay_types *types = &branch->problem.types;
    lay_end_plan made = { .cut = *cut, .is_apart = types->result != types->sum };
    made.shares = is_shared ? min_of(cut->count, branch->setting.threads) : 1;
    const int64_t rest = cut->count > 1 ? made.cut.each : 0; /* of the last piece */
    int64_t whole = cut->dimension == LAY_END_BATCH  ? branch->problem.batch.extent
                    : cut->dimension == LAY_END_ROWS ? branch->problem.m.extent
                                                     : branch->problem.n.extent;
    const int64_t left = rest ? whole % rest : 0;
    const char *reason = make_piece(branch, &made, cut->each, threads, &made.piece);
    if (!reason && left)
        reason = make_piece(branch, &made, left, threads, &made.last);
    if (!reason) {
        const size_t needs = made.piece.child->job.workspace, last = left ? made.last.child->job.workspace : 0;
        made.own = made.sums + lay_workspace_part(needs > last ? needs : last);
        made.seconds = predict(branch, &made);
        const lay_job *job = &made.piece.child->job;
        if (!is_first && job->given < best->piece.child->job.given)
            reason = "packed operands are not for it";
        else if (!is_first && made.seconds >= best->seconds && job->given <= best->piece.child->job.given)
            reason = "is not sooner";
    }
    if (reason) {
        drop(&made);
        return reason;
    }
    drop(best);
    *best = made;
    return NULL;
}

/* Whether an operand's products, if it has several, lie one stride apart. */
static int is_one_stride(const lay_desc *desc)
{
    const lay_node *const map = desc ? lay_operand_batch(desc) : NULL;
    lay_group group;
    if (!map)
        return 1;
    lay_group_refine((const lay_node *[LAY_OPERANDS]){ [LAY_RESULT] = map }, &group);
    return group.is_plain && group.count <= 1;
}

/* Cuts of one dimension: pieces whose sums take a share of the second cache, of one core or of all. */
static const char *try_dimension(const lay_branch *branch, int dimension, lay_end_plan *best)
{
    enum { SHARE = 2, TILES = 48 }; /* of that cache; rows or columns: multiples of most tiles' sides */
    const lay_problem *problem = &branch->problem;
    const lay_posed *posed = &problem->posed;
    const int64_t extent[] = { problem->batch.extent, problem->m.extent, problem->n.extent };
    const lay_desc *const of[LAY_OPERANDS] = { dimension == LAY_END_COLUMNS ? posed->b : posed->a, posed->addend,
                                               posed->c };
    const lay_node *map[LAY_OPERANDS];
    for (int i = 0; i < LAY_OPERANDS; i++)
        map[i] = !of[i]                       ? NULL
                 : dimension == LAY_END_BATCH ? lay_operand_batch(of[i])
                                              : lay_operand_map(of[i], dimension - LAY_END_ROWS);
    if (dimension == LAY_END_BATCH && !(is_one_stride(posed->a) && is_one_stride(posed->b) && is_one_stride(posed->c) &&
                                        is_one_stride(posed->addend)))
        return NULL;
    const double size = (double)lay_size_of(problem->types.sum);
    const double line = size * (double)extent[0] * (double)extent[1] * (double)extent[2] / (double)extent[dimension];
    for (int is_shared = branch->setting.threads > 1; is_shared >= 0; is_shared--) {
        const int64_t cores = is_shared ? 1 : branch->setting.threads, shares = branch->setting.threads;
        const double room = lay_rates_get()->near_share * (double)lay_machine_get()->l2 / SHARE * (double)cores / line;
        int64_t most = room >= (double)extent[dimension] ? extent[dimension] : max_of(1, (int64_t)room);
        if (is_shared) { /* as many for each thread */
            most = ceil_div(extent[dimension], round_up(ceil_div(extent[dimension], most), shares));
            most = dimension == LAY_END_BATCH ? most : round_up(most, TILES);
        }
        const lay_end_cut cut = lay_end_find_cut(map, dimension, extent[dimension], most);
        if (cut.count == 1 || (is_shared && cut.count < shares))
            continue;
        const char *reason = try_cut(branch, &cut, is_shared, best);
        if (reason == lay_no_memory)
            return reason;
    }
    return NULL;
}

/* Sums in workspace, where there are more than the second cache holds. In D they are left until all are there: pieces
 * of a product cost more than finding its sums again (bench/LOG.md, section 95). */
static int is_worth_cutting(const lay_branch *branch)
{
    const lay_problem *problem = &branch->problem;
    const double bytes = (double)problem->batch.extent * (double)problem->m.extent * (double)problem->n.extent *
                         (double)lay_size_of(problem->types.sum);
    return problem->types.result != problem->types.sum && !branch->setting.options->grid_m &&
           bytes > lay_rates_get()->near_share * (double)lay_machine_get()->l2;
}

static const char *choose(const lay_branch *branch, lay_end_plan *best)
{
    const lay_problem *problem = &branch->problem;
    const lay_end_cut whole = { .dimension = -1, .each = 0, .count = 1 };
    const char *reason = try_cut(branch, &whole, 0, best);
    if (reason || !is_worth_cutting(branch))
        return reason;
    if (problem->is_batch)
        return try_dimension(branch, LAY_END_BATCH, best) == lay_no_memory ? lay_no_memory : NULL;
    if (!problem->posed.is_m_in_order)
        reason = try_dimension(branch, LAY_END_ROWS, best);
    if (!reason && !problem->posed.is_n_in_order)
        reason = try_dimension(branch, LAY_END_COLUMNS, best);
    return reason;
}

static const char *prepare(lay_branch *branch)
{
    lay_ending_job *const own = branch->job.data;
    const lay_problem *problem = &branch->problem;
    if (branch->setting.place[LAY_RESULT] == LAY_PLACE_DEVICE)
        return "D lies in device memory";
    if (problem->is_transposed)
        return "either way round is the same work";
    lay_ender_make(problem->posed.end, &problem->types, problem->posed.c, branch->setting.choice->isa, &own->ender);
    const char *reason = choose(branch, &own->plan);
    if (reason)
        return reason;
    branch->child = own->plan.piece.child;
    const lay_job *child = &branch->child->job;
    branch->job.kernel = child->kernel;
    branch->job.threads = own->plan.shares > 1 ? (int)own->plan.shares : branch->setting.threads;
    branch->job.given = child->given;
    branch->job.seconds = own->plan.seconds;
    branch->job.workspace = own->plan.own * (size_t)own->plan.shares;
    return NULL;
}

static void explain(const lay_branch *branch, lay_text *text)
{
    static const char *const activations[] = { NULL, "ReLU", "GELU (tanh)", "clamp" };
    static const char *const dimensions[] = { "products", "rows", "columns" };
    const lay_end_plan *how = &((const lay_ending_job *)branch->job.data)->plan;
    const lay_end *end = branch->problem.posed.end;
    const char *comma = "";
    lay_text_add(text, "ending    ");
    for (int i = 0; i < LAY_END_TERMS; i++)
        if (end->term[i].desc) {
            lay_text_add(text, "%s%s %s", comma, lay_end_name(i), lay_type_name(end->term[i].type));
            comma = ", ";
        }
    if (end->activation != LAY_ACTIVATION_NONE)
        lay_text_add(text, "%s%s", comma, activations[end->activation]);
    if (end->activation == LAY_ACTIVATION_CLAMP)
        lay_text_add(text, " %g .. %g", end->low, end->high);
    lay_text_add(text, how->is_apart ? "; of %s sums in workspace" : "; where D lies",
                 lay_type_name(branch->problem.types.sum));
    if (how->cut.count > 1)
        lay_text_add(text, ", %lld pieces of %lld %s, %s", (long long)how->cut.count, (long long)how->cut.each,
                     dimensions[how->cut.dimension],
                     how->shares > 1 ? "each by one thread" : "one after the other by all threads");
    lay_text_add(text, "\n");
}

static void release(lay_branch *branch)
{
    lay_end_plan *of = &((lay_ending_job *)branch->job.data)->plan;
    if (branch->child == of->piece.child)
        of->piece.child = NULL; /* the branch's */
    drop(of);
}

const lay_way lay_way_ending = {
    .name = "ending",
    .takes =
        LAY_TAKES_ENDING | LAY_TAKES_ADDEND | LAY_TAKES_BATCH | LAY_TAKES_MIXED | LAY_TAKES_COMPLEX | LAY_TAKES_GRID,
    .only = LAY_TAKES_ENDING,
    .data = sizeof(lay_ending_job),
    .prepare = prepare,
    .run = lay_end_run,
    .scale = lay_end_scale,
    .explain = explain,
    .release = release,
};
