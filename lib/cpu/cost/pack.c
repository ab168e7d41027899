/* Packing: by each element, or by the lines that it is read from. */
#include "cpu/cost/pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/cost/bytes.h"
#include "cpu/cost/digits.h"
#include "cpu/packed/blocks.h"
#include "machine/rates.h"
#include "plan/summation.h"

enum { VECTOR = 16 };

/* Seconds an element, but for those that are copied. */
static double pack_rate(lay_packing_way how)
{
    const lay_rates *rates = lay_rates_get();
    const double rate[] = { [LAY_PACKED_TRANSPOSED] = rates->pack_transposed,
                            [LAY_PACKED_IN_PIECES] = rates->pack_pieces,
                            [LAY_PACKED_BY_DIGITS] = rates->pack_digits,
                            [LAY_PACKED_IN_PAIRS] = rates->pack_pairs,
                            [LAY_PACKED_GATHERED] = rates->pack_gathered };
    return rate[how] * 1e-9;
}

/* Pairs of steps whose neighbours across lie beside them fill whole registers; others are gathered. */
static lay_packing_way as_charged(lay_packing_way how, const lay_axis *across)
{
    const int are_side_by_side = across->count > 0 && across->mode[across->count - 1].stride == 2;
    return how == LAY_PACKED_IN_PAIRS && !are_side_by_side ? LAY_PACKED_GATHERED : how;
}

/* Elements of packed panels as they count: what fills up the last panel is written too, and wide ones take longer. */
static double packed_elements(int64_t across, int64_t along, int width, int64_t size)
{
    const lay_rates *rates = lay_rates_get();
    const double padding = (double)(round_up(max_of(across, 1), width) - across);
    return ((double)across + rates->pack_padding * padding) * (double)along * (size > 4 ? rates->pack_wide : 1);
}

/* Seconds of several blocks of k at once, or of all that lies in a stretch: squares of registers are transposed whole,
 * whose lines and steps may be less at the ends of panels and of what lies side by side. */
static double pack_joined(const lay_axis *across, const lay_axis *along, const lay_kernel *kernel, int width, double kc)
{
    const lay_rates *rates = lay_rates_get();
    const int is_stretch = lay_packing_is_stretch(along, width, (int64_t)kc);
    const int64_t lanes = kernel->lanes, rest = across->extent % width;
    const int64_t run = is_stretch ? along->extent : lay_packing_run(along, (int64_t)kc);
    const double lines = (double)(across->extent - rest + round_up(rest, lanes));
    const double steps = (double)along->extent * (double)round_up(run, lanes) / (double)run;
    const double times =
        (lay_size_of(kernel->type) > 4 ? rates->pack_wide : 1) * (run < lanes ? rates->pack_masked : 1);
    return lines * steps * rates->pack_joined * times * 1e-9;
}

/* Registers that a copy writes: each panel's steps are whole ones but for their ends. */
static double packed_registers(int64_t across, int64_t along, int width, const lay_kernel *kernel)
{
    const int64_t whole = across / width, rest = across % width;
    return (double)(whole * ceil_div(width, kernel->lanes) + ceil_div(rest, kernel->lanes)) * (double)along;
}

/* The least distance of two elements of an operand, up to a line's. */
static int64_t nearest(const lay_axis *x, const lay_axis *y)
{
    int64_t least = LAY_LINE;
    for (int i = 0; i < x->count; i++)
        least = min_of(least, llabs(x->mode[i].stride));
    for (int i = 0; i < y->count; i++)
        least = min_of(least, llabs(y->mode[i].stride));
    return x->class == LAY_AXIS_TABLE || y->class == LAY_AXIS_TABLE ? 1 : max_of(least, 1);
}

/* Packing hides less of what it reads than multiplying does. */
static double packed_while_read(double pack, double read)
{
    return lay_cost_hide(pack, read, lay_rates_get()->pack_overlap);
}

/* Steps in the order in which they are read by digits, so many at once: those of unit stride first. */
static lay_axis bring_unit_first(const lay_axis *along, double steps)
{
    const int is_joined = steps > LAY_KC;
    lay_axis of = *along;
    int at = of.count - 1;
    while (at >= 0 && of.mode[at].stride != 1)
        steps /= (double)of.mode[at--].extent;
    const int64_t run = max_of(1, (int64_t)steps);
    if (is_joined && at >= 0 && run < of.mode[at].extent && of.count < LAY_MAX_MODES) { /* the others come later */
        memmove(of.mode + at + 1, of.mode + at, (size_t)(of.count++ - at) * sizeof of.mode[0]);
        of.mode[at] = (lay_leaf){ ceil_div(of.mode[at].extent, run), run };
        of.mode[++at].extent = run;
    }
    for (; at >= 0 && at + 1 < of.count; at++) {
        const lay_leaf unit = of.mode[at];
        of.mode[at] = of.mode[at + 1];
        of.mode[at + 1] = unit;
    }
    return of;
}

