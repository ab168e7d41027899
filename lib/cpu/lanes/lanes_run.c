/* Batches by lanes: threads take chunks of products, in each blocks of C, and of each block all steps. What is read
 * more often than once is brought together first, widened or expanded on the way. */
#include "cpu/lanes/lanes.h"

#include <string.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/narrow/pieces.h"
#include "cpu/strict.h"
#include "plan/summation.h"
#include "threads/parallel.h"

/* Offsets of a product's elements, of its operands and of what is brought together. */
typedef struct tables {
    int64_t *left_m, *left_k, *right_k, *right_n, *result_m, *result_n; /* in elements */
    int64_t *numbers_m, *numbers_n; /* C's in numbers, where those are not its elements */
    int64_t *left_row, *right_column, *step, *sum_row, *sum_column; /* of blocks, of full width; in numbers */
    int64_t *left, *right,
        *result; /* all elements of a product as they lie in planes, where chunks come beside others */
} tables;

/* A run under way. */
typedef struct work {
    const lay_branch *branch;
    const lay_lanes_job *own;
    const lay_call *call;
    tables at;
    char *shares;
    int64_t tasks, threads;
    lay_expansion expansion; /* of complex types, */
    lay_scalar alpha, beta;  /* which are the real product's */
} work;

/* A thread's own. */
typedef struct share {
    char *left, *right;
    void *sums; /* a block of C, if it is not written in place */
} share;

/* A chunk of a run: where its first product's matrices begin, and what a block of it is. */
typedef struct chunk {
    const char *left, *right;
    char *c;
    int64_t width; /* numbers */
} chunk;

static size_t round_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static int64_t count_entries(const lay_problem *problem, const lay_lanes_job *own)
{
    const int64_t planes = own->is_beside ? (own->mc + own->nc) * (own->kc | 1) + own->mc * own->nc : 0;
    return 3 * (problem->m.extent + problem->n.extent) + 2 * problem->k.extent + 2 * (own->mc + own->nc) + own->kc +
           planes;
}

size_t lay_lanes_table_bytes(const lay_problem *problem, const lay_lanes_job *own)
{
    return round_up((size_t)count_entries(problem, own) * sizeof(int64_t));
}

static int64_t *fill(int64_t **room, int64_t count, int64_t step)
{
    int64_t *const made = *room;
    *room += count;
    for (int64_t i = 0; i < count; i++)
        made[i] = i * step;
    return made;
}

static int64_t *walk(int64_t **room, const lay_axis *axis)
{
    int64_t *const made = *room;
    *room += axis->extent;
    lay_axis_offsets(axis, 0, axis->extent, made);
    return made;
}

/* Elements of so many lines, from row to row of a plane: one that no step has repeats the one before. */
static int64_t *spread(int64_t **room, const int64_t *line, int64_t lines, const int64_t *step, int64_t steps,
                       int64_t rows)
{
    int64_t *const made = *room;
    *room += lines * rows;
    for (int64_t i = 0; i < lines; i++)
        for (int64_t p = 0; p < rows; p++)
            made[i * rows + p] = line[i] + step[min_of(p, steps - 1)];
    return made;
}

static tables make_tables(const lay_problem *problem, const lay_lanes_job *own, int64_t *room)
{
    tables made = { .left_m = walk(&room, &problem->left_m),
                    .left_k = walk(&room, &problem->left_k),
                    .right_k = walk(&room, &problem->right_k),
                    .right_n = walk(&room, &problem->right_n),
                    .result_m = walk(&room, &problem->result_m),
                    .result_n = walk(&room, &problem->result_n) };
    made.numbers_m = walk(&room, &problem->result_m);
    made.numbers_n = walk(&room, &problem->result_n);
    for (int64_t i = 0; i < problem->m.extent; i++)
        made.numbers_m[i] *= own->parts;
    for (int64_t j = 0; j < problem->n.extent; j++)
        made.numbers_n[j] *= own->parts;
    made.left_row = fill(&room, own->mc, lay_lanes_pitch(own));
    made.right_column = fill(&room, own->nc, lay_lanes_pitch(own));
    made.step = fill(&room, own->kc, lay_lanes_together(own));
    const int64_t sum = own->is_put ? own->row->lanes : own->width;
    made.sum_row = fill(&room, own->mc, own->nc * sum);
    made.sum_column = fill(&room, own->nc, sum);
    if (own->is_beside) {
        const int64_t m = own->mc, n = own->nc, k = own->kc;
        made.left = spread(&room, made.left_m, m, made.left_k, k, k | 1);
        made.right = spread(&room, made.right_n, n, made.right_k, k, k | 1);
        made.result = spread(&room, made.result_m, m, made.result_n, n, n);
    }
    return made;
}

/* Elements that lie from_step bytes apart to where they lie to_step bytes apart. */
#define MOVE(BYTES)                                                                                                    \
    static void move_##BYTES(const char *from, int64_t from_step, int64_t count, char *to, int64_t to_step)            \
    {                                                                                                                  \
        for (int64_t l = 0; l < count; l++, from += from_step, to += to_step)                                          \
            memcpy(to, from, BYTES);                                                                                   \
    }
