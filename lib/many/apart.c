/* What many runs write, by address, and whether all that they read lies clear of it. */
#include "many/apart.h"

#include <stdlib.h>

/* Bytes from first to before end. */
typedef struct stretch {
    uintptr_t first, end;
} stretch;

/* What the runs write. */
typedef struct written {
    const stretch *at; /* ascending, none meets another */
    int64_t count;
} written;

static stretch stretch_of(const lay_reach *reach, const void *zero, lay_type type)
{
    const int64_t size = lay_size_of(type);
    const uintptr_t first = (uintptr_t)zero + (uintptr_t)(reach->lowest * size);
    return (stretch){ first, first + (uintptr_t)((reach->highest - reach->lowest + 1) * size) };
}

static int compare(const void *x, const void *y)
{
    const uintptr_t one = ((const stretch *)x)->first, other = ((const stretch *)y)->first;
    return one < other ? -1 : one > other;
}

static int64_t fill(int64_t count, const lay_runs groups[], stretch at[])
{
    int64_t filled = 0;
    for (int64_t g = 0; g < count; g++) {
        const lay_runs *const of = &groups[g];
        for (int64_t i = 0; i < of->count && !lay_runs_are_idle(of); i++)
            at[filled++] = stretch_of(&of->plan->reach_c, lay_runs_target(of)[i], of->plan->types.result);
    }
    return filled;
}

/* Whether no two runs write one byte. */
static int write_apart(stretch at[], int64_t count, int may_look)
{
    int is_ascending = 1;
    for (int64_t i = 1; i < count; i++)
        is_ascending &= at[i].first > at[i - 1].first;
    if (!is_ascending && !may_look)
        return 0;
    if (!is_ascending)
        qsort(at, (size_t)count, sizeof *at, compare);
    for (int64_t i = 1; i < count; i++)
        if (at[i].first < at[i - 1].end)
            return 0;
    return 1;
}

/* The first that ends behind an address. */
static int64_t find(const written *of, uintptr_t address)
{
    int64_t low = 0, high = of->count; /* at[low - 1].end <= address < at[high].end */
    if (of->at[of->count - 1].end <= address)
        return of->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (of->at[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* next: find's answer for where it begins. */
static int ends_before(const written *of, stretch read, int64_t next)
{
    return next == of->count || read.end <= of->at[next].first;
}

static int is_clear(const written *of, stretch read)
{
    return read.end <= of->at[0].first || ends_before(of, read, find(of, read.first));
}

/* find's answer from that for the address before, where addresses ascend by few steps; -1 where they do not. */
static int64_t go_on(const written *of, uintptr_t address, int64_t from)
{
    enum { STEPS = 8 };
    const int64_t most = of->count - from < STEPS ? of->count : from + STEPS;
    if (from > 0 && address < of->at[from - 1].end)
        return -1;
    while (from < most && of->at[from].end <= address)
        from++;
    return from < most || from == of->count ? from : -1;
}

/* Whether an operand of a group's runs is clear of what all runs write: as a whole, in an order that ascends or, if
 * may_look, each by itself. */
static int read_apart(const written *of, const lay_reach *reach, lay_type type, int64_t count,
                      const void *const operand[], int may_look)
{
    stretch hull = { UINTPTR_MAX, 0 };
    for (int64_t i = 0; i < count; i++) {
        const stretch one = stretch_of(reach, operand[i], type);
        hull.first = one.first < hull.first ? one.first : hull.first;
        hull.end = one.end > hull.end ? one.end : hull.end;
    }
    if (is_clear(of, hull))
        return 1;
    int64_t next = find(of, stretch_of(reach, operand[0], type).first);
    for (int64_t i = 0; i < count; i++) {
        const stretch one = stretch_of(reach, operand[i], type);
        const int64_t onward = go_on(of, one.first, next);
        if (onward < 0 && !may_look)
            return 0;
        next = onward < 0 ? find(of, one.first) : onward;
        if (!ends_before(of, one, next))
            return 0;
    }
    return 1;
}

/* alpha and beta are read anew by each run in turn, so they count. */
static int scalar_is_clear(const written *of, const void *scalar, lay_type type)
{
    return is_clear(of, (stretch){ (uintptr_t)scalar, (uintptr_t)scalar + (uintptr_t)lay_size_of(type) });
}

static int reads_apart(const written *of, const lay_runs *group, int may_look)
{
    const lay_plan *const plan = group->plan;
    const lay_types *const types = &plan->types;
    return scalar_is_clear(of, group->alpha, types->sum) && scalar_is_clear(of, group->beta, types->sum) &&
           read_apart(of, &plan->reach_a, types->left, group->count, group->a, may_look) &&
           read_apart(of, &plan->reach_b, types->right, group->count, group->b, may_look);
}

int lay_many_are_apart(int64_t count, const lay_runs groups[], int may_look)
{
    int64_t runs = 0;
    for (int64_t g = 0; g < count; g++)
        runs += lay_runs_are_idle(&groups[g]) ? 0 : groups[g].count;
    stretch *const at = malloc((size_t)(runs ? runs : 1) * sizeof *at);
    if (!at)
        return 0;
    const written of = { at, fill(count, groups, at) };
    int apart = write_apart(at, of.count, may_look);
    for (int64_t g = 0; g < count && apart && runs; g++)
        apart = lay_runs_are_idle(&groups[g]) || reads_apart(&of, &groups[g], may_look);
    free(at);
    return apart;
}
