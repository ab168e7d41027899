/* What a batch by lanes takes: seconds of a run, from rates. */
#include <math.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/lanes/lanes.h"
#include "machine/rates.h"

/* Whether the second cache has no room for a block's steps of so many lines, of registers together. */
static int is_beyond_l2(const lay_lanes_job *own, double lines, int64_t registers, const lay_machine *machine)
{
    const double line = own->row->lanes * (double)lay_size_of(own->type);
    return lines * (double)own->kc * (double)registers * line > lay_rates_get()->near_share * (double)machine->l2;
}

/* Seconds that numbers take to be brought together, all of a block's steps for all its products, once. */
static double copy_seconds(const lay_lanes_job *own, int side, double elements, const lay_machine *machine)
{
    const lay_rates *rates = lay_rates_get();
    const double run = (double)(lay_lanes_mode(own)->extent * own->parts), lanes = own->row->lanes;
    const double registers = elements * own->parts / run * ceil(run / lanes);
    const double lines =
        (own->is_copied[LAY_LEFT] ? (double)own->mc : 0) + (own->is_copied[LAY_RIGHT] ? (double)own->nc : 0);
    if (!own->is_copied[side])
        return 0;
    /* To the third cache and back where one register of a block is too much, after which the next one comes. */
    const double moved =
        is_beyond_l2(own, lines, 1, machine) ? 2 * lanes * (double)lay_size_of(own->type) / rates->from_l3 : 0;
    if (lay_lanes_mode(own)->stride[side] != 1)
        return (elements * rates->lanes_moved +
                registers * (moved + (own->half || own->expand ? rates->lanes_copied : 0))) *
               1e-9;
    return registers * ((own->half ? 3 : 1) * rates->lanes_copied + moved) * 1e-9;
}

enum { SETS = LAY_PAGE / LAY_LINE, WAYS = 8 }; /* of the first cache */
enum { STEPS = 64 };                           /* of k, that are looked at */

/* The share of a tile's lines, read where they lie, that the first cache's sets have no room for. */
static double find_conflicts(const lay_problem *problem, const lay_lanes_job *own)
{
    const int64_t size = lay_size_of(own->type), rows = min_of(own->row->mr, problem->m.extent);
    const int64_t columns = min_of(own->row->nr, problem->n.extent), steps = min_of(STEPS, problem->k.extent);
    int64_t left[STEPS], right[STEPS];
    /* Numbers of few products share a line. */
    const int most = WAYS * (int)max_of(1, LAY_LINE / (lay_lanes_mode(own)->extent * size));
    int set[SETS] = { 0 }, lines = 0, evicted = 0;
    lay_axis_offsets(&problem->left_k, 0, steps, left);
    lay_axis_offsets(&problem->right_k, 0, steps, right);
    for (int64_t x = 0; x < rows + columns; x++) {
        const int is_left = x < rows;
        if (own->is_copied[is_left ? LAY_LEFT : LAY_RIGHT])
            continue;
        const int64_t line =
            is_left ? lay_axis_offset(&problem->left_m, x) : lay_axis_offset(&problem->right_n, x - rows);
        for (int64_t p = 0; p < steps; p++, lines++)
            evicted += ++set[(uint64_t)((line + (is_left ? left : right)[p]) * size) / LAY_LINE % SETS] > most;
    }
    return lines ? (double)evicted / lines : 0;
}

/* Sets of the first cache that a tile's lines lie in, those that are read in place; as many as there are where they are
 * so few that one set has them all. Lines that are whole pages apart meet in one set, and in few ones of the second
 * cache. */
static int count_sets(const lay_problem *problem, const lay_lanes_job *own)
{
    const int64_t size = lay_size_of(own->type), steps = min_of(STEPS, problem->k.extent);
    const lay_axis *const along[] = { &problem->left_k, &problem->right_k };
    const lay_axis *const across[] = { &problem->left_m, &problem->right_n };
    const int64_t most[] = { own->row->mr, own->row->nr };
    int is_used[SETS] = { 0 }, used = 0, lines = 0;
    int64_t step[STEPS];
    for (int x = LAY_LEFT; x <= LAY_RIGHT; x++) {
        lay_axis_offsets(along[x], 0, steps, step);
        for (int64_t i = 0; !own->is_copied[x] && i < min_of(most[x], across[x]->extent); i++)
            for (int64_t p = 0; p < steps; p++, lines++) {
                int *const set =
                    &is_used[(uint64_t)((lay_axis_offset(across[x], i) + step[p]) * size) / LAY_LINE % SETS];
                used += !*set;
                *set = 1;
            }
    }
    return lines > WAYS ? used : SETS;
}

