/* Products of many sizes in device memory, each beside the best of the eight algorithms that cuBLAS proposes for it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/base/element.h"
#include "bench/base/random.h"
#include "bench/contest/contest_device.h"
#include "bench/peers/cublaslt.h"
#include "bench/reports/reports.h"
#include "bench/timing/timing.h"
#include "shapes.h"

enum {
    OURS = CUBLASLT_MOST,
    PLAYERS,
    MATRICES = 3,
    MAX_SEEN = 101,
    POOL = 4999999, /* elements: no multiple of a line's */
    BEHIND = 77777,
    ALIGNMENT = 256,
    MOST_SETS = 64,
    CHECKED = 32 << 20, /* bytes of C, from its beginning and before its end */
    WORKSPACE = 64 << 20
};

/* A, B and C of every product lie in the same memory, one set behind the other, so that what is not to be in the
 * second cache is not. */
typedef struct scene {
    void *memory[MATRICES], *workspace;
    cublaslt peer;
    lay_options options;
} scene;

typedef struct product {
    const scene *in;
    const shape *of;
    size_t bytes[MATRICES], apart[MATRICES];
    int sets;
    lay_desc *desc[MATRICES];
    lay_plan *plan;
    cublaslt_product theirs;
} product;

typedef struct player_of {
    const product *of;
    int number; /* of a proposal, or OURS */
    device_turn turn;
    double seconds[MAX_SEEN];
} player_of;

static void *matrix_of(const product *of, int which, int set)
{
    return (char *)of->in->memory[which] + of->apart[which] * (size_t)set;
}

static lay_status call(void *self, int set)
{
    const player_of *own = self;
    const product *of = own->of;
    void *const a = matrix_of(of, 0, set), *const b = matrix_of(of, 1, set), *const c = matrix_of(of, 2, set);
    if (own->number == OURS)
        return lay_plan_run(of->plan, element_scalar(of->of->type, 1), a, b, element_scalar(of->of->type, 0), c);
    return cublaslt_multiply(&of->in->peer, &of->theirs, own->number, a, b, c, of->in->options.stream) ? LAY_ERR_DEVICE
                                                                                                       : LAY_OK;
}

static void measure_bytes(const shape *of, size_t bytes[MATRICES])
{
    const size_t m = (size_t)of->m, n = (size_t)of->n, k = (size_t)of->k, size = lay_type_size(of->type);
    bytes[0] = m * k * size;
    bytes[1] = k * n * size;
    bytes[2] = m * n * size;
}

/* Room for the sets of any of them. */
static int make_scene(const shape list[], int count, const terms *under, scene *out)
{
    size_t most[MATRICES] = { 0 };
    *out = (scene){ .options = under->options };
    out->options.stream = device_get()->stream;
    out->options.device = device_get()->number;
    out->options.backend = LAY_BACKEND_CUDA;
    for (int i = 0; i < count; i++) {
        size_t bytes[MATRICES];
        measure_bytes(&list[i], bytes);
        for (int x = 0; x < MATRICES; x++)
            most[x] = bytes[x] > most[x] ? bytes[x] : most[x];
    }
    int status = device_allocate(WORKSPACE, &out->workspace);
    for (int x = 0; x < MATRICES && status == EXIT_FINE; x++)
        status = device_allocate(most[x] + 4 * device_get()->l2 + MOST_SETS * ALIGNMENT, &out->memory[x]);
    const char *sentence = status == EXIT_FINE ? cublaslt_open(out->workspace, WORKSPACE, &out->peer) : NULL;
    return sentence ? refuse("%s", sentence) : status;
}

static void clear_scene(scene *of)
{
    for (int x = 0; x < MATRICES; x++)
        device_free(of->memory[x]);
    device_free(of->workspace);
}

/* Few numbers that are not 0, so that no sum needs more digits than a 16-bit type has, even of parts that are rounded;
 * or random numbers. */
static int fill(const product *of, int is_random)
{
    static char pool[(POOL + BEHIND) * sizeof(double)];
    const lay_type type = of->of->type;
    const size_t size = lay_type_size(type);
    static struct {
        lay_type type;
        int is_random, is_there;
    } last;
    uint64_t state = 1;
    int status = EXIT_FINE;
    if (!last.is_there || last.type != type || last.is_random != is_random)
        for (int64_t i = 0; i < POOL + BEHIND; i++) {
            const uint64_t drawn = random_next(&state);
            element_write(type, pool, i,
                          is_random        ? (double)(drawn >> 40) * 0x1p-23 - 1
                          : drawn % 8 == 0 ? 1
                                           : -(drawn % 8 == 1));
        }
    last.type = type;
    last.is_random = is_random;
    last.is_there = 1;
    for (int x = 0; x < 2 && status == EXIT_FINE; x++) { /* from other numbers on: A A^T has great ones */
        const size_t all = is_random ? of->apart[x] * (size_t)of->sets : of->bytes[x];
        const size_t first = POOL * size < all ? POOL * size : all;
        status = device_upload(of->in->memory[x], pool + (size_t)(x * BEHIND) * size, first);
        if (status == EXIT_FINE && all > first)
            status = device_repeat((char *)of->in->memory[x] + first, of->in->memory[x], first, all - first);
    }
    return status == EXIT_FINE ? device_wait() : status;
}