MOVE(4)
MOVE(8)
MOVE(16)

static void move_elements(const char *from, int64_t from_step, int64_t count, int64_t size, char *to, int64_t to_step)
{
    (size == 4 ? move_4 : size == 8 ? move_8 : move_16)(from, from_step, count, to, to_step);
}

/* One line of an operand, of steps from .. from + count - 1 of its own, to [real steps][width]. */
static void bring_line(const work *of, int side, const char *zero, const int64_t *step, int64_t count, int64_t width,
                       char *to)
{
    const lay_lanes_job *own = of->own;
    const int64_t stride = own->batch.mode[own->batch.count - 1].stride[side], products = width / own->parts;
    const int64_t size = lay_size_of(of->branch->problem.types.left), row = own->width * lay_size_of(own->type);
    char line[LAY_LANES_MOST_BYTES];
    if (own->is_planar) {
        own->row->copy(zero, step, count, width, to, lay_lanes_pitch(own) * (side == LAY_LEFT ? own->mc : own->nc));
        return;
    }
    if (stride == 1 && own->expand && side == own->side && own->is_even[side]) {
        own->expand(&of->expansion, zero + step[0] * size, count > 1 ? (step[1] - step[0]) * size : 0, to, row,
                    products, count);
        return;
    }
    for (int64_t p = 0; p < count; p++, to += own->parts * row) {
        const char *from = zero + step[p] * size;
        if (own->half) {
            own->half->widen((const uint16_t *)(const void *)from, stride, products, (float *)(void *)to);
            continue;
        }
        if (stride != 1) {
            move_elements(from, stride * size, products, size, own->expand ? line : to, size);
            from = line;
        } else if (!own->expand) {
            memcpy(to, from, (size_t)(products * size));
        }
        if (own->expand && side == own->side)
            own->expand(&of->expansion, from, 0, to, row, products, 1);
        else if (own->expand)
            own->row->parts(from, width, to, to + row);
    }
}

static void bring(const work *of, int side, const char *zero, const int64_t *line, int64_t lines, const int64_t *step,
                  int64_t count, int64_t width, char *to)
{
    const int64_t size = lay_size_of(of->branch->problem.types.left);
    const int64_t pitch = lay_lanes_pitch(of->own) * lay_size_of(of->own->type);
    for (int64_t i = 0; i < lines; i++, to += pitch)
        bring_line(of, side, zero + line[i] * size, step, count, width, to);
}

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
static void multiply_steps(const work *of, const chunk *at, const share *mine, int64_t i, int64_t j, int64_t first,
                           int64_t count, lay_lanes_fn *multiply, lay_lanes *block)
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
        bring(of, LAY_LEFT, at->left, block->a_row, block->m, block->a_step, count, at->width, mine->left);
        block->a = mine->left;
        block->a_row = of->at.left_row;
        block->a_step = of->at.step;
    }
    if (own->is_copied[LAY_RIGHT]) {
        bring(of, LAY_RIGHT, at->right, block->b_column, block->n, block->b_step, count, at->width, mine->right);
        block->b = mine->right;
        block->b_column = of->at.right_column;
        block->b_step = of->at.step;
    }
    if (own->is_planar)
        multiply_planes(own, multiply, block);
    else
        multiply(block);
}

/* A block of C, whose products do not lie side by side, to where they do; or back. */
static void stage(const work *of, const chunk *at, const share *mine, int64_t i, int64_t j, const lay_lanes *block,
                  int is_back)
{
    const lay_lanes_job *own = of->own;
    const int64_t size = lay_size_of(of->branch->problem.types.result), number = lay_size_of(own->type);
    const int64_t step = own->batch.mode[own->batch.count - 1].stride[LAY_RESULT] * size;
    for (int64_t r = 0; r < block->m; r++)
        for (int64_t s = 0; s < block->n; s++) {
            char *const c = at->c + (of->at.result_m[i + r] + of->at.result_n[j + s]) * size;
            char *const sums = (char *)mine->sums + (of->at.sum_row[r] + of->at.sum_column[s]) * number;
            if (is_back)
                move_elements(sums, size, at->width / own->parts, size, c, step);
            else
                move_elements(c, step, at->width / own->parts, size, sums, size);
        }
}

/* The same where products lie side by side, register by register in the buffer. */
static void put(const work *of, const chunk *at, const share *mine, int64_t i, int64_t j, const lay_lanes *block,
                int is_back)
{
    const lay_lanes_row *row = of->own->row;
    const int64_t size = lay_size_of(of->own->type), plane = lay_lanes_plane(of->own);
    for (int64_t r = 0; r < block->m; r++) {
        char *const c = at->c + of->at.result_m[i + r] * size;
        char *const sums = (char *)mine->sums + of->at.sum_row[r] * size;
        if (is_back)
            row->put(sums, plane, c, of->at.result_n + j, block->n, at->width);
        else
            row->copy(c, of->at.result_n + j, block->n, at->width, sums, plane);
    }
}

