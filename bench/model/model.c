/* model-bench: what the planner predicts against what is measured, and its regret: the time of the way that it takes
 * over the time of the best that it could have taken. Over products that nothing was tuned for (model_suite.h), or
 * those that are named; all ways of their order of the sum are made and run (model_ways.h). On CPUs that others use
 * too: pin it to one, and look at two runs. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/args.h"
#include "bench/base/complain.h"
#include "bench/problems/problem.h"
#include "model_suite.h"
#include "model_time.h"

enum { MOST_NAMES = 64, MOST_TYPES = 4, MOST_THREADS = 8 };

/* A product as it came out. */
typedef struct outcome {
    const char *suite;
    char *text;
    lay_type type;
    int threads;
    double regret, seconds, best_seconds;
    char taken[2 * MODEL_NAME], best[2 * MODEL_NAME];
} outcome;

/* Predicted over measured, of all ways of a name. */
typedef struct tally {
    char name[MODEL_NAME];
    int count;
    double sum, squares; /* of logarithms */
} tally;

typedef struct report {
    FILE *csv;
    outcome *list;
    int count, room;
    tally tallies[MOST_NAMES];
    int names;
} report;

typedef struct request {
    lay_type type[MOST_TYPES];
    int types;
    int threads[MOST_THREADS], thread_counts;
    lay_options options;
    const char *suite; /* NULL: all */
    int64_t seed, worst;
    double seconds; /* for each product, at least */
} request;

static void count_prediction(report *to, const model_way *way)
{
    int i = 0;
    while (i < to->names && strcmp(to->tallies[i].name, way->name) != 0)
        i++;
    if (i == MOST_NAMES)
        return;
    if (i == to->names)
        strcpy(to->tallies[to->names++].name, way->name);
    const double ratio = log(way->branch->job.seconds / way->seconds);
    to->tallies[i].count++;
    to->tallies[i].sum += ratio;
    to->tallies[i].squares += ratio * ratio;
}

static void write_way(const model_way *way, char to[2 * MODEL_NAME])
{
    snprintf(to, 2 * MODEL_NAME, "%s/%s/%d", way->name, way->branch->job.kernel, way->branch->job.threads);
}

static void write_csv(FILE *csv, const outcome *of, const problem *about, const model_choice *ways)
{
    const model_way *const taken = &ways->way[0], *const best = model_best(ways);
    fprintf(csv, "%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",\"%s\",%s,%d,\"%s\",%.3f,%.3f,\"%s\",%.3f,%.3f,%.3f,\"",
            of->suite, about->m, about->n, about->k, of->text, problem_type_name(of->type), of->threads, of->taken,
            1e6 * taken->branch->job.seconds, 1e6 * taken->seconds, of->best, 1e6 * best->branch->job.seconds,
            1e6 * best->seconds, of->regret);
    for (int i = 0; i < ways->count; i++)
        fprintf(csv, "%s%s/%s/%d predicted %.3f measured %s%.3f", i ? "; " : "", ways->way[i].name,
                ways->way[i].branch->job.kernel, ways->way[i].branch->job.threads,
                1e6 * ways->way[i].branch->job.seconds, ways->way[i].is_out ? "about " : "",
                1e6 * ways->way[i].seconds);
    fprintf(csv, "\"\n");
    fflush(csv);
}

static int keep(report *to, const outcome *one)
{
    if (to->count == to->room) {
        to->room = 2 * to->room + 64;
        outcome *const more = realloc(to->list, (size_t)to->room * sizeof *more);
        if (!more)
            return fail("out of memory");
        to->list = more;
    }
    to->list[to->count] = *one;
    to->list[to->count].text = strdup(one->text);
    return to->list[to->count++].text ? EXIT_FINE : fail("out of memory");
}

static int note(report *to, const char *suite, const problem *of, const model_operands *on, const lay_options *options,
                const model_choice *ways)
{
    const model_way *const taken = &ways->way[0], *const best = model_best(ways);
    outcome one = { .suite = suite,
                    .text = of->text,
                    .type = on->type,
                    .threads = options->threads,
                    .regret = taken->seconds / best->seconds,
                    .seconds = taken->seconds,
                    .best_seconds = best->seconds };
    write_way(taken, one.taken);
    write_way(best, one.best);
    for (int i = 0; i < ways->count; i++)
        if (!ways->way[i].is_out)
            count_prediction(to, &ways->way[i]);
    if (to->csv)
        write_csv(to->csv, &one, of, ways);
    return keep(to, &one);
}