/* Whether a step's numbers lie so far behind those of the one before that prefetchers do not follow. */
static int are_steps_far(const lay_lanes_job *own)
{
    return (double)(lay_lanes_mode(own)->extent * lay_size_of(own->type)) > lay_rates_get()->lanes_followed;
}

/* Whether left's numbers, read where they lie, are gone from the second cache when the next panel of columns comes. */
static int is_left_again(const lay_problem *problem, const lay_lanes_job *own, const lay_machine *machine)
{
    return !own->is_copied[LAY_LEFT] && !own->is_copied[LAY_RIGHT] &&
           is_beyond_l2(own, (double)(problem->m.extent + problem->n.extent), ceil_div(own->width, own->row->lanes),
                        machine);
}

/* Seconds until the numbers of a step of a tile have come, r rows and s columns: from the second cache, of lines that
 * the first one's sets have no room for, and of all where it has none for a block of steps. */
static double fetch_seconds(const lay_problem *problem, const lay_lanes_job *own, const lay_machine *machine, double r,
                            double s)
{
    const lay_rates *rates = lay_rates_get();
    const double size = (double)lay_size_of(own->type), line = own->row->lanes * size;
    const double element =
        fmin(LAY_LINE, (double)lay_lanes_mode(own)->extent * size); /* few products have not all of a line */
    const double in_place = (own->is_copied[LAY_LEFT] ? 0 : r) + (own->is_copied[LAY_RIGHT] ? 0 : s);
    const double steps = fmin((double)lay_lanes_steps(problem, own), (double)own->kc);
    const int is_large = (r + s) * line * steps > (double)machine->l1;
    const double near =
        is_large ? in_place * element + (r + s - in_place) * line : in_place * element * find_conflicts(problem, own);
    const double again = is_left_again(problem, own, machine) && !are_steps_far(own) ? r * element : 0;
    return fmax(near / rates->from_l2, again / rates->from_l3) * 1e-9;
}

/* Seconds of loads of numbers where they lie, r and s of each of so many steps of tiles: each lies in another page than
 * the one before. */
static double apart_seconds(const lay_problem *problem, const lay_lanes_job *own, double tile_steps, double r, double s)
{
    const lay_rates *rates = lay_rates_get();
    const double of_page = fmin(1, (double)(lay_lanes_mode(own)->extent * lay_size_of(own->type)) / LAY_PAGE);
    const double rows = own->is_copied[LAY_LEFT] ? 0 : (double)problem->m.extent;
    const double left = own->is_copied[LAY_LEFT] ? 0 : r, right = own->is_copied[LAY_RIGHT] ? 0 : s;
    const int is_once = problem->m.extent <= own->row->mr && problem->n.extent <= own->row->nr;
    const int is_far = !is_once && (rows + right) * (double)problem->k.extent * of_page > rates->pages_known;
    const double split = lay_lanes_mode(own)->extent * lay_size_of(own->type) % LAY_LINE ? rates->lanes_split : 0;
    const double met = rates->lanes_met * pow(count_sets(problem, own), -1.5);
    return tile_steps * (left + right) * ((is_far ? rates->lanes_far : rates->lanes_apart + split) + met) * 1e-9;
}

/* More seconds of C's numbers: by way of a buffer; or, written one register of all after the other, where their lines
 * leave the second cache before their other parts are written. */
static double result_seconds(const lay_problem *problem, const lay_lanes_job *own, const lay_machine *machine,
                             double registers, double bytes)
{
    const lay_rates *rates = lay_rates_get();
    const double lines = (double)problem->m.extent * (double)problem->n.extent * registers * own->row->lanes *
                         (double)lay_size_of(own->type) / LAY_LINE;
    const double left = fmax(0, 1 - rates->lanes_near * (double)machine->l2 / bytes);
    if (!own->is_planar || own->is_staged)
        return 0;
    return lines * (own->is_put ? rates->lanes_put : left * rates->lanes_left) * 1e-9;
}

/* More seconds of lines where they lie that no prefetcher follows: left's again for each panel of columns; and where
 * the other operand is brought together, all of one register after the other. registers: of all products. */
