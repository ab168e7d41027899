/* Steps of a product over places: candidates, and their costs. */
#include "team/cut.h"

#include <math.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "machine/rates.h"
#include "plan/problem.h"
#include "plan/summation.h"

int64_t lay_team_panel_bytes = 64 << 20;

/* MOST_PANELS: times a step's room that all rows of A may take. */
enum { A, B, WIDTH = 64, MOST_PANELS = 16 };

/* The order of the sum, in steps of its real product: two of each of a complex one. */
static lay_sum find_sum(const lay_team_shape *shape)
{
    const int64_t parts = lay_type_is_complex(shape->type) ? 2 : 1;
    const int is_right = lay_problem_expands_right(shape->m, shape->n);
    return lay_sum_of(is_right ? shape->m : parts * shape->m, is_right ? parts * shape->n : shape->n, parts * shape->k);
}

const char *lay_team_refuse_panels(const lay_team_shape *shape)
{
    const int64_t parts = lay_type_is_complex(shape->type) ? 2 : 1;
    const lay_sum sum = find_sum(shape);
    if (lay_size_of(shape->type) == 2)
        return "sums of 16-bit types are rounded once, at their end";
    if (sum.has_partial_sums)
        return "sums of a product with a vector go on from block to block";
    if (sum.slice < parts * shape->k)
        return "sums of few elements are cut in slices";
    if (shape->k * parts <= sum.block)
        return "k is one block of the sum";
    return NULL;
}

const char *lay_team_refuse_whole(const lay_team_shape *shape)
{
    const double bytes = (double)shape->rows * (double)shape->k * (double)lay_size_of(shape->type);
    if (shape->moved[A] == 0 || bytes <= MOST_PANELS * (double)lay_team_panel_bytes || lay_team_refuse_panels(shape))
        return NULL;
    return "all rows of A that a place takes need too much memory";
}

/* k in panels of depth; columns in chunks for which there is room. */
static lay_team_cut cut_at(const lay_team_shape *shape, int64_t depth)
{
    const int64_t line = depth * lay_size_of(shape->type);
    lay_team_cut cut = { .depth = depth, .panels = max_of(ceil_div(shape->k, depth), 1) };
    cut.width = min_of(max_of(lay_team_panel_bytes / line / WIDTH, 1) * WIDTH, max_of(shape->columns, 1));
    cut.chunks = ceil_div(shape->columns, cut.width);
    cut.steps = cut.panels * cut.chunks;
    return cut;
}

lay_team_links lay_team_links_get(void)
{
    const lay_rates *const rates = lay_rates_get();
    return (lay_team_links){ .message = 1e-9 * rates->team_message,
                             .step = 1e-9 * rates->team_step,
                             .rate = 1e9 * rates->team_gbytes,
                             .hidden = rates->team_hidden };
}

/* A panel is sent by those who have it: the fewer they are, the longer it takes. */
static lay_team_candidate cost(const lay_team_shape *shape, const lay_team_links *links, lay_team_cut cut)
{
    const double size = (double)lay_size_of(shape->type), places = (double)max_of(shape->places, 1);
    const double rows[] = { (double)shape->rows, (double)cut.width };
    const double times[] = { (double)cut.panels, (double)max_of(cut.steps, 1) };
    lay_team_candidate of = { .cut = cut };
    for (int x = A; x <= B; x++) {
        const double bytes = shape->moved[x] * size / places;
        if (bytes == 0)
            continue;
        const double senders = shape->senders(shape->of, x, cut.depth);
        const double busy = shape->senders(shape->of, x, max_of(shape->k, 1)) / senders;
        const double each = links->message * senders + bytes / times[x] / links->rate * busy;
        of.moves += bytes;
        of.memory += 2 * rows[x] * (double)cut.depth * size * lay_team_turns(&cut, x);
        of.first += each;
        of.later += (times[x] - 1) * each;
    }
    of.seconds = (double)cut.steps * links->step + of.first + of.later * (1 - links->hidden) +
                 fmax(0, of.later * links->hidden - shape->products);
    return of;
}

static int is_better(const lay_team_candidate *x, const lay_team_candidate *y)
{
    return x->seconds < y->seconds || (x->seconds == y->seconds && x->memory < y->memory);
}

static int add(lay_team_candidate out[], int count, lay_team_candidate one)
{
    int place = count;
    for (; place > 0 && is_better(&one, &out[place - 1]); place--)
        out[place] = out[place - 1];
    out[place] = one;
    return count + 1;
}

/* Panels of twice the depth each time, until those of A alone leave the room that a step has. */
int lay_team_cut_choose(const lay_team_shape *shape, const lay_team_links *links,
                        lay_team_candidate out[LAY_TEAM_CANDIDATES])
{
    const int64_t whole = max_of(shape->k, 1), parts = lay_type_is_complex(shape->type) ? 2 : 1;
    int count = 0;
    if (!lay_team_refuse_whole(shape))
        count = add(out, count, cost(shape, links, cut_at(shape, whole)));
    if (lay_team_refuse_panels(shape))
        return count;
    const int64_t block = find_sum(shape).block / parts, line = max_of(shape->rows, 1) * lay_size_of(shape->type);
    for (int64_t depth = block; depth < whole && count < LAY_TEAM_CANDIDATES; depth *= 2)
        if (depth == block || depth * line <= lay_team_panel_bytes)
            count = add(out, count, cost(shape, links, cut_at(shape, depth)));
    return count;
}
