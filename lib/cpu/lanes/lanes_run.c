/* Batches by lanes: threads take chunks of products, in each blocks of C, and of each block all steps. What is read
 * more often than once is brought together first, widened or expanded on the way. */
#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/lanes/lanes_work.h"
#include "cpu/narrow/pieces.h"
#include "cpu/strict.h"
#include "plan/summation.h"
#include "threads/parallel.h"

/* One register's products after the other: all that a tile reads of them lies together. */
static void multiply_planes(const lay_lanes_job *own, lay_lanes_fn *multiply, const lay_lanes *block)
{
    const int64_t size = lay_size_of(own->type), lanes = own->row->lanes, pitch = lay_lanes_pitch(own) * size;
    const int64_t a = own->is_copied[LAY_LEFT] ? own->mc * pitch : lanes * size;
    const int64_t b = own->is_copied[LAY_RIGHT] ? own->nc * pitch : lanes * size;
    const int64_t c = own->is_put ? lay_lanes_plane(own) * size : lanes * size;
    lay_lanes one = *block;
    for (int64_t l = 0, v = 0; l < block->width; l += lanes, v++) {
        one.width = min_of(lanes, block->width - l);
        one.a = (const char *)block->a + v * a;
        one.b = (const char *)block->b + v * b;
        one.c = (char *)block->c + v * c;
        multiply(&one);
    }
}

/* Steps first .. first + count - 1 of a block of C, added to what is at c. first and count: of the operands. */
static void multiply_steps(const lay_lanes_work *of, const lay_lanes_chunk *at, const lay_lanes_share *mine, int64_t i,
                           int64_t j, int64_t first, int64_t count, lay_lanes_fn *multiply, lay_lanes *block)
{
    const lay_lanes_job *own = of->own;
    block->k = count * own->parts;
    block->a = at->left;
    block->a_row = of->at.left_m + i;
    block->a_step = of->at.left_k + first;
    block->b = at->right;
    block->b_column = of->at.right_n + j;
    block->b_step = of->at.right_k + first;
    if (own->is_copied[LAY_LEFT]) {
        lay_lanes_bring(of, LAY_LEFT, at->left, block->a_row, block->m, block->a_step, count, at->width, mine->left);
        block->a = mine->left;
        block->a_row = of->at.left_row;
        block->a_step = of->at.step;
    }
    if (own->is_copied[LAY_RIGHT]) {
        lay_lanes_bring(of, LAY_RIGHT, at->right, block->b_column, block->n, block->b_step, count, at->width,
                        mine->right);
        block->b = mine->right;
        block->b_column = of->at.right_column;
        block->b_step = of->at.step;
    }
    if (own->is_planar)
        multiply_planes(own, multiply, block);
    else
        multiply(block);
}

/* All steps, in blocks of the sum. */
static void multiply_real(const lay_lanes_work *of, const lay_lanes_chunk *at, const lay_lanes_share *mine, int64_t i,
                          int64_t j, lay_lanes *block)
{
    const lay_lanes_job *own = of->own;
    const int64_t k = of->branch->problem.k.extent, each = own->kc / own->parts;
    const lay_scalar one = lay_scalar_of(1, own->type);
    block->kc = own->sum.block;
    block->c = at->c;
    block->c_row = (own->parts > 1 ? of->at.numbers_m : of->at.result_m) + i;
    block->c_column = (own->parts > 1 ? of->at.numbers_n : of->at.result_n) + j;
    block->alpha = &of->alpha;
    block->is_far = own->is_far;
    if (own->is_staged || own->is_put) {
        block->c = mine->sums;
        block->c_row = of->at.sum_row;
        block->c_column = of->at.sum_column;
        if (!lay_scalar_is(&of->beta, own->type, 0))
            (own->is_put ? lay_lanes_put : lay_lanes_stage)(of, at, mine, i, j, block, 0);
    }
    for (int64_t p = 0; p < k; p += each) {
        block->beta = p ? &one : &of->beta;
        multiply_steps(of, at, mine, i, j, p, min_of(each, k - p),
                       own->sum.has_partial_sums ? own->row->partial : own->row->multiply, block);
    }
    if (own->is_staged || own->is_put)
        (own->is_put ? lay_lanes_put : lay_lanes_stage)(of, at, mine, i, j, block, 1);
}

