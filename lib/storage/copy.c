/* What a copy is: the modes of all root dimensions in one list, sorted for both sides' cache lines. */
#include "storage/copy.h"

#include <stdlib.h>

#include "base/arith.h"
#include "base/status.h"
#include "layout/desc.h"
#include "layoutgemm.h"
#include "plan/modes.h"
#include "plan/problem.h"
#include "storage/change.h"
#include "threads/parallel.h"

enum { FROM = LAY_LEFT, TO = LAY_RIGHT }; /* a copy's two operands, for lay_group_refine */
enum { NEAR = 64 };                       /* elements that lie together: some cache lines */
enum { FAR_SHARE = 3 };                   /* of the third cache, which others use too */
static const int64_t bytes_per_thread = 1 << 20, stream_bytes = 1 << 24, piece_bytes = 1 << 16;

lay_status lay_copy_check(const lay_change *change, const lay_desc *from, const lay_desc *to)
{
    if (lay_type_size(change->from) == 0 || lay_type_size(change->to) == 0)
        return lay_fail(LAY_ERR_TYPE, "%d is no lay_type",
                        (int)(lay_type_size(change->from) == 0 ? change->from : change->to));
    if (lay_type_is_complex(change->from) && !lay_type_is_complex(change->to))
        return lay_fail(LAY_ERR_TYPE, "complex elements have no place in real ones: %s to %s",
                        lay_type_name(change->from), lay_type_name(change->to));
    if (lay_desc_rank(from) != lay_desc_rank(to))
        return lay_fail(LAY_ERR_RANK, "the source has rank %d, the destination %d", lay_desc_rank(from),
                        lay_desc_rank(to));
    for (int i = 0; i < lay_desc_rank(from); i++)
        if (lay_desc_map(from, i)->extent != lay_desc_map(to, i)->extent)
            return lay_fail(LAY_ERR_SHAPE, "root dimension %d has extent %lld in the source, %lld in the destination",
                            i, (long long)lay_desc_map(from, i)->extent, (long long)lay_desc_map(to, i)->extent);
    lay_status status;
    if ((status = lay_desc_refuse_places(from, "the source")) ||
        (status = lay_desc_refuse_places(to, "the destination")) ||
        (status = lay_problem_check_bytes(change->from, from, "the source")) ||
        (status = lay_problem_check_bytes(change->to, to, "the destination")))
        return status;
    const int injective = lay_desc_prove_injective(to);
    if (injective == 0)
        return lay_desc_refuse_shared(to, "the destination");
    return injective < 0 ? LAY_ERR_MEMORY : LAY_OK;
}

static void append(lay_copy_axes *axes, lay_copy_axis axis)
{
    axes->axis[axes->count++] = axis;
    axes->extent *= axis.extent;
}

/* A mode, walked so that the destination's offsets rise. */
static void append_mode(lay_copy_axes *all, const lay_mode *mode, int64_t *from_base, int64_t *to_base)
{
    lay_copy_axis axis = { .extent = mode->extent, .from = mode->stride[FROM], .to = mode->stride[TO] };
    if (axis.to < 0) {
        *from_base += axis.from * (axis.extent - 1);
        *to_base += axis.to * (axis.extent - 1);
        axis.from = -axis.from;
        axis.to = -axis.to;
    }
    append(all, axis);
}

/* One axis a mode where the radices refine and the list has room beside the left dimensions to come,
 * else one for the whole dimension. Adds to the bases what the axes leave out. */
static void add_dimension(lay_copy_axes *all, const lay_node *from, const lay_node *to, int left, int64_t *from_base,
                          int64_t *to_base)
{
    lay_group group;
    lay_group_refine((const lay_node *[LAY_OPERANDS]){ [FROM] = from, [TO] = to }, &group);
    if (!group.is_plain || all->count + group.count + left > LAY_MAX_COPY_AXES) {
        append(all, (lay_copy_axis){ .extent = group.extent, .from_map = from, .to_map = to });
        return;
    }
    *from_base += lay_map_offset(from, 0);
    *to_base += lay_map_offset(to, 0);
    for (int i = 0; i < group.count; i++)
        append_mode(all, &group.mode[i], from_base, to_base);
}

