/* Products of several types on the CPU: ours, and operands converted first around a product of f32, ours or a peer's.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/base/element.h"
#include "bench/base/memory.h"
#include "bench/base/random.h"
#include "bench/timing/timing.h"
#include "reports.h"

enum { MATRICES = 3, OURS = 0, FIRST, SINGLE, PEER, PLAYERS };

/* One product, in its own types and in f32. */
typedef struct mixed {
    lay_type type[MATRICES];
    int m, n, k;
    lay_desc *desc[MATRICES];
    void *own[MATRICES];
    float *single[MATRICES];
    lay_plan *plan, *plan_single;
    const peer *against; /* NULL: none */
    const lay_options *options;
} mixed;

static const lay_type kinds[][MATRICES] = {
    { LAY_BF16, LAY_BF16, LAY_F32 },
    { LAY_F32, LAY_BF16, LAY_F32 },
    { LAY_F32, LAY_BF16, LAY_BF16 },
    { LAY_F16, LAY_F16, LAY_F32 },
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const float one = 1, zero = 0;

static int64_t count_of(const mixed *of, int which)
{
    const int64_t m = of->m, n = of->n, k = of->k;
    return which == 0 ? m * k : which == 1 ? k * n : m * n;
}

static lay_status convert(const mixed *of, int which, int is_back)
{
    const lay_desc *desc = of->desc[which];
    if (of->type[which] == LAY_F32)
        return LAY_OK;
    return is_back ? lay_axpby(LAY_F32, desc, &one, of->single[which], of->type[which], desc, &zero, of->own[which], 0,
                               of->options)
                   : lay_axpby(of->type[which], desc, &one, of->own[which], LAY_F32, desc, &zero, of->single[which], 0,
                               of->options);
}

static const float *single_of(const mixed *of, int which)
{
    return of->type[which] == LAY_F32 ? of->own[which] : of->single[which];
}

static lay_status multiply_single(const mixed *of, int is_peer)
{
    float *const c = of->type[2] == LAY_F32 ? of->own[2] : of->single[2];
    if (!is_peer)
        return lay_plan_run(of->plan_single, &one, single_of(of, 0), single_of(of, 1), &zero, c);
    of->against->sgemm(CBLAS_ROW_MAJOR, CBLAS_NO_TRANS, CBLAS_NO_TRANS, of->m, of->n, of->k, 1, single_of(of, 0), of->k,
                       single_of(of, 1), of->n, 0, c, of->n);
    return LAY_OK;
}

static lay_status play(const mixed *of, int player)
{
    lay_status status = LAY_OK;
    if (player == OURS)
        return lay_plan_run(of->plan, &one, of->own[0], of->own[1], &zero, of->own[2]);
    if (player == SINGLE)
        return lay_plan_run(of->plan_single, &one, of->single[0], of->single[1], &zero, of->single[2]);
    if ((status = convert(of, 0, 0)) || (status = convert(of, 1, 0)) || (status = multiply_single(of, player == PEER)))
        return status;
    return convert(of, 2, 1);
}

/* Small integers, which every type has, and whose sums are exact. */
static int prepare(mixed *of)
{
    const int64_t rows[] = { of->m, of->k, of->m }, columns[] = { of->k, of->n, of->n };
    uint64_t state = 1;
    lay_product product = LAY_PRODUCT_INIT;
    for (int x = 0; x < MATRICES; x++) {
        const size_t count = (size_t)count_of(of, x);
        of->own[x] = aligned_alloc(64, (count * lay_type_size(of->type[x]) + 63) / 64 * 64);
        of->single[x] = aligned_alloc(64, (count * sizeof(float) + 63) / 64 * 64);
        if (!of->own[x] || !of->single[x] ||
            lay_desc_natural(2, (const int64_t[]){ rows[x], columns[x] }, &of->desc[x]) != LAY_OK)
            return fail("out of memory");
        for (size_t i = 0; i < count; i++) {
            const double value = (double)(int64_t)(random_next(&state) % 3) - 1;
            element_write(of->type[x], of->own[x], (int64_t)i, value);
            of->single[x][i] = (float)value;
        }
    }
    product.type_a = of->type[0];
    product.type_b = of->type[1];
    product.type_c = of->type[2];
    product.a = of->desc[0];
    product.b = of->desc[1];
    product.c = of->desc[2];
    product.labels = "ik,kj->ij";
    if (lay_plan_create_product(&product, of->options, &of->plan) != LAY_OK ||
        lay_plan_create(LAY_F32, of->desc[0], of->desc[1], of->desc[2], of->options, &of->plan_single) != LAY_OK)
        return fail("a plan: %s", lay_last_error());
    return EXIT_FINE;
}

static void clear(mixed *of)
{
    for (int x = 0; x < MATRICES; x++) {
        free(of->own[x]);
        free(of->single[x]);
        lay_desc_destroy(of->desc[x]);
    }
    lay_plan_destroy(of->plan);
    lay_plan_destroy(of->plan_single);
}

/* Everybody's D has the bytes of ours. */
static int check(const mixed *of)
{
    const size_t bytes = (size_t)count_of(of, 2) * lay_type_size(of->type[2]);
    char *const ours = malloc(bytes);
    int status = ours ? EXIT_FINE : fail("out of memory");
    for (int player = OURS; player < PLAYERS && status == EXIT_FINE; player++) {
        if (player == SINGLE || (player == PEER && !of->against))
            continue;
        memset(of->own[2], 0xff, bytes);
        if (play(of, player) != LAY_OK)
            status = fail("a product of several types: %s", lay_last_error());
        else if (player == OURS)
            memcpy(ours, of->own[2], bytes);
        else if (memcmp(ours, of->own[2], bytes) != 0)
            status = fail("a product of several types differs from that of operands converted first");
    }
    free(ours);
    return status;
}

static int time_players(const mixed *of, const terms *under, double *seconds[PLAYERS])
{
    for (int round = 0; round < under->rounds; round++)
        for (int turn = 0; turn < PLAYERS; turn++) {
            const int player = (round + turn) % PLAYERS;
            int64_t calls = 0;
            if (player == PEER && !of->against)
                continue;
            const double start = seconds_now();
            double now = start;
            for (; now - start < under->min_time || calls == 0; now = seconds_now(), calls++)
                if (play(of, player) != LAY_OK)
                    return fail("a product of several types: %s", lay_last_error());
            seconds[player][round] = (now - start) / (double)calls;
        }
    return EXIT_FINE;
}

static int race(const mixed *of, const terms *under, FILE *csv)
{
    double *seconds[PLAYERS], us[PLAYERS] = { 0 };
    double *const all = malloc(PLAYERS * (size_t)under->rounds * sizeof *all);
    if (!all)
        return fail("out of memory");
    for (int i = 0; i < PLAYERS; i++)
        seconds[i] = all + i * under->rounds;
    const int status = time_players(of, under, seconds);
    const int players = of->against ? PLAYERS : PEER;
    for (int i = 0; i < players && status == EXIT_FINE; i++)
        us[i] = 1e6 * median(seconds[i], under->rounds);
    if (status == EXIT_FINE) {
        const double ratio = median_ratio(seconds[FIRST], seconds[OURS], under->rounds);
        const char *const a = problem_type_name(of->type[0]), *const b = problem_type_name(of->type[1]),
                          *const c = problem_type_name(of->type[2]);
        printf("%-4s %-4s %-4s %5d %5d %5d %10.1f %10.1f %10.1f %10.1f %9.2f\n", a, b, c, of->m, of->n, of->k, us[OURS],
               us[FIRST], us[SINGLE], us[PEER], ratio);
        if (csv)
            fprintf(csv, "%s,%s,%s,%d,%d,%d,%.3f,%.3f,%.3f,%.3f,%.4f\n", a, b, c, of->m, of->n, of->k, us[OURS],
                    us[FIRST], us[SINGLE], us[PEER], ratio);
        fflush(stdout);
    }
    free(all);
    return status;
}

static int measure(const lay_type type[], int m, int n, const peer *against, const terms *under, FILE *csv)
{
    lay_options options = under->options;
    options.backend = LAY_BACKEND_CPU;
    mixed of = {
        .type = { type[0], type[1], type[2] }, .m = m, .n = n, .k = n, .against = against, .options = &options
    };
    double bytes = 0;
    for (int x = 0; x < MATRICES; x++)
        bytes += 8.0 * (double)count_of(&of, x);
    int status = memory_need("a product of several types", bytes);
    if (status == EXIT_FINE)
        status = prepare(&of);
    if (status == EXIT_FINE)
        status = check(&of);
    if (status == EXIT_FINE)
        status = race(&of, under, csv);
    clear(&of);
    return status;
}

static int run(const terms *under, const sizes *of, FILE *csv)
{
    const peer *against = under->peer_count && under->peers[0].sgemm ? &under->peers[0] : NULL;
    int status = EXIT_FINE;
    if (against && against->set_threads)
        against->set_threads(under->options.threads);
    printf("Several types: us of C = A B, m x n x n; converted first around lay_sgemm%s%s, and lay_sgemm alone\n",
           against ? " and " : "", against ? against->name : "");
    printf("A    B    C        m     n     k       ours      first      sgemm     peer's first/ours\n");
    if (csv)
        fprintf(csv, "a,b,c,m,n,k,ours_us,first_us,sgemm_us,peer_us,first_by_ours\n");
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < of->count; i++) {
            const int rows[] = { of->n[i], 16, 1 };
            for (int r = 0; r < 3 && status == EXIT_FINE; r++)
                status = measure(kinds[kind], rows[r], of->n[i], against, under, csv);
        }
    return status;
}

const report_row report_mixed = {
    .name = "mixed",
    .help = "products of several types, beside operands converted first",
    .usual = { { 64, 256, 1024, 2048 }, 4 },
    .least = 1,
    .run = run,
};
