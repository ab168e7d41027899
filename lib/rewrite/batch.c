/* A batch: another product for each index, all by one child. On the CPU the threads share small products by whole
 * indices, and large ones, of which each keeps all threads busy, come one after the other, as they do on a device. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "base/status.h"
#include "cpu/strict.h"
#include "layout/build.h"
#include "machine/rates.h"
#include "machine/visits.h"
#include "plan/branch.h"
#include "rewrite/batch.h"
#include "rewrite/ways.h"
#include "threads/parallel.h"
#include "threads/workspace.h"

/* Bytes from a matrix's offset 0 to its first element, and from there on; 0: less than a page, more than the second
 * cache has room for, or elements fill little of it. */
typedef struct stretch {
    int64_t first, bytes;
} stretch;

/* What the way prepared. */
typedef struct batch {
    lay_desc *matrix[LAY_OPERANDS]; /* the caller's A, B and C of one index; NULL: the operand itself is a matrix */
    int64_t shares;                 /* of the indices, for a thread each; 1: one product after the other */
    size_t workspace;               /* bytes, of one of several shares */
    double shared, in_turn;         /* predicted seconds of both; 0: not considered */
    stretch ask[LAY_OPERANDS];      /* for what the next product is of */
} batch;

static int make_matrix(const lay_desc *desc, lay_desc **out)
{
    lay_arena arena;
    if (!lay_operand_batch(desc))
        return 1;
    lay_arena_start(&arena, LAY_VIEW_BYTES);
    const lay_dim dims[2] = { lay_dim_load(&arena, desc, 1), lay_dim_load(&arena, desc, 2) };
    return lay_desc_finish(&arena, 2, dims, out) == LAY_OK;
}

/* The product of one index, as it is asked for. 0 without memory. */
static int pose_one(const lay_posed *all, batch *own, lay_posed *one)
{
    const lay_desc **const own_desc[LAY_OPERANDS] = { &one->a, &one->b, &one->c };
    const lay_desc *const of[LAY_OPERANDS] = { all->a, all->b, all->c };
    *one = *all;
    for (int i = 0; i < LAY_OPERANDS; i++) {
        if (!make_matrix(of[i], &own->matrix[i]))
            return 0;
        if (own->matrix[i])
            *own_desc[i] = own->matrix[i];
    }
    return 1;
}

static int is_on_cpu(const lay_branch *branch)
{
    return branch->setting.order->backend == LAY_BACKEND_CPU;
}

/* The shortest way from one index to another. */
static int64_t step_of(const lay_group *indices, int operand)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < indices->count; i++)
        least = min_of(least, llabs(indices->mode[i].stride[operand]));
    return least;
}

/* The modes of a matrix's rows and columns that have more than one index, the nearest elements first, as loops. */
static void visit_matrix(const lay_group *rows, const lay_group *columns, int operand, int64_t size, lay_visits *to)
{
    const lay_group *const of[] = { rows, columns };
    int64_t done = 0; /* the stride that the loops have come to; of equal ones all are made at once */
    for (int64_t next = 0; next < INT64_MAX; done = next) {
        next = INT64_MAX;
        for (int g = 0; g < 2; g++)
            for (int i = 0; i < of[g]->count; i++)
                if (llabs(of[g]->mode[i].stride[operand]) > done)
                    next = min_of(next, llabs(of[g]->mode[i].stride[operand]));
        for (int g = 0; g < 2; g++)
            for (int i = 0; i < of[g]->count; i++)
                if (llabs(of[g]->mode[i].stride[operand]) == next)
                    lay_visits_add(to, (double)of[g]->mode[i].extent, next * size);
    }
}

/* So many lines, or pages, that one product's elements lie in. */
static double count_places(const lay_visits *matrix, double bytes)
{
    double count = 1;
    for (int i = 0; i < matrix->count; i++)
        count *= fmax(1, matrix->loop[i].steps * fmin(1, (double)matrix->loop[i].bytes / bytes));
    return count;
}

/* Seconds of one product's lines that hold elements of others too: of all, where the first cache has no room for so
 * many, and of the pages that most of them lie in. */
static double scattered_seconds(const lay_visits *matrix, const lay_machine *machine)
{
    enum { L1_SHARE = 2 };
    const lay_rates *rates = lay_rates_get();
    const double lines = count_places(matrix, LAY_LINE), pages = count_places(matrix, LAY_PAGE);
    return (lines * LAY_LINE > (double)machine->l1 / L1_SHARE ? lines * rates->lanes_missed : 0) * 1e-9 +
           pages * rates->page_scattered * 1e-9;
}

