/* What lay bench was asked to do. */
#include "task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/choices.h"
#include "bench/base/texts.h"
#include "bench/problems/sweep.h"
#include "bench/timing/timing.h"
#include "bench/tool/tool.h"
#include "levels.h"

enum {
    ROUNDS = 9,        /* of them the median is reported */
    REPORT_ROUNDS = 5, /* the same of a whole report */
    MIN_TIME_MS = 20,  /* of a turn: well above the clock's and the scheduler's grain */
    PAUSE_MS = 400,    /* pool threads of other libraries spin on for up to 0.1 s after a product */
    SHORT_TIME_MS = 2, /* of a turn of a tiny product, and of one timed by a device's own events */
    LATENCY_ROUNDS = 25
};

/* Its text tells the level, which is in no column. */
static int name_level(problem *of, lay_isa isa)
{
    char *const named = text_write("%s, isa %s", of->text, lay_isa_name(isa));
    if (!named)
        return fail("out of memory");
    free(of->text);
    of->text = named;
    return EXIT_FINE;
}

static int add_problem(task *to, const suite *part, const char *text, const char *layout)
{
    if (to->problem_count == MAX_PROBLEMS)
        return refuse("more than %d problems", MAX_PROBLEMS);
    problem *const added = &to->problems[to->problem_count];
    int status = problem_read(text, layout, added);
    to->part[to->problem_count] = part;
    to->only[to->problem_count] = -1;
    to->problem_count += status == EXIT_FINE;
    if (status == EXIT_FINE && part && part->isa && to->terms.options.isa == LAY_ISA_AUTO)
        status = name_level(added, part->isa);
    return status;
}

/* In one type alone, or in all of them where only is -1. */
static int add_contraction(task *to, const suite *part, const char *text, int only)
{
    if (to->problem_count == MAX_PROBLEMS)
        return refuse("more than %d problems", MAX_PROBLEMS);
    const int status = problem_read_contraction(text, &to->problems[to->problem_count]);
    to->part[to->problem_count] = part;
    to->only[to->problem_count] = only;
    to->problem_count += status == EXIT_FINE;
    return status;
}

/* Each text in each of the layouts, separated by commas or, where one has commas itself, by slashes; one that
 * names its own, in its own. */
static int add_problems(task *to, const suite *part, const char *const texts[], int count, const char *layouts)
{
    int layout_count, status = EXIT_FINE;
    char **list = list_split(layouts, strchr(layouts, '/') ? '/' : ',', &layout_count);
    if (!list)
        return fail("out of memory");
    for (int i = 0; i < count && status == EXIT_FINE; i++)
        for (int j = 0; j < layout_count && status == EXIT_FINE; j++)
            if (j == 0 || !problem_has_layouts(texts[i]))
                status = add_problem(to, part, texts[i], list[j]);
    free(list);
    return status;
}

/* Whether a word is the sizes of a suite's problem. */
static int names(const char *word, const char *text)
{
    const size_t length = strcspn(text, ":");
    return strlen(word) == length && strncmp(word, text, length) == 0;
}

static int is_wanted(const args *given, const char *text)
{
    int found = given->word_count == 0;
    for (int i = 0; i < given->word_count; i++)
        found |= names(given->words[i], text);
    return found;
}

static int refuse_strangers(const args *given, const suite *in)
{
    for (int i = 0; i < given->word_count; i++) {
        int found = 0;
        for (const suite *part = in; part; part = part->next)
            for (const char *const *text = part->make ? part->make() : part->problems; *text; text++)
                found |= names(given->words[i], *text);
        if (!found)
            return refuse("--suite=%s has no problem of the sizes '%s'", in->name, given->words[i]);
    }
    return EXIT_FINE;
}

/* All of its problems, or those whose labels are named; their extents rest on the type. */
static int add_contractions(task *to, const args *given, const suite *of)
{
    char text[SUITE_TEXT];
    int status = EXIT_FINE;
    for (int i = 0; i < given->word_count && status == EXIT_FINE; i++) {
        int found = 0;
        for (int j = 0; of->contraction(j, to->types[0], text, sizeof text) && !found; j++)
            found = names(given->words[i], text);
        if (!found)
            status = refuse("--suite=%s has no contraction '%s'", of->name, given->words[i]);
    }
    for (int t = 0; t < to->type_count && status == EXIT_FINE; t++)
        for (int j = 0; of->contraction(j, to->types[t], text, sizeof text) && status == EXIT_FINE; j++)
            if (is_wanted(given, text))
                status = add_contraction(to, of, text, (int)to->types[t]);
    return status;
}

