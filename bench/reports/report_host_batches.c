/* Batches of small products in host memory: as one batch, as a contraction, as many runs of a plan, and with the
 * batch's label innermost, beside other people's batches. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/base/element.h"
#include "bench/base/random.h"
#include "bench/peers/batches.h"
#include "bench/timing/timing.h"
#include "reports.h"

enum { COUNT = 1000, MATRICES = 3, LINE = 64, MOST_PLAYERS = 4 + 2 * MAX_PEERS };

/* COUNT products of n x n matrices. */
typedef struct field {
    lay_type type;
    int n;
    const lay_options *options;
    lay_desc *batch, *single, *inner; /* the index of the product is the first one, none, and the last one */
    lay_plan *whole, *one, *last;     /* of these */
    void *memory[MATRICES];           /* matrix after matrix */
    void *other[MATRICES];            /* product's number innermost */
    const void *a[COUNT], *b[COUNT];  /* of memory */
    void *c[COUNT];
} field;

typedef struct player player;
struct player {
    const char *how;
    const peer *whom; /* NULL: us */
    lay_status (*call)(const field *on, const player *self);
    batches calls;
    int is_inner; /* writes other[2] */
    double seconds[MAX_ROUNDS];
};

static const void *one_of(const field *on)
{
    return element_scalar(on->type, 1);
}

static const void *zero_of(const field *on)
{
    return element_scalar(on->type, 0);
}

static lay_status call_batch(const field *on, const player *self)
{
    (void)self;
    return lay_plan_run(on->whole, one_of(on), on->memory[0], on->memory[1], zero_of(on), on->memory[2]);
}

static lay_status call_contract(const field *on, const player *self)
{
    (void)self;
    return lay_contract(on->type, "bik,bkj->bij", on->batch, on->batch, on->batch, one_of(on), on->memory[0],
                        on->memory[1], zero_of(on), on->memory[2], on->options);
}

static lay_status call_many(const field *on, const player *self)
{
    (void)self;
    return lay_plan_run_many(on->one, COUNT, one_of(on), on->a, on->b, zero_of(on), on->c, NULL);
}

static lay_status call_inner(const field *on, const player *self)
{
    (void)self;
    return lay_plan_run(on->last, one_of(on), on->other[0], on->other[1], zero_of(on), on->other[2]);
}

static lay_status call_strided(const field *on, const player *self)
{
    batches_run_strided(&self->calls, on->type, on->n, COUNT, on->memory[0], on->memory[1], on->memory[2]);
    return LAY_OK;
}

static lay_status call_addressed(const field *on, const player *self)
{
    batches_run_addressed(&self->calls, on->type, on->n, COUNT, on->a, on->b, on->c);
    return LAY_OK;
}

static int seat_players(const field *on, const terms *under, player players[MOST_PLAYERS])
{
    int count = 0;
    players[count++] = (player){ .how = "batch", .call = call_batch };
    players[count++] = (player){ .how = "lay_contract", .call = call_contract };
    players[count++] = (player){ .how = "run_many", .call = call_many };
    players[count++] = (player){ .how = "label last", .call = call_inner, .is_inner = 1 };
    for (int i = 0; i < under->peer_count; i++) {
        const batches calls = batches_find(&under->peers[i]);
        if (calls.strided[batches_at(on->type)])
            players[count++] = (player){ "strided", &under->peers[i], call_strided, .calls = calls };
        if (calls.addressed[batches_at(on->type)])
            players[count++] = (player){ "addressed", &under->peers[i], call_addressed, .calls = calls };
    }
    return count;
}

static size_t bytes_of(const field *on)
{
    return (size_t)COUNT * (size_t)on->n * (size_t)on->n * lay_type_size(on->type);
}

