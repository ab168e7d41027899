/* Batches of small products in device memory: ours, row-major and in tiles, beside cuBLAS' strided batch. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/base/element.h"
#include "bench/base/random.h"
#include "bench/contest/contest_device.h"
#include "bench/peers/cublas.h"
#include "bench/peers/peer_cublas.h"
#include "bench/reports/reports.h"
#include "bench/timing/timing.h"

enum { ROW, TILES, CUBLAS, PLAYERS, MATRICES = 3, MAX_SEEN = 101, POOL = 9973 /* elements: no multiple of a line's */ };

/* One batch: count products of n x n matrices. */
typedef struct batch {
    lay_type type;
    int n, count;
    const cublas *against;
    lay_desc *desc[2];               /* of each matrix of the batch: row-major, and in tiles */
    void *memory[PLAYERS][MATRICES]; /* cuBLAS has A and B of the row-major ones */
    lay_plan *plan[2];
} batch;

typedef struct player_of {
    const batch *of;
    int which;
    device_turn turn;
    double seconds[MAX_SEEN];
} player_of;

static size_t bytes_of(const batch *of)
{
    return (size_t)of->count * (size_t)of->n * (size_t)of->n * lay_type_size(of->type);
}

static lay_status call(void *self, int set)
{
    const player_of *own = self;
    const batch *of = own->of;
    void *const *const at = of->memory[own->which];
    (void)set;
    if (own->which == CUBLAS)
        return cublas_multiply_batch(of->against, of->type, of->n, of->count, at[0], at[1], at[2]) ? LAY_ERR_DEVICE
                                                                                                   : LAY_OK;
    return lay_plan_run(of->plan[own->which], element_scalar(of->type, 1), at[0], at[1], element_scalar(of->type, 0),
                        at[2]);
}

/* Tiles of t x t, which divide n. */
static int describe(batch *of)
{
    const int t = of->n % 16 == 0 ? 16 : of->n % 8 == 0 ? 8 : 1, tiles = of->n / t;
    char text[256];
    snprintf(text, sizeof text, "A=[%d][%d][%d][%d][%d]; [#A_0][[#A_1][#A_3]][[#A_2][#A_4]]", of->count, tiles, tiles,
             t, t);
    if (lay_desc_natural(3, (const int64_t[]){ of->count, of->n, of->n }, &of->desc[ROW]) != LAY_OK ||
        lay_desc_parse(text, &of->desc[TILES]) != LAY_OK)
        return fail("a batch's layout: %s", lay_last_error());
    return EXIT_FINE;
}

/* Integers, so that whoever is right has the same C. */
static int fill(batch *of)
{
    static char pool[POOL * sizeof(double)];
    const size_t size = lay_type_size(of->type);
    uint64_t state = 1;
    int status = EXIT_FINE;
    for (int64_t i = 0; i < POOL; i++)
        element_write(of->type, pool, i, (double)(int64_t)(random_next(&state) % 5) - 2);
    for (int x = 0; x < 2 && status == EXIT_FINE; x++) {
        status = device_upload(of->memory[ROW][x], pool, POOL * size < bytes_of(of) ? POOL * size : bytes_of(of));
        if (status == EXIT_FINE && bytes_of(of) > POOL * size)
            status = device_repeat(of->memory[ROW][x], pool, POOL * size, bytes_of(of));
        of->memory[CUBLAS][x] = of->memory[ROW][x];
        if (status == EXIT_FINE && lay_copy(of->type, of->desc[ROW], of->memory[ROW][x], of->desc[TILES],
                                            of->memory[TILES][x], NULL) != LAY_OK)
            status = fail("a copy into tiles: %s", lay_last_error());
    }
    return status;
}

static int prepare(batch *of, const terms *under)
{
    lay_options options = under->options;
    options.stream = device_get()->stream;
    options.device = device_get()->number;
    options.backend = LAY_BACKEND_CUDA;
    int status = describe(of);
    for (int which = 0; which < PLAYERS && status == EXIT_FINE; which++)
        for (int x = which == CUBLAS ? 2 : 0; x < MATRICES && status == EXIT_FINE; x++)
            status = device_allocate(bytes_of(of), &of->memory[which][x]);
    if (status == EXIT_FINE)
        status = fill(of);
    for (int which = 0; which < CUBLAS && status == EXIT_FINE; which++) {
        const lay_desc *desc = of->desc[which];
        if (lay_plan_create(of->type, desc, desc, desc, &options, &of->plan[which]) != LAY_OK ||
            lay_plan_reserve(of->plan[which]) != LAY_OK)
            status = fail("a batch's plan: %s", lay_last_error());
    }
    return status;
}

static void clear(batch *of)
{
    for (int which = 0; which < PLAYERS; which++)
        for (int x = which == CUBLAS ? 2 : 0; x < MATRICES; x++)
            device_free(of->memory[which][x]);
    for (int which = 0; which < CUBLAS; which++) {
        lay_plan_destroy(of->plan[which]);
        lay_desc_destroy(of->desc[which]);
    }
}