/* Those of --contract and no others. */
static int add_named_contractions(task *to, const args *given)
{
    const char *text;
    int status = EXIT_FINE;
    if (given->word_count)
        return refuse("'%s' is a problem of matrices: it does not go together with --contract", given->words[0]);
    for (int i = 0; status == EXIT_FINE && (text = args_repeated(given, "contract", i)); i++)
        status = add_contraction(to, NULL, text, -1);
    return status;
}

/* All of its problems, or those whose sizes are named. */
static int add_suite(task *to, const args *given, const suite *of, const char *layouts)
{
    int status = refuse_strangers(given, of);
    for (; of && status == EXIT_FINE; of = of->next) {
        const char *const *text = of->make ? of->make() : of->problems;
        for (; *text && status == EXIT_FINE; text++)
            if (is_wanted(given, *text))
                status = add_problems(to, of, text, 1, layouts ? layouts : of->layouts);
    }
    return status;
}

/* Those of the command line, then those of files. */
static int add_given(task *to, const args *given, const char *layouts)
{
    problem_list list = { 0 };
    const char *path;
    int status = EXIT_FINE;
    for (int i = 0; i < given->word_count && status == EXIT_FINE; i++)
        status = sweep_add(&list, given->words[i], MAX_PROBLEMS);
    for (int i = 0; status == EXIT_FINE && (path = args_repeated(given, "problems", i)); i++)
        status = sweep_add_file(&list, path, MAX_PROBLEMS);
    if (status == EXIT_FINE)
        status = add_problems(to, NULL, (const char *const *)list.texts, list.count, layouts);
    problem_list_free(&list);
    return status;
}

static int read_problems(const args *given, task *out)
{
    static const char *const squares[] = { "512", "1024", "2048" };
    static const char *const tiny[] = { "4", "8", "16", "32", "64" };
    const int latency = args_value(given, "latency") != NULL;
    const char *layouts = args_value(given, "layouts");
    if (args_value(given, "contract"))
        return add_named_contractions(out, given);
    if (out->suite && out->suite->contraction)
        return add_contractions(out, given, out->suite);
    if (out->suite)
        return add_suite(out, given, out->suite, layouts);
    if (given->word_count || args_value(given, "problems"))
        return add_given(out, given, layouts ? layouts : "row");
    if (latency)
        return add_problems(out, NULL, tiny, sizeof tiny / sizeof tiny[0], layouts ? layouts : "row");
    return add_problems(out, NULL, squares, sizeof squares / sizeof squares[0],
                        layouts ? layouts : "row,panels,matrix1,matrix2");
}

static int read_types(const args *given, task *out)
{
    int count, status = EXIT_FINE;
    const char *text = args_value(given, "type");
    char **list = list_split(text ? text : out->suite ? out->suite->type : "f32", ',', &count);
    if (!list)
        return fail("out of memory");
    for (int i = 0; i < count && status == EXIT_FINE; i++)
        if (i == MAX_TYPES || !problem_type(list[i], &out->types[i]))
            status = refuse("--type is f32, f64, f16, bf16, c32, c64 or some of them, such as f32,f64, not '%s'", text);
    out->type_count = count;
    free(list);
    return status;
}

static int read_threads(const args *given, task *out)
{
    int count, status = EXIT_FINE;
    const char *text = args_value(given, "threads");
    out->thread_count = 1;
    out->has_threads = text != NULL;
    if (!text && out->terms.options.backend == LAY_BACKEND_CUDA)
        return EXIT_FINE;
    char **list = list_split(text ? text : "1", ',', &count);
    if (!list)
        return fail("out of memory");
    for (int i = 0; i < count && status == EXIT_FINE; i++) {
        int64_t threads = 0;
        if (i == MAX_THREAD_COUNTS || !read_integer(list[i], 1, 1024, &threads))
            status = refuse("--threads is a list of numbers from 1 to 1024, such as 1,2, not '%s'", text);
        else
            out->threads[i] = (int)threads;
    }
    out->thread_count = count;
    free(list);
    return status;
}

/* The value of an option in seconds. */
static int read_seconds(const args *given, const char *name, double usual, double *out)
{
    *out = usual;
    const int status = args_real(given, name, out);
    if (status == EXIT_FINE && !(*out >= 0 && *out <= 3600))
        return refuse("--%s is a number of seconds from 0 to 3600", name);
    return status;
}

