/* Problems: what they need is checked before anything is timed, and rows go into files too. */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "against.h"
#include "bench/base/complain.h"
#include "bench/base/texts.h"
#include "bench/device/cuda_part.h"
#include "bench/page/picture_of_chart.h"
#include "bench/peers/environment.h"
#include "files.h"
#include "head.h"
#include "repeat.h"
#include "run_page.h"

static int open_device(const args *given, const terms *under)
{
    const int needs =
        under->memory != LAY_MEMORY_HOST || under->options.backend == LAY_BACKEND_CUDA || args_value(given, "device");
    return needs ? cuda_need(under->options.device) : EXIT_FINE;
}

/* A library of contractions has no products of matrices, and each of both has its kind of memory. */
static int check_peer(const peer *of, const problem *which, lay_memory memory)
{
    const int is_on_device = memory == LAY_MEMORY_DEVICE;
    if ((of->tblis || of->cutensor) && !which->labels)
        return refuse("%s contracts tensors, '%s' is a problem of matrices: --contract and --suite=tccg have others",
                      of->name, which->text);
    if (of->cublas && which->labels)
        return refuse("%s multiplies matrices in device memory, '%s' is a contraction", of->name, which->text);
    if (of->cutensor && !is_on_device)
        return refuse("%s contracts tensors in device memory alone: --memory=device", of->name);
    if (!of->cutensor && which->labels && is_on_device)
        return refuse("%s contracts no tensors in device memory: cuTENSOR is a peer for that", of->name);
    return EXIT_FINE;
}

/* Problems that there is no memory for, and peers without a product of a type, before anything is timed. */
static int check_all(const task *of)
{
    int status = EXIT_FINE;
    for (int t = 0; t < of->type_count; t++) {
        const lay_type type = of->types[t];
        for (int i = 0; i < of->terms.peer_count && status == EXIT_FINE; i++)
            if (!of->peers[i].cublas && !of->peers[i].cutensor && lay_type_size(type) == 2)
                status = refuse("%s multiplies f32 and f64, not %s", of->peers[i].name, problem_type_name(type));
        for (int i = 0; i < of->problem_count && status == EXIT_FINE; i++) {
            if (!task_is_of_type(of, i, type))
                continue;
            const terms under = task_terms(of, i, type, of->threads[0]);
            for (int j = 0; j < under.peer_count && status == EXIT_FINE; j++)
                status = check_peer(&under.peers[j], &of->problems[i], under.memory);
            if (status == EXIT_FINE)
                status = contest_check(&under, &of->problems[i]);
        }
    }
    return status;
}

/* What a JSON file says of the run; the texts are freed by the caller. */
static rows_head describe_run(const args *given, const task *of, const char *warnings[1])
{
    rows_head head = { .load = head_load(), .warnings = warnings, .under = &of->terms, .machine = text_of_machine() };
    head.command = repeat_line(given);
    warnings[0] = head_warning(of, head.load);
    head.warning_count = warnings[0] != NULL;
    return head;
}

static int ends_in(const char *name, const char *end)
{
    const size_t length = strlen(name), own = strlen(end);
    return length > own && strcmp(name + length - own, end) == 0;
}

static int check_plot(const args *given)
{
    const char *where = args_value(given, "plot");
    if (!where || strcmp(where, "term") == 0)
        return EXIT_FINE;
    if (!ends_in(where, ".svg") && !ends_in(where, ".png"))
        return refuse("--plot is 'term' or the name of a file that ends in .svg or .png, such as bench.svg, not '%s'",
                      where);
    return try_picture(given, "plot");
}

static int draw_plot(const args *given, report *of)
{
    const char *where = args_value(given, "plot");
    if (ends_in(where, ".png")) {
        plot_tell_left_out(of->plot);
        return chart_write_png(&of->plot->drawn, where);
    }
    if (strcmp(where, "term") != 0)
        return plot_write(of->plot, where);
    plot_print(of->plot);
    return EXIT_FINE;
}

/* A sample for each problem in each type; on so many threads. */
static int start_plot(const task *of, plot *out)
{
    plot_sample *samples = calloc((size_t)of->problem_count + 2, sizeof *samples);
    if (!samples)
        return fail("out of memory");
    for (int i = 0; i < of->problem_count; i++)
        samples[i] = (plot_sample){ .problem = of->problems[i].text,
                                    .type = "",
                                    .is_contraction = of->problems[i].labels != NULL,
                                    .m = (double)of->problems[i].m,
                                    .n = (double)of->problems[i].n,
                                    .k = (double)of->problems[i].k };
    *out = plot_start(samples, of->problem_count);
    out->has_types = of->type_count > 1;
    out->has_threads = of->thread_count > 1;
    free(samples);
    return EXIT_FINE;
}

static int run_with_files(const args *given, task *of)
{
    const char *warnings[1];
    static plot drawn;
    report to = { .table = { .has_others = head_has_others(of),
                             .shows_kernels = of->terms.memory == LAY_MEMORY_DEVICE } };
    own_page page = { 0 };
    int status = check_plot(given);
    if (status == EXIT_FINE && args_value(given, "plot")) {
        status = start_plot(of, &drawn);
        to.plot = &drawn;
    }
    if (status == EXIT_FINE)
        status = own_page_start(given, &page);
    to.page = page.to;
    if (status == EXIT_FINE)
        status = open_file(given, "csv", &to.csv);
    if (status == EXIT_FINE)
        status = open_file(given, "json", &to.json);
    if (status == EXIT_FINE) {
        to.head = describe_run(given, of, warnings);
        head_print(given, of);
        status = run_all(given, of, &to);
        if (status == EXIT_FINE && to.plot)
            status = draw_plot(given, &to);
        status = own_page_end(given, &page, status);
        free((char *)to.head.machine);
        free((char *)to.head.command);
    }
    status = close_file(to.json, args_value(given, "json"), status);
    return close_file(to.csv, args_value(given, "csv"), status);
}

int run_problems(const args *given, task *of)
{
    int status = environment_prepare(given, given->line); /* may start anew: before standard input is read */
    if (status == EXIT_FINE)
        status = task_read(given, of);
    if (status == EXIT_FINE)
        status = open_device(given, &of->terms);
    if (status == EXIT_FINE)
        status = open_peers(given, of);
    if (status == EXIT_FINE)
        status = check_all(of);
    if (status != EXIT_FINE)
        return status;
    name_peers_apart(of);
    return run_with_files(given, of);
}
