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
#include "bench/base/element.h"
#include "bench/problems/problem.h"
#include "bench/timing/timing.h"
#include "levels.h"
#include "machine/machine.h"
#include "machine/rates.h"
#include "model_fit.h"
#include "model_place.h"
#include "model_replay.h"
#include "model_report.h"
#include "model_suite.h"

enum { MOST_TYPES = 6, MOST_THREADS = 8, EACH_ON_DEVICE = 18 };

typedef struct request {
    lay_type type[MOST_TYPES];
    int types;
    int threads[MOST_THREADS], thread_counts;
    lay_options options;
    const model_place *place;
    const char *suite; /* NULL: all */
    int is_by_storage;
    int64_t seed, worst, each;
    double seconds, limit; /* for each product, at least; no product is begun after so many, unless 0 */
    double start;
    FILE *replay; /* NULL: the clock's times */
} request;

/* A contraction is a text with extents. */
static int read_product(const char *text, problem *out)
{
    return strchr(text, '=') ? problem_read_contraction(text, out) : problem_read(text, "row", out);
}

static lay_desc *const *descs_of(const problem *of)
{
    return of->labels ? of->labels->desc : of->desc;
}

static int time_product(const request *wanted, const char *suite, const problem *of, lay_type type, int threads,
                        model_report *to)
{
    static model_choice ways;
    model_operands on;
    lay_options options = wanted->options;
    options.threads = threads;
    int status = wanted->place->take(type, descs_of(of), &on);
    if (status != EXIT_FINE)
        return status;
    on.labels = of->labels;
    on.is_by_storage = wanted->is_by_storage;
    const lay_status planned = model_choose(&on, &options, &ways);
    if (planned != LAY_OK) {
        status = refuse_status(planned, of->text);
    } else {
        status = wanted->place->check(&ways, &on, of->text);
        if (status == EXIT_FINE)
            status = wanted->place->time(&ways, &on, wanted->seconds);
        if (status == EXIT_FINE)
            status = model_note(to, suite, of, &on, &options, &ways);
        model_free(&ways);
    }
    wanted->place->give(&on);
    return status;
}

static int time_problem(const request *wanted, const char *suite, const char *text, model_report *to)
{
    problem of;
    int status = read_product(text, &of);
    if (status != EXIT_FINE)
        return status;
    for (int type = 0; type < wanted->types && status == EXIT_FINE; type++)
        for (int i = 0; i < wanted->thread_counts && status == EXIT_FINE; i++)
            status = time_product(wanted, suite, &of, wanted->type[type], wanted->threads[i], to);
    problem_free(&of);
    return status;
}

/* The suite's own text for its name: a line's is gone with the line. */
static const char *find_suite(const char *name)
{
    int i = 0;
    while (model_suites[i] && strcmp(model_suites[i], name) != 0)
        i++;
    return model_suites[i] ? model_suites[i] : "own";
}

/* A product of an earlier run, as it would be chosen now. */
static int replay_product(const request *wanted, const model_line *line, model_report *to)
{
    static model_choice ways;
    problem of;
    model_operands on = { .place = wanted->place, .is_by_storage = wanted->is_by_storage };
    lay_options options = wanted->options;
    options.threads = line->threads;
    if (!problem_type(line->type, &on.type))
        return refuse("'%s' is no type", line->type);
    int status = read_product(line->text, &of);
    if (status != EXIT_FINE)
        return status;
    on.labels = of.labels;
    for (int i = 0; i < 3; i++)
        on.desc[i] = descs_of(&of)[i];
    const lay_status planned = model_choose(&on, &options, &ways);
    if (planned != LAY_OK) {
        problem_free(&of);
        return refuse_status(planned, line->text);
    }
    model_replay(&ways, line);
    if (isinf(ways.way[0].seconds))
        to->unknown++;
    else
        status = model_note(to, find_suite(line->suite), &of, &on, &options, &ways);
    model_free(&ways);
    problem_free(&of);
    return status;
}

static int replay(const request *wanted, model_report *to)
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
static int time_suites(const request *wanted, model_report *to)
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

/* ---- the command line ------------------------------------------------------------------------- */

