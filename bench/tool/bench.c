/* lay bench: times products, ours and other people's. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/choices.h"
#include "bench/base/texts.h"
#include "bench/contest/cold.h"
#include "bench/device/cuda_part.h"
#include "bench/peers/environment.h"
#include "bench/problems/sweep.h"
#include "bench/reports/compare.h"
#include "bench/reports/report.h"
#include "bench/reports/reports.h"
#include "head.h"
#include "progress.h"
#include "repeat.h"
#include "task.h"
#include "tool.h"

enum { MAX_WIDTH = 44 /* of a problem in the table */ };

static int open_peers(const args *given, task *out)
{
    const char *path;
    /* Threads of Intel's OpenMP spin for 200 ms after their work, into the next turns, if nothing
     * else is said. */
    setenv("KMP_BLOCKTIME", "10", 0);
    for (int i = 0; (path = args_repeated(given, "against", i)); i++) {
        if (i == MAX_PEERS)
            return refuse("more than %d peers", MAX_PEERS);
        const int status = peer_open(path, &out->peers[i]);
        if (status != EXIT_FINE)
            return status;
        out->terms.peer_count = i + 1;
    }
    out->terms.peers = out->peers;
    return EXIT_FINE;
}

/* The second OpenBLAS is "OpenBLAS 2". */
static void name_peers_apart(task *in)
{
    for (int i = in->terms.peer_count - 1; i > 0; i--) {
        int same = 1;
        for (int j = 0; j < i; j++)
            same += strcmp(in->peers[i].name, in->peers[j].name) == 0;
        const size_t length = strlen(in->peers[i].name);
        if (same > 1)
            snprintf(in->peers[i].name + length, sizeof in->peers[i].name - length, " %d", same);
    }
}

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

