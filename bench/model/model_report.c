/* What came out of many products. */
#include "model_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "model_suite.h"

/* On a device a kernel is predicted by its row's figures, whichever way round. */
static const char *predicted_as(const model_place *place, const model_way *way)
{
    return place == model_device && strncmp(way->name, "image", 5) == 0 ? "image"
           : place == model_device                                      ? way->branch->job.kernel
                                                                        : way->name;
}

static void count_prediction(model_report *to, const model_place *place, const model_way *way)
{
    const char *const name = predicted_as(place, way);
    int i = 0;
    while (i < to->names && strcmp(to->tallies[i].name, name) != 0)
        i++;
    if (i == MODEL_TALLIES)
        return;
    if (i == to->names)
        snprintf(to->tallies[to->names++].name, MODEL_NAME, "%s", name);
    const double ratio = log(way->branch->job.seconds / way->seconds);
    to->tallies[i].count++;
    to->tallies[i].sum += ratio;
    to->tallies[i].squares += ratio * ratio;
}

static void write_csv(FILE *csv, const model_outcome *of, const problem *about, const model_choice *ways)
{
    const model_way *const taken = &ways->way[0];
    fprintf(csv,
            "%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",\"%s\",%s,%d,\"%s\",%.5g,%.5g,\"%s\",%.5g,%.5g,%.3f,%.3f,%s,\"",
            of->suite, about->m, about->n, about->k, of->text, problem_type_name(of->type), of->threads, of->taken,
            1e6 * taken->branch->job.seconds, 1e6 * taken->seconds, of->best, 1e6 * of->best_predicted,
            1e6 * of->best_seconds, of->regret, of->regret_of_sum, ways->place->name);
    for (int i = 0; i < ways->count; i++) {
        const model_way *const way = &ways->way[i];
        char text[MODEL_WAY_TEXT];
        model_way_write(way, text);
        fprintf(csv, "%s%s%s predicted %.5g measured %s%.5g", i ? "; " : "", text,
                way->is_other_sum ? " (another sum)" : "", 1e6 * way->branch->job.seconds, way->is_out ? "about " : "",
                1e6 * way->seconds);
    }
    fprintf(csv, "\"\n");
    fflush(csv);
}

static int keep(model_report *to, const model_outcome *one)
{
    if (to->count == to->room) {
        to->room = 2 * to->room + 64;
        model_outcome *const more = realloc(to->list, (size_t)to->room * sizeof *more);
        if (!more)
            return fail("out of memory");
        to->list = more;
    }
    to->list[to->count] = *one;
    to->list[to->count].text = strdup(one->text);
    return to->list[to->count++].text ? EXIT_FINE : fail("out of memory");
}

int model_note(model_report *to, const char *suite, const problem *of, const model_operands *on,
               const lay_options *options, const model_choice *ways)
{
    const model_way *const taken = &ways->way[0], *const best = model_best(ways, 1);
    const model_missed *const missed = ways->missed;
    const double least = fmin(best->seconds, missed[1].seconds);
    model_outcome one = { .suite = suite,
                          .text = of->text,
                          .type = on->type,
                          .threads = options->threads,
                          .regret = taken->seconds / least,
                          .regret_of_sum = taken->seconds / fmin(model_best(ways, 0)->seconds, missed[0].seconds),
                          .seconds = taken->seconds,
                          .best_seconds = least,
                          .best_predicted = best->branch->job.seconds };
    model_way_write(taken, one.taken);
    model_way_write(best, one.best);
    if (missed[1].seconds < best->seconds) {
        memcpy(one.best, missed[1].text, sizeof one.best);
        one.best_predicted = missed[1].predicted;
    }
    for (int i = 0; i < ways->count; i++)
        if (!ways->way[i].is_out || (ways->place == model_device && isfinite(ways->way[i].seconds)))
            count_prediction(to, ways->place, &ways->way[i]);
    if (to->csv)
        write_csv(to->csv, &one, of, ways);
    return keep(to, &one);
}

static void sum_up(const model_report *of, const char *suite)
{
    double sum = 0, worst = 0, time = 0, best = 0, of_sum = 0;
    int count = 0, above = 0;
    for (int i = 0; i < of->count; i++) {
        const model_outcome *const one = &of->list[i];
        if (suite && strcmp(one->suite, suite) != 0)
            continue;
        count++;
        sum += one->regret;
        of_sum += one->regret_of_sum;
        above += one->regret > 1.1;
        worst = fmax(worst, one->regret);
        time += log(one->seconds);
        best += log(one->best_seconds);
    }
    if (count)
        printf("%-14s %5d  %7.3f  %9.3f  %7.3f  %10d  %15.3f\n", suite ? suite : "all", count, sum / count,
               exp((time - best) / count), worst, above, of_sum / count);
}

static int compare_regret(const void *x, const void *y)
{
    const double a = ((const model_outcome *)x)->regret, b = ((const model_outcome *)y)->regret;
    return (a < b) - (a > b);
}

void model_report_print(model_report *of, int worst)
{
    printf("%-14s %5s  %7s  %9s  %7s  %10s  %15s\n", "regret", "count", "mean", "geometric", "worst", "above 1.1",
           "of equal bits");
    for (int i = 0; model_suites[i]; i++)
        sum_up(of, model_suites[i]);
    sum_up(of, NULL);
    printf("\n%-56s %5s  %14s  %s\n", "predicted/measured", "count", "geometric mean", "standard deviation");
    for (int i = 0; i < of->names; i++) {
        const model_tally *const one = &of->tallies[i];
        const double mean = one->sum / one->count, variance = one->squares / one->count - mean * mean;
        printf("%-56s %5d  %14.3f  %.3f\n", one->name, one->count, exp(mean), exp(sqrt(fmax(variance, 0))));
    }
    qsort(of->list, (size_t)of->count, sizeof *of->list, compare_regret);
    if (of->unknown)
        printf("\n%d products took a way that was not timed\n", of->unknown);
    printf("\nworst\n");
    for (int i = 0; i < of->count && i < worst; i++) {
        const model_outcome *const one = &of->list[i];
        printf("%6.3f  %s, %s, %d: %s, %.2f us; best %s, %.2f us\n", one->regret, one->text,
               problem_type_name(one->type), one->threads, one->taken, 1e6 * one->seconds, one->best,
               1e6 * one->best_seconds);
    }
}

double model_report_score(const model_report *of)
{
    static const double each_above = 0.2, the_worst = 0.004, off = 0.08;
    double sum = 0, worst = 0, squares = 0;
    int above = 0, count = 0;
    for (int i = 0; i < of->count; i++) {
        sum += of->list[i].regret;
        above += of->list[i].regret > 1.1;
        worst = fmax(worst, of->list[i].regret);
    }
    for (int i = 0; i < of->names; i++) {
        squares += of->tallies[i].squares;
        count += of->tallies[i].count;
    }
    const double unknown = (double)of->unknown / of->count; /* may be anything */
    return sum / of->count + each_above * above / of->count + the_worst * worst +
           off * sqrt(squares / (count > 0 ? count : 1)) + unknown;
}

void model_report_free(model_report *of)
{
    for (int i = 0; i < of->count; i++)
        free(of->list[i].text);
    free(of->list);
    of->list = NULL;
    of->count = of->room = 0;
}
