/* The loops of a split product (drawn in split_blocks.h): pack, join, multiply, join, patch. */
#include "cpu/split/split_run.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/arith.h"
#include "cpu/packed/pack.h"
#include "cpu/split/split_lines.h"
#include "cpu/split/split_packed.h"
#include "cpu/split/split_patch.h"
#include "plan/summation.h"
#include "threads/parallel.h"

enum { LINES = LAY_CPU_SPLIT_LINES };

/* One operand's block. */
typedef struct side {
    lay_split_packing packing;
    const lay_axis *along_axis;
    const lay_packed *given; /* its limbs, packed before; NULL: none */
    char *room;              /* for a block's panels */
    lay_split_lines *records;
    char *image; /* the block's panels: in room, or given */
    lay_split_lines *lines;
    int64_t first, count, panels;
    int is_packed;
} side;

typedef struct phase {
    const lay_cpu_split *split;
    side left, right;
    const lay_axis *rows, *columns; /* of C */
    float *c;                       /* offset 0 */
    float alpha, beta;
    int64_t k;
    int64_t down;     /* tasks along m */
    int64_t together; /* panels of a packing task */
    int is_transposed;
    atomic_int has_split;
} phase;

static int lines_of(const side *own, int64_t panel)
{
    return (int)min_of(LINES, own->count - panel * LINES);
}

/* Panels of one task, from number * together on. */
static void pack_side(const phase *now, const side *own, int64_t number)
{
    const int64_t panel = number * now->together, first = panel * LINES;
    lay_split_pack_panels(&own->packing, own->first + first, min_of(now->together * LINES, own->count - first),
                          now->split->panel, own->image + (size_t)panel * now->split->panel, own->lines + panel);
}

static int64_t unpacked(const side *own)
{
    return own->is_packed ? 0 : own->panels;
}

/* Panels of right first. */
static void pack_task(void *argument, int64_t number)
{
    const phase *now = argument;
    const int64_t rights = ceil_div(unpacked(&now->right), now->together);
    if (number < rights)
        pack_side(now, &now->right, number);
    else
        pack_side(now, &now->left, number - rights);
}

/* Side by side as long as each thread has a few tasks. */
static void pack(phase *now, int threads)
{
    const int64_t left = unpacked(&now->left), right = unpacked(&now->right);
    now->together = max_of(1, min_of(LAY_SPLIT_SIDE_BY_SIDE, (left + right) / (2 * threads)));
    lay_parallel_for(threads, ceil_div(left, now->together) + ceil_div(right, now->together), pack_task, now);
}

/* Undoes the scales of sums, one rounding each. */
static void unscale(lay_cpu_split_sums *sums, const lay_split_lines *left, const lay_split_lines *right)
{
    for (int i = 0; i < LINES; i++)
        for (int j = 0; j < LINES; j++) {
            float *const sum = &sums->half[0][i][j];
            const int by = left->scale[i] + right->scale[j];
            if (sums->halves == 2)
                *sum += sums->half[1][i][j];
            if (by)
                *sum = (float)((double)*sum * ldexp(1, -by));
        }
    sums->halves = 1;
}

/* A tile of C whose columns lie anywhere, by way of a buffer. */
static void store_staged(const phase *now, lay_cpu_split_result result, const int64_t column[])
{
    _Alignas(64) float element[LINES * LINES];
    int64_t inner[LINES];
    const int64_t *const row = result.row;
    for (int i = 0; i < LINES; i++) {
        inner[i] = (int64_t)i * LINES;
        for (int j = 0; j < LINES && result.beta != 0 && (result.rows >> i & 1); j++)
            if (result.columns >> j & 1)
                element[inner[i] + j] = result.c[row[i] + column[j]];
    }
    float *const c = result.c;
    const uint32_t rows = result.rows, columns = result.columns;
    result.c = element;
    result.row = inner;
    now->split->row->store(&result);
    for (int i = 0; i < LINES; i++)
        for (int j = 0; j < LINES && (rows >> i & 1); j++)
            if (columns >> j & 1)
                c[row[i] + column[j]] = element[inner[i] + j];
}

/* A block on its way: its sums, and where they go. */
typedef struct block {
    lay_cpu_split_sums sums;
    lay_cpu_split_result result;
    int64_t row[LINES];
} block;

