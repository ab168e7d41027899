/* lay_copy: the modes of all root dimensions in one list, sorted for both sides' cache lines. */
#include "storage/copy.h"

#include <stdlib.h>

#include "base/arith.h"
#include "base/status.h"
#include "cpu/parallel.h"
#include "layout/desc.h"
#include "layoutgemm.h"
#include "machine/machine.h"
#include "plan/options.h"
#include "plan/problem.h"

enum { FROM, TO }; /* as operands of lay_group_refine */
enum { ROWS_PER_TASK = 32 };
static const double elements_per_thread = 1e5;

/* A copy in the making: its axes and their number. */
typedef struct axes {
    int count;
    lay_copy_axis axis[LAY_MAX_COPY_AXES];
} axes;

static lay_status check(lay_type type, const lay_desc *from, const lay_desc *to)
{
    if (!from || !to)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", !from ? "from" : "to");
    if (lay_type_size(type) == 0)
        return lay_fail(LAY_ERR_TYPE, "%d is no lay_type", (int)type);
    if (lay_desc_rank(from) != lay_desc_rank(to))
        return lay_fail(LAY_ERR_RANK, "the source has rank %d, the destination %d", lay_desc_rank(from),
                        lay_desc_rank(to));
    for (int i = 0; i < lay_desc_rank(from); i++)
        if (lay_desc_map(from, i)->extent != lay_desc_map(to, i)->extent)
            return lay_fail(LAY_ERR_SHAPE, "root dimension %d has extent %lld in the source, %lld in the destination",
                            i, (long long)lay_desc_map(from, i)->extent, (long long)lay_desc_map(to, i)->extent);
    lay_status status;
    if ((status = lay_problem_check_bytes(type, from, "the source")) ||
        (status = lay_problem_check_bytes(type, to, "the destination")))
        return status;
    const int injective = lay_desc_prove_injective(to);
    if (injective == 0)
        return lay_fail(LAY_ERR_INJECTIVE, "the destination cannot be shown to give every index an element of its own");
    return injective < 0 ? LAY_ERR_MEMORY : LAY_OK;
}

static lay_axis single(int64_t extent, int64_t stride, int64_t base)
{
    return (lay_axis){ .class = stride == 1 ? LAY_AXIS_UNIT : LAY_AXIS_STRIDED,
                       .extent = extent,
                       .base = base,
                       .run = 1,
                       .count = 1,
                       .mode = { { extent, stride } } };
}

/* One axis a mode where the radices refine and the list has room beside the left dimensions to come,
 * else one for the whole dimension; bases go to the first. */
static void add_dimension(axes *all, const lay_node *from, const lay_node *to, int left)
{
    lay_group group;
    lay_group_refine((const lay_node *[LAY_OPERANDS]){ [FROM] = from, [TO] = to }, &group);
    lay_copy_axis whole = { .extent = group.extent };
    lay_axis_make(&group, FROM, from, &whole.from);
    lay_axis_make(&group, TO, to, &whole.to);
    if (!group.is_plain || group.count == 0 || all->count + group.count + left > LAY_MAX_COPY_AXES) {
        all->axis[all->count++] = whole;
        return;
    }
    for (int i = 0; i < group.count; i++)
        all->axis[all->count++] = (lay_copy_axis){
            .extent = group.mode[i].extent,
            .from = single(group.mode[i].extent, group.mode[i].stride[FROM], i == 0 ? whole.from.base : 0),
            .to = single(group.mode[i].extent, group.mode[i].stride[TO], i == 0 ? whole.to.base : 0),
        };
}

/* The step from one index to the next: what decides which axis is the near one. */
static int64_t step_of(const lay_axis *axis)
{
    int64_t first[2];
    if (axis->extent < 2)
        return INT64_MAX;
    lay_axis_offsets(axis, 0, 2, first);
    return llabs(first[1] - first[0]);
}

static int side_step_is_less(const lay_copy_axis *x, const lay_copy_axis *y, int side)
{
    return side == TO ? step_of(&x->to) < step_of(&y->to) : step_of(&x->from) < step_of(&y->from);
}

/* Takes the axis with the smallest step on side out of the list; an extent of 1 if there is none. */
static lay_copy_axis take_nearest(axes *all, int side)
{
    if (all->count == 0)
        return (lay_copy_axis){ .extent = 1, .from = single(1, 0, 0), .to = single(1, 0, 0) };
    int nearest = 0;
    for (int i = 1; i < all->count; i++)
        if (side_step_is_less(&all->axis[i], &all->axis[nearest], side))
            nearest = i;
    const lay_copy_axis taken = all->axis[nearest];
    for (int i = nearest + 1; i < all->count; i++)
        all->axis[i - 1] = all->axis[i];
    all->count--;
    return taken;
}

static void sort_outers(axes *all)
{
    for (int i = 1; i < all->count; i++)
        for (int j = i; j > 0 && side_step_is_less(&all->axis[j - 1], &all->axis[j], TO); j--) {
            const lay_copy_axis moved = all->axis[j];
            all->axis[j] = all->axis[j - 1];
            all->axis[j - 1] = moved;
        }
}

static int64_t count_row_tasks(const lay_copy_job *job)
{
    return ceil_div(job->rows.extent, ROWS_PER_TASK);
}

static void copy_task(void *argument, int64_t number)
{
    const lay_copy_job *job = argument;
    const int64_t parts = count_row_tasks(job), row = number % parts * ROWS_PER_TASK;
    lay_copy_rows(job, number / parts, row, min_of(ROWS_PER_TASK, job->rows.extent - row));
}

static void copy_all(lay_copy_job *job, axes *all, int threads, double elements)
{
    job->columns = take_nearest(all, TO);
    job->rows = take_nearest(all, FROM);
    sort_outers(all);
    job->outers = all->count;
    job->outer_count = 1;
    for (int i = 0; i < all->count; i++) {
        job->outer[i] = all->axis[i];
        job->outer_count *= all->axis[i].extent;
    }
    const double share = elements / elements_per_thread;
    lay_parallel_for(share >= threads ? threads : (int)share, job->outer_count * count_row_tasks(job), copy_task, job);
}

lay_status lay_copy(lay_type type, const lay_desc *from, const void *src, const lay_desc *to, void *dst,
                    const lay_options *options)
{
    lay_options complete;
    lay_choice choice;
    lay_status status;
    if ((status = lay_options_read(options, &complete)) ||
        (status = lay_machine_choose(complete.threads, complete.isa, &choice)) || (status = check(type, from, to)))
        return status;
    const int64_t elements = lay_desc_extent(from, NULL);
    if (elements == 0)
        return LAY_OK;
    if (!src || !dst)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", !src ? "src" : "dst");
    const int apart = lay_desc_is_apart(from, src, to, dst, lay_type_size(type));
    if (apart == 0)
        return lay_fail(LAY_ERR_OVERLAP, "the destination cannot be shown to stay clear of the source");
    if (apart < 0)
        return LAY_ERR_MEMORY;

    lay_copy_job *job = malloc(sizeof *job);
    axes *all = malloc(sizeof *all);
    if (job && all) {
        *job = (lay_copy_job){ .size = lay_type_size(type), .from = src, .to = dst };
        all->count = 0;
        const int rank = lay_desc_rank(from);
        for (int i = 0; i < rank; i++)
            add_dimension(all, lay_desc_map(from, i), lay_desc_map(to, i), rank - 1 - i);
        copy_all(job, all, choice.threads, (double)elements);
    } else {
        status = lay_fail(LAY_ERR_MEMORY, "no memory for a copy's loops");
    }
    free(job);
    free(all);
    return status;
}