/* A line of C's 16-bit numbers becomes round(alpha sum + beta C). */
static void round_line(const lay_lanes_work *of, const float *sum, int64_t count, uint16_t *c, int64_t step)
{
    enum { SOME = 256 };
    const float alpha = of->alpha.f32, beta = of->beta.f32;
    float value[SOME];
    for (int64_t l = 0; l < count; l += SOME) {
        const int64_t n = min_of(SOME, count - l);
        if (beta != 0)
            of->own->half->widen(c + l * step, step, n, value);
        for (int64_t i = 0; i < n; i++)
            value[i] = beta == 0 ? alpha * sum[l + i] : alpha * sum[l + i] + beta * value[i];
        of->own->half->round(value, n, c + l * step, step);
    }
}

/* 16-bit types: chunks of steps that have blocks of their own are added to one FP32 sum. */
static void multiply_widened(const lay_lanes_work *of, const lay_lanes_chunk *at, const lay_lanes_share *mine,
                             int64_t i, int64_t j, lay_lanes *block)
{
    static const float zero = 0, one = 1;
    const lay_lanes_job *own = of->own;
    const int64_t k = of->branch->problem.k.extent;
    block->c = mine->sums;
    block->c_row = of->at.sum_row;
    block->c_column = of->at.sum_column;
    block->alpha = &one;
    for (int64_t first = 0, count; first < k; first += count) {
        count = min_of(LAY_PIECE_SIDE, k - first);
        block->kc = lay_summation_kc(count);
        const int is_partial = own->sum.has_partial_sums && count >= LAY_PARTIAL_SUMS_STEPS;
        const int64_t each = is_partial ? count : block->kc;
        for (int64_t p = 0; p < count; p += each) {
            block->beta = first + p ? &one : &zero;
            multiply_steps(of, at, mine, i, j, first + p, min_of(each, count - p),
                           is_partial ? own->row->partial : own->row->multiply, block);
        }
    }
    for (int64_t r = 0; r < block->m; r++)
        for (int64_t s = 0; s < block->n; s++)
            round_line(of, (const float *)mine->sums + of->at.sum_row[r] + of->at.sum_column[s], at->width,
                       (uint16_t *)(void *)at->c + of->at.result_m[i + r] + of->at.result_n[j + s],
                       lay_lanes_mode(own)->stride[LAY_RESULT]);
}

/* The offsets of a run of products: of its outer modes' digits. */
static void find_run(const lay_group *batch, int64_t run, int64_t offset[LAY_OPERANDS])
{
    for (int d = batch->count - 2; d >= 0; d--) {
        const int64_t digit = run % batch->mode[d].extent;
        run /= batch->mode[d].extent;
        for (int x = 0; x < LAY_OPERANDS; x++)
            offset[x] += digit * batch->mode[d].stride[x];
    }
}

static lay_lanes_chunk find_chunk(const lay_lanes_work *of, int64_t number)
{
    const lay_lanes_job *own = of->own;
    const lay_problem *problem = &of->branch->problem;
    const lay_mode *lanes = lay_lanes_mode(own);
    const int64_t size = lay_size_of(problem->types.left), each = own->width / own->parts;
    const int64_t first = number % own->chunks * each;
    int64_t offset[] = { problem->left_batch.base, problem->right_batch.base, problem->result_batch.base };
    find_run(&own->batch, number / own->chunks, offset);
    for (int x = 0; x < LAY_OPERANDS; x++)
        offset[x] += first * lanes->stride[x];
    return (lay_lanes_chunk){ .left = (const char *)of->call->left + offset[LAY_LEFT] * size,
                              .right = (const char *)of->call->right + offset[LAY_RIGHT] * size,
                              .c = (char *)of->call->c + offset[LAY_RESULT] * size,
                              .width = min_of(each, lanes->extent - first) * own->parts };
}

