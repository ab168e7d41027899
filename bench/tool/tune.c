/* lay tune: measures what products are computed by soonest, and writes it down for LAY_TUNING. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/choices.h"
#include "planning.h"
#include "tool.h"

/* What was asked for. */
typedef struct tuning {
    const char *path;
    lay_type type;
    lay_options options;
    int is_by_storage;
    int count, done;
} tuning;

/* A line for each product; on a terminal one that the next takes the place of. */
static void show_progress(const tuning *of, const char *text)
{
    fprintf(stderr, "%s%d of %d: %s, at most %.3g s left%s", isatty(STDERR_FILENO) ? "\r\033[K" : "", of->done + 1,
            of->count, text, of->options.effort_seconds * (of->count - of->done), isatty(STDERR_FILENO) ? "" : "\n");
}

static void end_progress(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

/* What a plan's explanation says of its tuning: times and where they are from, or why there are none. */
static int print_tuning(const char *text, const problem *about)
{
    char *const line = strstr(text, "\ntuning ");
    double tuned, estimate;
    char *const end = line ? strchr(line + 1, '\n') : NULL;
    if (!end)
        return refuse("%s: nothing was measured: operands would lie in device memory", about->text);
    *end = 0;
    const char *what = line + strlen("\ntuning ");
    what += strspn(what, " ");
    const char *times = strstr(what, ": ");
    while (times && sscanf(times, ": %lf us, what the estimate takes %lf us", &tuned, &estimate) != 2)
        times = strstr(times + 1, ": ");
    if (!times)
        return refuse("%s: nothing was measured: %s", about->text, what + (strncmp(what, "none: ", 6) == 0 ? 6 : 0));
    printf("%-32s %10.6g us, the estimate's way %10.6g us, %.2f times as fast; %.*s\n", about->text, tuned, estimate,
           estimate / tuned, (int)(times - what), what);
    fflush(stdout);
    return EXIT_FINE;
}

static int tune_problem(tuning *of, const problem *about)
{
    lay_plan *plan;
    show_progress(of, about->text);
    lay_status status = plan_problem(about, of->type, of->is_by_storage, &of->options, &plan);
    end_progress();
    if (status != LAY_OK)
        return refuse_status(status, about->text);
    char *text = text_of_plan(plan);
    lay_plan_destroy(plan);
    int exit_status = text ? print_tuning(text, about) : fail("out of memory");
    free(text);
    if (exit_status == EXIT_FINE && (status = lay_tuning_save(of->path)) != LAY_OK)
        exit_status = refuse_status(status, of->path);
    of->done++;
    return exit_status;
}

static int read_arguments(const args *given, tuning *out)
{
    int64_t threads = 0;
    const char *type_name = args_value(given, "type");
    *out = (tuning){ .options = LAY_OPTIONS_INIT };
    out->path = args_value(given, "output") ? args_value(given, "output") : "layoutgemm.tuning";
    out->is_by_storage = args_value(given, "sum-by-storage") != NULL;
    out->options.effort = LAY_EFFORT_MEASURE;
    out->options.effort_seconds = 1;
    out->count = given->word_count;
    while (args_repeated(given, "contract", out->count - given->word_count))
        out->count++;
    if (!out->count)
        return refuse("tune needs a problem, such as 1024x1024x512:row,row,matrix2");
    int status = args_integer(given, "threads", 1, 4096, &threads);
    if (status == EXIT_FINE)
        status = read_choices(given, &out->options);
    if (status == EXIT_FINE)
        status = args_real(given, "time", &out->options.effort_seconds);
    if (status == EXIT_FINE && !(out->options.effort_seconds > 0 && out->options.effort_seconds <= 3600))
        status = refuse("--time is a number of seconds, more than 0 and at most 3600");
    if (status == EXIT_FINE && type_name && !problem_type(type_name, &out->type))
        status = refuse("--type is f32, f64, f16, bf16, c32 or c64, not '%s'", type_name);
    out->options.threads = (int)threads;
    return status;
}

/* What is there already stays, and is not measured again. */
static int load_old(const tuning *of)
{
    struct stat about;
    if (stat(of->path, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0)
        return EXIT_FINE;
    const lay_status status = lay_tuning_load(of->path);
    return status == LAY_OK ? EXIT_FINE : refuse("%s", lay_last_error());
}

static int tune(const args *given)
{
    tuning of;
    int status = read_arguments(given, &of);
    if (status == EXIT_FINE)
        status = load_old(&of);
    for (int i = 0; i < of.count && status == EXIT_FINE; i++) {
        problem about;
        status = i < given->word_count
                     ? problem_read(given->words[i], "row", &about)
                     : problem_read_contraction(args_repeated(given, "contract", i - given->word_count), &about);
        if (status == EXIT_FINE) {
            status = tune_problem(&of, &about);
            problem_free(&about);
        }
    }
    return status;
}

static const option tune_options[] = {
    { "time", 't', "SECONDS", "for each product, and a run of it more: 1 if not given" },
    { "output", 'o', "FILE", "where it goes: layoutgemm.tuning if not given. What FILE has already stays" },
    { "type", 0, "NAME", "f32, f64, f16, bf16, c32 or c64; f32 if not given" },
    { "threads", 0, "N", "threads to tune for: plans for another number do without" },
    { "contract", 0, "CONTRACTION", "a contraction of tensors, by labels; may be repeated" },
    { "sum-by-storage", 0, NULL, "it is summed in the order in which tensors lie, not in that of labels" },
    CHOICE_OPTIONS,
    { 0 },
};

const command tune_command = {
    .name = "tune",
    .usage = "PROBLEM... [-t SECONDS] [-o FILE] [OPTIONS]",
    .summary = "measure which ways and block sizes products are fastest by, in a file that LAY_TUNING=FILE takes",
    .notes = "Runs on memory of its own, on the CPU alone; nobody else should use the machine meanwhile. The file is\n"
             "written after each product. It is of this machine's kind: on another one it is refused.\n"
             "\n" PROBLEM_HELP "\n" CONTRACTION_HELP,
    .options = tune_options,
    .run = tune,
};