static int time_product(const request *wanted, const char *suite, const problem *of, lay_type type, int threads,
                        report *to)
{
    static model_choice ways;
    model_operands on;
    lay_options options = wanted->options;
    options.threads = threads;
    int status = model_take(type, of->desc, &on);
    if (status != EXIT_FINE)
        return status;
    const lay_status planned = model_choose(&on, &options, &ways);
    if (planned != LAY_OK) {
        status = refuse_status(planned, of->text);
    } else {
        status = model_check(&ways, &on, of->text);
        if (status == EXIT_FINE)
            model_time(&ways, &on, wanted->seconds);
        if (status == EXIT_FINE)
            status = note(to, suite, of, &on, &options, &ways);
        model_free(&ways);
    }
    model_give(&on);
    return status;
}

static int time_problem(const request *wanted, const char *suite, const char *text, report *to)
{
    problem of;
    int status = problem_read(text, "row", &of);
    if (status != EXIT_FINE)
        return status;
    for (int type = 0; type < wanted->types && status == EXIT_FINE; type++)
        for (int i = 0; i < wanted->thread_counts && status == EXIT_FINE; i++)
            status = time_product(wanted, suite, &of, wanted->type[type], wanted->threads[i], to);
    problem_free(&of);
    return status;
}

static int time_suites(const request *wanted, report *to)
{
    model_product product;
    int status = EXIT_FINE;
    for (int suite = 0; model_suites[suite]; suite++) {
        if (wanted->suite && strcmp(wanted->suite, model_suites[suite]) != 0)
            continue;
        for (int i = 0; i < MODEL_EACH && status == EXIT_FINE; i++) {
            model_draw(suite, i, (uint64_t)wanted->seed, &product);
            status = time_problem(wanted, product.suite, product.text, to);
        }
    }
    return status;
}

/* ---- the summary ------------------------------------------------------------------------------ */

static void sum_up(const report *of, const char *suite)
{
    double sum = 0, worst = 0, time = 0, best = 0;
    int count = 0, above = 0;
    for (int i = 0; i < of->count; i++) {
        const outcome *const one = &of->list[i];
        if (suite && strcmp(one->suite, suite) != 0)
            continue;
        count++;
        sum += one->regret;
        above += one->regret > 1.1;
        worst = fmax(worst, one->regret);
        time += log(one->seconds);
        best += log(one->best_seconds);
    }
    if (count)
        printf("%-14s %5d  %7.3f  %9.3f  %7.3f  %10d\n", suite ? suite : "all", count, sum / count,
               exp((time - best) / count), worst, above);
}

static int compare_regret(const void *x, const void *y)
{
    const double a = ((const outcome *)x)->regret, b = ((const outcome *)y)->regret;
    return (a < b) - (a > b);
}

static void print_summary(report *of, int worst)
{
    printf("%-14s %5s  %7s  %9s  %7s  %10s\n", "regret", "count", "mean", "geometric", "worst", "above 1.1");
    for (int i = 0; model_suites[i]; i++)
        sum_up(of, model_suites[i]);
    sum_up(of, NULL);
    printf("\n%-40s %5s  %14s  %s\n", "predicted/measured", "count", "geometric mean", "standard deviation");
    for (int i = 0; i < of->names; i++) {
        const tally *const one = &of->tallies[i];
        const double mean = one->sum / one->count, variance = one->squares / one->count - mean * mean;
        printf("%-40s %5d  %14.3f  %.3f\n", one->name, one->count, exp(mean), exp(sqrt(fmax(variance, 0))));
    }
    qsort(of->list, (size_t)of->count, sizeof *of->list, compare_regret);
    printf("\nworst\n");
    for (int i = 0; i < of->count && i < worst; i++) {
        const outcome *const one = &of->list[i];
        printf("%6.3f  %s, %s, %d: %s, %.2f us; best %s, %.2f us\n", one->regret, one->text,
               problem_type_name(one->type), one->threads, one->taken, 1e6 * one->seconds, one->best,
               1e6 * one->best_seconds);
    }
}

/* ---- the command line ------------------------------------------------------------------------- */

static const option options_of[] = {
    { "suite", 0, "NAME", "squares, small, thin, long, short, vectors, contractions or layouts; all if not given" },
    { "type", 0, "NAME", "f32, f64, f16 or bf16, with commas; f32,f64 if not given" },
    { "threads", 0, "N", "threads, with commas; 1 if not given" },
    { "isa", 0, "LEVEL", "c, avx2 or avx512: the best level up to this one" },
    { "seed", 0, "N", "which products: 1 if not given" },
    { "seconds", 0, "S", "for each product, at least, if five rounds take less; 0.15 if not given" },
    { "csv", 0, "FILE", "a line for each product, and all its ways" },
    { "worst", 0, "N", "so many of those with the most regret are listed; 20 if not given" },
    { 0 },
};