static int refuse_suite(const char *name)
{
    char names[256] = "";
    for (int i = 0; suite_at(i); i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", suite_at(i)->name);
    return refuse("--suite is one of %s, not '%s'", names, name);
}

static int read_suite(const args *given, task *out)
{
    const char *name = args_value(given, "suite");
    out->suite = name ? suite_find(name) : NULL;
    return !name || out->suite ? EXIT_FINE : refuse_suite(name);
}

static int read_launches(const args *given, int *is_plain)
{
    const char *text = args_value(given, "launches");
    if (text && strcmp(text, "graph") != 0 && strcmp(text, "plain") != 0)
        return refuse("--launches is graph or plain, not '%s'", text);
    *is_plain = text ? strcmp(text, "plain") == 0 : args_value(given, "latency") != NULL;
    return EXIT_FINE;
}

static int read_packed(const args *given, int *which)
{
    static const char *const names[] = { "", "a", "b", "ab" };
    const char *text = args_value(given, "packed");
    *which = 0;
    for (int i = 1; i < 4 && text; i++)
        if (strcmp(text, names[i]) == 0)
            *which = i;
    return text && !*which ? refuse("--packed is a, b or ab, not '%s'", text) : EXIT_FINE;
}

/* But for what parts of a suite have. */
static int read_terms(const args *given, const suite *of, terms *out)
{
    const int latency = args_value(given, "latency") != NULL;
    int64_t rounds = args_value(given, "report") ? REPORT_ROUNDS : latency ? LATENCY_ROUNDS : ROUNDS;
    *out = (terms){ .options = LAY_OPTIONS_INIT, .copies = 1 };
    out->memory = of ? of->memory : LAY_MEMORY_HOST;
    out->is_planned = args_value(given, "planned") != NULL;
    out->is_by_storage = args_value(given, "sum-by-storage") != NULL;
    out->is_cold = args_value(given, "cold") != NULL;
    out->has_roof = args_value(given, "roof") != NULL || args_value(given, "html") != NULL;
    out->show_plan = latency;
    out->show_row = args_value(given, "each-layout") != NULL;
    out->show_strict = args_value(given, "beside-strict") != NULL;
    out->copies = args_value(given, "no-copies") ? 0 : args_value(given, "copies") ? 2 : 1;
    int status = args_integer(given, "rounds", 1, MAX_ROUNDS, &rounds);
    if (status == EXIT_FINE)
        status = read_choices(given, &out->options);
    if (status == EXIT_FINE)
        status = choices_memory(given, "memory", &out->memory);
    if (status == EXIT_FINE)
        status = read_launches(given, &out->is_plain);
    if (status == EXIT_FINE)
        status = read_packed(given, &out->packed);
    const int usual = latency || out->memory == LAY_MEMORY_DEVICE ? SHORT_TIME_MS : MIN_TIME_MS;
    if (status == EXIT_FINE)
        status = read_seconds(given, "min-time", 1e-3 * usual, &out->min_time);
    if (status == EXIT_FINE)
        status = read_seconds(given, "pause", 1e-3 * PAUSE_MS, &out->pause);
    if (status == EXIT_FINE && out->is_cold &&
        (out->memory != LAY_MEMORY_HOST || out->options.backend == LAY_BACKEND_CUDA))
        status =
            refuse("--cold is of products on the CPU: in device memory, more matrices than the L2 holds take turns");
    out->rounds = (int)rounds;
    out->lock = args_value(given, "lock");
    if (status == EXIT_FINE && out->lock && out->memory != LAY_MEMORY_DEVICE)
        status = refuse("--lock is of --memory=device");
    out->picture = args_value(given, "picture");
    return status;
}

int task_read_terms(const args *given, task *out)
{
    const int status = read_suite(given, out);
    return status == EXIT_FINE ? read_terms(given, out->suite, &out->terms) : status;
}

int task_read(const args *given, task *out)
{
    int status = read_types(given, out);
    if (status == EXIT_FINE)
        status = read_problems(given, out);
    return status == EXIT_FINE ? read_threads(given, out) : status;
}

terms task_terms(const task *of, int index, lay_type type, int threads)
{
    const suite *const part = of->part[index];
    terms under = of->terms;
    under.type = type;
    under.options.threads = threads;
    if (!part)
        return under;
    under.is_planned |= part->is_planned;
    under.show_row |= part->has_row;
    under.show_strict |= part->has_strict;
    if (under.options.compute == LAY_COMPUTE_AUTO)
        under.options.compute = part->compute;
    under.show_copies |= part->has_copies;
    if (!of->has_threads && part->threads)
        under.options.threads = part->threads;
    if (under.options.isa == LAY_ISA_AUTO)
        under.options.isa = part->isa;
    return under;
}

void task_clear(task *of)
{
    for (int i = 0; i < of->problem_count; i++)
        problem_free(&of->problems[i]);
}

int task_is_of_type(const task *of, int index, lay_type type)
{
    return of->only[index] < 0 || of->only[index] == (int)type;
}
