/* The course report's third table: cuBLAS with start-up and transfers and without, and us. */
#include "bench/base/complain.h"
#include "bench/peers/peer_cublas.h"
#include "bench/problems/verdict.h"
#include "bench/timing/timing.h"
#include "course.h"

enum { MAX_SEEN = 101 };

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

static int check_host(operand of[3], const char *who)
{
    const int verdict = verdict_give(&of[0], &of[1], &of[2]);
    operand_fill_nan(&of[2]);
    return verdict == 1 ? EXIT_FINE : fail("%s computes a wrong product of host operands", who);
}

/* Of operands in pageable host memory; each repeated, the median kept. */
static int host_ways(const course_scene *on, const terms *under, const peer *against, double ms[WAYS])
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
        status = transfers_run(there) == LAY_OK ? check_host(of, "cuBLAS") : fail("cuBLAS with transfers failed");
    if (status == EXIT_FINE)
        status = lay_once(of, &options, &unused);
    if (status == EXIT_FINE)
        status = check_host(of, "lay");
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
    course_scene on;
    int status = course_set(&on, n, under);
    if (status == EXIT_FINE)
        status = player_cublas(&list[0], &on.ground, against->cublas, NULL, &on.options);
    if (status == EXIT_FINE)
        status = player_plan(&list[1], &on.ground, &on.options);
    if (status == EXIT_FINE)
        status = course_race(list, who, 2, &on, under, under->rounds, on_device);
    if (status == EXIT_FINE)
        status = host_ways(&on, under, against, ms);
    ms[DEVICE_PEER] = on_device[0];
    ms[DEVICE_LAY] = on_device[1];
    player_clear(&list[0]);
    player_clear(&list[1]);
    course_clear(&on);
    return status;
}

int course_against_cublas(const terms *under, const sizes *of, FILE *csv)
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
    course_print_sizes("", of);
    for (int i = 0; i < WAYS; i++) {
        for (int s = 0; s < of->count; s++)
            row[s] = ms[s][i];
        course_print_row(ways[i], row, of, csv, "cublas");
    }
    return EXIT_FINE;
}
