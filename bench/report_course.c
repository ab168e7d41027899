/* The tables of a course report: block sizes of the naive kernel; CPU threads that share a GPU, by rows or by
 * slices of k; and cuBLAS, with start-up and transfers and without. */
#include <stdlib.h>
#include <string.h>

#include "contest_device.h"
#include "device_reports.h"
#include "peer_cublas.h"
#include "shares.h"
#include "timing.h"
#include "tool.h"
#include "verdict.h"

enum { BLOCKS = 5, THREADS = 4, MAX_SEEN = 101, NAIVE_ROUNDS = 3 };

/* Square row-major matrices of one size. */
typedef struct scene {
    problem problem;
    ground ground;
    lay_options options; /* on the tool's stream */
} scene;

static int set(scene *on, int n, const terms *under)
{
    char text[16];
    *on = (scene){ .options = under->options };
    on->options.stream = device_get()->stream;
    on->options.device = device_get()->number;
    snprintf(text, sizeof text, "%d", n);
    const int status = problem_read(text, "row", &on->problem);
    return status == EXIT_FINE ? ground_create(LAY_F32, on->problem.desc, &on->ground) : status;
}

static void clear(scene *of)
{
    ground_clear(&of->ground);
    problem_free(&of->problem);
}

static void print_sizes(const char *left, const sizes *of)
{
    printf("%-36s", left);
    for (int i = 0; i < of->count; i++)
        printf(" %10d", of->n[i]);
    printf("\n");
}

static void print_row(const char *left, const double ms[], const sizes *of, FILE *csv, const char *table)
{
    printf("%-36s", left);
    for (int i = 0; i < of->count; i++)
        printf(" %10.3f", ms[i]);
    printf("\n");
    for (int i = 0; i < of->count && csv; i++)
        fprintf(csv, "%s,\"%s\",%d,%.4f\n", table, left, of->n[i], ms[i]);
    fflush(stdout);
}

