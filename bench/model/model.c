/* model-bench: what the planner predicts against what is measured, and its regret: the time of the way that it takes
 * over the time of the best that it could have taken. Over products that nothing was tuned for (model_suite.h), or
 * those that are named; all ways of their order of the sum are made and run (model_ways.h), on a device those of other
 * sums too, as sizes may choose them. On CPUs that others use too: pin it to one, and look at two runs. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/args.h"
#include "bench/base/choices.h"
#include "bench/base/complain.h"
#include "bench/base/timing.h"
#include "bench/problems/problem.h"
#include "levels.h"
#include "machine/machine.h"
#include "model_place.h"
#include "model_replay.h"
#include "model_suite.h"

enum { MOST_NAMES = 128, MOST_TYPES = 4, MOST_THREADS = 8, EACH_ON_DEVICE = 18, WAY_TEXT = 2 * MODEL_NAME + 16 };

/* A product as it came out. */
typedef struct outcome {
    const char *suite;
    char *text;
    lay_type type;
    int threads;
    double regret, regret_of_sum, seconds, best_seconds; /* of_sum: beside ways of equal bits */
    char taken[WAY_TEXT], best[WAY_TEXT];
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
    int unknown; /* products whose way was not timed by the run that is replayed */
} report;

typedef struct request {
    lay_type type[MOST_TYPES];
    int types;
    int threads[MOST_THREADS], thread_counts;
    lay_options options;
    const model_place *place;
    const char *suite; /* NULL: all */
    int64_t seed, worst, each;
    double seconds, limit; /* for each product, at least; no product is begun after so many, unless 0 */
    double start;
    FILE *replay; /* NULL: the clock's times */
} request;

/* On a device a kernel is predicted by its row's figures, whichever way round. */
static const char *predicted_as(const model_place *place, const model_way *way)
{
    return place == model_device && strncmp(way->name, "image", 5) == 0 ? "image"
           : place == model_device                                      ? way->branch->job.kernel
                                                                        : way->name;
}

static void count_prediction(report *to, const model_place *place, const model_way *way)
{
    const char *const name = predicted_as(place, way);
    int i = 0;
    while (i < to->names && strcmp(to->tallies[i].name, name) != 0)
        i++;
    if (i == MOST_NAMES)
        return;
    if (i == to->names)
        snprintf(to->tallies[to->names++].name, MODEL_NAME, "%s", name);
    const double ratio = log(way->branch->job.seconds / way->seconds);
    to->tallies[i].count++;
    to->tallies[i].sum += ratio;
    to->tallies[i].squares += ratio * ratio;
}

static void write_way(const model_way *way, char to[WAY_TEXT])
{
    snprintf(to, WAY_TEXT, "%s/%s/%d", way->name, way->kernel, way->branch->job.threads);
}