static int make_desc(int rows, int columns, int by_columns, lay_desc **out)
{
    const int64_t extents[] = { rows, columns };
    const int64_t strides[] = { by_columns ? 1 : columns, by_columns ? rows : 1 };
    const lay_status status = lay_desc_strided(2, extents, strides, out);
    return status == LAY_OK ? EXIT_FINE : refuse_status(status, "a matrix of this report");
}

static int make_product(const scene *in, const shape *of, product *out)
{
    size_t all = 0;
    *out = (product){ .in = in, .of = of };
    measure_bytes(of, out->bytes);
    for (int x = 0; x < MATRICES; x++) {
        out->apart[x] = (out->bytes[x] + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        all += out->apart[x];
    }
    const size_t sets = 3 * device_get()->l2 / all + 1;
    out->sets = sets < MOST_SETS ? (int)sets : MOST_SETS;
    lay_options options = in->options;
    options.compute = of->compute;
    int status = make_desc(of->m, of->k, of->by_columns[0], &out->desc[0]);
    if (status == EXIT_FINE)
        status = make_desc(of->k, of->n, of->by_columns[1], &out->desc[1]);
    if (status == EXIT_FINE)
        status = make_desc(of->m, of->n, 0, &out->desc[2]);
    if (status != EXIT_FINE)
        return status;
    lay_status planned = lay_plan_create(of->type, out->desc[0], out->desc[1], out->desc[2], &options, &out->plan);
    if (planned == LAY_OK)
        planned = lay_plan_reserve(out->plan);
    if (planned != LAY_OK)
        return refuse_status(planned, "a product of this report");
    out->theirs = (cublaslt_product){ .type = of->type,
                                      .compute = of->compute,
                                      .m = of->m,
                                      .n = of->n,
                                      .k = of->k,
                                      .by_columns = { of->by_columns[0], of->by_columns[1] } };
    if (cublaslt_propose(&in->peer, &out->theirs))
        out->theirs.count = 0;
    return EXIT_FINE;
}

static void clear_product(product *of)
{
    cublaslt_forget(&of->in->peer, &of->theirs);
    lay_plan_destroy(of->plan);
    for (int x = 0; x < MATRICES; x++)
        lay_desc_destroy(of->desc[x]);
}

/* What is looked at of C: all, or its beginning and its end. */
static int fetch(const product *of, char *to, size_t *bytes)
{
    const size_t all = of->bytes[2], most = CHECKED;
    *bytes = all < 2 * most ? all : 2 * most;
    if (all <= 2 * most)
        return device_download(to, matrix_of(of, 2, 0), all);
    const int status = device_download(to, matrix_of(of, 2, 0), most);
    return status == EXIT_FINE ? device_download(to + most, (char *)matrix_of(of, 2, 0) + all - most, most) : status;
}

static int run_once(player_of *who)
{
    const product *of = who->of;
    const int status = device_fill(matrix_of(of, 2, 0), 0xff, of->bytes[2]);
    if (status != EXIT_FINE)
        return status;
    return call(who, 0) == LAY_OK ? device_wait() : fail("a product of this report failed: %s", lay_last_error());
}

static const char *text_of(const shape *of, char to[64])
{
    snprintf(to, 64, "%dx%dx%d %c%c", of->m, of->n, of->k, of->by_columns[0] ? 't' : 'n',
             of->by_columns[1] ? 't' : 'n');
    return to;
}

/* C of ours is that of its first proposal. */
static int check(const product *of)
{
    static char ours[2 * CHECKED], theirs[2 * CHECKED];
    player_of first = { .of = of, .number = 0 }, own = { .of = of, .number = OURS };
    size_t bytes;
    char text[64];
    int status = fill(of, 0);
    if (status == EXIT_FINE)
        status = run_once(&first);
    if (status == EXIT_FINE)
        status = fetch(of, theirs, &bytes);
    if (status == EXIT_FINE)
        status = run_once(&own);
    if (status == EXIT_FINE)
        status = fetch(of, ours, &bytes);
    if (status == EXIT_FINE && memcmp(ours, theirs, bytes) != 0)
        status = fail("%s %s: ours differs from cuBLAS'", of->of->group, text_of(of->of, text));
    return status;
}

/* Medians of players in turns. */
static int race(player_of players[], int count, int rounds, double min_time)
{
    device_turn *turns[PLAYERS];
    double *seconds[PLAYERS];
    for (int i = 0; i < count; i++) {
        players[i].turn = (device_turn){ .call = call, .self = &players[i], .sets = players[i].of->sets };
        turns[i] = &players[i].turn;
        seconds[i] = players[i].seconds;
    }
    const int status = device_race(turns, seconds, count, rounds, min_time);
    for (int i = 0; i < count; i++)
        device_turn_free(&players[i].turn);
    return status;
}

/* All proposals once, the best one and ours in turns then. */
static int measure(const product *of, const terms *under, double us[2], int *best)
{
    static player_of players[PLAYERS];
    const int rounds = under->rounds < MAX_SEEN ? under->rounds : MAX_SEEN;
    int status = fill(of, 1);
    for (int i = 0; i < of->theirs.count; i++)
        players[i] = (player_of){ .of = of, .number = i };
    if (status == EXIT_FINE)
        status = race(players, of->theirs.count, 1, under->min_time);
    *best = 0;
    for (int i = 1; i < of->theirs.count; i++)
        *best = players[i].seconds[0] < players[*best].seconds[0] ? i : *best;
    players[0] = (player_of){ .of = of, .number = *best };
    players[1] = (player_of){ .of = of, .number = OURS };
    if (status == EXIT_FINE)
        status = race(players, 2, rounds, under->min_time);
    for (int i = 0; i < 2 && status == EXIT_FINE; i++)
        us[i] = 1e6 * median(players[i].seconds, rounds);
    return status;
}

typedef struct summary {
    const char *group;
    double logarithms, least;
    int count, below; /* 0.9 */
    char worst[64];
} summary;

static void sum_up(summary *of, const shape *one, double ratio)
{
    of->group = one->group;
    of->logarithms += log(ratio);
    of->below += ratio < 0.9;
    if (of->count++ == 0 || ratio < of->least) {
        of->least = ratio;
        text_of(one, of->worst);
    }
}

static void print_summary(const summary *of)
{
    printf("%-16s %4d products: %.3f, the geometric mean; lowest %.3f (%s); %d below 0.9\n", of->group, of->count,
           exp(of->logarithms / of->count), of->least, of->worst, of->below);
}

static int take(const scene *in, const shape *of, const terms *under, summary *to, FILE *csv)
{
    product one;
    char text[64], kernel[64] = "";
    double us[2];
    int best = 0, status = make_product(in, of, &one);
    if (status == EXIT_FINE && one.theirs.count > 0) {
        status = check(&one);
        if (status == EXIT_FINE)
            status = measure(&one, under, us, &best);
        contest_name_kernel(one.plan, 1, kernel);
        if (status == EXIT_FINE) {
            const double ratio = us[0] / us[1];
            printf("%-14s %-24s %10.2f %10.2f %8.3f  %s\n", of->group, text_of(of, text), us[1], us[0], ratio, kernel);
            if (csv)
                fprintf(csv, "%s,%d,%d,%d,%d%d,%.3f,%.3f,%d,%d,%.4f,%s\n", of->group, of->m, of->n, of->k,
                        of->by_columns[0], of->by_columns[1], us[1], us[0], best, one.theirs.count, ratio, kernel);
            fflush(stdout);
            sum_up(to, of, ratio);
        }
    }
    clear_product(&one);
    return status;
}

static int run(const terms *under, const sizes *of, FILE *csv)
{
    static shape list[SHAPES_MOST];
    static summary sums[16];
    scene in;
    const int count = shapes_list(of->n[of->count - 1], under->has_type, under->type, under->options.compute, list);
    int status = make_scene(list, count, under, &in), groups = 0;
    printf("C = A B of dense matrices, C by rows, A and B by rows (n) or by columns (t): us, ours and the best of\n"
           "what cublasLt proposes, eight at most; its time / ours\n");
    if (csv)
        fprintf(csv, "group,m,n,k,transposed,lay_us,cublas_us,proposal,proposals,ratio,kernel\n");
    for (int i = 0; i < count && status == EXIT_FINE; i++) {
        if (groups == 0 || strcmp(sums[groups - 1].group, list[i].group) != 0)
            sums[groups++].group = list[i].group;
        status = take(&in, &list[i], under, &sums[groups - 1], csv);
    }
    printf("\n");
    for (int i = 0; i < groups && status == EXIT_FINE; i++)
        if (sums[i].count)
            print_summary(&sums[i]);
    clear_scene(&in);
    return status;
}

const report_row report_shapes = {
    .name = "shapes",
    .help = "squares, shapes of inference and thin ones beside the best of cublasLt's eight; the\n"
            "               word: the largest square; --type, --compute=tf32: of these alone",
    .usual = { { 16384 }, 5 },
    .least = 200,
    .is_on_device = 1,
    .takes_type = 1,
    .run = run,
};