/* More seconds of one product whose operands another one's have driven out of the caches: what its own prediction knows
 * is a product that is done again and again. */
static double renewed_seconds(const lay_problem *problem)
{
    const lay_group *const groups[LAY_OPERANDS][2] = { [LAY_LEFT] = { &problem->m, &problem->k },
                                                       [LAY_RIGHT] = { &problem->k, &problem->n },
                                                       [LAY_RESULT] = { &problem->m, &problem->n } };
    const lay_machine *machine = lay_machine_get();
    const double count = (double)problem->batch.extent;
    double seconds = 0;
    for (int x = 0; x < LAY_OPERANDS; x++) {
        const lay_group *const *of = groups[x], *indices = &problem->batch;
        const int64_t size = lay_size_of(lay_types_at(&problem->types, x));
        lay_visits all = { .count = 0 };
        if (!of[0]->is_plain || !of[1]->is_plain || !indices->is_plain)
            continue;
        visit_matrix(of[0], of[1], x, size, &all);
        const int64_t step = step_of(indices, x);
        if (step > 0 && step < LAY_LINE / size) {
            seconds += count * scattered_seconds(&all, machine);
            continue;
        }
        const double again = count * lay_visits_predict(&all, machine);
        all.begins_anywhere = 1; /* a product's own prediction counts elements */
        for (int i = indices->count - 1; i >= 0; i--)
            lay_visits_add(&all, (double)indices->mode[i].extent, indices->mode[i].stride[x] * size);
        /* C's lines come, and leave again. */
        seconds += (x == LAY_RESULT ? 2 : 1) * fmax(0, lay_visits_predict(&all, machine) - again);
    }
    return seconds / count;
}

/* more: seconds of a product besides its own. Products by one thread each, if threads that share them are done sooner
 * than with one product after the other. NULL, or lay_no_memory. */
static const char *try_shared(lay_branch *branch, const lay_problem *one, double more)
{
    static const size_t most_workspace = (size_t)1 << 30; /* bytes, of all shares */
    batch *own = branch->job.data;
    const int64_t count = branch->problem.batch.extent, shares = min_of(count, branch->setting.threads);
    const char *refusal = NULL;
    const double turns = (double)ceil_div(count, max_of(1, shares));
    const int is_asked = lay_tuned(&branch->setting, LAY_TUNE_SHARED) == 1;
    lay_setting setting = branch->setting;
    setting.threads = 1;
    setting.limit /= turns;
    lay_branch *alone = shares > 1 ? lay_branch_find(one, &setting, &refusal, NULL) : NULL;
    if (!alone)
        return refusal == lay_no_memory ? refusal : NULL;
    const size_t workspace = lay_workspace_part(alone->job.workspace);
    own->shared = turns * (alone->job.seconds + more) + lay_rates_get()->wake * 1e-9;
    if ((branch->child && own->shared >= own->in_turn && !is_asked) || workspace > most_workspace / (size_t)shares ||
        (branch->child && alone->job.given < branch->child->job.given)) {
        lay_branch_destroy(alone);
        return NULL;
    }
    lay_branch_destroy(branch->child);
    branch->child = alone;
    own->shares = shares;
    own->workspace = workspace;
    return NULL;
}

static const char *find_children(lay_branch *branch, const lay_problem *one)
{
    batch *own = branch->job.data;
    const char *refusal, *reason = NULL;
    const double count = (double)branch->problem.batch.extent;
    lay_setting setting = branch->setting;
    setting.limit /= fmax(1, count);
    branch->child = lay_branch_find(one, &setting, &refusal, NULL);
    if (!branch->child && setting.limit == 0)
        return refusal;
    const double more = is_on_cpu(branch) ? renewed_seconds(&branch->problem) : 0;
    own->shares = 1;
    own->in_turn = branch->child ? count * (branch->child->job.seconds + more) : 0;
    const int64_t tuned = lay_tuned(&branch->setting, LAY_TUNE_SHARED);
    if (is_on_cpu(branch) && tuned != 0 && (reason = try_shared(branch, one, more)))
        return reason;
    if (!branch->child)
        return refusal;
    if (tuned == 1 && own->shares == 1)
        return "tuning shares products that threads cannot share";
    const lay_job *child = &branch->child->job;
    branch->job.kernel = child->kernel;
    branch->job.given = child->given;
    branch->job.is_prompt = child->is_prompt;
    branch->job.threads = own->shares > 1 ? (int)own->shares : child->threads;
    branch->job.seconds = own->shares > 1 ? own->shared : own->in_turn;
    branch->job.workspace = own->shares > 1 ? own->workspace * (size_t)own->shares : child->workspace;
    return NULL;
}

