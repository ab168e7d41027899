/* The tables of a course report: block sizes of the naive kernel; CPU threads that share a GPU, by rows or by
 * slices of k; and cuBLAS, with start-up and transfers and without. */
#include <stdlib.h>

#include "bench/base/complain.h"
#include "bench/timing/timing.h"
#include "course.h"
#include "shares.h"

enum { BLOCKS = 5, THREADS = 4, MAX_SEEN = 101, NAIVE_ROUNDS = 3 };

int course_set(course_scene *on, int n, const terms *under)
{
    char text[16];
    *on = (course_scene){ .options = under->options };
    on->options.stream = device_get()->stream;
    on->options.device = device_get()->number;
    snprintf(text, sizeof text, "%d", n);
    const int status = problem_read(text, "row", &on->problem);
    return status == EXIT_FINE ? ground_create(LAY_F32, on->problem.desc, &on->ground) : status;
}

void course_clear(course_scene *of)
{
    ground_clear(&of->ground);
    problem_free(&of->problem);
}

void course_print_sizes(const char *left, const sizes *of)
{
    printf("%-36s", left);
    for (int i = 0; i < of->count; i++)
        printf(" %10d", of->n[i]);
    printf("\n");
}

void course_print_row(const char *left, const double ms[], const sizes *of, FILE *csv, const char *table)
{
    printf("%-36s", left);
    for (int i = 0; i < of->count; i++)
        printf(" %10.3f", ms[i]);
    printf("\n");
    for (int i = 0; i < of->count && csv; i++)
        fprintf(csv, "%s,\"%s\",%d,%.4f\n", table, left, of->n[i], ms[i]);
    fflush(stdout);
}

int course_race(player list[], const char *const who[], int count, const course_scene *on, const terms *under,
                int rounds, double ms[])
{
    double *seconds = calloc((size_t)(count * rounds), sizeof *seconds);
    int status = seconds ? EXIT_FINE : fail("out of memory");
    for (int i = 0; i < count && seconds; i++)
        list[i].seconds = seconds + i * rounds;
    if (status == EXIT_FINE)
        status = players_check(list, who, count, on->problem.text);
    if (status == EXIT_FINE)
        status = players_race(list, count, rounds, under->min_time, 0);
    for (int i = 0; i < count && status == EXIT_FINE; i++)
        ms[i] = 1e3 * median(list[i].seconds, rounds);
    free(seconds);
    return status;
}

/* ---- Table 1 ---- */

static int block_sizes_at(int n, const terms *under, double ms[BLOCKS])
{
    static const char *const kernels[BLOCKS] = { "gemm_f32_1x32x1_naive", "gemm_f32_1x64x1_naive",
                                                 "gemm_f32_1x128x1_naive", "gemm_f32_1x256x1_naive",
                                                 "gemm_f32_1x512x1_naive" };
    player list[BLOCKS] = { 0 };
    course_scene on;
    int status = course_set(&on, n, under);
    for (int i = 0; i < BLOCKS && status == EXIT_FINE; i++) {
        on.options.kernel = kernels[i];
        status = player_plan(&list[i], &on.ground, &on.options);
    }
    const int rounds = under->rounds < NAIVE_ROUNDS ? under->rounds : NAIVE_ROUNDS;
    if (status == EXIT_FINE)
        status = course_race(list, kernels, BLOCKS, &on, under, rounds, ms);
    for (int i = 0; i < BLOCKS; i++)
        player_clear(&list[i]);
    course_clear(&on);
    return status;
}

static int show_block_sizes(const terms *under, const sizes *of, FILE *csv)
{
    double ms[MAX_SIZES][BLOCKS];
    for (int s = 0; s < of->count; s++) {
        const int status = block_sizes_at(of->n[s], under, ms[s]);
        if (status != EXIT_FINE)
            return status;
    }
    printf("1. One thread an element (kernel naive), ms by the number of threads in a block\n");
    course_print_sizes("threads", of);
    for (int b = 0; b < BLOCKS; b++) {
        char left[16];
        double row[MAX_SIZES];
        snprintf(left, sizeof left, "%d", 32 << b);
        for (int s = 0; s < of->count; s++)
            row[s] = ms[s][b];
        course_print_row(left, row, of, csv, "block size");
    }
    return EXIT_FINE;
}