static int read_types(const char *text, request *wanted)
{
    int count;
    char **const words = list_split(text, ',', &count);
    int status = words ? EXIT_FINE : fail("out of memory");
    for (wanted->types = 0; wanted->types < count && status == EXIT_FINE; wanted->types++)
        if (wanted->types == MOST_TYPES || !problem_type(words[wanted->types], &wanted->type[wanted->types]))
            status = refuse("--type is f32, f64, f16 or bf16, with commas between them, not '%s'", text);
    free(words);
    return status;
}

static int read_threads(const char *text, request *wanted)
{
    int count;
    char **const words = list_split(text, ',', &count);
    int status = words ? EXIT_FINE : fail("out of memory");
    for (wanted->thread_counts = 0; wanted->thread_counts < count && status == EXIT_FINE; wanted->thread_counts++) {
        int64_t threads = 0;
        if (wanted->thread_counts == MOST_THREADS || !read_integer(words[wanted->thread_counts], 1, 4096, &threads))
            status = refuse("--threads is 1 to 4096, with commas between them, not '%s'", text);
        else
            wanted->threads[wanted->thread_counts] = (int)threads;
    }
    free(words);
    return status;
}

static int read_suite(const char *name, request *wanted)
{
    wanted->suite = name;
    for (int i = 0; name && model_suites[i]; i++)
        if (strcmp(name, model_suites[i]) == 0)
            return EXIT_FINE;
    return name ? refuse("there is no suite '%s'", name) : EXIT_FINE;
}

static int read_request(const args *given, request *wanted)
{
    const char *types = args_value(given, "type"), *threads = args_value(given, "threads");
    int status = read_types(types ? types : "f32,f64", wanted);
    if (status == EXIT_FINE)
        status = read_threads(threads ? threads : "1", wanted);
    if (status == EXIT_FINE)
        status = read_suite(args_value(given, "suite"), wanted);
    if (status == EXIT_FINE)
        status = args_integer(given, "seed", 0, INT64_MAX, &wanted->seed);
    if (status == EXIT_FINE)
        status = args_integer(given, "worst", 0, 100000, &wanted->worst);
    if (status == EXIT_FINE)
        status = args_real(given, "seconds", &wanted->seconds);
    if (status == EXIT_FINE)
        status = args_isa(given, "isa", &wanted->options.isa);
    if (status == EXIT_FINE && wanted->suite && given->word_count)
        status = refuse("--suite and a problem of one's own say nothing together");
    return status;
}

static int run(const args *given)
{
    request wanted = { .options = LAY_OPTIONS_INIT, .seed = 1, .worst = 20, .seconds = 0.15 };
    report to = { 0 };
    wanted.options.backend = LAY_BACKEND_CPU;
    int status = read_request(given, &wanted);
    const char *const path = args_value(given, "csv");
    if (status == EXIT_FINE && path && !(to.csv = fopen(path, "w")))
        status = refuse("'%s' cannot be written", path);
    if (to.csv)
        fprintf(to.csv,
                "suite,m,n,k,product,type,threads,taken,predicted_us,measured_us,best,best_predicted_us,best_us,"
                "regret,ways\n");
    if (status == EXIT_FINE && !given->word_count)
        status = time_suites(&wanted, &to);
    for (int i = 0; i < given->word_count && status == EXIT_FINE; i++)
        status = time_problem(&wanted, "own", given->words[i], &to);
    if (to.count)
        print_summary(&to, (int)wanted.worst);
    for (int i = 0; i < to.count; i++)
        free(to.list[i].text);
    free(to.list);
    if (to.csv && fclose(to.csv) != 0 && status == EXIT_FINE)
        status = fail("'%s' cannot be written", path);
    return status;
}

int main(int argc, char **argv)
{
    static const program self = {
        .name = "model-bench",
        .usage = "[PROBLEM...] [OPTIONS]",
        .about =
            "print predicted against measured seconds, and the regret: the time of the way taken over the best one's",
        .notes = PROBLEM_HELP,
        .options = options_of,
        .most_words = 1000,
    };
    args given;
    args_read_all(&self, argc, argv, &given);
    const int status = run(&given);
    args_free(&given);
    return status;
}