/* Reading an operand as packers do: panels of so many lines, kc steps at a time, a few steps of many panels where
 * those lie in the same lines of a cache. */
static double read_to_pack(const lay_axis *across, const lay_axis *along, int width, int together, double kc,
                           lay_packing_way how, int64_t size, const lay_machine *machine)
{
    enum { AT_ONCE = 8 };
    const int64_t next =
        width < across->extent ? llabs(lay_axis_offset(across, width) - lay_axis_offset(across, 0)) : LAY_LINE;
    const int is_turned = how == LAY_PACKED_TRANSPOSED || how == LAY_PACKED_BY_DIGITS;
    const lay_axis in_order = how == LAY_PACKED_BY_DIGITS ? bring_unit_first(along, kc) : *along;
    const int is_close = !is_turned && together > 1 && (how == LAY_PACKED_COPIED || next * size < LAY_LINE);
    lay_cost_digits lines = lay_cost_digits_of(across), steps = lay_cost_digits_of(&in_order);
    lay_visits of = { .count = 0 };
    if (is_turned)
        lay_cost_visit(&of, &steps, AT_ONCE, size);
    lay_cost_visit(&of, &lines, width, size);
    if (is_close) {
        lay_cost_visit(&of, &steps, AT_ONCE, size);
        lay_cost_visit(&of, &lines, together, size);
    }
    lay_cost_visit(&of, &steps, is_turned || is_close ? kc / AT_ONCE : kc, size);
    lay_cost_visit(&of, &lines, INFINITY, size);
    lay_cost_visit(&of, &steps, INFINITY, size);
    return lay_visits_predict(&of, machine);
}

double lay_cost_pack(const lay_axis *across, const lay_axis *along, const lay_kernel *kernel, int width, int together,
                     double kc, const lay_machine *machine)
{
    const int64_t size = lay_size_of(kernel->type), apart = nearest(across, along);
    const double elements = (double)across->extent * (double)along->extent;
    const double bytes = elements * (double)size * lay_cost_waste(apart, apart, size);
    const lay_packing_way how = lay_packing_find(across, along, width, (int64_t)kc);
    const int is_table = across->class == LAY_AXIS_TABLE || along->class == LAY_AXIS_TABLE;
    const double read = is_table ? lay_cost_bytes(bytes, bytes, machine)
                                 : read_to_pack(across, along, width, together, kc, how, size, machine);
    const int is_joined =
        how == LAY_PACKED_BY_DIGITS && (kc > LAY_KC || lay_packing_is_stretch(along, width, (int64_t)kc));
    const double pack =
        how == LAY_PACKED_COPIED
            ? packed_registers(across->extent, along->extent, width, kernel) * lay_rates_get()->pack_copied * 1e-9
        : is_joined ? pack_joined(across, along, kernel, width, kc)
                    : packed_elements(across->extent, along->extent, width, size) * pack_rate(as_charged(how, across));
    return packed_while_read(pack, read);
}

double lay_cost_pack_right(const lay_problem *problem, const lay_blocked *blocks, const lay_machine *machine)
{
    const lay_direct *direct = &blocks->direct;
    const double elements = (double)problem->n.extent * (double)problem->k.extent;
    const double bytes = elements * (double)lay_size_of(problem->types.right);
    if (!direct->interleaved)
        return (double)blocks->grid_m * lay_cost_pack(&problem->right_n, &problem->right_k, blocks->kernel,
                                                      blocks->kernel->nr, direct->group, (double)direct->joined,
                                                      machine);
    /* What is shorter than a register that transposes goes by elements. */
    const int is_short = direct->interleaved_run * lay_size_of(problem->types.right) < VECTOR;
    const double rate = is_short ? lay_rates_get()->copy_single * 1e-9 : pack_rate(LAY_PACKED_TRANSPOSED);
    const double count =
        packed_elements(problem->n.extent, problem->k.extent, blocks->kernel->nr, lay_size_of(problem->types.right));
    return (double)blocks->grid_m * packed_while_read(count * rate, lay_cost_bytes(bytes, bytes, machine));
}