static stretch find_stretch(const lay_axis *x, const lay_axis *y, int64_t size)
{
    enum { SPREAD = 2 /* of a stretch, as much as its elements */ };
    const lay_axis *const of[] = { x, y };
    int64_t first = x->base + y->base, last = first;
    for (int a = 0; a < 2; a++)
        for (int i = 0; i < of[a]->count; i++) {
            const int64_t way = (of[a]->mode[i].extent - 1) * of[a]->mode[i].stride;
            *(way < 0 ? &first : &last) += way;
        }
    const int is_known = x->class != LAY_AXIS_TABLE && y->class != LAY_AXIS_TABLE;
    const int64_t all = (last - first + 1) * size;
    const int is_worth_it = is_known && all >= LAY_PAGE && all <= (int64_t)lay_machine_get()->l2 &&
                            all <= SPREAD * x->extent * y->extent * size;
    return (stretch){ first * size, is_worth_it ? all : 0 };
}

/* On the CPU; a device has no use for it. */
static void find_stretches(const lay_problem *problem, stretch out[LAY_OPERANDS])
{
    const lay_types *const types = &problem->types;
    out[LAY_LEFT] = find_stretch(&problem->left_m, &problem->left_k, lay_size_of(types->left));
    out[LAY_RIGHT] = find_stretch(&problem->right_k, &problem->right_n, lay_size_of(types->right));
    out[LAY_RESULT] = find_stretch(&problem->result_m, &problem->result_n, lay_size_of(types->result));
}

static const char *prepare(lay_branch *branch)
{
    lay_posed posed;
    lay_problem *one = malloc(sizeof *one); /* large: callers' stacks may be small */
    const char *refusal = lay_no_memory;
    if (branch->setting.inside & LAY_INSIDE_TRANSPOSED)
        refusal = "its products are transposed one by one";
    else if (one && pose_one(&branch->problem.posed, branch->job.data, &posed)) {
        lay_problem_pose(&posed, one);
        refusal = find_children(branch, one);
    }
    free(one);
    if (is_on_cpu(branch))
        find_stretches(&branch->problem, ((batch *)branch->job.data)->ask);
    return refusal;
}

/* What is done with each index. */
typedef lay_status one_fn(lay_branch *child, const lay_call *call);

static const void *move(const void *zero, int64_t elements, lay_type type)
{
    return zero ? (const char *)zero + elements * lay_size_of(type) : NULL;
}

/* A run under way. */
typedef struct work {
    lay_branch *branch;
    const lay_call *call;
    one_fn *one;
    char *workspace; /* NULL: none is needed */
} work;

/* A line of each page that a matrix lies in: what is dear to find is where pages are, and lines follow each other. More
 * lines at once were 1 to 20 % slower than none, one a page is 2 to 15 % faster (bench/LOG.md, 105). */
static void ask_for(const stretch *of, const void *zero, int64_t offset, lay_type type)
{
    const char *const first = (const char *)zero + offset * lay_size_of(type) + of->first;
    for (int64_t at = 0; at < of->bytes; at += LAY_PAGE)
        __builtin_prefetch(first + at, 0, 2);
}

/* Indices from .. to - 1, one after the other. *done: those that succeeded. */
static lay_status do_each(const work *of, int64_t from, int64_t to, void *workspace, int64_t *done)
{
    enum { AT_ONCE = 64 };
    const lay_problem *problem = &of->branch->problem;
    const lay_call *call = of->call;
    int64_t left[AT_ONCE], right[AT_ONCE], result[AT_ONCE];
    lay_call own = *call;
    const stretch *const ask = ((const batch *)of->branch->job.data)->ask;
    const int is_asked = call->left && ask[LAY_LEFT].bytes + ask[LAY_RIGHT].bytes + ask[LAY_RESULT].bytes > 0;
    own.workspace = workspace;
    for (int64_t index = from, count; index < to; index += count) {
        count = min_of(AT_ONCE, to - index);
        lay_axis_offsets(&problem->left_batch, index, count, left);
        lay_axis_offsets(&problem->right_batch, index, count, right);
        lay_axis_offsets(&problem->result_batch, index, count, result);
        for (int64_t i = 0; i < count; i++, ++*done) {
            own.left = move(call->left, left[i], problem->types.left);
            own.right = move(call->right, right[i], problem->types.right);
            own.c = (char *)call->c + result[i] * lay_size_of(problem->types.result);
            if (is_asked && i + 1 < count) {
                ask_for(&ask[LAY_LEFT], call->left, left[i + 1], problem->types.left);
                ask_for(&ask[LAY_RIGHT], call->right, right[i + 1], problem->types.right);
                ask_for(&ask[LAY_RESULT], call->c, result[i + 1], problem->types.result);
            }
            const lay_status status = of->one(of->branch->child, &own);
            if (status != LAY_OK)
                return status;
        }
    }
    return LAY_OK;
}

