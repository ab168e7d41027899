/* Steps of a product over places: candidates, and their costs. */
#include "team/cost/cut.h"

#include <math.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "machine/rates.h"
#include "plan/problem.h"
#include "plan/summation.h"

int64_t lay_team_panel_bytes = 64 << 20;
int64_t lay_team_room_bytes = (int64_t)8 << 30, lay_team_lead_unit = 256;
int lay_team_cut_pick = 0;

/* MOST_PANELS: times a step's room that all rows of A may take. */
enum { A, B, WIDTH = 64, MOST_PANELS = 16, MOST_EVEN = 16 /* chunks that are alike */, LEAST_GROWING = 8 };

/* Of an element of a panel, in all products of a place. */
static int64_t bytes_of(const lay_team_shape *shape)
{
    return max_of(shape->batch, 1) * lay_size_of(shape->type);
}

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
    if (shape->is_on_device)
        return "a device adds up all of k at once";
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
    const double bytes = (double)shape->rows * (double)shape->k * (double)bytes_of(shape);
    if (shape->moved[A] == 0 || bytes <= MOST_PANELS * (double)lay_team_panel_bytes || lay_team_refuse_panels(shape))
        return NULL;
    return "all rows of A that a place takes need too much memory";
}

/* k in panels of depth; columns in chunks for which there is room. */
static lay_team_cut cut_at(const lay_team_shape *shape, int64_t depth)
{
    const int64_t line = depth * bytes_of(shape);
    lay_team_cut cut = { .depth = depth, .panels = max_of(ceil_div(shape->k, depth), 1) };
    cut.width = min_of(max_of(lay_team_panel_bytes / line / WIDTH, 1) * WIDTH, max_of(shape->columns, 1));
    cut.lead = cut.width;
    cut.chunks = ceil_div(shape->columns, cut.width);
    cut.steps = cut.panels * cut.chunks;
    return cut;
}

lay_team_links lay_team_links_get(int is_direct, int is_between_ranks)
{
    const lay_rates *const rates = lay_rates_get();
    if (is_direct && !is_between_ranks)
        return (lay_team_links){ .message = 1e-9 * rates->peer_message,
                                 .step = 1e-9 * rates->peer_step,
                                 .call = 1e-9 * rates->peer_call,
                                 .rate = 1e9 * rates->peer_gbytes,
                                 .hidden = 1,
                                 .flops = 1e9 * rates->peer_gflops };
    return (lay_team_links){ .message = 1e-9 * rates->team_message,
                             .step = 1e-9 * rates->team_step,
                             .rate = 1e9 * rates->team_gbytes,
                             .hidden = is_direct ? 1 : rates->team_hidden,
                             .is_slow = is_direct,
                             .flops = 1e9 * (is_direct ? rates->peer_gflops : rates->team_gflops) };
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
        of.memory += 2 * rows[x] * (double)cut.depth * (double)bytes_of(shape) * lay_team_turns(&cut, x);
        of.first += each;
        of.later += (times[x] - 1) * each;
    }
    of.seconds = (double)cut.steps * links->step + of.first + of.later * (1 - links->hidden) +
                 fmax(0, of.later * links->hidden - shape->products);
    return of;
}

/* ---- from room to room ------------------------------------------------------------------------ */

/* Rows or columns in so many parts, of whole tiles. */
static int64_t lead_of(int64_t side, int parts)
{
    const int64_t unit = lay_team_lead_unit;
    return parts == 1 ? side : min_of(round_up(ceil_div(side, parts), unit), side);
}

/* Chunks ahead: the first, and so many more that grow. */
typedef struct ahead {
    int64_t lead;
    int more, growth;
    int is_even; /* all chunks are as the first one */
} ahead;

/* As wide as there is room for, in chunks of one width behind those ahead. No chunks: those leave nothing. */
static lay_team_cut cut_direct(const lay_team_shape *shape, int by_rows, const ahead *by)
{
    const int64_t k = max_of(shape->k, 1), side = max_of(by_rows ? shape->rows : shape->columns, 1);
    const int64_t room = max_of(lay_team_room_bytes / (k * bytes_of(shape)) / WIDTH, 1) * WIDTH;
    const int64_t most = by->is_even ? max_of(min_of(room, by->lead), 1) : room;
    lay_team_cut cut = { .depth = k, .panels = 1, .growth = by->growth, .by_rows = by_rows };
    cut.lead = min_of(max_of(by->lead, 1), most);
    int64_t left = side - cut.lead, size = cut.lead;
    for (; cut.more < by->more; cut.more++) {
        size *= by->growth;
        left -= size;
        if (left <= 0 || size > most)
            return cut;
    }
    cut.chunks = 1 + cut.more + ceil_div(left, most);
    cut.width = left == 0 || by->is_even ? cut.lead : round_up(ceil_div(left, cut.chunks - 1 - cut.more), WIDTH);
    cut.chunks = 1 + cut.more + ceil_div(left, cut.width);
    cut.steps = cut.chunks;
    return cut;
}

/* Times of products of so many rows or columns, each asked for once. */
typedef struct oracle {
    const lay_team_shape *shape;
    lay_team_predict *predict;
    const void *on;
    int by_rows, known;
    int64_t count[LAY_TEAM_CANDIDATES];
    double seconds[LAY_TEAM_CANDIDATES];
} oracle;

