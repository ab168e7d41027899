/* One line of lay bench's table: what one contestant did, in figures. */
#include "line.h"

#include <math.h>
#include <stddef.h>

#include "bench/base/element.h"
#include "bench/timing/timing.h"

static double flops(lay_type type, const problem *of)
{
    return (element_parts(type) == 2 ? 8.0 : 2.0) * (double)of->m * (double)of->n * (double)of->k;
}

double line_speedup(const contest *what, const result *them)
{
    return median_ratio(them->seconds, what->results[0].seconds, what->rounds);
}

const result *line_find_row(const contest *what)
{
    for (int i = 0; i < what->count; i++)
        if (what->results[i].role == ROLE_LAY_ROW)
            return &what->results[i];
    return NULL;
}

line line_make(const terms *under, const problem *of, const contest *what, const result *by)
{
    const result *row = line_find_row(what), *ours = &what->results[0];
    line made = { .under = under,
                  .of = of,
                  .what = what,
                  .by = by,
                  .seconds = median(by->seconds, what->rounds),
                  .lowest = lowest(by->seconds, what->rounds),
                  .spread = what->rounds > 1 ? spread(by->seconds, what->rounds) : NAN,
                  .peak = median(what->peak, what->rounds),
                  .unit = median(what->unit, what->rounds),
                  .speedup = NAN,
                  .at_best = NAN,
                  .of_row = NAN };
    made.gflops = 1e-9 * flops(under->type, of) / made.seconds;
    if (by != ours) {
        made.speedup = line_speedup(what, by);
        made.at_best = made.lowest / lowest(ours->seconds, what->rounds);
    } else if (row) {
        made.of_row = line_speedup(what, row);
    }
    return made;
}