static const option options_of[] = {
    { "suite", 0, "NAME", "squares, small, thin, long, short, vectors, contractions or layouts; all if not given" },
    { "type", 0, "NAME",
      "f32, f64, f16, bf16 or, in host memory, c32 or c64, with commas; f32,f64 if not given, f32 where --compute is "
      "of that" },
    { "threads", 0, "N", "threads, with commas; 1 if not given" },
    { "memory", 0, "KIND", "where operands lie: host or device; host if not given" },
    { "device", 0, "N", "the CUDA device, by its number" },
    { "compute", 0, "NAME",
      "how we compute, on a device: auto, strict, f32_split, tf32, bf16, fp16; auto if not given" },
    { "isa", 0, "LEVEL", LAY_ISA_NAMES ": the best level up to this one" },
    { "sum-by-storage", 0, NULL, "contractions sum in the order in which tensors lie, not in that of labels" },
    { "seed", 0, "N", "which products: 1 if not given" },
    { "seconds", 0, "S", "for each product, at least, if five rounds take less; 0.15 if not given" },
    { "each", 0, "N", "products of a suite: 45 if not given, on a device 18" },
    { "limit", 0, "S", "no product is begun after so many seconds" },
    { "csv", 'o', "FILE", "a line for each product, and all its ways" },
    { "replay", 0, "FILE",
      "nothing is timed: the times are those of this CSV of an earlier run, and so are the products" },
    { "caches", 0, "L1,L2,L3",
      "bytes of the caches of the machine that --replay's times are of; this one's if not given" },
    { "fit", 0, NULL, "print rates that these times are told best by, as LAY_RATES takes them, instead of a report" },
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
            status = refuse("--type is f32, f64, f16, bf16, c32 or c64, with commas between them, not '%s'", text);
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

static int has_complex(const request *wanted)
{
    for (int i = 0; i < wanted->types; i++)
        if (element_parts(wanted->type[i]) == 2)
            return 1;
    return 0;
}

static int read_place(const args *given, request *wanted)
{
    lay_memory memory = LAY_MEMORY_HOST;
    int status = choices_memory(given, "memory", &memory);
    if (status == EXIT_FINE && memory == LAY_MEMORY_PINNED)
        status = refuse("--memory is host or device, not 'pinned'");
    if (status == EXIT_FINE && memory == LAY_MEMORY_HOST && wanted->options.compute != LAY_COMPUTE_AUTO)
        status = refuse("--compute says something only with --memory=device");
    if (status == EXIT_FINE && memory == LAY_MEMORY_DEVICE && has_complex(wanted))
        status = refuse("--type is c32 or c64 with --memory=host alone");
    if (status == EXIT_FINE && memory == LAY_MEMORY_DEVICE && !model_device)
        status = refuse("this build of model-bench has no CUDA part");
    wanted->place = memory == LAY_MEMORY_DEVICE ? model_device : &model_host;
    wanted->each = memory == LAY_MEMORY_DEVICE ? EACH_ON_DEVICE : MODEL_EACH;
    return status;
}

static int read_request(const args *given, request *wanted)
{
    const char *types = args_value(given, "type"), *threads = args_value(given, "threads");
    int status = choices_read_how(given, &wanted->options);
    const lay_compute compute = wanted->options.compute;
    wanted->is_by_storage = args_value(given, "sum-by-storage") != NULL;
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

/* ---- the rates that tell these times best ------------------------------------------------------ */

/* Regret and, by a little, how far predictions are off: of the products of --replay with the rates as they are now. */
static double score(void *of)
{
    const request *const wanted = of;
    static model_report now;
    now = (model_report){ 0 };
    rewind(wanted->replay);
    const double found = replay(wanted, &now) == EXIT_FINE && now.count ? model_report_score(&now) : INFINITY;
    model_report_free(&now);
    return found;
}

/* Prints what LAY_RATES takes. */
static int fit(request *wanted)
{
    const lay_rates *const rates = lay_rates_get();
    const double before = score(wanted);
    if (isinf(before))
        return refuse("there is no product to learn from");
    printf("# Rates of this machine: LAY_RATES=FILE has the library use them.\n# Those of %s score %.4f",
           lay_rates_from(), before);
    const double after = model_fit(score, wanted);
    printf(", these %.4f: mean regret, and a little for the worst and for predictions that are off.\n", after);
    for (const lay_rate *rate = lay_rate_table; rate->name; rate++)
        printf("%-18s %.4g\n", rate->name, *(const double *)((const char *)rates + rate->offset));
    return EXIT_FINE;
}

static int run(const args *given)
{
    request wanted = { .options = LAY_OPTIONS_INIT, .seed = 1, .worst = 20, .seconds = 0.15 };
    model_report to = { 0 };
    int status = read_request(given, &wanted);
    wanted.start = seconds_now();
    if (status == EXIT_FINE)
        status = (args_value(given, "replay") ? wanted.place->pretend : wanted.place->open)(&wanted.options);
    const char *const path = args_value(given, "csv");
    const int is_fit = args_value(given, "fit") != NULL;
    if (status == EXIT_FINE && is_fit && wanted.place != &model_host)
        status = refuse("--fit has rates of the CPU, not of a device");
    if (status == EXIT_FINE && path && !(to.csv = fopen(path, "w+")))
        status = refuse("'%s' cannot be written", path);
    if (status == EXIT_FINE && is_fit && !path && !args_value(given, "replay") && !(to.csv = tmpfile()))
        status = fail("there is no room for the times");
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
    if (status == EXIT_FINE && wanted.replay && !is_fit)
        status = replay(&wanted, &to);
    else if (status == EXIT_FINE && !given->word_count && !wanted.replay)
        status = time_suites(&wanted, &to);
    for (int i = 0; i < given->word_count && status == EXIT_FINE; i++)
        status = time_problem(&wanted, "own", given->words[i], &to);
    if (status == EXIT_FINE && is_fit) {
        FILE *const timed = wanted.replay;
        wanted.replay = timed ? timed : to.csv;
        status = fit(&wanted);
        wanted.replay = timed;
    } else if (to.count) {
        model_report_print(&to, (int)wanted.worst);
    }
    model_report_free(&to);
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
        .notes = PROBLEM_HELP "\n" CONTRACTION_HELP,
        .options = options_of,
        .most_words = 1000,
    };
    args given;
    args_read_all(&self, argc, argv, &given);
    const int status = run(&given);
    args_free(&given);
    return status;
}