static int is_of_type(const task *of, int index, lay_type type)
{
    return of->only[index] < 0 || of->only[index] == (int)type;
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
            if (is_of_type(of, i, of->types[t])) {
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

static int run_all(const args *given, const task *of, report *to)
{
    int status = of->terms.is_cold ? cold_prepare() : EXIT_FINE;
    report_start(to);
    progress by = start_progress(of);
    for (int t = 0; t < of->type_count; t++)
        for (int n = 0; n < of->thread_count; n++)
            for (int i = 0; i < of->problem_count && status == EXIT_FINE; i++)
                if (is_of_type(of, i, of->types[t]))
                    status = run_shown(given, of, i, of->types[t], of->threads[n], to, &by);
    report_end(to, status == EXIT_FINE);
    return status;
}

static int open_device(const args *given, const terms *under)
{
    const int needs =
        under->memory != LAY_MEMORY_HOST || under->options.backend == LAY_BACKEND_CUDA || args_value(given, "device");
    return needs ? cuda_need(under->options.device) : EXIT_FINE;
}

static int read_sizes(const args *given, const report_row *of, sizes *out)
{
    int64_t n;
    *out = (sizes){ .count = given->word_count };
    if (given->word_count > MAX_SIZES)
        return refuse("more than %d sizes", MAX_SIZES);
    for (int i = 0; i < given->word_count; i++) {
        if (!read_integer(given->words[i], of->least, 32768, &n))
            return refuse("the sizes of this report are numbers from %d to 32768, '%s' is none", of->least,
                          given->words[i]);
        out->n[i] = (int)n;
    }
    if (!out->count)
        *out = of->usual;
    return EXIT_FINE;
}

/* A file for what is printed on standard output in another form: there, it would be mixed up with that. */
static int open_file(const args *given, const char *name, FILE **out)
{
    const char *path = args_value(given, name);
    if (path && strcmp(path, "-") == 0)
        return refuse("--%s names a file: standard output has the table", name);
    *out = path ? fopen(path, "w") : NULL;
    return path && !*out ? fail("%s: %s", path, strerror(errno)) : EXIT_FINE;
}

/* A line that could not be written out when it was printed counts too. */
static int close_file(FILE *file, const char *path, int status)
{
    const int failed_before = file && ferror(file);
    if (file && fclose(file) != 0 && !failed_before && status == EXIT_FINE)
        return fail("%s: %s", path, strerror(errno));
    return failed_before && status == EXIT_FINE ? fail("%s: not all of it could be written", path) : status;
}

/* A report of the CPU has peers. */
static int prepare_host(const args *given, const report_row *row, task *of)
{
    int status = task_read(given, of);
    if (status == EXIT_FINE && row->is_f32 && (of->type_count > 1 || of->types[0] != LAY_F32))
        status = refuse("--report=%s is of f32 products", row->name);
    if (status == EXIT_FINE)
        status = environment_prepare(given, given->line);
    if (status == EXIT_FINE)
        status = open_peers(given, of);
    for (int i = 0; i < of->terms.peer_count && status == EXIT_FINE; i++)
        if (of->peers[i].tblis)
            status = refuse("%s contracts tensors, and reports are of matrices", of->peers[i].name);
    of->terms.options.threads = of->threads[0];
    name_peers_apart(of);
    return status;
}

/* The device, or whatever a report of the CPU needs. */
static int prepare_report(const args *given, const report_row *row, task *of)
{
    const lay_memory memory = of->terms.memory;
    int status = EXIT_FINE;
    if (row->takes_memory && memory == LAY_MEMORY_PINNED)
        status = refuse("--report=%s has operands in host or device memory, not in pinned memory", row->name);
    if (status == EXIT_FINE && (row->is_on_device || (row->takes_memory && memory == LAY_MEMORY_DEVICE)))
        status = cuda_need(of->terms.options.device);
    if (status == EXIT_FINE && !row->is_on_device)
        status = prepare_host(given, row, of);
    return status;
}

/* The picture is drawn last: whether it can be written is found out first. */
static int try_picture(const args *given, const char *name)
{
    FILE *picture = NULL;
    const int status = open_file(given, name, &picture);
    return close_file(picture, args_value(given, name), status);
}

/* A whole report instead of problems. */
static int run_report(const args *given, task *of, const report_row *row)
{
    sizes which;
    FILE *csv = NULL;
    int status = read_sizes(given, row, &which);
    if (status == EXIT_FINE)
        status = prepare_report(given, row, of);
    if (status == EXIT_FINE)
        status = try_picture(given, "picture");
    if (status == EXIT_FINE)
        status = open_file(given, "csv", &csv);
    if (status != EXIT_FINE)
        return status;
    if (row->is_on_device)
        cuda_of_tool->print_device(&of->terms);
    else
        head_print(given, of);
    return close_file(csv, args_value(given, "csv"), row->run(&of->terms, &which, csv));
}

/* A library of contractions has no products of matrices, and one on a device none of tensors in host memory. */
static int check_peer(const peer *of, const problem *which)
{
    if (of->tblis && !which->labels)
        return refuse("%s contracts tensors, '%s' is a problem of matrices: --contract and --suite=tccg have others",
                      of->name, which->text);
    if (of->cublas && which->labels)
        return refuse("%s multiplies matrices in device memory, '%s' is a contraction", of->name, which->text);
    return EXIT_FINE;
}

/* Problems that there is no memory for, and peers without a product of a type, before anything is timed. */
static int check_all(const task *of)
{
    int status = EXIT_FINE;
    for (int t = 0; t < of->type_count; t++) {
        const lay_type type = of->types[t];
        for (int i = 0; i < of->terms.peer_count && status == EXIT_FINE; i++)
            if (!of->peers[i].cublas && lay_type_size(type) == 2)
                status = refuse("%s multiplies f32 and f64, not %s", of->peers[i].name, problem_type_name(type));
        for (int i = 0; i < of->problem_count && status == EXIT_FINE; i++) {
            if (!is_of_type(of, i, type))
                continue;
            const terms under = task_terms(of, i, type, of->threads[0]);
            for (int j = 0; j < under.peer_count && status == EXIT_FINE; j++)
                status = check_peer(&under.peers[j], &of->problems[i]);
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

static int is_svg(const char *name)
{
    const size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".svg") == 0;
}

static int check_plot(const args *given)
{
    const char *where = args_value(given, "plot");
    if (!where || strcmp(where, "term") == 0)
        return EXIT_FINE;
    if (!is_svg(where))
        return refuse("--plot is 'term' or the name of a file that ends in .svg, such as bench.svg, not '%s'", where);
    return try_picture(given, "plot");
}

static int draw_plot(const args *given, report *of)
{
    const char *where = args_value(given, "plot");
    if (strcmp(where, "term") != 0)
        return plot_write(of->plot, where);
    plot_print(of->plot);
    return EXIT_FINE;
}

static int run_with_files(const args *given, task *of)
{
    const char *warnings[1];
    static plot drawn;
    report to = { .table = { .has_others = head_has_others(of),
                             .shows_kernels = of->terms.memory == LAY_MEMORY_DEVICE } };
    int status = check_plot(given);
    if (args_value(given, "plot")) {
        drawn = plot_start(of->problems, of->problem_count, of->type_count, of->thread_count);
        to.plot = &drawn;
    }
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
        free((char *)to.head.machine);
        free((char *)to.head.command);
    }
    status = close_file(to.json, args_value(given, "json"), status);
    return close_file(to.csv, args_value(given, "csv"), status);
}

static int run_problems(const args *given, task *of)
{
    int status = task_read(given, of);
    if (status == EXIT_FINE)
        status = environment_prepare(given, given->line);
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

/* clang-format off */
static const args_claim claims[] = {
    { "picture", "report=roof", 1 },
    { "report", "suite", 0 },
    { "report", "latency", 0 },
    { "report", "each-layout", 0 },
    { "report", "packed", 0 },
    { "report", "planned", 0 },
    { "report", "json", 0 },
    { "report", "repro", 0 },
    { "report", "cold", 0 },
    { "report", "plot", 0 },
    { "suite", "latency", 0 },
    { "problems", "suite", 0 },
    { "problems", "contract", 0 },
    { "problems", "report", 0 },
    { "copies", "no-copies", 0 },
    { "device", "backend=cpu", 0 },
    { "contract", "suite", 0 },
    { "contract", "report", 0 },
    { "contract", "latency", 0 },
    { "contract", "packed", 0 },
    { "contract", "layouts", 0 },
    { "contract", "each-layout", 0 },
    { "contract", "no-copies", 0 },
    { 0 },
};
/* clang-format on */

static int run_bench(const args *given, task *of)
{
    const report_row *row = NULL;
    const char *name = args_value(given, "report");
    int status = args_check(given, claims);
    if (status == EXIT_FINE && name)
        status = report_find(name, &row);
    if (status == EXIT_FINE)
        status = task_read_terms(given, of);
    if (status != EXIT_FINE)
        return status;
    return row ? run_report(given, of, row) : run_problems(given, of);
}

/* Everything else asks for products. */
static int run_compare(const args *given)
{
    for (int i = 0; i < given->seen_count; i++)
        if (strcmp(given->seen[i].option->name, "compare") != 0)
            return refuse("--compare and --%s do not go together", given->seen[i].option->name);
    if (given->seen_count != 1 || given->word_count != 1)
        return refuse("--compare has two files, as in 'lay bench --compare OLD NEW'");
    return compare_files(args_value(given, "compare"), given->words[0]);
}

static int bench(const args *given)
{
    if (args_value(given, "compare"))
        return run_compare(given);
    task *of = calloc(1, sizeof *of);
    if (!of)
        return fail("out of memory");
    const int status = run_bench(given, of);
    task_clear(of);
    free(of);
    return status;
}

static void print_more(void)
{
    printf("\n");
    suites_print_help();
    reports_print_help();
    printf("\nThe words of a report are the sizes of its square matrices, where it shall not have its own.\n");
}

static const option options[] = {
    { "against", 0, "LIBRARY", "a peer: openblas, blis, mkl, tblis, cublas or a library's path; may be repeated" },
    { "threads", 0, "LIST", "thread counts, for us and the peers; 1 if not given" },
    { "type", 0, "LIST", "f32, f64, f16, bf16, c32, c64 or some of them; f32 if not given" },
    { "layouts", 0, "LIST", "the layouts of problems that name none" },
    { "each-layout", 0, NULL, "also our own row-major product, and what share of its speed a layout has" },
    { "packed", 0, "WHICH", "also our own product with an operand packed before: a, b or ab" },
    { "copies", 0, NULL, "peers + copies for every problem, not only where a peer cannot read the layouts" },
    { "no-copies", 0, NULL, "no peers + copies" },
    { "planned", 0, NULL, "ours runs a plan made once, as --suite=small has it" },
    { "rounds", 0, "N", "rounds of turns, 9 if not given" },
    { "min-time", 0, "SECONDS", "what a turn lasts at least, 0.02 if not given" },
    { "pause", 0, "SECONDS", "rest before each turn with several threads, 0.4 if not given" },
    CHOICE_OPTIONS,
    { "memory", 0, "KIND", "where all matrices lie: host, pinned or device; host if not given" },
    { "launches", 0, "HOW", "in device memory: graph (each turn one CUDA graph) or plain; graph if not given" },
    { "suite", 0, "NAME", "problems that belong together, see below; words are the sizes of those of them to take" },
    { "problems", 0, "FILE", "problems from a file, a line each; may be repeated" },
    { "contract", 0, "CONTRACTION", "a contraction of tensors, by labels, see below; may be repeated" },
    { "sum-by-storage", 0, NULL, "ours sums contractions in the order in which tensors lie, not in that of labels" },
    { "report", 0, "NAME", "whole tables in place of problems, see below" },
    { "picture", 0, "FILE", "draw the report there, as SVG (--report=roof)" },
    { "latency", 0, NULL, "tiny products: what a call costs, with and without the plan cache" },
    { "cold", 0, NULL, "caches are emptied before each call, of which a turn has 4 at most" },
    { "repro", 0, NULL, "beneath each problem the command line that repeats it alone" },
    { "csv", 'o', "FILE", "write the rows there too" },
    { "json", 0, "FILE", "write the rows there too, as JSON, with the times of all rounds" },
    { "plot", 0, "WHERE", "GFLOP/s over the size: 'term' draws here, a name that ends in .svg a file" },
    { "compare", 0, "OLD NEW", "two files of --csv or --json: what became faster or slower; nothing is timed" },
    { "peer-env", 0, "NAME=VALUE", "set in the environment the peers are loaded in; may be repeated" },
    { 0 },
};

const command bench_command = {
    .name = "bench",
    .usage = "[PROBLEM...] [OPTIONS]",
    .summary = "time products, ours and other people's",
    .notes = PROBLEM_HELP
    "\n" SWEEP_HELP "\n" CONTRACTION_HELP
    "Ours runs a plan made once; TBLIS takes the tensors as they are, and a BLAS matrices, between lay_copy of the\n"
    "tensors whose labels it cannot read as such. Both are chosen with --against.\n"
    "\n"
    "Without problems: 512, 1024 and 2048 in the paper's layouts row, panels, matrix1 and matrix2, or with\n"
    "--latency 4 to 64 in row. Everybody takes turns on the same matrices, each round beginning with\n"
    "another; what is timed has just been checked, exactly, on matrices of integers. A line has the median\n"
    "time of a call, the speed, the spread of the rounds (from the first quartile to the third, a share of\n"
    "the median), and the share of the peak, which is what a loop of nothing but FMAs reached in the same\n"
    "rounds. 'speedup' 1.1 says that the peer takes 1.1 times as long as we do, round by round; 'at best'\n"
    "compares the fastest turns instead, which a busy machine disturbs less. Peers that cannot read a layout\n"
    "are timed on row-major matrices, and with the copies that bring the layout there and back. Matrices\n"
    "stay in whatever cache they fit: small products are timed warm; with --cold each call is timed by itself,\n"
    "after every thread has read twice as much memory as the last cache holds. --repro prints beneath each\n"
    "problem the command line that repeats it alone, with the LAY_... settings of the environment; problems\n"
    "of a suite are named by their sizes, and others of the same sizes come with them. On a terminal a line\n"
    "tells how far the run is and what time is left, without colours where NO_COLOR is set. The head warns\n"
    "where the load average of the last minute is more than the CPUs that this run leaves idle, the end where\n"
    "a thread's FMAs reached less than 75 % of the run's best beside some problem: other programs were in the\n"
    "way, or the clock went down.\n"
    "--plot draws over that of m, n and k which differs between the problems, or over the cube root of m n k,\n"
    "which is n where products are square; by its logarithm. A plot has 12 lines of 128 sizes at most.\n"
    "\n" ROWS_HELP "\n" COMPARE_HELP "\n"
    "Settings such as OPENBLAS_CORETYPE and OMP_PROC_BIND that could hold a peer back are dropped from\n"
    "the environment, and the output says so; --peer-env sets them after that.\n"
    "\n"
    "With --memory=device all is timed by the device's own events, each turn as one CUDA graph over several\n"
    "sets of matrices: what a launch costs the CPU is in nobody's time (--launches=plain has it in), and a\n"
    "small product does not find its matrices in the L2 cache. Matrices in host memory that are multiplied\n"
    "on a device are timed by the clock, copies there and back included, those of cuBLAS too.\n"
    "\n"
    "\n",
    .print_more = print_more,
    .options = options,
    .run = bench,
};
