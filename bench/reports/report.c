/* What a bench prints: a table on stdout, its rows in files, and a summary. */
#include "report.h"

#include <math.h>
#include <stdlib.h>

#include "bench/base/complain.h"

void report_start(report *to)
{
    table_start(&to->table);
    if (to->csv)
        rows_start_csv(to->csv);
    if (to->json)
        rows_start_json(to->json, &to->head);
    if (to->page)
        rows_start_json(to->page, &to->head);
}

/* The lowest of our ratios to the peers of a role; infinite when there is none. */
static double lowest_ratio(const contest *what, role of)
{
    double least = INFINITY;
    for (int i = 1; i < what->count; i++)
        if (what->results[i].role == of)
            least = fmin(least, line_speedup(what, &what->results[i]));
    return least;
}

static int keep_best(report *to, const line *ours)
{
    if (to->cases == to->room) {
        const int room = 2 * to->room + 16;
        void *more = realloc(to->best, (size_t)room * sizeof *to->best);
        if (!more)
            return fail("out of memory");
        to->best = more;
        to->room = room;
    }
    const problem *of = ours->of;
    const contest *what = ours->what;
    const result *row = line_find_row(what);
    const lay_options *how = &ours->under->options;
    const double direct = lowest_ratio(what, ROLE_PEER), copies = lowest_ratio(what, ROLE_COPIES);
    to->best[to->cases++] =
        (struct best){ .problem = of->text,
                       .ratio = { direct, copies, row ? line_speedup(what, row) : INFINITY,
                                  lowest_ratio(what, ROLE_LAY_COPIES), of->labels ? fmin(direct, copies) : INFINITY,
                                  lowest_ratio(what, ROLE_LAY_STRICT) },
                       .peak = ours->peak / (how->threads ? how->threads : 1),
                       .type = ours->under->type,
                       .isa = how->isa };
    return EXIT_FINE;
}

int report_contest(report *to, const terms *under, const problem *of, const contest *what)
{
    line lines[MAX_ENTRIES];
    for (int i = 0; i < what->count; i++) {
        lines[i] = line_make(under, of, what, &what->results[i]);
        const plot_sample drawn = plot_sample_of(&lines[i]);
        if (to->plot)
            plot_add(to->plot, &drawn);
        if (to->csv)
            rows_write_csv(to->csv, &lines[i]);
        if (to->json)
            rows_write_json(to->json, &lines[i], to->cases == 0 && i == 0);
        if (to->page)
            rows_write_json(to->page, &lines[i], to->cases == 0 && i == 0);
    }
    table_contest(&to->table, lines, what->count);
    return keep_best(to, &lines[0]);
}

static void sum_up(const report *to, int which, const char *what)
{
    const struct best *least = NULL;
    double product = 1;
    int count = 0;
    for (int i = 0; i < to->cases; i++) {
        const struct best *one = &to->best[i];
        if (isinf(one->ratio[which]))
            continue;
        least = least && least->ratio[which] <= one->ratio[which] ? least : one;
        product *= one->ratio[which];
        count++;
    }
    if (!count)
        return;
    char fitted[256];
    table_fit(least->problem, TABLE_WIDTH - 2, fitted);
    printf("lay against %s of each problem: %.3f times as fast,\n"
           "  the geometric mean of %d problem%s; at least %.3f times:\n  %s\n",
           what, pow(product, 1.0 / count), count, count == 1 ? "" : "s", least->ratio[which], fitted);
}

/* The most that a thread's FMAs reached beside any problem of that arithmetic. */
static double best_peak(const report *of, const struct best *like)
{
    double most = 0;
    for (int i = 0; i < of->cases; i++)
        if (of->best[i].type == like->type && of->best[i].isa == like->isa)
            most = fmax(most, of->best[i].peak);
    return most;
}

/* A CPU that does nothing else keeps its clock within a few percent; several threads may share a core or lower it. */
static const double LOW_PEAK = 0.75;

static void warn_of_peaks(const report *of)
{
    const struct best *worst = NULL;
    double least = 1;
    int count = 0;
    char fitted[256];
    for (int i = 0; i < of->cases; i++) {
        const double share = of->best[i].peak / best_peak(of, &of->best[i]);
        count += share < LOW_PEAK;
        worst = share < least ? &of->best[i] : worst;
        least = fmin(share, least);
    }
    if (!count)
        return;
    table_fit(worst->problem, TABLE_WIDTH - 12, fitted);
    printf("WARNING     beside %d problem%s a thread's FMAs reached less than %.0f %% of the\n"
           "            run's best, at worst %.0f %%: busy, throttled, or threads of one core;\n            %s\n",
           count, count == 1 ? "" : "s", 100 * LOW_PEAK, 100 * least, fitted);
}

void report_end(report *to, int is_complete)
{
    if (to->json)
        rows_end_json(to->json, is_complete);
    if (to->page)
        rows_end_json(to->page, is_complete);
    printf("\n");
    sum_up(to, 0, "the best peer");
    sum_up(to, 1, "the best peer + copies");
    sum_up(to, 2, "its own row-major product");
    sum_up(to, 3, "its own copies + row-major product");
    sum_up(to, 4, "the best of all peers");
    sum_up(to, 5, "its own strict product");
    warn_of_peaks(to);
    free(to->best);
}
