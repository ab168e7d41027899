/* Caches have room for what meets in few of their sets; what they have not comes from further away. */
#include "cpu/cost/bytes.h"

#include <math.h>
#include <stdlib.h>

#include "base/arith.h"
#include "machine/rates.h"
#include "machine/visits.h"

/* The share of a cache's sets that lines meet in which are so many bytes wide and so many apart. */
static double share_of_sets(double width, int64_t apart, double way)
{
    const double step = apart ? (double)(apart & -apart) : LAY_LINE;
    return fmin(1, fmax(width, LAY_LINE) / fmin(step, way));
}

/* Bytes of such lines that a cache has room for. */
static double room_in_l1(double width, int64_t apart, const lay_machine *machine)
{
    return (double)machine->l1 * share_of_sets(width, apart, LAY_PAGE);
}

static double room_in_l2(double width, int64_t apart, const lay_machine *machine)
{
    const double l2 = (double)machine->l2;
    return l2 * share_of_sets(width, apart, l2 / lay_rates_get()->l2_ways);
}

double lay_cost_bytes_apart(double bytes, double span, double width, int64_t apart, const lay_machine *machine)
{
    const lay_rates *rates = lay_rates_get();
    if (span <= rates->near_share * room_in_l1(width, apart, machine))
        return 0;
    if (span <= rates->near_share * room_in_l2(width, apart, machine))
        return bytes / (rates->from_l2 * 1e9);
    return bytes / ((span <= lay_kept_by_l3(machine) ? rates->from_l3 : rates->from_memory) * 1e9);
}

double lay_cost_bytes(double bytes, double span, const lay_machine *machine)
{
    return lay_cost_bytes_apart(bytes, span, LAY_LINE, LAY_LINE, machine);
}

double lay_cost_hide(double x, double y, double hidden)
{
    return fmax(x, y) + (1 - hidden) * fmin(x, y);
}

double lay_cost_overlap(double compute, double read)
{
    return lay_cost_hide(compute, read, lay_rates_get()->overlap);
}

double lay_cost_share(double seconds, double from_memory, int threads, double join)
{
    const double bound = from_memory / (lay_rates_get()->memory_all * 1e9);
    return fmax(seconds / threads, bound) + (threads > 1 ? join : 0);
}

double lay_cost_waste(int64_t row, int64_t step, int64_t size)
{
    const int64_t least = min_of(llabs(row), llabs(step));
    return (double)min_of(LAY_LINE, max_of(least, 1) * size) / (double)size;
}

int lay_cost_is_page_apart(int64_t apart, int64_t size)
{
    return llabs(apart) * size >= LAY_PAGE;
}

int lay_cost_is_pushed_out(double bytes, double width, int64_t apart, const lay_machine *machine)
{
    return lay_cost_is_page_apart(apart, 1) && bytes > room_in_l2(width, apart, machine);
}

double lay_cost_far_lines(double lines, int64_t apart, int64_t size)
{
    return lay_cost_is_page_apart(apart, size) ? lines * lay_rates_get()->line_far * 1e-9 : 0;
}