/* The step from one index to the next: what decides which axis is the near one. */
static int64_t step_of(const lay_copy_axis *axis, int side)
{
    const lay_node *map = side == TO ? axis->to_map : axis->from_map;
    if (axis->extent < 2)
        return INT64_MAX;
    return llabs(map ? lay_map_offset(map, 1) - lay_map_offset(map, 0) : side == TO ? axis->to : axis->from);
}

static int find_nearest(const lay_copy_axes *all, int side)
{
    int nearest = 0;
    for (int i = 1; i < all->count; i++)
        if (step_of(&all->axis[i], side) < step_of(&all->axis[nearest], side))
            nearest = i;
    return nearest;
}

static lay_copy_axis take(lay_copy_axes *all, int at)
{
    const lay_copy_axis taken = all->axis[at];
    all->count--;
    for (int i = at; i < all->count; i++)
        all->axis[i] = all->axis[i + 1];
    return taken;
}

/* Sorted by the destination's steps, the innermost first, and folded where one axis serves for two. */
static void sort_and_fold(lay_copy_axes *all)
{
    for (int i = 1; i < all->count; i++)
        for (int j = i; j > 0 && step_of(&all->axis[j], TO) < step_of(&all->axis[j - 1], TO); j--) {
            const lay_copy_axis moved = all->axis[j];
            all->axis[j] = all->axis[j - 1];
            all->axis[j - 1] = moved;
        }
    int kept = 0;
    for (int i = 1; i < all->count; i++) {
        lay_copy_axis *inner = &all->axis[kept];
        const lay_copy_axis *outer = &all->axis[i];
        if (!inner->from_map && !outer->from_map && outer->from == inner->from * inner->extent &&
            outer->to == inner->to * inner->extent)
            inner->extent *= outer->extent;
        else
            all->axis[++kept] = *outer;
    }
    if (all->count > 0)
        all->count = kept + 1;
}

/* Moves axes from all to near while they are what comes next on side, up to NEAR elements of extent. */
static void take_near(lay_copy_axes *all, int side, int64_t elements, lay_copy_axes *near)
{
    while (all->count > 0 && (near->count == 0 || elements * near->extent < NEAR)) {
        const int nearest = find_nearest(all, side);
        const int has_map = all->axis[nearest].from_map != NULL;
        if (has_map && near->count > 0)
            return;
        append(near, take(all, nearest));
        if (has_map)
            return;
    }
}

/* Gives every axis its role. */
static void sort_into_roles(lay_copy_job *job, lay_copy_axes *all)
{
    sort_and_fold(all);
    job->line = 1;
    if (all->count > 0 && all->axis[0].from == 1 && all->axis[0].to == 1)
        job->line = take(all, 0).extent;
    if (job->line == 1 && all->count > 0) {
        /* Both nearest first: what is next to a column in the destination may be the source's row. */
        append(&job->columns, take(all, find_nearest(all, TO)));
        if (all->count > 0)
            append(&job->rows, take(all, find_nearest(all, FROM)));
        const int64_t next = job->rows.count ? step_of(&job->rows.axis[0], TO) : INT64_MAX;
        if (!job->columns.axis[0].from_map)
            while (all->count > 0 && job->columns.extent < NEAR && !all->axis[0].from_map &&
                   step_of(&all->axis[0], TO) < next)
                append(&job->columns, take(all, 0));
        if (job->rows.count && !job->rows.axis[0].from_map)
            take_near(all, FROM, 1, &job->rows);
    } else if (job->line < NEAR) {
        take_near(all, TO, job->line, &job->columns);
        take_near(all, FROM, 1, &job->rows);
    } else {
        take_near(all, TO, NEAR, &job->rows);
    }
    for (int i = 0; i < all->count; i++)
        append(&job->outers, all->axis[i]);
}

