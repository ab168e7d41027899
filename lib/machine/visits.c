/* Lines and pages that loops over memory fetch, from the innermost loop outwards. */
#include "machine/visits.h"

#include <math.h>
#include <stdlib.h>

#include "base/arith.h"
#include "machine/rates.h"

void lay_visits_add(lay_visits *to, double steps, int64_t bytes)
{
    if (steps <= 1 || to->count == LAY_MOST_VISITS)
        return;
    to->loop[to->count].steps = steps;
    to->loop[to->count++].bytes = llabs(bytes);
}

/* Blocks of one size, lines or pages, that the loops up to one of them touch: how many there are, and how often one has
 * to be fetched that was there before or was not. */
typedef struct blocks {
    double touched, fetched;
} blocks;

/* A loop more around them. What has room is still there when it is touched again. */
static blocks repeat(blocks inner, double steps, int64_t bytes, int64_t size, int has_room)
{
    const double more = bytes < size ? fmax(1, fmin(steps, (steps * (double)bytes) / (double)size)) : steps;
    return (blocks){ inner.touched * more, has_room ? inner.touched * more : inner.fetched * steps };
}

/* The share of a cache's sets that lines fall into which lie multiples of so many bytes apart. */
static double share_of_sets(int64_t apart, int64_t way)
{
    return fmin(1, (double)LAY_LINE / (double)min_of(max_of(apart, LAY_LINE), way));
}

/* Lines fetched into a cache of so many bytes, whose sets repeat every way bytes. 0: all of them stay there. */
static double count_lines(const lay_visits *of, double room, int64_t way)
{
    blocks lines = { 1, 1 };
    double span = 1; /* lines from the first to the last */
    int is_inside = of->begins_anywhere;
    int64_t apart = way; /* what all lines are multiples of, as a power of two */
    for (int i = 0; i < of->count; i++) {
        const int64_t bytes = of->loop[i].bytes;
        span += (of->loop[i].steps - 1) * (double)bytes / LAY_LINE;
        is_inside = is_inside && bytes < LAY_LINE;
        if (is_inside)
            lines = (blocks){ span, span };
        else
            lines = repeat(lines, of->loop[i].steps, bytes, LAY_LINE,
                           lines.touched * LAY_LINE <= room * share_of_sets(apart, way));
        if (of->begins_anywhere)
            lines.touched = fmin(lines.touched, span);
        if (of->loop[i].steps * (double)bytes > LAY_LINE)
            apart = min_of(apart, bytes < LAY_LINE ? LAY_LINE : bytes & -bytes);
    }
    return lines.touched * LAY_LINE <= room * share_of_sets(apart, way) ? 0 : lines.fetched;
}

/* Pages whose addresses have to be found. */
static double count_pages(const lay_visits *of, double room)
{
    blocks pages = { 1, 1 };
    for (int i = 0; i < of->count; i++)
        pages = repeat(pages, of->loop[i].steps, of->loop[i].bytes, LAY_PAGE, pages.touched <= room);
    return pages.touched <= room ? 0 : pages.fetched;
}

/* Of the lines, the share that lies next to one that came shortly before: what prefetchers have seen coming. A loop
 * outside may go on where the one inside ends. */
static double count_followed(const lay_visits *of, double streams)
{
    double inside = 1, run = 0; /* streams; bytes of each */
    for (int i = 0; i < of->count; i++) {
        const double apart = (double)of->loop[i].bytes, span = of->loop[i].steps * apart;
        const int goes_on = run > 0 ? apart == run : apart <= LAY_LINE;
        if (goes_on && span > LAY_LINE && inside <= streams)
            run = span;
        else
            inside *= apart < LAY_LINE ? 1 : of->loop[i].steps;
    }
    return run > 0 ? 1 - LAY_LINE / run : 0;
}

double lay_kept_by_l3(const lay_machine *machine)
{
    const lay_rates *rates = lay_rates_get();
    return fmin(rates->near_share * (double)machine->l3, rates->l3_most);
}

double lay_visits_predict(const lay_visits *of, const lay_machine *machine)
{
    const lay_rates *rates = lay_rates_get();
    const double followed = count_followed(of, 4 * rates->streams), alone = 1 - followed, share = rates->near_share;
    const int64_t way = machine->l2 / (int64_t)fmax(1, rates->l2_ways);
    /* Lines that the first cache has not; of those the second; of those the third. */
    const double beyond_l1 = count_lines(of, share * (double)machine->l1, LAY_PAGE);
    const double beyond_l2 = fmin(beyond_l1, count_lines(of, share * (double)machine->l2, way));
    const double beyond_l3 = fmin(beyond_l2, count_lines(of, lay_kept_by_l3(machine), LAY_LINE));
    const double seconds = (beyond_l1 - beyond_l2) * (followed * LAY_LINE / rates->from_l2 + alone * rates->line_l2) +
                           (beyond_l2 - beyond_l3) * (followed * LAY_LINE / rates->from_l3 + alone * rates->line_l3) +
                           beyond_l3 * (followed * LAY_LINE / rates->from_memory + alone * rates->line_memory) +
                           count_pages(of, rates->pages_known) * rates->page_found;
    return seconds * 1e-9;
}
