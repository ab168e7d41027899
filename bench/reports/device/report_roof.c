/* How near FP32 products come to their roofs over n: the FP32 units' kernels, those by limbs of 16 bits, and cuBLAS.
 * Three FP16 products of cuBLAS are the roof of three products of FP16 limbs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/base/random.h"
#include "bench/contest/contest_device.h"
#include "bench/peers/peer_cublas.h"
#include "bench/reports/chart.h"
#include "bench/reports/reports.h"
#include "bench/timing/timing.h"

/* Who of us is drawn. has_wide: of numbers that range too far for limbs of FP16. */
static const struct {
    const char *name;
    lay_compute compute;
    int has_wide;
} ours[] = {
    { "lay, FP32 units", LAY_COMPUTE_STRICT, 0 },
    { "lay, FP16x3", LAY_COMPUTE_F32_SPLIT, 0 },
    { "lay, BF16x6", LAY_COMPUTE_F32_SPLIT, 1 },
};
enum { OURS = sizeof ours / sizeof ours[0], SGEMM = OURS, ROOF, ALL, PRODUCTS_OF_ROOF = 3 };

typedef struct halves {
    const cublas *with;
    int n;
    void *a, *b, *c;
    double seconds[MAX_ROUNDS];
} halves;

typedef struct scene {
    problem problem;
    ground usual, wide;
    player players[OURS + 1];
    halves roof;
    double seconds[OURS + 1][MAX_ROUNDS];
} scene;

static lay_status call_halves(void *of, int set)
{
    const halves *self = of;
    (void)set;
    for (int i = 0; i < PRODUCTS_OF_ROOF; i++)
        if (cublas_multiply_halves(self->with, self->n, self->n, self->n, self->a, self->b, self->c))
            return LAY_ERR_DEVICE;
    return LAY_OK;
}

/* q / 1024 in binary16, |q| < 1024. */
static uint16_t half_of(int q)
{
    const unsigned size = (unsigned)abs(q), sign = q < 0 ? 0x8000 : 0;
    unsigned exponent = 0;
    if (size == 0)
        return 0;
    while (size >> (exponent + 1))
        exponent++;
    return (uint16_t)(sign | (exponent + 5) << 10 | ((size << (10 - exponent)) & 0x3ff));
}

static int fill_halves(halves *of)
{
    enum { POOL = (1 << 20) + 32 };
    const size_t bytes = (size_t)of->n * (size_t)of->n * sizeof(uint16_t);
    uint16_t *pool = malloc(POOL * sizeof *pool);
    void *on_device = NULL;
    uint64_t seed = 3;
    for (int i = 0; pool && i < POOL; i++)
        pool[i] = half_of((int)(random_next(&seed) >> 32 & 2047) - 1024 + 1);
    int status = pool ? device_allocate(POOL * sizeof *pool, &on_device) : fail("out of memory");
    if (status == EXIT_FINE)
        status = device_upload(on_device, pool, POOL * sizeof *pool);
    if (status == EXIT_FINE && (status = device_allocate(bytes, &of->a)) == EXIT_FINE)
        status = device_allocate(bytes, &of->b);
    if (status == EXIT_FINE && (status = device_repeat(of->a, on_device, POOL * sizeof *pool, bytes)) == EXIT_FINE)
        status = device_repeat(of->b, on_device, POOL * sizeof *pool, bytes);
    device_free(on_device);
    free(pool);
    return status;
}

static void clear(scene *of)
{
    for (int i = 0; i <= OURS; i++)
        player_clear(&of->players[i]);
    device_free(of->roof.a);
    device_free(of->roof.b);
    ground_clear(&of->usual);
    ground_clear(&of->wide);
    problem_free(&of->problem);
}

static int set(scene *on, int n, const terms *under, const peer *against)
{
    char text[16];
    lay_options options = under->options;
    options.stream = device_get()->stream;
    options.device = device_get()->number;
    snprintf(text, sizeof text, "%d", n);
    int status = problem_read(text, "row", &on->problem);
    if (status == EXIT_FINE)
        status = ground_create(LAY_F32, on->problem.desc, &on->usual);
    if (status == EXIT_FINE)
        status = ground_create(LAY_F32, on->problem.desc, &on->wide);
    for (int i = 0; i < OURS && status == EXIT_FINE; i++) {
        options.compute = ours[i].compute;
        status = player_plan(&on->players[i], ours[i].has_wide ? &on->wide : &on->usual, &options);
    }
    if (status == EXIT_FINE)
        status = player_cublas(&on->players[SGEMM], &on->usual, against->cublas, NULL, &options);
    on->roof = (halves){ .with = against->cublas, .n = n, .c = on->usual.block[2] };
    return status == EXIT_FINE ? fill_halves(&on->roof) : status;
}

