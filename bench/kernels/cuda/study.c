/* What the planner is to know of rows: their figures, and whether it takes the best. */
#include "study.h"

#include <math.h>
#include <stdlib.h>

static const double a_launch = 3e-6; /* as the planner has it */

static struct contestant plain(const lay_cuda_kernel *row, int slices)
{
    return (struct contestant){
        .row = row, .slices = slices, .layouts = { "row", "row", "row" }, .left_as = -1, .right_as = -1
    };
}

/* So many tiles, as square as they come, but no more along a side than the row is made for. */
static void shape_tiles(const lay_cuda_kernel *row, int tiles, int *m, int *n)
{
    double least = INFINITY;
    for (int a = 1; a <= tiles; a++) {
        const int b = tiles / a;
        const double uneven = fabs(log((double)a * row->bm / ((double)b * row->bn)));
        if (tiles % a || (row->max_m && a * row->bm > row->max_m) || (row->max_n && b * row->bn > row->max_n) ||
            uneven >= least)
            continue;
        least = uneven;
        *m = a * row->bm;
        *n = b * row->bn;
    }
}

/* Clocks of one launch. */
static double clocks_of(const lay_cuda_kernel *row, int tiles, int k, const contest *usual)
{
    static contest of;
    of = *usual;
    of.type = row->type;
    of.k = k;
    of.m = of.n = 0;
    shape_tiles(row, tiles, &of.m, &of.n);
    if (!of.m)
        return NAN;
    of.list[0] = plain(row, 1);
    of.count = 1;
    of.is_quiet = 1;
    contest_hold(&of);
    return (of.list[0].seconds - a_launch) * contest_machine()->hertz;
}

void study_figures(const lay_cuda_kernel *const rows[], int count, const contest *usual)
{
    enum { SHORT = 512, LONG = 2048 };
    const int multiprocessors = contest_machine()->multiprocessors;
    for (int i = 0; i < count; i++) {
        const lay_cuda_kernel *row = rows[i];
        const double resident = row->blocks_per_sm, flops = 2.0 * row->bm * row->bn;
        const double few = clocks_of(row, multiprocessors * row->blocks_per_sm, SHORT, usual);
        const double many = clocks_of(row, multiprocessors * row->blocks_per_sm, LONG, usual);
        const double alone = clocks_of(row, multiprocessors, LONG, usual);
        const double step = (many - few) / (LONG - SHORT), start = few - SHORT * step;
        const double rate = resident * flops / step, each = flops * LONG / rate;
        printf("%-32s rate %7.1f (table %7.1f)  start %7.0f (%6.0f)  a block alone %5.2f times one of %d (root %.2f)\n",
               row->name, rate, row->rate, start, row->start, (alone - start) / each, row->blocks_per_sm,
               sqrt(resident));
        fflush(stdout);
    }
}

static int by_seconds(const void *a, const void *b)
{
    const double x = ((const struct contestant *)a)->seconds, y = ((const struct contestant *)b)->seconds;
    return (x > y) - (x < y);
}

/* Rows and slices that the formula has within so many times of its best: the others are not worth the time. */
enum { WORTH = 2, SHOWN = 4 };

static double predict_plain(const lay_cuda_kernel *row, const contest *at, int slices)
{
    const matrix left = { .column.count = at->k }, result = { .row.count = at->m, .column.count = at->n };
    trial of = { .row = row, .left = &left, .result = &result };
    of.slice_k = slice_length(row, at->k, slices);
    of.slices = slice_count(at->k, of.slice_k);
    return of.slices == slices ? predict(&of, contest_machine()) : INFINITY;
}

static int serves(const lay_cuda_kernel *row, const contest *at, int slices)
{
    return row->type == at->type && (!row->max_m || at->m <= row->max_m) && (!row->max_n || at->n <= row->max_n) &&
           (!row->max_k || at->k <= row->max_k) && (slices == 1 || row->can_slice);
}

static void print_one(const char *what, const struct contestant *who)
{
    printf("    %-8s %-32s slices %2d  %9.2f us  predicted %9.2f us", what, who->row->name, who->slices,
           1e6 * who->seconds, 1e6 * who->predicted);
    if (who->peer_seconds > 0)
        printf("  cublas %6.3f", who->peer_seconds / who->seconds);
    printf("\n");
}

void study_choice(const lay_cuda_kernel *const rows[], int count, const contest *usual)
{
    static const int tried[] = { 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128 };
    enum { TRIED = sizeof tried / sizeof tried[0] };
    static contest of;
    of = *usual;
    of.is_quiet = 1;
    double least = INFINITY;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < count; i++)
            for (int z = 0; z < TRIED; z++) {
                if (!serves(rows[i], &of, tried[z]))
                    continue;
                const double seconds = predict_plain(rows[i], &of, tried[z]);
                if (pass == 0)
                    least = fmin(least, seconds);
                else if (seconds <= WORTH * least && of.count < MAX_CONTESTANTS)
                    of.list[of.count++] = plain(rows[i], tried[z]);
            }
    if (!of.count)
        return;
    contest_hold(&of);
    qsort(of.list, (size_t)of.count, sizeof of.list[0], by_seconds);
    const struct contestant *taken = &of.list[0];
    for (int i = 1; i < of.count; i++)
        taken = of.list[i].predicted < taken->predicted ? &of.list[i] : taken;
    printf("%dx%dx%d: the planner's formula loses %.1f %% among %d tried\n", of.m, of.n, of.k,
           100 * (taken->seconds / of.list[0].seconds - 1), of.count);
    for (int i = 0; i < SHOWN && i < of.count; i++)
        print_one(i ? "" : "best", &of.list[i]);
    print_one("takes", taken);
    fflush(stdout);
}