/* What a task has on its way: two blocks by turns, one of which may wait to be stored while the other is multiplied. */
typedef struct course {
    block turn[2];
    int number;
    const lay_cpu_split_result *pending;
    int64_t column[LINES];
    int is_contiguous;
    /* What comes after this block, and the segment of right's next panel that is asked for meanwhile. */
    int64_t next_i, next_j, next_right;
    size_t ahead, ahead_bytes;
} course;

/* The 32 x 32 block of panel i of left and j of right. */
static void multiply_block(phase *now, int64_t i, int64_t j, course *on)
{
    const lay_cpu_split *split = now->split;
    const lay_split_lines *left = now->left.lines + i, *right = now->right.lines + j;
    const int m = lines_of(&now->left, i), n = lines_of(&now->right, j);
    block *const own = &on->turn[on->number];
    own->result = (lay_cpu_split_result){ .sums = &own->sums,
                                          .c = on->is_contiguous ? now->c + on->column[0] : now->c,
                                          .row = own->row,
                                          .rows = (uint32_t)((UINT64_C(1) << m) - 1) & ~left->strange,
                                          .columns = (uint32_t)((UINT64_C(1) << n) - 1) & ~right->strange,
                                          .alpha = now->alpha,
                                          .beta = now->beta };
    if (!own->result.rows || !own->result.columns)
        return;
    lay_axis_offsets(now->rows, now->left.first + i * LINES, m, own->row);
    const lay_cpu_split_tile tile = { .leaves = lay_cpu_split_leaves(now->k),
                                      .limbs = split->limbs,
                                      .is_transposed = now->is_transposed,
                                      .a = now->left.image + (size_t)i * split->panel,
                                      .b = now->right.image + (size_t)j * split->panel,
                                      .sums = &own->sums,
                                      .pending = on->pending,
                                      .next_a = now->left.image + (size_t)on->next_i * split->panel,
                                      .next_b = now->right.image + (size_t)on->next_j * split->panel,
                                      .ahead = now->right.image + (size_t)on->next_right * split->panel + on->ahead,
                                      .ahead_bytes = on->ahead_bytes,
                                      .coming = on->is_contiguous ? &own->result : NULL };
    split->row->multiply(&tile);
    on->pending = NULL;
    if (left->is_scaled || right->is_scaled)
        unscale(&own->sums, left, right);
    if (on->is_contiguous)
        on->pending = &own->result;
    else
        store_staged(now, own->result, on->column);
    on->number = 1 - on->number;
    if (!atomic_load_explicit(&now->has_split, memory_order_relaxed))
        atomic_store_explicit(&now->has_split, 1, memory_order_relaxed);
}

/* Bytes of right's next panel a leaf, so that it is there when it is needed: whole pairs of lines. */
static size_t ahead_of(const lay_cpu_split *split, int64_t leaves)
{
    return (split->panel / (size_t)leaves + 127) / 128 * 128;
}

static void multiply_task(void *argument, int64_t number)
{
    phase *now = argument;
    const lay_cpu_split_row *kernel = now->split->row;
    const int64_t first_i = number % now->down * now->split->mc / LINES;
    const int64_t first_j = number / now->down * now->split->nc / LINES;
    const int64_t end_i = min_of(first_i + now->split->mc / LINES, now->left.panels);
    const int64_t end_j = min_of(first_j + now->split->nc / LINES, now->right.panels);
    const int64_t leaves = lay_cpu_split_leaves(now->k);
    course on;
    on.ahead_bytes = ahead_of(now->split, (end_i - first_i) * leaves);
    const size_t segment = (size_t)leaves * on.ahead_bytes;
    on.number = 0;
    on.pending = NULL;
    if (kernel->start)
        kernel->start();
    for (int64_t j = first_j; j < end_j; j++) {
        const int n = lines_of(&now->right, j);
        lay_axis_offsets(now->columns, now->right.first + j * LINES, n, on.column);
        on.is_contiguous = lay_offsets_are_unit(on.column, n);
        on.next_right = j + 1 < end_j ? j + 1 : first_j;
        on.ahead = 0;
        for (int64_t i = first_i; i < end_i; i++) {
            on.next_i = i + 1 < end_i ? i + 1 : first_i;
            on.next_j = i + 1 < end_i ? j : on.next_right;
            multiply_block(now, i, j, &on);
            on.ahead = on.ahead + 2 * segment <= now->split->panel ? on.ahead + segment : 0;
        }
    }
    if (kernel->stop)
        kernel->stop();
    if (on.pending)
        kernel->store(on.pending);
}