/* ---- Table 2 ---- */

static int time_shares(shares *of, int with_sum, int rounds, double *ms)
{
    double seconds[MAX_SEEN];
    int status = EXIT_FINE;
    rounds = rounds < MAX_SEEN ? rounds : MAX_SEEN;
    for (int round = -1; round < rounds && status == EXIT_FINE; round++) {
        const double start = seconds_now();
        status = shares_run(of, with_sum);
        seconds[round < 0 ? 0 : round] = seconds_now() - start;
    }
    *ms = 1e3 * median(seconds, rounds);
    return status;
}

enum { BY_ROWS, BY_SLICES, WITH_SUM, KINDS };

/* Milliseconds of each kind with so many threads. */
static int share_by(int threads, course_scene *on, const terms *under, double ms[KINDS])
{
    shares rows = { 0 }, slices = { 0 };
    int status = shares_create(&on->ground, threads, SHARES_BY_ROWS, &on->options, &rows);
    if (status == EXIT_FINE)
        status = shares_create(&on->ground, threads, SHARES_BY_SLICES, &on->options, &slices);
    if (status == EXIT_FINE)
        status = shares_check(&rows);
    if (status == EXIT_FINE)
        status = shares_check(&slices);
    if (status == EXIT_FINE)
        status = ground_fill_random(&on->ground);
    if (status == EXIT_FINE)
        status = time_shares(&rows, 0, under->rounds, &ms[BY_ROWS]);
    if (status == EXIT_FINE)
        status = time_shares(&slices, 0, under->rounds, &ms[BY_SLICES]);
    if (status == EXIT_FINE)
        status = time_shares(&slices, 1, under->rounds, &ms[WITH_SUM]);
    shares_destroy(&rows);
    shares_destroy(&slices);
    return status;
}

static int show_threads(const terms *under, const sizes *of, FILE *csv)
{
    static const char *const kinds[KINDS] = { "rows", "slices of k, compute", "slices of k, compute + sum" };
    static double ms[KINDS][THREADS][MAX_SIZES];
    for (int s = 0; s < of->count; s++) {
        double one[KINDS] = { 0 };
        course_scene on;
        int status = course_set(&on, of->n[s], under);
        for (int t = 0; t < THREADS && status == EXIT_FINE; t++) {
            status = share_by(1 << t, &on, under, one);
            for (int i = 0; i < KINDS; i++)
                ms[i][t][s] = one[i];
        }
        course_clear(&on);
        if (status != EXIT_FINE)
            return status;
    }
    printf("\n2. CPU threads that share the GPU, each on its own stream; ms by the clock, start to end of all.\n"
           "   By rows of A and C, or by slices of k: partial products, then their sum in ascending order by one\n"
           "   product with a vector of ones\n");
    course_print_sizes("threads", of);
    for (int i = 0; i < KINDS; i++)
        for (int t = 0; t < THREADS; t++) {
            char left[64];
            snprintf(left, sizeof left, "%d by %s", 1 << t, kinds[i]);
            course_print_row(left, ms[i][t], of, csv, "threads");
        }
    return EXIT_FINE;
}

static int run(const terms *under, const sizes *of, FILE *csv)
{
    if (csv)
        fprintf(csv, "table,row,n,milliseconds\n");
    int status = show_block_sizes(under, of, csv);
    if (status == EXIT_FINE)
        status = show_threads(under, of, csv);
    return status == EXIT_FINE ? course_against_cublas(under, of, csv) : status;
}

const report_row report_course = {
    .name = "course",
    .help = "a course report's tables: block sizes, CPU threads that share a GPU, cuBLAS",
    .usual = { { 512, 1024, 2048, 4096, 8192 }, 5 },
    .least = 8,
    .is_on_device = 1,
    .run = run,
};