static void do_task(const lay_lanes_work *of, const lay_lanes_share *mine, int64_t number)
{
    const lay_lanes_job *own = of->own;
    const lay_problem *problem = &of->branch->problem;
    const int64_t chunks = own->runs * own->chunks, part = number / chunks;
    const lay_lanes_chunk at = find_chunk(of, number % chunks);
    const int64_t rows = ceil_div(problem->m.extent, own->parts_m);
    const int64_t last = min_of(problem->m.extent, (part + 1) * rows);
    lay_lanes block = { .width = at.width };
    for (int64_t j = 0; j < problem->n.extent; j += own->nc)
        for (int64_t i = part * rows; i < last; i += own->mc) {
            block.m = min_of(own->mc, last - i);
            block.n = min_of(own->nc, problem->n.extent - j);
            (own->half ? multiply_widened : multiply_real)(of, &at, mine, i, j, &block);
        }
}

/* One operand's rows of a chunk, all of a product's elements. */
static lay_lanes_beside beside(const lay_lanes_work *of, int operand, const lay_lanes_chunk *at,
                               const lay_lanes_share *mine)
{
    const lay_lanes_job *own = of->own;
    const int64_t pitch = lay_lanes_pitch(own), rows = own->kc | 1;
    lay_lanes_beside made = { .is_put = operand == LAY_RESULT, .width = at->width };
    if (operand == LAY_LEFT) {
        made.lying = (void *)(uintptr_t)at->left;
        made.planes = mine->left;
        made.offset = of->at.left;
        made.count = own->mc * rows;
        made.plane = own->mc * pitch;
    } else if (operand == LAY_RIGHT) {
        made.lying = (void *)(uintptr_t)at->right;
        made.planes = mine->right;
        made.offset = of->at.right;
        made.count = own->nc * rows;
        made.plane = own->nc * pitch;
    } else {
        made.lying = at->c;
        made.planes = mine->sums;
        made.offset = of->at.result;
        made.count = own->mc * own->nc;
        made.plane = lay_lanes_plane(own);
    }
    return made;
}

/* The rows that are left. */
static void finish(const lay_lanes_work *of, const lay_lanes_beside *rows)
{
    const lay_lanes_row *row = of->own->row;
    char *const planes = (char *)rows->planes + rows->next * row->lanes * lay_size_of(of->own->type);
    const int64_t left = rows->count - rows->next;
    if (rows->is_put)
        row->put(planes, rows->plane, rows->lying, rows->offset + rows->next, left, rows->width);
    else
        row->copy(rows->lying, rows->offset + rows->next, left, rows->width, planes, rows->plane);
}

/* Tasks one after the other: beside the tiles of one, the next one's numbers come, and the C of the one before leaves.
 */
static void do_beside(const lay_lanes_work *of, const lay_lanes_share mine[2], int64_t from, int64_t to)
{
    const lay_lanes_job *own = of->own;
    lay_lanes_chunk last = { .width = 0 }, at = find_chunk(of, from), next = at;
    for (int x = LAY_LEFT; x <= LAY_RIGHT; x++) {
        const lay_lanes_beside first = beside(of, x, &at, &mine[from % 2]);
        finish(of, &first);
    }
    for (int64_t task = from; task < to; task++, last = at, at = next) {
        const lay_lanes_share *now = &mine[task % 2], *other = &mine[(task + 1) % 2];
        lay_lanes_beside moved[3];
        int count = 0;
        if (task + 1 < to) {
            next = find_chunk(of, task + 1);
            moved[count++] = beside(of, LAY_LEFT, &next, other);
            moved[count++] = beside(of, LAY_RIGHT, &next, other);
        }
        if (task > from)
            moved[count++] = beside(of, LAY_RESULT, &last, other);
        const lay_lanes block = { .m = own->mc,
                                  .n = own->nc,
                                  .k = own->kc,
                                  .width = at.width,
                                  .a = now->left,
                                  .b = now->right,
                                  .c = now->sums,
                                  .a_row = of->at.left_row,
                                  .a_step = of->at.step,
                                  .b_step = of->at.step,
                                  .b_column = of->at.right_column,
                                  .c_row = of->at.sum_row,
                                  .c_column = of->at.sum_column,
                                  .beside = moved,
                                  .besides = count,
                                  .alpha = &of->alpha,
                                  .beta = &of->beta };
        multiply_planes(own, own->row->multiply, &block);
        for (int x = 0; x < count; x++)
            finish(of, &moved[x]);
    }
    const lay_lanes_beside result = beside(of, LAY_RESULT, &last, &mine[(to - 1) % 2]);
    finish(of, &result);
}

