/* From modes to walks. */
#include "cuda/narrow/narrow_walk.h"

#include <stdlib.h>

#include "base/arith.h"

enum { SIZE = 2, MOST_MODES = 4, VECTOR = 8 };

/* The mode that steps by 1 in an operand; -1: there is none. */
static int find_unit(const lay_group *group, int operand)
{
    for (int i = 0; i < group->count; i++)
        if (group->mode[i].stride[operand] == 1 && group->mode[i].extent > 1)
            return i;
    return -1;
}

/* The mode that steps least in C. */
static int find_least(const lay_group *group)
{
    int least = 0;
    for (int i = 1; i < group->count; i++)
        if (llabs(group->mode[i].stride[LAY_RESULT]) < llabs(group->mode[least].stride[LAY_RESULT]))
            least = i;
    return least;
}

/* Whether all modes but one step by multiples of so many. */
static int others_step_by(const lay_group *group, int operand, int but, int v)
{
    for (int i = 0; i < group->count; i++)
        if (i != but && group->mode[i].stride[operand] % v != 0)
            return 0;
    return 1;
}

/* The steps' blocks, and all strides but the contiguous one. */
static const char *refuse(const lay_group *group, int operand, int near, const lay_narrow_view *view)
{
    const lay_cuda_digits *steps = &view->steps;
    if (steps->outer > 1 && steps->inner % (view->is_across ? LAY_NARROW_SECTOR : LAY_NARROW_GROUP) != 0)
        return "blocks of steps fit no box";
    if (steps->outer > 1 && group->count == MOST_MODES)
        return "more modes than a tensor map has dimensions";
    if ((view->is_across && steps->inner > 1 && !lay_cuda_can_step(steps->stride, SIZE)) ||
        (steps->outer > 1 && !lay_cuda_can_step(steps->outer_stride, SIZE)))
        return "a stride is no positive multiple of 16 bytes";
    for (int i = 0; i < group->count; i++)
        if (!(view->is_across && i == near) && !lay_cuda_can_step(group->mode[i].stride[operand], SIZE))
            return "a stride is no positive multiple of 16 bytes";
    return NULL;
}

/* C's neighbours among rows, where they are others than left's and come in whole vectors; -1: rows are not crossed. */
static int find_crossed(const lay_problem *problem, const lay_narrow_view *view, int near)
{
    const lay_group *rows = &problem->m;
    const int far = find_unit(rows, LAY_RESULT);
    if (!view->is_across || view->steps.outer > 1 || far < 0 || far == near ||
        lay_size_of(problem->types.result) != SIZE)
        return -1;
    if (rows->mode[far].extent % LAY_NARROW_CROSSED != 0 || !others_step_by(rows, LAY_RESULT, far, VECTOR) ||
        !lay_axis_steps_by(&problem->result_n, VECTOR))
        return -1;
    return far;
}

/* A digit of the walk, behind those that are there. */
static void add(lay_narrow_view *view, const lay_mode *mode, int operand, int64_t extent)
{
    lay_narrow_walk *walk = &view->walk;
    walk->extent[walk->count] = (int)extent;
    walk->stride[walk->count] = mode->stride[LAY_RESULT];
    view->apart[walk->count++] = mode->stride[operand];
}

/* The other mode that steps least in the operand; -1: none is left. */
static int find_next(const lay_group *group, int operand, const int is_taken[])
{
    int next = -1;
    for (int i = 0; i < group->count; i++)
        if (!is_taken[i] && (next < 0 || group->mode[i].stride[operand] < group->mode[next].stride[operand]))
            next = i;
    return next;
}

/* The others as they lie in the operand. What crosses is third, and second where one other is left for the last digit:
 * the next tile across fills the sectors of C that this one began. */
static void add_others(lay_narrow_view *view, const lay_group *group, int operand, int near, int far)
{
    static const lay_mode none = { .extent = 1 };
    int is_taken[LAY_MAX_MODES] = { 0 }, next;
    is_taken[near] = 1;
    if (far >= 0) {
        is_taken[far] = 1;
        next = group->count == MOST_MODES ? find_next(group, operand, is_taken) : -1;
        add(view, next < 0 ? &none : &group->mode[next], operand, next < 0 ? 1 : group->mode[next].extent);
        add(view, &group->mode[far], operand, group->mode[far].extent / LAY_NARROW_CROSSED);
        if (next >= 0)
            is_taken[next] = 1;
    }
    while ((next = find_next(group, operand, is_taken)) >= 0) {
        is_taken[next] = 1;
        add(view, &group->mode[next], operand, group->mode[next].extent);
    }
}

