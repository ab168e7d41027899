/* The outer loops of a product (drawn in blocks.h): pack, join, multiply, join. */
#include "cpu/product.h"

#include "base/arith.h"
#include "cpu/pack.h"
#include "cpu/parallel.h"
#include "cpu/tiles.h"
#include "plan/summation.h"

enum { PANELS_PER_TASK = 8 };

/* Panels of one operand that are packed in one phase. */
typedef struct side {
    lay_packing packing;
    char *to;
    int64_t first, count; /* indices across */
    int64_t tasks;
} side;

/* One phase's work, and the loops' place. */
typedef struct phase {
    side left, right;
    lay_multiplying multiplying;
    int64_t first_row, rows, first_column, columns;
    int64_t mc, nc, grid_n;
} phase;

static void pack_task(void *argument, int64_t number)
{
    const phase *now = argument;
    const side *own = number < now->right.tasks ? &now->right : &now->left;
    if (own == &now->left)
        number -= now->right.tasks;
    const int64_t step = (int64_t)own->packing.width * PANELS_PER_TASK, at = number * step;
    lay_pack_panels(&own->packing, own->first + at, min_of(step, own->count - at),
                    own->to + (size_t)number * PANELS_PER_TASK * own->packing.panel);
}

static void multiply_task(void *argument, int64_t number)
{
    const phase *now = argument;
    const int64_t i = number / now->grid_n * now->mc, j = number % now->grid_n * now->nc;
    lay_multiply_block(&now->multiplying, now->first_row, now->first_row + i, min_of(now->mc, now->rows - i),
                       now->first_column, now->first_column + j, min_of(now->nc, now->columns - j));
}

static void choose_range(side *own, int64_t first, int64_t count)
{
    own->first = first;
    own->count = count;
    own->tasks = ceil_div(count, (int64_t)own->packing.width * PANELS_PER_TASK);
}

/* The k steps from p on, as offsets of one operand. */
static void choose_steps(side *own, const lay_axis *axis, int64_t p, int64_t k, int64_t along[])
{
    lay_axis_offsets(axis, p, k, along);
    own->packing.k = k;
    own->packing.along = along;
    own->packing.is_along = lay_offsets_are_unit(along, k);
}

void lay_product_run(const lay_problem *problem, const lay_job *job, const void *alpha, const void *left,
                     const void *right, const void *beta, void *c, void *workspace)
{
    const lay_blocked *blocks = &job->of.cpu;
    const lay_kernel *kernel = blocks->kernel;
    const int threads = job->threads;
    const float one_f32 = 1;
    const double one_f64 = 1;
    const void *const one = problem->type == LAY_F32 ? (const void *)&one_f32 : (const void *)&one_f64;
    int64_t left_along[LAY_MAX_KC], right_along[LAY_MAX_KC];
    char *const packed_left = workspace, *const packed_right = packed_left + blocks->left_bytes;

    phase now = {
        .left = { .packing = { .source = left,
                               .across = &problem->left_m,
                               .width = kernel->mr,
                               .pack = kernel->pack_a,
                               .panel = blocks->left_panel },
                  .to = packed_left },
        .right = { .packing = { .source = right,
                                .across = &problem->right_n,
                                .width = kernel->nr,
                                .pack = kernel->pack_b,
                                .panel = blocks->right_panel },
                   .to = packed_right },
        .multiplying = { .kernel = kernel,
                         .left = packed_left,
                         .right = packed_right,
                         .left_panel = blocks->left_panel,
                         .right_panel = blocks->right_panel,
                         .c = c,
                         .rows = &problem->result_m,
                         .columns = &problem->result_n,
                         .alpha = alpha },
        .mc = blocks->mc,
        .nc = blocks->nc,
    };
    for (int64_t j = 0; j < problem->n.extent; j += blocks->nb) {
        now.first_column = j;
        now.columns = min_of(blocks->nb, problem->n.extent - j);
        now.grid_n = ceil_div(now.columns, blocks->nc);
        for (int64_t p = 0; p < problem->k.extent; p += blocks->kc) {
            const int64_t k = min_of(blocks->kc, problem->k.extent - p);
            choose_steps(&now.left, &problem->left_k, p, k, left_along);
            choose_steps(&now.right, &problem->right_k, p, k, right_along);
            choose_range(&now.right, j, now.columns);
            now.multiplying.k = k;
            now.multiplying.beta = p == 0 ? beta : one;
            for (int64_t i = 0; i < problem->m.extent; i += blocks->mb) {
                now.first_row = i;
                now.rows = min_of(blocks->mb, problem->m.extent - i);
                choose_range(&now.left, i, now.rows);
                lay_parallel_for(threads, now.left.tasks + now.right.tasks, pack_task, &now);
                lay_parallel_for(threads, ceil_div(now.rows, blocks->mc) * now.grid_n, multiply_task, &now);
                choose_range(&now.right, j, 0); /* packed for the other rows too */
            }
        }
    }
}
