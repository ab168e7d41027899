/* Problems are timed, in each type and on each number of threads. */
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/base/complain.h"
#include "bench/contest/cold.h"
#include "progress.h"
#include "repeat.h"

static int run_one(const task *of, int index, lay_type type, int asked, report *to, const progress *by)
{
    const problem *const which = &of->problems[index];
    terms under = task_terms(of, index, type, asked);
    const int threads = under.options.threads;
    if (threads <= 1 || under.peer_count == 0 || under.memory == LAY_MEMORY_DEVICE)
        under.pause = 0;
    for (int i = 0; i < under.peer_count; i++)
        if (under.peers[i].set_threads)
            under.peers[i].set_threads(threads);
    contest done;
    int status = contest_run(&under, which, &done);
    progress_hide(by);
    if (status == EXIT_FINE)
        status = report_contest(to, &under, which, &done);
    contest_free(&done);
    return status;
}

static int print_repeat(const args *given, const task *of, int index, lay_type type, int asked)
{
    char *text = repeat_problem(given, of, index, type, task_terms(of, index, type, asked).options.threads);
    if (!text)
        return fail("out of memory");
    printf("  repeat: %s\n", text);
    free(text);
    return EXIT_FINE;
}

/* What a problem is expected to take beside others: its turns, which a large product makes longer. */
static double weight_of(const task *of, int index)
{
    const double rate = 50e9; /* flops a second: the order of a core's speed, no more */
    const problem *what = &of->problems[index];
    return fmax(of->terms.min_time, 2 * (double)what->m * (double)what->n * (double)what->k / rate);
}

static progress start_progress(const task *of)
{
    int count = 0;
    double weight = 0;
    for (int t = 0; t < of->type_count; t++)
        for (int i = 0; i < of->problem_count; i++)
            if (task_is_of_type(of, i, of->types[t])) {
                count += of->thread_count;
                weight += of->thread_count * weight_of(of, i);
            }
    return progress_start(count, weight);
}

/* A problem in a type and on so many threads. */
static int run_shown(const args *given, const task *of, int index, lay_type type, int asked, report *to, progress *by)
{
    progress_show(by, of->problems[index].text);
    int status = run_one(of, index, type, asked, to, by);
    if (status == EXIT_FINE && args_value(given, "repro"))
        status = print_repeat(given, of, index, type, asked);
    progress_step(by, weight_of(of, index));
    return status;
}

int run_all(const args *given, const task *of, report *to)
{
    int status = of->terms.is_cold ? cold_prepare() : EXIT_FINE;
    report_start(to);
    progress by = start_progress(of);
    for (int t = 0; t < of->type_count; t++)
        for (int n = 0; n < of->thread_count; n++)
            for (int i = 0; i < of->problem_count && status == EXIT_FINE; i++)
                if (task_is_of_type(of, i, of->types[t]))
                    status = run_shown(given, of, i, of->types[t], of->threads[n], to, &by);
    report_end(to, status == EXIT_FINE);
    return status;
}
