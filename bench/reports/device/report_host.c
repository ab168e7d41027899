/* Operands in host memory: what a product takes beside what the link and the product alone would. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/choices.h"
#include "bench/base/complain.h"
#include "bench/base/memory.h"
#include "bench/contest/contest_device.h"
#include "bench/problems/verdict.h"
#include "bench/reports/reports.h"
#include "bench/timing/timing.h"

enum { MAX_SEEN = 101, SMALL_CAP = 10 /* of the operands' bytes, one part of so many */ };

typedef struct scene {
    problem problem;
    operand of[3];
    lay_memory memory;
    double up, down; /* bytes a second of the link */
    double compute;  /* seconds of the product in device memory */
} scene;

typedef struct mover {
    void *device, *host;
    size_t size;
    int is_up;
    device_turn turn;
} mover;

static lay_status call_move(void *of, int set)
{
    const mover *self = of;
    (void)set;
    return (self->is_up ? device_move(self->device, self->host, self->size)
                        : device_move(self->host, self->device, self->size)) == EXIT_FINE
               ? LAY_OK
               : LAY_ERR_DEVICE;
}

/* The link's rates, from page-locked memory, both ways in turns. */
static int measure_link(const terms *under, double *up, double *down)
{
    enum { SIZE = 256 << 20 };
    double seen[2][MAX_SEEN];
    double *const seconds[2] = { seen[0], seen[1] };
    mover both[2] = { { .size = SIZE, .is_up = 1 }, { .size = SIZE } };
    device_turn *turns[2];
    int status = device_pin(SIZE, &both[0].host);
    if (status == EXIT_FINE)
        status = device_allocate(SIZE, &both[0].device);
    both[1].host = both[0].host;
    both[1].device = both[0].device;
    for (int i = 0; i < 2; i++) {
        both[i].turn = (device_turn){ .call = call_move, .self = &both[i], .sets = 1, .is_plain = 1 };
        turns[i] = &both[i].turn;
    }
    if (status == EXIT_FINE)
        memset(both[0].host, 0, SIZE);
    const int rounds = under->rounds < MAX_SEEN ? under->rounds : MAX_SEEN;
    if (status == EXIT_FINE)
        status = device_race(turns, seconds, 2, rounds, 0);
    *up = SIZE / median(seen[0], rounds);
    *down = SIZE / median(seen[1], rounds);
    device_free(both[0].device);
    device_unpin(both[0].host);
    return status;
}

static int measure_compute(const terms *under, scene *on)
{
    double seconds[MAX_SEEN];
    ground where;
    player one = { 0 };
    lay_options options = under->options;
    options.stream = device_get()->stream;
    options.device = device_get()->number;
    int status = ground_create(LAY_F32, on->problem.desc, &where);
    if (status == EXIT_FINE)
        status = player_plan(&one, &where, &options);
    if (status == EXIT_FINE)
        status = ground_fill_random(&where);
    one.seconds = seconds;
    const int rounds = under->rounds < MAX_SEEN ? under->rounds : MAX_SEEN;
    if (status == EXIT_FINE)
        status = players_race(&one, 1, rounds, under->min_time, 0);
    if (status == EXIT_FINE)
        on->compute = median(seconds, rounds);
    player_clear(&one);
    ground_clear(&where);
    return status;
}

static lay_status multiply(scene *on, const lay_options *options)
{
    operand *of = on->of;
    return lay_sgemm(of[0].desc, of[1].desc, of[2].desc, 1, of[0].zero, of[1].zero, 0, of[2].zero, options);
}

/* Checked, then timed by the clock; the median. */
static int measure_product(scene *on, const terms *under, size_t cap, double *out)
{
    double seconds[MAX_SEEN];
    lay_options options = under->options;
    options.backend = LAY_BACKEND_CUDA;
    options.device = device_get()->number;
    options.device_memory = cap;
    verdict_prepare(&on->of[0], &on->of[1], &on->of[2]);
    lay_status done = multiply(on, &options);
    if (done == LAY_OK && verdict_give(&on->of[0], &on->of[1], &on->of[2]) != 1)
        return fail("%s: a product of operands in %s memory is wrong", on->problem.text,
                    choices_memory_name(on->memory));
    operand_fill_real(&on->of[0], 1);
    operand_fill_real(&on->of[1], 2);
    const int rounds = under->rounds < MAX_SEEN ? under->rounds : MAX_SEEN;
    for (int round = 0; round < rounds && done == LAY_OK; round++) {
        const double start = seconds_now();
        done = multiply(on, &options);
        seconds[round] = seconds_now() - start;
    }
    *out = median(seconds, rounds);
    return done == LAY_OK ? EXIT_FINE : refuse_status(done, on->problem.text);
}