static void write_csv(FILE *csv, const outcome *of, const problem *about, const model_choice *ways)
{
    const model_way *const taken = &ways->way[0], *const best = model_best(ways, 1);
    fprintf(csv,
            "%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",\"%s\",%s,%d,\"%s\",%.3f,%.3f,\"%s\",%.3f,%.3f,%.3f,%.3f,%s,\"",
            of->suite, about->m, about->n, about->k, of->text, problem_type_name(of->type), of->threads, of->taken,
            1e6 * taken->branch->job.seconds, 1e6 * taken->seconds, of->best, 1e6 * best->branch->job.seconds,
            1e6 * best->seconds, of->regret, of->regret_of_sum, ways->place->name);
    for (int i = 0; i < ways->count; i++) {
        const model_way *const way = &ways->way[i];
        char text[WAY_TEXT];
        write_way(way, text);
        fprintf(csv, "%s%s%s predicted %.3f measured %s%.3f", i ? "; " : "", text,
                way->is_other_sum ? " (another sum)" : "", 1e6 * way->branch->job.seconds, way->is_out ? "about " : "",
                1e6 * way->seconds);
    }
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
    const model_way *const taken = &ways->way[0], *const best = model_best(ways, 1);
    outcome one = { .suite = suite,
                    .text = of->text,
                    .type = on->type,
                    .threads = options->threads,
                    .regret = taken->seconds / best->seconds,
                    .regret_of_sum = taken->seconds / model_best(ways, 0)->seconds,
                    .seconds = taken->seconds,
                    .best_seconds = best->seconds };
    write_way(taken, one.taken);
    write_way(best, one.best);
    for (int i = 0; i < ways->count; i++)
        if (!ways->way[i].is_out || (ways->place == model_device && isfinite(ways->way[i].seconds)))
            count_prediction(to, ways->place, &ways->way[i]);
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
    int status = wanted->place->take(type, of->desc, &on);
    if (status != EXIT_FINE)
        return status;
    const lay_status planned = model_choose(&on, &options, &ways);
    if (planned != LAY_OK) {
        status = refuse_status(planned, of->text);
    } else {
        status = wanted->place->check(&ways, &on, of->text);
        if (status == EXIT_FINE)
            status = wanted->place->time(&ways, &on, wanted->seconds);
        if (status == EXIT_FINE)
            status = note(to, suite, of, &on, &options, &ways);
        model_free(&ways);
    }
    wanted->place->give(&on);
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

/* A product of an earlier run, as it would be chosen now. */
static int replay_product(const request *wanted, const model_line *line, report *to)
{
    static model_choice ways;
    problem of;
    model_operands on = { .place = wanted->place };
    lay_options options = wanted->options;
    options.threads = line->threads;
    if (!problem_type(line->type, &on.type))
        return refuse("'%s' is no type", line->type);
    int status = problem_read(line->text, "row", &of);
    if (status != EXIT_FINE)
        return status;
    for (int i = 0; i < 3; i++)
        on.desc[i] = of.desc[i];
    const lay_status planned = model_choose(&on, &options, &ways);
    if (planned != LAY_OK) {
        problem_free(&of);
        return refuse_status(planned, line->text);
    }
    model_replay(&ways, line);
    if (isinf(ways.way[0].seconds))
        to->unknown++;
    else
        status = note(to, line->suite, &of, &on, &options, &ways);
    model_free(&ways);
    problem_free(&of);
    return status;
}

static int replay(const request *wanted, report *to)
{
    model_line line = { 0 };
    int is_bad = 0, status = EXIT_FINE, count = 0;
    while (status == EXIT_FINE && model_line_read(wanted->replay, &line, &is_bad)) {
        if (count++ == 0 && strcmp(line.suite, "suite") == 0)
            continue; /* the names of the columns */
        if (strcmp(line.suite, "suite") != 0 && (!wanted->suite || strcmp(line.suite, wanted->suite) == 0))
            status = replay_product(wanted, &line, to);
    }
    model_line_free(&line);
    return is_bad ? refuse("line %d of the times is none that model-bench wrote", count + 1) : status;
}

static int is_over(const request *wanted)
{
    return wanted->limit > 0 && seconds_now() - wanted->start > wanted->limit;
}

/* A product of each in turn, so that an early end leaves some of all. */
static int time_suites(const request *wanted, report *to)
{
    model_product product;
    int status = EXIT_FINE;
    for (int i = 0; i < wanted->each; i++)
        for (int suite = 0; model_suites[suite] && status == EXIT_FINE; suite++) {
            if ((wanted->suite && strcmp(wanted->suite, model_suites[suite]) != 0) || is_over(wanted))
                continue;
            model_draw(suite, i, (uint64_t)wanted->seed, wanted->place == model_device, &product);
            status = time_problem(wanted, product.suite, product.text, to);
        }
    if (is_over(wanted))
        printf("ended after %g seconds: %d products were timed\n\n", wanted->limit, to->count);
    return status;
}

/* ---- the summary ------------------------------------------------------------------------------ */

static void sum_up(const report *of, const char *suite)
{
    double sum = 0, worst = 0, time = 0, best = 0, of_sum = 0;
    int count = 0, above = 0;
    for (int i = 0; i < of->count; i++) {
        const outcome *const one = &of->list[i];
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
    const double a = ((const outcome *)x)->regret, b = ((const outcome *)y)->regret;
    return (a < b) - (a > b);
}

static void print_summary(report *of, int worst)
{
    printf("%-14s %5s  %7s  %9s  %7s  %10s  %15s\n", "regret", "count", "mean", "geometric", "worst", "above 1.1",
           "of equal bits");
    for (int i = 0; model_suites[i]; i++)
        sum_up(of, model_suites[i]);
    sum_up(of, NULL);
    printf("\n%-56s %5s  %14s  %s\n", "predicted/measured", "count", "geometric mean", "standard deviation");
    for (int i = 0; i < of->names; i++) {
        const tally *const one = &of->tallies[i];
        const double mean = one->sum / one->count, variance = one->squares / one->count - mean * mean;
        printf("%-56s %5d  %14.3f  %.3f\n", one->name, one->count, exp(mean), exp(sqrt(fmax(variance, 0))));
    }
    qsort(of->list, (size_t)of->count, sizeof *of->list, compare_regret);
    if (of->unknown)
        printf("\n%d products took a way that was not timed\n", of->unknown);
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
    { "type", 0, "NAME", "f32, f64, f16 or bf16, with commas; f32,f64 if not given, f32 where --compute is of that" },
    { "threads", 0, "N", "threads, with commas; 1 if not given" },
    { "memory", 0, "KIND", "where operands lie: host or device; host if not given" },
    { "device", 0, "N", "the CUDA device, by its number" },
    { "compute", 0, "NAME",
      "how we compute, on a device: auto, strict, f32_split, tf32, bf16, fp16; auto if not given" },
    { "isa", 0, "LEVEL", LAY_ISA_NAMES ": the best level up to this one" },
    { "seed", 0, "N", "which products: 1 if not given" },
    { "seconds", 0, "S", "for each product, at least, if five rounds take less; 0.15 if not given" },
    { "each", 0, "N", "products of a suite: 45 if not given, on a device 18" },
    { "limit", 0, "S", "no product is begun after so many seconds" },
    { "csv", 'o', "FILE", "a line for each product, and all its ways" },
    { "replay", 0, "FILE",
      "nothing is timed: the times are those of this CSV of an earlier run, and so are the products" },
    { "caches", 0, "L1,L2,L3",
      "bytes of the caches of the machine that --replay's times are of; this one's if not given" },
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

/* The library's own description of the machine is another one's. */
static int read_caches(const char *text)
{
    lay_machine *const machine = (lay_machine *)(uintptr_t)lay_machine_get();
    int64_t *const to[] = { &machine->l1, &machine->l2, &machine->l3 };
    enum { CACHES = sizeof to / sizeof to[0] };
    int count;
    char **const words = list_split(text, ',', &count);
    int is_good = words && count == CACHES;
    for (int i = 0; i < CACHES && is_good; i++)
        is_good = read_integer(words[i], 1, INT64_C(1) << 40, to[i]);
    free(words);
    return is_good ? EXIT_FINE
                   : refuse("--caches is the bytes of three caches, with commas between them, not '%s'", text);
}

static int read_suite(const char *name, request *wanted)
{
    wanted->suite = name;
    for (int i = 0; name && model_suites[i]; i++)
        if (strcmp(name, model_suites[i]) == 0)
            return EXIT_FINE;
    return name ? refuse("there is no suite '%s'", name) : EXIT_FINE;
}

static int read_place(const args *given, request *wanted)
{
    lay_memory memory = LAY_MEMORY_HOST;
    int status = choices_memory(given, "memory", &memory);
    if (status == EXIT_FINE && memory == LAY_MEMORY_PINNED)
        status = refuse("--memory is host or device, not 'pinned'");
    if (status == EXIT_FINE && memory == LAY_MEMORY_HOST && wanted->options.compute != LAY_COMPUTE_AUTO)
        status = refuse("--compute says something only with --memory=device");
    if (status == EXIT_FINE && memory == LAY_MEMORY_DEVICE && !model_device)
        status = refuse("this build of model-bench has no CUDA part");
    wanted->place = memory == LAY_MEMORY_DEVICE ? model_device : &model_host;
    wanted->each = memory == LAY_MEMORY_DEVICE ? EACH_ON_DEVICE : MODEL_EACH;
    return status;
}

static int read_request(const args *given, request *wanted)
{
    const char *types = args_value(given, "type"), *threads = args_value(given, "threads");
    int status = choices_read(given, &wanted->options);
    const lay_compute compute = wanted->options.compute;
    const int is_f32 = compute != LAY_COMPUTE_AUTO && compute != LAY_COMPUTE_STRICT;
    if (status == EXIT_FINE)
        status = read_types(types ? types : is_f32 ? "f32" : "f32,f64", wanted);
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
        status = args_real(given, "limit", &wanted->limit);
    if (status == EXIT_FINE)
        status = read_place(given, wanted);
    if (status == EXIT_FINE)
        status = args_integer(given, "each", 1, MODEL_EACH, &wanted->each);
    if (status == EXIT_FINE && wanted->suite && given->word_count)
        status = refuse("--suite and a problem of one's own say nothing together");
    return status;
}

static int run(const args *given)
{
    request wanted = { .options = LAY_OPTIONS_INIT, .seed = 1, .worst = 20, .seconds = 0.15 };
    report to = { 0 };
    int status = read_request(given, &wanted);
    wanted.start = seconds_now();
    if (status == EXIT_FINE)
        status = wanted.place->open(&wanted.options);
    const char *const path = args_value(given, "csv");
    if (status == EXIT_FINE && path && !(to.csv = fopen(path, "w")))
        status = refuse("'%s' cannot be written", path);
    const char *const times = args_value(given, "replay"), *const caches = args_value(given, "caches");
    if (status == EXIT_FINE && caches)
        status = times ? read_caches(caches) : refuse("--caches goes with --replay");
    if (status == EXIT_FINE && times && given->word_count)
        status = refuse("--replay has its products from the file");
    if (status == EXIT_FINE && times && !(wanted.replay = fopen(times, "r")))
        status = refuse("'%s' cannot be read", times);
    if (to.csv)
        fprintf(to.csv,
                "suite,m,n,k,product,type,threads,taken,predicted_us,measured_us,best,best_predicted_us,best_us,"
                "regret,regret_of_sum,memory,ways\n");
    if (status == EXIT_FINE && wanted.replay)
        status = replay(&wanted, &to);
    else if (status == EXIT_FINE && !given->word_count)
        status = time_suites(&wanted, &to);
    for (int i = 0; i < given->word_count && status == EXIT_FINE; i++)
        status = time_problem(&wanted, "own", given->words[i], &to);
    if (to.count)
        print_summary(&to, (int)wanted.worst);
    for (int i = 0; i < to.count; i++)
        free(to.list[i].text);
    free(to.list);
    if (wanted.replay)
        fclose(wanted.replay);
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