static double unfollowed_seconds(const lay_problem *problem, const lay_lanes_job *own, const lay_machine *machine,
                                 double registers, double bytes)
{
    const lay_rates *rates = lay_rates_get();
    const double k = (double)problem->k.extent, panels = (double)ceil_div(problem->n.extent, own->row->nr);
    const int64_t lines = own->is_copied[LAY_LEFT] ? problem->n.extent : problem->m.extent;
    if (!are_steps_far(own))
        return 0;
    if (is_left_again(problem, own, machine))
        return (double)problem->m.extent * k * registers * (panels - 1) * rates->line_l3 * 1e-9;
    return own->is_copied[LAY_LEFT] != own->is_copied[LAY_RIGHT] && bytes > rates->lanes_kept * (double)machine->l3
               ? (double)lines * k * registers * rates->lanes_far * 1e-9
               : 0;
}

/* Cycles of a step of a tile whose registers have so many lanes: multiply-adds, loads, or the wait for the sums before.
 */
static double step_cycles(const lay_problem *problem, const lay_lanes_job *own, double lanes, double r, double s)
{
    const lay_rates *rates = lay_rates_get();
    const double width = fmin(2 * lanes, rates->flops * 4 / (double)lay_size_of(own->type) / 2);
    const double wait = own->sum.has_partial_sums || lay_lanes_steps(problem, own) == 1 ? 0 : rates->latency;
    return fmax(fmax(r * s * lanes / width, (r + s) / rates->loads), wait);
}

double lay_lanes_bytes(const lay_problem *problem)
{
    const double m = (double)problem->m.extent, n = (double)problem->n.extent, k = (double)problem->k.extent;
    return ((m + n) * k + m * n) * (double)problem->batch.extent * (double)lay_size_of(problem->types.left);
}

double lay_cost_lanes(const lay_problem *problem, const lay_lanes_job *own, const lay_machine *machine)
{
    const lay_rates *rates = lay_rates_get();
    const double clock = (rates->clock > 0 ? rates->clock : machine->ghz) * 1e9, lanes = own->row->lanes;
    const double m = (double)problem->m.extent, n = (double)problem->n.extent;
    const double steps = (double)lay_lanes_steps(problem, own), products = (double)problem->batch.extent;
    const double rows = (double)ceil_div(problem->m.extent, own->row->mr);
    const double columns = (double)ceil_div(problem->n.extent, own->row->nr);
    const int64_t run = lay_lanes_mode(own)->extent * own->parts, rest = run % own->row->lanes;
    const double registers = (double)(own->runs * ceil_div(run, own->row->lanes));
    const double r = m / rows, s = n / columns, tiles = registers * rows * columns;
    const double halves = 0 < rest && rest <= own->row->half ? (double)own->runs * rows * columns : 0;
    const double fetch = fetch_seconds(problem, own, machine, r, s);
    const double whole = fmax(step_cycles(problem, own, lanes, r, s) / clock, fetch);
    const double half = fmax(step_cycles(problem, own, lanes / 2, r, s) / clock, fetch);
    const double elements = (double)problem->k.extent * products;
    const double size = (double)lay_size_of(problem->types.left), result = m * n * products * size;
    const double bytes = lay_lanes_bytes(problem);
    const double compute =
        steps * ((tiles - halves) * whole + halves * half) + tiles * rates->lanes_tile * 1e-9 +
        registers * m * n * rates->lanes_written * 1e-9 +
        (lay_lanes_mode(own)->stride[LAY_RESULT] != 1 ? m * n * products * rates->lanes_moved * 1e-9 : 0) +
        apart_seconds(problem, own, tiles * steps, r, s) + result_seconds(problem, own, machine, registers, bytes) +
        unfollowed_seconds(problem, own, machine, registers, bytes);
    const double copies = copy_seconds(own, LAY_LEFT, m * elements * ceil(n / (double)own->nc), machine) +
                          copy_seconds(own, LAY_RIGHT, n * elements * ceil(m / (double)own->mc), machine);
    const double rate = bytes <= (double)machine->l2                       ? rates->from_l2
                        : bytes <= rates->lanes_kept * (double)machine->l3 ? rates->from_l3
                                                                           : rates->from_memory;
    return compute + copies + (bytes + result) / (rate * 1e9); /* C's lines come, and leave again */
}