/* Players on one ground, judged and in turns; milliseconds of each. */
static int race(player list[], const char *const who[], int count, const scene *on, const terms *under, int rounds,
                double ms[])
{
    double *seconds = calloc((size_t)(count * rounds), sizeof *seconds);
    int status = seconds ? EXIT_FINE : fail("out of memory");
    for (int i = 0; i < count && seconds; i++)
        list[i].seconds = seconds + i * rounds;
    if (status == EXIT_FINE)
        status = players_judge(list, who, count, on->problem.text);
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
    scene on;
    int status = set(&on, n, under);
    for (int i = 0; i < BLOCKS && status == EXIT_FINE; i++) {
        on.options.kernel = kernels[i];
        status = player_plan(&list[i], &on.ground, &on.options);
    }
    const int rounds = under->rounds < NAIVE_ROUNDS ? under->rounds : NAIVE_ROUNDS;
    if (status == EXIT_FINE)
        status = race(list, kernels, BLOCKS, &on, under, rounds, ms);
    for (int i = 0; i < BLOCKS; i++)
        player_clear(&list[i]);
    clear(&on);
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
    print_sizes("threads", of);
    for (int b = 0; b < BLOCKS; b++) {
        char left[16];
        double row[MAX_SIZES];
        snprintf(left, sizeof left, "%d", 32 << b);
        for (int s = 0; s < of->count; s++)
            row[s] = ms[s][b];
        print_row(left, row, of, csv, "block size");
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
static int share_by(int threads, scene *on, const terms *under, double ms[KINDS])
{
    shares rows = { 0 }, slices = { 0 };
    int status = shares_create(&on->ground, threads, SHARES_BY_ROWS, &on->options, &rows);
    if (status == EXIT_FINE)
        status = shares_create(&on->ground, threads, SHARES_BY_SLICES, &on->options, &slices);
    if (status == EXIT_FINE)
        status = shares_judge(&rows);
    if (status == EXIT_FINE)
        status = shares_judge(&slices);
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
        scene on;
        int status = set(&on, of->n[s], under);
        for (int t = 0; t < THREADS && status == EXIT_FINE; t++) {
            status = share_by(1 << t, &on, under, one);
            for (int i = 0; i < KINDS; i++)
                ms[i][t][s] = one[i];
        }
        clear(&on);
        if (status != EXIT_FINE)
            return status;
    }
    printf("\n2. CPU threads that share the GPU, each on its own stream; ms by the clock, start to end of all.\n"
           "   By rows of A and C, or by slices of k: partial products, then their sum in ascending order by one\n"
           "   product with a vector of ones\n");
    print_sizes("threads", of);
    for (int i = 0; i < KINDS; i++)
        for (int t = 0; t < THREADS; t++) {
            char left[64];
            snprintf(left, sizeof left, "%d by %s", 1 << t, kinds[i]);
            print_row(left, ms[i][t], of, csv, "threads");
        }
    return EXIT_FINE;
}

/* ---- Table 3 ---- */

enum { COLD_PEER, COLD_LAY, WARM_PEER, WARM_LAY, DEVICE_PEER, DEVICE_LAY, WAYS };

/* All that one product by cuBLAS takes in a process that has CUDA running. */
static int peer_from_cold(const operand of[3], double *ms)
{
    cublas fresh;
    transfers *there = NULL;
    peer as_peer = { .cublas = &fresh };
    const double start = seconds_now();
    const char *sentence = cublas_open(NULL, &fresh);
    if (sentence)
        return refuse("%s", sentence);
    int status = cublas_use(&fresh, device_get()->stream, NULL, 0) == 0 ? EXIT_FINE : fail("cuBLAS takes no stream");
    if (status == EXIT_FINE)
        status = transfers_create(of, &as_peer, &there);
    if (status == EXIT_FINE && transfers_run(there) != LAY_OK)
        status = fail("cuBLAS with transfers failed");
    transfers_destroy(there);
    cublas_close(&fresh);
    *ms = 1e3 * (seconds_now() - start);
    return status;
}

static int lay_once(const operand of[3], const lay_options *options, double *ms)
{
    const double start = seconds_now();
    const lay_status done =
        lay_sgemm(of[0].desc, of[1].desc, of[2].desc, 1, of[0].zero, of[1].zero, 0, of[2].zero, options);
    *ms = 1e3 * (seconds_now() - start);
    return done == LAY_OK ? EXIT_FINE : refuse_status(done, "a product of host operands");
}

static int judge_host(operand of[3], const char *who)
{
    const int verdict = verdict_give(&of[0], &of[1], &of[2]);
    operand_fill_nan(&of[2]);
    return verdict == 1 ? EXIT_FINE : fail("%s computes a wrong product of host operands", who);
}

/* Of operands in pageable host memory; each repeated, the median kept. */
static int host_ways(const scene *on, const terms *under, const peer *against, double ms[WAYS])
{
    operand of[3] = { on->ground.host[0], on->ground.host[1], on->ground.host[2] };
    lay_options options = under->options;
    double seen[4][MAX_SEEN];
    transfers *there = NULL;
    options.backend = LAY_BACKEND_CUDA;
    options.device = device_get()->number;
    double unused;
    verdict_prepare(&of[0], &of[1], &of[2]);
    int status = transfers_create(of, against, &there);
    if (status == EXIT_FINE)
        status = transfers_run(there) == LAY_OK ? judge_host(of, "cuBLAS") : fail("cuBLAS with transfers failed");
    if (status == EXIT_FINE)
        status = lay_once(of, &options, &unused);
    if (status == EXIT_FINE)
        status = judge_host(of, "lay");
    operand_fill_real(&of[0], 1);
    operand_fill_real(&of[1], 2);
    const int rounds = under->rounds < MAX_SEEN ? under->rounds : MAX_SEEN;
    for (int round = 0; round < rounds && status == EXIT_FINE; round++) {
        status = peer_from_cold(of, &seen[COLD_PEER][round]);
        lay_cache_clear();
        if (status == EXIT_FINE)
            status = lay_once(of, &options, &seen[COLD_LAY][round]);
        const double start = seconds_now();
        if (status == EXIT_FINE && transfers_run(there) != LAY_OK)
            status = fail("cuBLAS with transfers failed");
        seen[WARM_PEER][round] = 1e3 * (seconds_now() - start);
        if (status == EXIT_FINE)
            status = lay_once(of, &options, &seen[WARM_LAY][round]);
    }
    for (int i = 0; i < 4 && status == EXIT_FINE; i++)
        ms[i] = median(seen[i], rounds);
    transfers_destroy(there);
    return status;
}

static int against_cublas_at(int n, const terms *under, const peer *against, double ms[WAYS])
{
    static const char *const who[2] = { "cuBLAS", "lay" };
    player list[2] = { 0 };
    double on_device[2];
    scene on;
    int status = set(&on, n, under);
    if (status == EXIT_FINE)
        status = player_cublas(&list[0], &on.ground, against->cublas, NULL, &on.options);
    if (status == EXIT_FINE)
        status = player_plan(&list[1], &on.ground, &on.options);
    if (status == EXIT_FINE)
        status = race(list, who, 2, &on, under, under->rounds, on_device);
    if (status == EXIT_FINE)
        status = host_ways(&on, under, against, ms);
    ms[DEVICE_PEER] = on_device[0];
    ms[DEVICE_LAY] = on_device[1];
    player_clear(&list[0]);
    player_clear(&list[1]);
    clear(&on);
    return status;
}

static int show_against_cublas(const terms *under, const sizes *of, FILE *csv)
{
    static const char *const ways[WAYS] = { "cuBLAS, start-up and transfers",
                                            "lay, host operands, no plan kept",
                                            "cuBLAS, transfers",
                                            "lay, host operands",
                                            "cuBLAS, device operands",
                                            "lay, device operands" };
    double ms[MAX_SIZES][WAYS], row[MAX_SIZES];
    peer against;
    int status = peer_cublas_open(NULL, &against);
    for (int s = 0; s < of->count && status == EXIT_FINE; s++)
        status = against_cublas_at(of->n[s], under, &against, ms[s]);
    if (status != EXIT_FINE)
        return status;
    printf(
        "\n3. Against %s: ms.\n"
        "   Operands in pageable host memory, by the clock, and in device memory, by its events. CUDA runs already:\n"
        "   its own start-up, once a process, stands above\n",
        against.about);
    print_sizes("", of);
    for (int i = 0; i < WAYS; i++) {
        for (int s = 0; s < of->count; s++)
            row[s] = ms[s][i];
        print_row(ways[i], row, of, csv, "cublas");
    }
    return EXIT_FINE;
}

int report_course(const terms *under, const sizes *of, FILE *csv)
{
    if (csv)
        fprintf(csv, "table,row,n,milliseconds\n");
    int status = show_block_sizes(under, of, csv);
    if (status == EXIT_FINE)
        status = show_threads(under, of, csv);
    return status == EXIT_FINE ? show_against_cublas(under, of, csv) : status;
}