/* All steps, in blocks of the sum. */
static void multiply_real(const work *of, const chunk *at, const share *mine, int64_t i, int64_t j, lay_lanes *block)
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
            (own->is_put ? put : stage)(of, at, mine, i, j, block, 0);
    }
    for (int64_t p = 0; p < k; p += each) {
        block->beta = p ? &one : &of->beta;
        multiply_steps(of, at, mine, i, j, p, min_of(each, k - p),
                       own->sum.has_partial_sums ? own->row->partial : own->row->multiply, block);
    }
    if (own->is_staged || own->is_put)
        (own->is_put ? put : stage)(of, at, mine, i, j, block, 1);
}

/* A line of C's 16-bit numbers becomes round(alpha sum + beta C). */
static void round_line(const work *of, const float *sum, int64_t count, uint16_t *c, int64_t step)
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
static void multiply_widened(const work *of, const chunk *at, const share *mine, int64_t i, int64_t j, lay_lanes *block)
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
                       own->batch.mode[own->batch.count - 1].stride[LAY_RESULT]);
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

static chunk find_chunk(const work *of, int64_t number)
{
    const lay_lanes_job *own = of->own;
    const lay_problem *problem = &of->branch->problem;
    const lay_mode *lanes = &own->batch.mode[own->batch.count - 1];
    const int64_t size = lay_size_of(problem->types.left), each = own->width / own->parts;
    const int64_t first = number % own->chunks * each;
    int64_t offset[] = { problem->left_batch.base, problem->right_batch.base, problem->result_batch.base };
    find_run(&own->batch, number / own->chunks, offset);
    for (int x = 0; x < LAY_OPERANDS; x++)
        offset[x] += first * lanes->stride[x];
    return (chunk){ .left = (const char *)of->call->left + offset[LAY_LEFT] * size,
                    .right = (const char *)of->call->right + offset[LAY_RIGHT] * size,
                    .c = (char *)of->call->c + offset[LAY_RESULT] * size,
                    .width = min_of(each, lanes->extent - first) * own->parts };
}

static void do_task(const work *of, const share *mine, int64_t number)
{
    const lay_lanes_job *own = of->own;
    const lay_problem *problem = &of->branch->problem;
    const int64_t chunks = own->runs * own->chunks, part = number / chunks;
    const chunk at = find_chunk(of, number % chunks);
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
static lay_lanes_beside beside(const work *of, int operand, const chunk *at, const share *mine)
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
static void finish(const work *of, const lay_lanes_beside *rows)
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
static void do_beside(const work *of, const share mine[2], int64_t from, int64_t to)
{
    const lay_lanes_job *own = of->own;
    chunk last = { .width = 0 }, at = find_chunk(of, from), next = at;
    for (int x = LAY_LEFT; x <= LAY_RIGHT; x++) {
        const lay_lanes_beside first = beside(of, x, &at, &mine[from % 2]);
        finish(of, &first);
    }
    for (int64_t task = from; task < to; task++, last = at, at = next) {
        const share *now = &mine[task % 2], *other = &mine[(task + 1) % 2];
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
    const work *of = argument;
    const lay_lanes_job *own = of->own;
    const size_t bytes = own->left_bytes + own->right_bytes + own->sums_bytes;
    const int64_t each = of->tasks / of->threads, more = of->tasks % of->threads;
    const int64_t from = each * number + min_of(more, number), to = from + each + (number < more);
    share rooms[2];
    for (int x = 0; x < 2; x++) {
        char *const room = of->shares + (size_t)number * own->share_bytes + (own->is_beside ? x * bytes : 0);
        rooms[x] = (share){ room, room + own->left_bytes, room + own->left_bytes + own->right_bytes };
    }
    if (own->is_beside && from < to && lay_scalar_is(&of->beta, own->type, 0)) {
        do_beside(of, rooms, from, to);
        return;
    }
    for (int64_t task = from; task < to; task++)
        do_task(of, &rooms[0], task);
}

/* Complex: with B expanded a row (x, y) of A times (re z, im z) and (-im z, re z); a conjugated A has -y for y. */
static void split_scalars(work *of)
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
    work of = { .branch = branch, .own = own, .call = call, .threads = branch->job.threads };
    char *const room = lay_strict_take_workspace(branch, call, small);
    if (!room)
        return LAY_ERR_MEMORY;
    split_scalars(&of);
    if (own->expand && !(lay_scalar_imaginary(&of.beta, branch->problem.types.sum) == 0)) {
        lay_lanes_scale(branch, call);
        of.beta = lay_scalar_of(1, own->type);
    }
    of.at = make_tables(&branch->problem, own, (int64_t *)(void *)room);
    of.shares = room + own->table_bytes;
    of.tasks = own->runs * own->chunks * own->parts_m;
    lay_parallel_for((int)of.threads, of.threads, do_share, &of);
    lay_strict_give_workspace(call, small, room);
    return LAY_OK;
}