/* TFLOP/s of all at one n. */
static int measure(int n, const terms *under, const peer *against, double out[ALL])
{
    const char *who[OURS + 1];
    device_turn roof = { .call = call_halves, .sets = 1 }, *turns[ALL];
    double *seconds[ALL];
    char text[16];
    scene *on = calloc(1, sizeof *on);
    if (!on)
        return fail("out of memory");
    snprintf(text, sizeof text, "%d", n);
    for (int i = 0; i <= OURS; i++)
        who[i] = i < OURS ? ours[i].name : "cuBLAS";
    int status = set(on, n, under, against);
    if (status == EXIT_FINE)
        status = players_check(on->players, who, OURS + 1, text);
    if (status == EXIT_FINE)
        status = ground_fill_wide(&on->wide);
    for (int i = 0; i <= OURS; i++) {
        on->players[i].turn = (device_turn){
            .call = on->players[i].call, .self = &on->players[i], .sets = on->usual.sets, .is_plain = under->is_plain
        };
        turns[i] = &on->players[i].turn;
        seconds[i] = on->seconds[i];
    }
    roof.self = &on->roof;
    turns[ROOF] = &roof;
    seconds[ROOF] = on->roof.seconds;
    if (status == EXIT_FINE)
        status = device_race(turns, seconds, ALL, under->rounds, under->min_time);
    for (int i = 0; i < ALL && status == EXIT_FINE; i++)
        out[i] = 2e-12 * n * n * (double)n / median(seconds[i], under->rounds);
    device_turn_free(&roof);
    clear(on);
    free(on);
    return status;
}

static void print(int n, const double rates[ALL], FILE *csv)
{
    printf("%6d", n);
    for (int i = 0; i < ALL; i++) {
        printf("  %7.1f", rates[i]);
        if (csv)
            fprintf(csv, "%d,\"%s\",%.2f,%.3f,%.3f\n", n,
                    i < OURS     ? ours[i].name
                    : i == SGEMM ? "cuBLAS SGEMM"
                                 : "cuBLAS, three FP16 products",
                    rates[i], rates[i] / rates[SGEMM], rates[i] / rates[ROOF]);
    }
    printf("  %7.2f  %7.2f\n", rates[1] / rates[SGEMM], rates[1] / rates[ROOF]);
    fflush(stdout);
}

static int draw(const sizes *of, const double rates[MAX_SIZES][ALL], const char *path)
{
    static chart made;
    made = (chart){ .up = "TFLOP/s (2 n^3)", .across = "n, row-major square matrices", .lines = ALL };
    snprintf(made.title, sizeof made.title, "FP32 matrix products on %.100s", device_get()->name);
    for (int s = 0; s < of->count; s++)
        made.x[made.points++] = of->n[s];
    for (int i = 0; i < ALL; i++) {
        snprintf(made.line[i].name, sizeof made.line[i].name, "%s",
                 i < OURS     ? ours[i].name
                 : i == SGEMM ? "cuBLAS SGEMM"
                              : "three cuBLAS FP16");
        made.line[i].is_bound = i == ROOF;
        for (int s = 0; s < of->count; s++)
            made.line[i].y[s] = rates[s][i];
    }
    return chart_write(&made, path);
}

static int run(const terms *under, const sizes *of, FILE *csv)
{
    peer against = { 0 };
    double rates[MAX_SIZES][ALL];
    int status = peer_cublas_open(NULL, &against);
    printf("TFLOP/s; all rounds interleaved; the last two columns are FP16x3 of cuBLAS SGEMM, and of the roof\n");
    printf("     n     FP32   FP16x3   BF16x6    SGEMM  3 x FP16  of SGEMM  of roof\n");
    if (csv)
        fprintf(csv, "n,who,tflops,of_sgemm,of_roof\n");
    for (int s = 0; s < of->count && status == EXIT_FINE; s++) {
        status = measure(of->n[s], under, &against, rates[s]);
        if (status == EXIT_FINE)
            print(of->n[s], rates[s], csv);
    }
    return status == EXIT_FINE && under->picture ? draw(of, rates, under->picture) : status;
}

const report_row report_roof = {
    .name = "roof",
    .help = "FP32 products on FP32 and on 16-bit units, next to cuBLAS, over n; --picture draws it",
    .usual = { { 512, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384 }, 10 },
    .least = 8,
    .is_on_device = 1,
    .run = run,
};