static int show_one(scene *on, const terms *under, size_t cap, const char *cap_name, FILE *csv)
{
    double seconds;
    const int status = measure_product(on, under, cap, &seconds);
    if (status != EXIT_FINE)
        return status;
    const double size = (double)on->problem.m * (double)on->problem.n * sizeof(float);
    const double up = 2 * size / on->up, down = size / on->down, link = up > down ? up : down;
    const double bound = link > on->compute ? link : on->compute;
    const char *memory = choices_memory_name(on->memory);
    printf("%-12s  %-6s  %-10s  %10.2f  %10.2f  %10.2f  %8.3f\n", on->problem.text, memory, cap_name, 1e3 * link,
           1e3 * on->compute, 1e3 * seconds, bound / seconds);
    fflush(stdout);
    if (csv)
        fprintf(csv, "%s,%s,%zu,%.4f,%.4f,%.4f,%.4f\n", on->problem.text, memory, cap, 1e3 * link, 1e3 * on->compute,
                1e3 * seconds, bound / seconds);
    return EXIT_FINE;
}

static int show_size(int n, lay_memory memory, const terms *under, double up, double down, FILE *csv)
{
    char text[16];
    scene on = { .memory = memory, .up = up, .down = down };
    snprintf(text, sizeof text, "%d", n);
    int status = problem_read(text, "row", &on.problem);
    if (status == EXIT_FINE)
        status = memory_need(text, 2 * operands_bytes(on.problem.desc, LAY_F32));
    for (int i = 0; i < 3 && status == EXIT_FINE; i++)
        status = operand_create(LAY_F32, on.problem.desc[i], memory, &on.of[i]);
    if (status == EXIT_FINE)
        status = measure_compute(under, &on);
    const size_t cap = (size_t)(3.0 * n * n * sizeof(float) / SMALL_CAP);
    if (status == EXIT_FINE)
        status = show_one(&on, under, under->options.device_memory, "no", csv);
    if (status == EXIT_FINE)
        status = show_one(&on, under, cap, "a tenth", csv);
    for (int i = 0; i < 3; i++)
        operand_destroy(&on.of[i]);
    problem_free(&on.problem);
    return status;
}

static int run(const terms *under, const sizes *of, FILE *csv)
{
    double up, down;
    int status = measure_link(under, &up, &down);
    if (status != EXIT_FINE)
        return status;
    printf("link        %.1f GB/s to the device, %.1f GB/s from it, from page-locked memory\n", 1e-9 * up, 1e-9 * down);
    printf(
        "link is A and B going up or C coming down, whichever takes longer; share is the longer of link and product\n"
        "in device memory, divided by what the product of host operands took. Cap: on device memory, no one or a\n"
        "tenth of the operands' bytes\n\n");
    printf("%-12s  %-6s  %-10s  %10s  %10s  %10s  %8s\n", "problem", "memory", "cap", "link ms", "product ms",
           "took ms", "share");
    if (csv)
        fprintf(csv, "problem,memory,cap_bytes,link_ms,product_ms,took_ms,share\n");
    for (int i = 0; i < of->count; i++)
        for (lay_memory memory = LAY_MEMORY_HOST; memory <= LAY_MEMORY_PINNED && status == EXIT_FINE; memory++)
            status = show_size(of->n[i], memory, under, up, down, csv);
    return status;
}

const report_row report_host = {
    .name = "host",
    .help = "operands in host memory, beside the link's rate and the product alone",
    .usual = { { 4096, 8192, 16384 }, 3 },
    .least = 8,
    .is_on_device = 1,
    .run = run,
};
