/* Tiles of a product that one function does whole: each shape of them once, and how many there are. */
#include "cpu/cost/whole.h"

#include <math.h>

#include "base/arith.h"
#include "cpu/cost/compute.h"
#include "machine/rates.h"

enum { MOST_SHAPES = 6 };

/* Panels alike. */
typedef struct alike {
    int size; /* registers across, 0: less than one; or rows */
    double count;
} alike;

static int cut_columns(int64_t n, int lanes, int most, alike out[MOST_SHAPES])
{
    int count = 0;
    const int64_t width = (int64_t)most * lanes, wide = max_of(0, ceil_div(n, width) - 2);
    if (wide > 0)
        out[count++] = (alike){ most, (double)wide };
    lay_span panel;
    for (int64_t rest = n - wide * width; rest > 0; rest -= panel.n) {
        panel = lay_whole_across(rest, lanes, most);
        out[count++] = (alike){ panel.vecs, 1 };
    }
    return count;
}

static int cut_rows(int64_t m, int most, alike out[MOST_SHAPES])
{
    int count = 0;
    const int64_t high = max_of(0, m / most - 1);
    if (high > 0)
        out[count++] = (alike){ most, (double)high };
    for (int64_t rest = m - high * most; rest > 0; rest -= out[count++].size)
        out[count] = (alike){ lay_whole_down(rest, most), 1 };
    return count;
}

static double tile_seconds(const lay_kernel *kernel, int rows, int vecs, double k, const lay_machine *machine)
{
    const lay_rates *rates = lay_rates_get();
    const double registers = (double)max_of(vecs, 1), cycle = 1 / lay_cost_clock(machine);
    const double step = lay_cost_step(kernel, 1, (double)rows, registers);
    const double masked = vecs == 0 && !lay_cost_is_wide(kernel) ? rows * rates->row_masked_narrow : 0;
    return k * step * cycle + (rates->tile_whole + rows * registers * rates->register_written + masked) * 1e-9;
}

double lay_cost_whole(const lay_kernel *kernel, const lay_whole *of, const lay_machine *machine)
{
    const lay_whole_tiles *tiles = &kernel->whole;
    alike columns[MOST_SHAPES], rows[MOST_SHAPES];
    const int spans =
        cut_columns(of->n, kernel->lanes, of->is_by_rows ? tiles->across_by_rows : tiles->across, columns);
    double seconds = lay_rates_get()->call_whole * 1e-9;
    for (int j = 0; j < spans; j++) {
        const int panels = cut_rows(of->m, tiles->rows[columns[of->is_by_rows ? 0 : j].size], rows);
        for (int i = 0; i < panels; i++)
            seconds += columns[j].count * rows[i].count *
                       tile_seconds(kernel, rows[i].size, columns[j].size, (double)of->k, machine);
    }
    return seconds;
}