static double time_of(oracle *of, int64_t count)
{
    int i = 0;
    while (i < of->known && of->count[i] != count)
        i++;
    if (i < of->known)
        return of->seconds[i];
    const double seconds =
        fmax(0, of->predict(of->on, of->by_rows ? count : of->shape->rows, of->by_rows ? of->shape->columns : count));
    if (i < LAY_TEAM_CANDIDATES) {
        of->count[i] = count;
        of->seconds[i] = seconds;
        of->known++;
    }
    return seconds;
}

/* Rows or columns of the two panels that are there at once. */
static int64_t sum_turns(const lay_team_cut *cut, int64_t side)
{
    int64_t most[2] = { 0 };
    for (int64_t s = 0; s < cut->steps; s++)
        most[s % 2] = max_of(most[s % 2], min_of(lay_team_chunk_most(cut, s), side));
    return most[0] + most[1];
}

/* Until a chunk's product begins all that it takes has arrived, in a panel that products have done with, and the room
 * has been told of it, while those before it multiply. */
static lay_team_candidate cost_direct(const lay_team_links *links, oracle *by, lay_team_cut cut)
{
    const lay_team_shape *const shape = by->shape;
    const int stepping = lay_team_stepping(&cut);
    const int64_t side = cut.by_rows ? shape->rows : shape->columns, other = cut.by_rows ? shape->columns : shape->rows;
    const double size = (double)lay_size_of(shape->type), places = (double)max_of(shape->places, 1);
    double seconds[2], arrived, done = 0, told = 0, read[2] = { 0 }; /* of A and B to a place */
    double made = 0;                                                 /* once, by the first */
    lay_team_candidate of = { .cut = cut };
    for (int x = A; x <= B; x++) {
        seconds[x] = shape->moved[x] == 0 ? 0 : links->message + shape->moved[x] * size / places / links->rate;
        of.moves += shape->moved[x] * size / places;
    }
    arrived = seconds[1 - stepping];
    for (int64_t s = 0; s < cut.steps; s++) {
        const int64_t first = lay_team_chunk_first(&cut, s), count = min_of(lay_team_chunk_most(&cut, s), side - first);
        told += links->call;
        arrived = fmax(fmax(arrived, told), read[s % 2]) + seconds[stepping] * (double)count / (double)max_of(side, 1);
        told += links->call;
        of.first = s == 0 ? arrived : of.first;
        done = links->step + fmax(done, fmax(arrived, told)) + fmax(0, time_of(by, count) - made);
        read[s % 2] = done;
        made = shape->shared[1 - stepping];
    }
    for (int x = A; x <= B; x++)
        if (shape->moved[x] > 0)
            of.memory +=
                (double)(x == stepping ? sum_turns(&cut, side) : other) * (double)cut.depth * (double)bytes_of(shape);
    of.later = arrived - of.first;
    of.seconds = done - time_of(by, side);
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

/* With a first chunk of that width; the numbers of candidates depend on sizes and links alone. */
static int add_leads(const lay_team_links *links, oracle *by, int64_t lead, int parts, lay_team_candidate out[],
                     int count)
{
    const ahead ways[] = { { lead, 0, 1, 0 }, { lead, 0, 1, 1 }, { lead, 1, 3, 0 }, { lead, 2, 3, 0 } };
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if ((ways[i].is_even && !(links->is_slow && parts > 2 && parts <= MOST_EVEN)) ||
            (ways[i].more > 0 && (links->is_slow || parts < LEAST_GROWING)))
            continue;
        const lay_team_cut cut = cut_direct(by->shape, by->by_rows, &ways[i]);
        if (cut.chunks == 0)
            continue;
        lay_team_candidate one = cost_direct(links, by, cut);
        one.number = count;
        count = add(out, count, one);
    }
    return count;
}

int lay_team_cut_direct(const lay_team_shape *shape, const lay_team_links *links, lay_team_predict *predict,
                        const void *on, lay_team_candidate out[LAY_TEAM_CANDIDATES])
{
    static const int parts[] = { 1, 2, 4, 8, 16, 32 };
    int count = 0;
    for (int by_rows = 0; by_rows < 2; by_rows++) {
        const int64_t side = max_of(by_rows ? shape->rows : shape->columns, 1);
        oracle by = { .shape = shape, .predict = predict, .on = on, .by_rows = by_rows };
        int64_t last = -1;
        if (by_rows && shape->moved[A] == 0)
            continue; /* what steps would not move */
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
            const int64_t lead = lead_of(side, parts[i]);
            if (lead == last || (i > 0 && (lead == side || shape->moved[by_rows ? A : B] == 0)))
                continue;
            last = lead;
            count = add_leads(links, &by, lead, parts[i], out, count);
        }
    }
    return count;
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
    const int64_t block = find_sum(shape).block / parts, line = max_of(shape->rows, 1) * bytes_of(shape);
    for (int64_t depth = block; depth < whole && count < LAY_TEAM_CANDIDATES; depth *= 2)
        if (depth == block || depth * line <= lay_team_panel_bytes)
            count = add(out, count, cost(shape, links, cut_at(shape, depth)));
    return count;
}