/* C of everybody, row-major, is cuBLAS'. */
static int check(const batch *of, player_of players[PLAYERS])
{
    char *const theirs = malloc(bytes_of(of)), *const ours = malloc(bytes_of(of));
    int status = theirs && ours ? EXIT_FINE : fail("out of memory");
    for (int which = CUBLAS; which >= 0 && status == EXIT_FINE; which--) {
        void *const c = of->memory[which][2];
        char *const to = which == CUBLAS ? theirs : ours;
        status = device_fill(c, 0xff, bytes_of(of));
        if (status == EXIT_FINE && call(&players[which], 0) != LAY_OK)
            status = fail("a batch of products failed: %s", lay_last_error());
        if (status == EXIT_FINE)
            status = device_wait();
        if (status == EXIT_FINE && which == TILES &&
            lay_copy(of->type, of->desc[TILES], c, of->desc[ROW], ours, NULL) != LAY_OK)
            status = fail("a copy out of tiles: %s", lay_last_error());
        else if (status == EXIT_FINE && which != TILES)
            status = device_download(to, c, bytes_of(of));
        if (status == EXIT_FINE && which != CUBLAS && memcmp(ours, theirs, bytes_of(of)) != 0)
            status = fail("%d products of %d: ours differ from cuBLAS'", of->count, of->n);
    }
    free(theirs);
    free(ours);
    return status;
}

static int race(const batch *of, const terms *under, FILE *csv)
{
    static player_of players[PLAYERS];
    device_turn *turns[PLAYERS];
    double *seconds[PLAYERS], each[PLAYERS];
    char kernel[64] = "";
    const int rounds = under->rounds < MAX_SEEN ? under->rounds : MAX_SEEN;
    for (int i = 0; i < PLAYERS; i++) {
        players[i] = (player_of){ .of = of, .which = i };
        players[i].turn = (device_turn){ .call = call, .self = &players[i], .sets = 1 };
        turns[i] = &players[i].turn;
        seconds[i] = players[i].seconds;
    }
    int status = check(of, players);
    if (status == EXIT_FINE)
        status = device_race(turns, seconds, PLAYERS, rounds, under->min_time);
    contest_name_kernel(of->plan[ROW], 1, kernel);
    for (int i = 0; i < PLAYERS && status == EXIT_FINE; i++)
        each[i] = 1e6 * median(players[i].seconds, rounds);
    for (int i = 0; i < PLAYERS; i++)
        device_turn_free(&players[i].turn);
    if (status != EXIT_FINE)
        return status;
    const double ratio = median_ratio(players[CUBLAS].seconds, players[ROW].seconds, rounds);
    const double tiled = median_ratio(players[ROW].seconds, players[TILES].seconds, rounds);
    printf("%-4s %5d %6d %10.1f %10.1f %10.1f %9.3f %9.3f  %s\n", problem_type_name(of->type), of->n, of->count,
           each[ROW], each[TILES], each[CUBLAS], ratio, tiled, kernel);
    if (csv)
        fprintf(csv, "%s,%d,%d,%.3f,%.3f,%.3f,%.4f,%.4f,%s\n", problem_type_name(of->type), of->n, of->count, each[ROW],
                each[TILES], each[CUBLAS], ratio, tiled, kernel);
    fflush(stdout);
    return EXIT_FINE;
}

static int measure(lay_type type, int n, int count, const cublas *against, const terms *under, FILE *csv)
{
    batch of = { .type = type, .n = n, .count = count, .against = against };
    if (bytes_of(&of) > (size_t)1 << 30)
        return EXIT_FINE;
    int status = prepare(&of, under);
    if (status == EXIT_FINE)
        status = race(&of, under, csv);
    clear(&of);
    return status;
}

/* A row of kernels is of one type, which its name has. */
static int is_asked(lay_type type, const char *kernel)
{
    char own[16];
    snprintf(own, sizeof own, "_%s_", problem_type_name(type));
    return !kernel || !strchr(kernel, '_') || strstr(kernel, own);
}

static int run(const terms *under, const sizes *of, FILE *csv)
{
    static const lay_type types[] = { LAY_F32, LAY_F64, LAY_BF16, LAY_F16 };
    static const int counts[] = { 16, 256, 4096 };
    peer theirs;
    int status = peer_cublas_open(NULL, &theirs);
    if (status != EXIT_FINE)
        return status;
    printf("Batches against %s: us of all products, C = A B of n x n; of what has at most 1 GiB an operand\n",
           theirs.about);
    printf("type     n  count        row  in tiles     cuBLAS  cuBLAS/row  row/tiles  kernel\n");
    if (csv)
        fprintf(csv, "type,n,count,row_us,tiles_us,cublas_us,cublas_by_row,row_by_tiles,kernel\n");
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        for (int i = 0; i < of->count && is_asked(types[t], under->options.kernel); i++)
            for (size_t c = 0; c < sizeof counts / sizeof counts[0] && status == EXIT_FINE; c++)
                status = measure(types[t], of->n[i], counts[c], theirs.cublas, under, csv);
    return status;
}

const report_row report_batches = {
    .name = "batches",
    .help = "batches of small products, row-major and in tiles, beside cuBLAS' strided batch",
    .usual = { { 16, 24, 32, 48, 64, 100, 128, 200, 256, 384, 512 }, 11 },
    .least = 1,
    .is_on_device = 1,
    .run = run,
};