int lay_change_is_plain(const lay_change *change)
{
    const lay_type sum = lay_change_sum(change);
    const int is_conjugated = change->is_conjugated && lay_type_is_complex(change->from);
    return change->from == change->to && !is_conjugated && (!change->alpha || lay_scalar_is(change->alpha, sum, 1)) &&
           (!change->beta || lay_scalar_is(change->beta, sum, 0));
}

/* Of any type; without an imaginary part. */
static lay_scalar real_scalar(float value, lay_type type)
{
    return type == LAY_C64   ? (lay_scalar){ .c64 = { value, 0 } }
           : type == LAY_C32 ? (lay_scalar){ .c32 = { value, 0 } }
                             : lay_scalar_of(value, type);
}

/* The numbers of the change, as they are now. */
static void read_change(const lay_change *change, lay_copy_job *job)
{
    job->from_type = change->from;
    job->to_type = change->to;
    job->sum_type = lay_change_sum(change);
    job->size = lay_size_of(change->to);
    job->from_size = lay_size_of(change->from);
    job->is_conjugated = change->is_conjugated;
    job->alpha = change->alpha ? lay_scalar_read(change->alpha, job->sum_type) : real_scalar(1, job->sum_type);
    job->beta = change->beta ? lay_scalar_read(change->beta, job->sum_type) : real_scalar(0, job->sum_type);
    job->reads_from = !lay_scalar_is(&job->alpha, job->sum_type, 0);
    job->reads_to = !lay_scalar_is(&job->beta, job->sum_type, 0);
    job->is_plain = lay_change_is_plain(change);
}

void lay_copy_prepare(const lay_change *change, const lay_desc *from, const void *src, const lay_desc *to, void *dst,
                      lay_copy_job *job)
{
    /* Field by field: the lists are long and mostly empty. */
    lay_copy_axes all;
    int64_t from_base = 0, to_base = 0;
    all.count = job->columns.count = job->rows.count = job->outers.count = 0;
    all.extent = job->columns.extent = job->rows.extent = job->outers.extent = 1;
    const int rank = lay_desc_rank(from);
    for (int i = 0; i < rank; i++)
        add_dimension(&all, lay_desc_map(from, i), lay_desc_map(to, i), rank - 1 - i, &from_base, &to_base);
    read_change(change, job);
    job->elements = lay_desc_extent(from, NULL);
    job->from = (const char *)src + from_base * job->from_size;
    job->to = (char *)dst + to_base * job->size;
    sort_into_roles(job, &all);
    job->piece = job->line;
}

/* Of both sides, on average. */
static int64_t count_bytes(const lay_copy_job *job)
{
    return job->elements * (job->from_size + job->size) / 2;
}

int lay_copy_count_threads(const lay_copy_job *job, int threads)
{
    const int64_t share = count_bytes(job) / bytes_per_thread;
    return share < 1 ? 1 : share < threads ? (int)share : threads;
}

void lay_copy_on_host(lay_copy_job *job, int threads, lay_isa isa)
{
    const int64_t bytes = job->elements * job->size;
    threads = lay_copy_count_threads(job, threads);
    job->is_streaming = bytes >= stream_bytes && !(!job->is_plain && job->reads_to);
    job->is_far = 2 * bytes > lay_machine_get()->l3 / FAR_SHARE;
    job->piece = ceil_div(bytes, threads) / job->size;
    job->piece = job->piece < piece_bytes ? piece_bytes : job->piece + 64 - job->piece % 64;
    if (job->is_plain)
        lay_parallel_for(threads, lay_copy_count_tasks(job), lay_copy_do_task, job);
    else
        lay_change_on_host(job, threads, isa);
}