int64_t lay_narrow_walked(const lay_narrow_view *view, int64_t lines)
{
    const lay_narrow_walk *walk = &view->walk;
    int64_t all = (walk->is_crossed ? LAY_NARROW_CROSSED : 1) << walk->log_together;
    if (walk->count == 0)
        return lines;
    for (int i = 0; i < walk->count; i++)
        all *= walk->extent[i];
    return all;
}

/* Lines of a group that are not contiguous: as many as make boxes few, but fill up no more than the least does. */
static int log_of_group(int64_t lines)
{
    enum { LEAST = 4, MOST = 7 };
    const int64_t all = ceil_div(lines, 1 << LEAST) << LEAST;
    int log = LEAST;
    while (log < MOST && all % (2 << log) == 0)
        log++;
    return log;
}

static void walk(const lay_problem *problem, const lay_group *group, int operand, int near, lay_narrow_view *view)
{
    const lay_mode *own = &group->mode[near];
    const int far = operand == LAY_LEFT ? find_crossed(problem, view, near) : -1;
    lay_narrow_walk *walk = &view->walk;
    walk->is_crossed = far >= 0;
    walk->log_together = walk->is_crossed ? 4 : view->is_across ? 6 : log_of_group(own->extent);
    walk->lines = (int)own->extent;
    walk->own = own->stride[LAY_RESULT];
    add(view, own, operand, ceil_div(own->extent, 1 << walk->log_together));
    add_others(view, group, operand, near, far);
    for (int i = walk->count; i < LAY_NARROW_DIGITS; i++)
        walk->extent[i] = 1;
    for (int i = 0; i < LAY_NARROW_DIGITS; i++)
        walk->inverse[i] = UINT32_MAX / (unsigned)walk->extent[i];
    view->lines = (lay_cuda_digits){ .inner = own->extent, .outer = 1, .stride = own->stride[operand] };
}

const char *lay_narrow_walk_of(const lay_problem *problem, int is_left, lay_narrow_view *view)
{
    const lay_group *group = is_left ? &problem->m : &problem->n;
    const lay_axis *steps = is_left ? &problem->left_k : &problem->right_k;
    const int operand = is_left ? LAY_LEFT : LAY_RIGHT, unit = find_unit(group, operand);
    const char *reason;
    *view = (lay_narrow_view){ .size = SIZE };
    if (lay_size_of(problem->types.left) != SIZE)
        return "elements are not of 16 bits";
    if (!group->is_plain || group->count < 2 || group->count > MOST_MODES || group->extent > LAY_CUDA_MAX_EXTENT)
        return "has not two to four modes";
    if ((reason = lay_cuda_find_digits(steps, &view->steps)))
        return reason;
    view->is_across = view->steps.inner == 1 || view->steps.stride != 1;
    if (view->is_across && unit < 0)
        return "neither lines nor steps are contiguous";
    const int near = view->is_across ? unit : find_least(group);
    if ((reason = refuse(group, operand, near, view)))
        return reason;
    walk(problem, group, operand, near, view);
    return lay_narrow_walked(view, 0) > LAY_CUDA_MAX_EXTENT ? "too many lines" : NULL;
}

int lay_narrow_walks_vectors(const lay_problem *problem, const lay_narrow_view *right)
{
    const int64_t v = 16 / lay_size_of(problem->types.result);
    if (right->walk.own != 1 || right->walk.lines % v != 0 || !lay_axis_steps_by(&problem->result_m, (int)v))
        return 0;
    return others_step_by(&problem->n, LAY_RESULT, find_unit(&problem->n, LAY_RESULT), (int)v);
}

int lay_narrow_walks_down(const lay_problem *problem, const lay_narrow_view *left)
{
    const lay_narrow_walk *walk = &left->walk;
    if (walk->count == 0 || walk->is_crossed || lay_size_of(problem->types.result) != SIZE)
        return walk->is_crossed;
    return walk->own == 1 && walk->lines % VECTOR == 0 &&
           others_step_by(&problem->m, LAY_RESULT, find_unit(&problem->m, LAY_RESULT), VECTOR) &&
           lay_axis_steps_by(&problem->result_n, VECTOR);
}