static void do_share(void *argument, int64_t number)
{
    const lay_lanes_work *of = argument;
    const lay_lanes_job *own = of->own;
    const size_t bytes = own->left_bytes + own->right_bytes + own->sums_bytes;
    const int64_t each = of->tasks / of->threads, more = of->tasks % of->threads;
    const int64_t from = each * number + min_of(more, number), to = from + each + (number < more);
    lay_lanes_share rooms[2];
    for (int x = 0; x < 2; x++) {
        char *const room = of->shares + (size_t)number * own->share_bytes + (own->is_beside ? x * bytes : 0);
        rooms[x] = (lay_lanes_share){ room, room + own->left_bytes, room + own->left_bytes + own->right_bytes };
    }
    if (own->is_beside && from < to && lay_scalar_is(&of->beta, own->type, 0)) {
        do_beside(of, rooms, from, to);
        return;
    }
    for (int64_t task = from; task < to; task++)
        do_task(of, &rooms[0], task);
}

/* Complex: with B expanded a row (x, y) of A times (re z, im z) and (-im z, re z); a conjugated A has -y for y. */
static void split_scalars(lay_lanes_work *of)
{
    const lay_type type = of->branch->problem.types.sum;
    const int *is_conjugated = of->branch->problem.posed.is_conjugated;
    const int is_other = is_conjugated[1 - of->own->side];
    lay_expansion *const expansion = &of->expansion;
    of->alpha = lay_scalar_read(of->call->alpha, type);
    of->beta = lay_scalar_read(of->call->beta, type);
    if (!of->own->expand)
        return;
    *expansion =
        (lay_expansion){ .is_conjugated = is_conjugated[of->own->side], .second_negated = { !is_other, is_other } };
    if (!(lay_scalar_imaginary(&of->alpha, type) == 0)) {
        expansion->has_factor = 1;
        expansion->factor[0] = lay_scalar_real(&of->alpha, type);
        expansion->factor[1] = lay_scalar_imaginary(&of->alpha, type);
        of->alpha = lay_scalar_of(1, of->own->type);
    }
}

lay_status lay_lanes_scale(lay_branch *branch, const lay_call *call)
{
    enum { AT_ONCE = 64 };
    const lay_problem *problem = &branch->problem;
    const int64_t size = lay_size_of(problem->types.result), count = problem->batch.extent;
    int64_t offset[AT_ONCE];
    lay_call one = *call;
    lay_status status = LAY_OK;
    for (int64_t index = 0; index < count && status == LAY_OK; index++) {
        if (index % AT_ONCE == 0)
            lay_axis_offsets(&problem->result_batch, index, min_of(AT_ONCE, count - index), offset);
        one.c = (char *)call->c + offset[index % AT_ONCE] * size;
        status = branch->setting.order->scale(branch, &one);
    }
    return status;
}

lay_status lay_lanes_run(lay_branch *branch, const lay_call *call)
{
    _Alignas(64) char small[LAY_SMALL_WORKSPACE];
    const lay_lanes_job *own = branch->job.data;
    lay_lanes_work of = { .branch = branch, .own = own, .call = call, .threads = branch->job.threads };
    char *const room = lay_strict_take_workspace(branch, call, small);
    if (!room)
        return LAY_ERR_MEMORY;
    split_scalars(&of);
    if (own->expand && !(lay_scalar_imaginary(&of.beta, branch->problem.types.sum) == 0)) {
        lay_lanes_scale(branch, call);
        of.beta = lay_scalar_of(1, own->type);
    }
    of.at = lay_lanes_make_tables(&branch->problem, own, (int64_t *)(void *)room);
    of.shares = room + own->table_bytes;
    of.tasks = own->runs * own->chunks * own->parts_m;
    lay_parallel_for((int)of.threads, of.threads, do_share, &of);
    lay_strict_give_workspace(call, small, room);
    return LAY_OK;
}