static lay_status do_in_turn(const work *of)
{
    int64_t done = 0;
    const lay_status status = do_each(of, 0, of->branch->problem.batch.extent, of->workspace, &done);
    return status == LAY_OK || done == 0 ? status : lay_fail_spoilt(status);
}

static void do_share(void *argument, int64_t number)
{
    const work *of = argument;
    const batch *own = of->branch->job.data;
    const int64_t count = of->branch->problem.batch.extent, each = count / own->shares, more = count % own->shares;
    const int64_t from = each * number + min_of(more, number), to = from + each + (number < more);
    int64_t done = 0;
    const lay_status status =
        do_each(of, from, to, of->workspace ? of->workspace + (size_t)number * own->workspace : NULL, &done);
    assert(status == LAY_OK); /* the CPU's ways lack nothing but memory, and here it is */
    (void)status;
}

static lay_status do_all(const work *of)
{
    const int64_t shares = ((const batch *)of->branch->job.data)->shares;
    if (shares == 1)
        return do_in_turn(of);
    lay_parallel_for((int)shares, shares, do_share, (void *)(uintptr_t)of);
    return LAY_OK;
}

static lay_status run(lay_branch *branch, const lay_call *call)
{
    _Alignas(64) char small[LAY_SMALL_WORKSPACE];
    if (!is_on_cpu(branch))
        return do_all(&(work){ branch, call, lay_branch_run, NULL });
    void *const workspace = lay_strict_take_workspace(branch, call, small);
    if (!workspace)
        return LAY_ERR_MEMORY;
    const lay_status status = do_all(&(work){ branch, call, lay_branch_run, workspace });
    lay_strict_give_workspace(call, small, workspace);
    return status;
}

static lay_status scale(lay_branch *branch, const lay_call *call)
{
    return do_all(&(work){ branch, call, lay_branch_scale, NULL });
}

void lay_batch_explain_group(const lay_group *group, lay_text *text)
{
    lay_text_add(text, "batch     %lld products ", (long long)group->extent);
    if (!group->is_plain)
        lay_text_add(text, "(radices do not divide: offsets from tables)");
    for (int i = 0; i < group->count; i++)
        lay_text_add(text, "[%lld A:%lld B:%lld C:%lld]", (long long)group->mode[i].extent,
                     (long long)group->mode[i].stride[LAY_LEFT], (long long)group->mode[i].stride[LAY_RIGHT],
                     (long long)group->mode[i].stride[LAY_RESULT]);
}

static void explain(const lay_branch *branch, lay_text *text)
{
    const batch *own = branch->job.data;
    lay_batch_explain_group(&branch->problem.batch, text);
    if (own->shares > 1)
        lay_text_add(text, ": shared by %lld threads, one a product", (long long)own->shares);
    else
        lay_text_add(text, ": one after the other");
    if (own->shared > 0)
        lay_text_add(text, "; predicted %.3g us shared, %.3g us one after the other", own->shared * 1e6,
                     own->in_turn * 1e6);
    lay_text_add(text, "\n");
}

static void release(lay_branch *branch)
{
    batch *own = branch->job.data;
    for (int i = 0; i < LAY_OPERANDS; i++)
        lay_desc_destroy(own->matrix[i]);
}

static void tell(const lay_branch *branch, lay_step *step)
{
    step->value[LAY_TUNE_SHARED] = ((const batch *)branch->job.data)->shares > 1;
}

const lay_way lay_way_batch = {
    .name = "batch",
    .tunes = 1 << LAY_TUNE_SHARED,
    .tell = tell,
    .takes = LAY_TAKES_BATCH | LAY_TAKES_MIXED | LAY_TAKES_COMPLEX,
    .only = LAY_TAKES_BATCH,
    .data = sizeof(batch),
    .prepare = prepare,
    .run = run,
    .scale = scale,
    .explain = explain,
    .release = release,
};
