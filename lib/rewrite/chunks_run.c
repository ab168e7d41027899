/* A batch in chunks: threads take them, transpose what they read, multiply and transpose back. */
#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/strict.h"
#include "plan/branch.h"
#include "rewrite/chunks.h"
#include "threads/parallel.h"

enum { STRIP = 512 /* elements of a product that are transposed at once */ };

/* A run under way. */
typedef struct work {
    lay_branch *branch;
    const lay_chunks *own;
    const lay_call *call;
    char *shares;
    int reads_c;
} work;

/* Elements first .. first + count - 1 of an image in the caller's operand. */
static void find_strip(const lay_chunk_side *side, int64_t first, int count, int64_t at[])
{
    const int64_t *const near = side->offset, *const far = side->offset + side->near;
    int64_t line = first / side->near, on = first % side->near;
    for (int64_t done = 0, some; done < count; done += some, line++, on = 0) {
        some = min_of(side->near - on, count - done);
        for (int64_t q = 0; q < some; q++)
            at[done + q] = far[line] + near[on + q];
    }
}

/* A chunk of an operand to its images, or back. lying: the first product's element of offset 0. */
static void turn(const work *of, int operand, char *lying, char *images, int64_t width, int is_back)
{
    const lay_lanes_row *row = of->own->row;
    const lay_chunk_side *side = &of->own->side[operand];
    const int64_t size = of->own->size, all = side->near * side->far;
    int64_t at[STRIP];
    for (int64_t first = 0; first < all; first += STRIP) {
        const int count = (int)min_of(STRIP, all - first);
        find_strip(side, first, count, at);
        if (is_back)
            row->turn_back(images + first * size, side->plane, lying, at, count, width);
        else
            row->turn(lying, at, count, width, images + first * size, side->plane);
    }
}

/* The chunk's products, each by the child. step: from one to the next, in bytes. */
static void multiply(const work *of, char *const first[LAY_OPERANDS], const int64_t step[LAY_OPERANDS], int64_t width,
                     void *workspace)
{
    lay_branch *const child = of->branch->child;
    const lay_at_once *job = &child->job.at_once;
    lay_call one = *of->call;
    one.workspace = workspace;
    for (int64_t l = 0; l < width; l++) {
        one.left = first[LAY_LEFT] + l * step[LAY_LEFT];
        one.right = first[LAY_RIGHT] + l * step[LAY_RIGHT];
        one.c = first[LAY_RESULT] + l * step[LAY_RESULT];
        if (!job->multiply) {
            child->way->run(child, &one); /* the CPU's ways lack nothing but memory, and here it is */
            continue;
        }
        const lay_at_once_operands at = lay_at_once_find(job, one.left, one.right, one.c);
        job->multiply(&job->whole, one.alpha, at.left, at.right, one.beta, at.result);
    }
}

static void do_chunk(const work *of, char *room, int64_t number)
{
    const lay_chunks *own = of->own;
    const lay_problem *problem = &of->branch->problem;
    const lay_mode *within = &own->batch.mode[own->batch.count - 1];
    const int64_t from = number % own->count * own->width, width = min_of(own->width, within->extent - from);
    int64_t offset[] = { problem->left_batch.base, problem->right_batch.base, problem->result_batch.base };
    char *const zero[] = { (char *)(uintptr_t)of->call->left, (char *)(uintptr_t)of->call->right, of->call->c };
    char *lying[LAY_OPERANDS], *first[LAY_OPERANDS];
    int64_t step[LAY_OPERANDS], run = number / own->count;
    for (int d = own->batch.count - 2; d >= 0; run /= own->batch.mode[d--].extent)
        for (int x = 0; x < LAY_OPERANDS; x++)
            offset[x] += run % own->batch.mode[d].extent * own->batch.mode[d].stride[x];
    for (int x = 0; x < LAY_OPERANDS; x++) {
        const lay_chunk_side *side = &own->side[x];
        lying[x] = zero[x] + (offset[x] + from * within->stride[x]) * own->size;
        first[x] = side->is_turned ? room + side->at : lying[x];
        step[x] = (side->is_turned ? side->plane : within->stride[x]) * own->size;
        if (side->is_turned && (x != LAY_RESULT || of->reads_c))
            turn(of, x, lying[x], first[x], width, 0);
    }
    multiply(of, first, step, width, room + own->images);
    if (own->side[LAY_RESULT].is_turned)
        turn(of, LAY_RESULT, lying[LAY_RESULT], first[LAY_RESULT], width, 1);
}

static void do_share(void *argument, int64_t number)
{
    const work *of = argument;
    const lay_chunks *own = of->own;
    const int64_t all = own->runs * own->count, each = all / own->shares, more = all % own->shares;
    const int64_t from = each * number + min_of(more, number), to = from + each + (number < more);
    for (int64_t chunk = from; chunk < to; chunk++)
        do_chunk(of, of->shares + (size_t)number * own->share, chunk);
}

lay_status lay_chunks_run(lay_branch *branch, const lay_call *call)
{
    const lay_chunks *own = branch->job.data;
    work of = { .branch = branch, .own = own, .call = call };
    of.shares = lay_strict_take_workspace(branch, call, NULL);
    if (!of.shares)
        return LAY_ERR_MEMORY;
    of.reads_c = !lay_scalar_is(call->beta, branch->problem.types.sum, 0);
    lay_parallel_for((int)own->shares, own->shares, do_share, &of);
    lay_strict_give_workspace(call, NULL, of.shares);
    return LAY_OK;
}