static lay_status describe(field *on)
{
    const int64_t n = on->n, extents[] = { COUNT, n, n };
    lay_product product = LAY_PRODUCT_INIT;
    lay_status status;
    product.type_a = product.type_b = product.type_c = on->type;
    product.labels = "ikb,kjb->ijb";
    if ((status = lay_desc_natural(3, extents, &on->batch)) ||
        (status = lay_desc_natural(2, extents + 1, &on->single)) ||
        (status = lay_desc_natural(3, (const int64_t[]){ n, n, COUNT }, &on->inner)))
        return status;
    product.a = product.b = product.c = on->inner;
    if ((status = lay_plan_create(on->type, on->batch, on->batch, on->batch, on->options, &on->whole)) ||
        (status = lay_plan_create(on->type, on->single, on->single, on->single, on->options, &on->one)))
        return status;
    return lay_plan_create_product(&product, on->options, &on->last);
}

/* Integers, so that whoever is right has the same C. */
static int prepare(field *on)
{
    uint64_t state = 1;
    const size_t size = lay_type_size(on->type), each = bytes_of(on) / COUNT;
    const int parts = element_parts(on->type);
    if (describe(on) != LAY_OK)
        return fail("a batch's plan: %s", lay_last_error());
    for (int x = 0; x < MATRICES; x++) {
        on->memory[x] = aligned_alloc(LINE, (bytes_of(on) + LINE - 1) / LINE * LINE);
        on->other[x] = aligned_alloc(LINE, (bytes_of(on) + LINE - 1) / LINE * LINE);
        if (!on->memory[x] || !on->other[x])
            return fail("out of memory");
        for (size_t i = 0; i < bytes_of(on) / size * (size_t)parts; i++)
            element_write(on->type, on->memory[x], (int64_t)i, (double)(int64_t)(random_next(&state) % 5) - 2);
        lay_desc *turned = NULL;
        lay_status status = lay_desc_permute(on->inner, (const int[]){ 2, 0, 1 }, &turned);
        if (status == LAY_OK)
            status = lay_copy(on->type, on->batch, on->memory[x], turned, on->other[x], NULL);
        lay_desc_destroy(turned);
        if (status != LAY_OK)
            return fail("a copy: %s", lay_last_error());
    }
    for (size_t i = 0; i < COUNT; i++) {
        on->a[i] = (char *)on->memory[0] + i * each;
        on->b[i] = (char *)on->memory[1] + i * each;
        on->c[i] = (char *)on->memory[2] + i * each;
    }
    return EXIT_FINE;
}

static void clear(field *on)
{
    for (int x = 0; x < MATRICES; x++) {
        free(on->memory[x]);
        free(on->other[x]);
    }
    lay_plan_destroy(on->whole);
    lay_plan_destroy(on->one);
    lay_plan_destroy(on->last);
    lay_desc_destroy(on->batch);
    lay_desc_destroy(on->single);
    lay_desc_destroy(on->inner);
}

/* Everybody's C is the first one's. */
static int check(const field *on, const player players[], int count)
{
    char *const first = malloc(bytes_of(on));
    lay_desc *turned = NULL;
    int status = first && lay_desc_permute(on->inner, (const int[]){ 2, 0, 1 }, &turned) == LAY_OK
                     ? EXIT_FINE
                     : fail("out of memory");
    for (int i = 0; i < count && status == EXIT_FINE; i++) {
        memset(on->memory[2], 0xff, bytes_of(on));
        memset(on->other[2], 0xff, bytes_of(on));
        if (players[i].call(on, &players[i]) != LAY_OK)
            status = fail("a batch of products failed: %s", lay_last_error());
        else if (players[i].is_inner &&
                 lay_copy(on->type, turned, on->other[2], on->batch, on->memory[2], NULL) != LAY_OK)
            status = fail("a copy: %s", lay_last_error());
        else if (i == 0)
            memcpy(first, on->memory[2], bytes_of(on));
        else if (memcmp(first, on->memory[2], bytes_of(on)) != 0)
            status = fail("%d products of %d: those of %s %s are wrong", COUNT, on->n,
                          players[i].whom ? players[i].whom->name : "lay", players[i].how);
    }
    lay_desc_destroy(turned);
    free(first);
    return status;
}