static void choose_range(side *own, int64_t first, int64_t count)
{
    own->first = first;
    own->count = count;
    own->panels = ceil_div(count, LINES);
    own->is_packed = own->given != NULL;
}

/* The panels of the block of k from step p on. */
static void choose_panels(const phase *now, side *own, int64_t p)
{
    own->image = own->room;
    own->lines = own->records;
    if (own->given)
        lay_split_packed_find(own->given, now->split, p, own->first, &own->image, &own->lines);
}

static void choose_steps(side *own, int64_t p, int64_t k, int64_t along[])
{
    lay_axis_offsets(own->along_axis, p, k, along);
    own->packing.k = k;
    own->packing.along = along;
    own->packing.is_along = lay_offsets_are_unit(along, k);
}

static lay_patch_side patched(const side *own, const lay_axis *result)
{
    return (lay_patch_side){ .source = own->packing.source,
                             .across = own->packing.across,
                             .result = result,
                             .along = own->packing.along,
                             .is_along = own->packing.is_along,
                             .first = own->first,
                             .count = own->count,
                             .lines = own->lines,
                             .room = own->room };
}

/* What the limbs left out of this block, and then the panels are gone. */
static void patch(phase *now, int threads)
{
    if (lay_patch_count(now->left.lines, now->left.count) + lay_patch_count(now->right.lines, now->right.count) == 0)
        return;
    const lay_patch of = { .kernel = now->split->strict,
                           .left = patched(&now->left, now->rows),
                           .right = patched(&now->right, now->columns),
                           .k = now->k,
                           .alpha = &now->alpha,
                           .beta = &now->beta,
                           .c = now->c,
                           .threads = threads };
    lay_patch_run(&of);
    now->right.is_packed = now->right.given != NULL;
}

static void run_block(phase *now, int threads)
{
    pack(now, threads);
    now->right.is_packed = 1;
    now->down = ceil_div(now->left.count, now->split->mc);
    lay_parallel_for(threads, now->down * ceil_div(now->right.count, now->split->nc), multiply_task, now);
    patch(now, threads);
}

int lay_cpu_split_run(const lay_problem *problem, const lay_job *job, const lay_call *call, void *workspace)
{
    const lay_cpu_split *split = job->data;
    int64_t left_along[LAY_KC], right_along[LAY_KC];
    char *const records = (char *)workspace + split->left_bytes + split->right_bytes;
    phase now = {
        .split = split,
        .left = { .packing = { .source = call->left,
                               .across = &problem->left_m,
                               .pack = split->row->pack_left,
                               .limbs = split->limbs },
                  .along_axis = &problem->left_k,
                  .given = split->is_given[LAY_LEFT] ? call->packed[LAY_LEFT] : NULL,
                  .room = workspace,
                  .records = (lay_split_lines *)(void *)records },
        .right = { .packing = { .source = call->right,
                                .across = &problem->right_n,
                                .pack = split->row->pack_right,
                                .limbs = split->limbs },
                   .along_axis = &problem->right_k,
                   .given = split->is_given[LAY_RIGHT] ? call->packed[LAY_RIGHT] : NULL,
                   .room = (char *)workspace + split->left_bytes,
                   .records = (lay_split_lines *)(void *)(records + lay_split_lines_bytes(split->mb)) },
        .rows = &problem->result_m,
        .columns = &problem->result_n,
        .c = call->c,
        .alpha = *(const float *)call->alpha,
        .is_transposed = problem->is_transposed,
    };
    for (int64_t j = 0; j < problem->n.extent; j += split->nb)
        for (int64_t p = 0; p < problem->k.extent; p += split->kc) {
            now.k = min_of(split->kc, problem->k.extent - p);
            now.beta = p == 0 ? *(const float *)call->beta : 1;
            choose_steps(&now.left, p, now.k, left_along);
            choose_steps(&now.right, p, now.k, right_along);
            choose_range(&now.right, j, min_of(split->nb, problem->n.extent - j));
            choose_panels(&now, &now.right, p);
            for (int64_t i = 0; i < problem->m.extent; i += split->mb) {
                choose_range(&now.left, i, min_of(split->mb, problem->m.extent - i));
                choose_panels(&now, &now.left, p);
                run_block(&now, job->threads);
            }
        }
    return atomic_load(&now.has_split);
}
