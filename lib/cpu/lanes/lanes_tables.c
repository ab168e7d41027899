/* Where a product's elements lie, in its operands and in what is brought together. */
#include "base/arith.h"
#include "cpu/lanes/lanes_work.h"
#include "threads/workspace.h"

static int64_t count_entries(const lay_problem *problem, const lay_lanes_job *own)
{
    const int64_t planes = own->is_beside ? (own->mc + own->nc) * (own->kc | 1) + own->mc * own->nc : 0;
    return 3 * (problem->m.extent + problem->n.extent) + 2 * problem->k.extent + 2 * (own->mc + own->nc) + own->kc +
           planes;
}

size_t lay_lanes_table_bytes(const lay_problem *problem, const lay_lanes_job *own)
{
    return lay_workspace_part((size_t)count_entries(problem, own) * sizeof(int64_t));
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

lay_lanes_tables lay_lanes_make_tables(const lay_problem *problem, const lay_lanes_job *own, int64_t *room)
{
    lay_lanes_tables made = { .left_m = walk(&room, &problem->left_m),
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