static double time_calls(const field *on, const player *self, int64_t calls)
{
    const double start = seconds_now();
    for (int64_t i = 0; i < calls; i++)
        self->call(on, self);
    return (seconds_now() - start) / (double)calls;
}

static void take_turn(const field *on, player *self, const terms *under, int64_t calls, int round)
{
    if (under->pause > 0)
        seconds_sleep(under->pause);
    self->call(on, self);
    self->seconds[round] = time_calls(on, self, calls);
}

static int race(const field *on, const terms *under, FILE *csv)
{
    static player players[MOST_PLAYERS];
    int64_t calls[MOST_PLAYERS];
    const int count = seat_players(on, under, players);
    const double flops = (element_parts(on->type) == 2 ? 8. : 2.) * COUNT * on->n * on->n * on->n;
    int status = check(on, players, count);
    for (int i = 0; i < count && status == EXIT_FINE; i++)
        calls[i] = (int64_t)(under->min_time / time_calls(on, &players[i], 2)) + 1;
    for (int round = 0; round < under->rounds && status == EXIT_FINE; round++)
        for (int i = 0; i < count; i++)
            take_turn(on, &players[(i + round) % count], under, calls[(i + round) % count], round);
    for (int i = 0; i < count && status == EXIT_FINE; i++) {
        const double each = median(players[i].seconds, under->rounds);
        const double ratio = median_ratio(players[i].seconds, players[0].seconds, under->rounds);
        const char *const who = players[i].whom ? players[i].whom->name : "lay";
        printf("%-4s %4d  %-10s %-13s %10.1f %10.2f %8.3f\n", i ? "" : problem_type_name(on->type), on->n, who,
               players[i].how, 1e6 * each, 1e-9 * flops / each, ratio);
        if (csv)
            fprintf(csv, "%s,%d,%s,%s,%.3f,%.3f,%.4f\n", problem_type_name(on->type), on->n, who, players[i].how,
                    1e6 * each, 1e-9 * flops / each, ratio);
    }
    fflush(stdout);
    return status;
}

static int measure(lay_type type, int n, const terms *under, FILE *csv)
{
    lay_options options = under->options;
    options.backend = LAY_BACKEND_CPU;
    field *const on = calloc(1, sizeof *on);
    if (!on)
        return fail("out of memory");
    *on = (field){ .type = type, .n = n, .options = &options };
    int status = prepare(on);
    if (status == EXIT_FINE)
        status = race(on, under, csv);
    clear(on);
    free(on);
    return status;
}

static int run(const terms *under, const sizes *of, FILE *csv)
{
    static const lay_type types[] = { LAY_F32, LAY_F64, LAY_C32, LAY_C64 };
    int status = EXIT_FINE;
    for (int i = 0; i < under->peer_count; i++)
        if (under->peers[i].set_threads)
            under->peers[i].set_threads(under->options.threads);
    printf("C = A B of n x n, %d products, row-major: us of all, GFLOP/s, and its time by the first line's. In 'label "
           "last'\nthe product's number is the innermost dimension of all three\n\n"
           "type    n  who        how                   us    GFLOP/s   / lay's\n",
           COUNT);
    if (csv)
        fprintf(csv, "type,n,who,how,us,gflops,by_batch\n");
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        for (int i = 0; i < of->count && status == EXIT_FINE; i++)
            status = measure(types[t], of->n[i], under, csv);
    return status;
}

const report_row report_host_batches = {
    .name = "host_batches",
    .help = "batches of small products in host memory, beside other people's",
    .usual = { { 4, 5, 8, 12, 16, 24, 32, 48, 64 }, 9 },
    .least = 1,
    .run = run,
};
