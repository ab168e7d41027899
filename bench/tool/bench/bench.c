/* lay bench: times products, ours and other people's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/choices.h"
#include "bench/page/page.h"
#include "bench/problems/sweep.h"
#include "bench/saved/compare.h"
#include "bench/tool/tool.h"
#include "run.h"
#include "run_devices.h"
#include "run_page.h"
#include "run_shared.h"

/* clang-format off */
static const args_claim claims[] = {
    { "picture", "report=roof", 1 },
    { "report", "suite", 0 },
    { "report", "latency", 0 },
    { "report", "each-layout", 0 },
    { "report", "beside-strict", 0 },
    { "report", "packed", 0 },
    { "report", "planned", 0 },
    { "report", "json", 0 },
    { "report", "repro", 0 },
    { "report", "cold", 0 },
    { "report", "plot", 0 },
    { "report", "html", 0 },
    { "report", "roof", 0 },
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
    { "contract", "beside-strict", 0 },
    { "contract", "no-copies", 0 },
    { "devices", "report", 0 },
    { "devices", "suite", 0 },
    { "devices", "problems", 0 },
    { "devices", "contract", 0 },
    { "devices", "latency", 0 },
    { "devices", "packed", 0 },
    { "devices", "layouts", 0 },
    { "devices", "json", 0 },
    { "devices", "plot", 0 },
    { "devices", "html", 0 },
    { "devices", "device", 0 },
    { "devices", "memory=device", 0 },
    { "devices", "backend", 0 },
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
    if (args_value(given, "devices"))
        return args_value(given, "memory") ? run_shared(given, of) : run_devices(given, of);
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

/* Rows of files as a page; everything else asks for products. */
static int run_from(const args *given)
{
    for (int i = 0; i < given->seen_count; i++)
        if (strcmp(given->seen[i].option->name, "from") != 0 && strcmp(given->seen[i].option->name, "html") != 0)
            return refuse("--from and --%s do not go together", given->seen[i].option->name);
    if (!args_value(given, "html"))
        return refuse("--from has nothing to make: --html=FILE says where the page goes");
    if (given->word_count)
        return refuse("--from has the rows of files, '%s' would be timed", given->words[0]);
    return page_from_files(given);
}

static int bench(const args *given)
{
    if (args_value(given, "from"))
        return run_from(given);
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
    { "against", 0, "LIBRARY", "a peer: openblas, blis, mkl, tblis, cublas, cutensor or a path; may be repeated" },
    { "threads", 0, "LIST", "thread counts, for us and the peers; 1 if not given" },
    { "type", 0, "LIST", "f32, f64, f16, bf16, c32, c64 or some of them; f32 if not given" },
    { "layouts", 0, "LIST", "the layouts of problems that name none" },
    { "each-layout", 0, NULL, "also our own row-major product, and what share of its speed a layout has" },
    { "beside-strict", 0, NULL, "also our own product by --compute=strict" },
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
    { "lock", 0, "FILE", "in device memory: several benches with one FILE use the device one after the other" },
    { "suite", 0, "NAME", "problems that belong together, see below; words are the sizes of those of them to take" },
    { "problems", 0, "FILE", "problems from a file, a line each; may be repeated" },
    { "contract", 0, "CONTRACTION", "a contraction of tensors, by labels, see below; may be repeated" },
    { "sum-by-storage", 0, NULL, "ours sums contractions in the order in which tensors lie, not in that of labels" },
    { "devices", 0, "LIST",
      "several devices ('0,1') beside the first alone: a team's places or, with --memory, shared" },
    { "report", 0, "NAME", "whole tables in place of problems, see below" },
    { "picture", 0, "FILE", "draw the report there, as SVG (--report=roof)" },
    { "latency", 0, NULL, "tiny products: what a call costs, with and without the plan cache" },
    { "cold", 0, NULL, "caches are emptied before each call, of which a turn has 4 at most" },
    { "repro", 0, NULL, "beneath each problem the command line that repeats it alone" },
    { "csv", 'o', "FILE", "write the rows there too" },
    { "json", 0, "FILE", "write the rows there too, as JSON, with the times of all rounds" },
    { "plot", 0, "WHERE", "GFLOP/s over the size: 'term' draws here, a name that ends in .svg or .png a file" },
    { "html", 0, "FILE", "make a page of the run: table, charts, roofline, drawn layouts ('-' with --from alone)" },
    { "from", 0, "FILE", "with --html: the rows of --json or --csv in place of a run; may be repeated" },
    { "roof", 0, NULL, "measure what memory gives too, for a roofline from --json or --csv" },
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
    "tensors whose labels it cannot read as such. Both are chosen with --against. In device memory the peer is\n"
    "cuTENSOR, by the fastest of its algorithms, which --csv and --json name as its kernels.\n"
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
    "\n" ROWS_HELP "\n" PAGE_HELP "\n" COMPARE_HELP "\n"
    "Settings such as OPENBLAS_CORETYPE and OMP_PROC_BIND that could hold a peer back are dropped from\n"
    "the environment, and the output says so; --peer-env sets them after that.\n"
    "\n"
    "With --memory=device all is timed by the device's own events, each turn as one CUDA graph over several\n"
    "sets of matrices: what a launch costs the CPU is in nobody's time (--launches=plain has it in), and a\n"
    "small product does not find its matrices in the L2 cache. Matrices in host memory that are multiplied\n"
    "on a device are timed by the clock, copies there and back included, those of cuBLAS too.\n"
    "\n"
    "--devices=0,1 times squares of a team's places, in several layouts ('host,host': in rooms of host memory), and\n"
    "beside them, with --against, cublasmp on the same parts and cublasxt on the first device's matrices.\n"
    "--devices=0,1 --memory=host, or pinned, times squares in host memory that options.devices share: the first\n"
    "device alone, 2, 4 .. and all of the list, in turns; 'used' says how many of them the plan takes.\n"
    "\n"
    "\n",
    .print_more = print_more,
    .options = options,
    .run = bench,
};
