/* Errors of f32 products over kinds of numbers, in units of u |A||B|, u = 2^-24, element by element: ours on plain
 * units, ours in another compute mode, and the peers'. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/choices.h"
#include "bench/base/complain.h"
#include "bench/base/numbers.h"
#include "reports.h"

enum { SIDE = 96, ELEMENTS = SIDE * SIDE, PLAYERS = MAX_PEERS + 2, SEED = 7 };

/* Who multiplies. */
typedef struct author {
    char who[40];
    const peer *peer; /* NULL for us */
    lay_options options;
    double median, largest, mean, of_bound; /* of the errors; mean with their signs; of_bound only for us */
} author;

/* A sum of k products of each element, A and B row-major. */
typedef struct scene {
    int k;
    float *a, *b;
    long double *exact; /* [ELEMENTS] */
    double *unit;       /* [ELEMENTS]: u |A||B| */
    float *c;
    double *error; /* [ELEMENTS], for the median */
    lay_desc *desc[3];
} scene;

static double ceil_of(double a, double b)
{
    return ceil(a / b);
}

/* Of u |A||B|: docs/numerics.md, "The error". Elements that are not split have the plain ones' bound. */
static double bound_of(int k, lay_compute compute)
{
    const double blocks = ceil_of(k, 512), kc = fmin(k, 8 * ceil_of(ceil_of(k, blocks), 8));
    const double plain = kc + blocks + 3;
    const double split = 22 + 6 * ceil_of(fmin(kc, 256), 32) + ceil_of(kc, 256) + blocks;
    const double left_out = compute == LAY_COMPUTE_BF16 ? 131300 : compute == LAY_COMPUTE_BF16X3 ? 512 : 0;
    return compute == LAY_COMPUTE_STRICT ? plain : fmax(plain, split) + left_out;
}

static int set_scene(scene *on, int k)
{
    const int64_t sides[3][2] = { { SIDE, k }, { k, SIDE }, { SIDE, SIDE } };
    *on = (scene){ .k = k,
                   .a = malloc(sizeof(float) * SIDE * (size_t)k),
                   .b = malloc(sizeof(float) * SIDE * (size_t)k),
                   .c = malloc(sizeof(float) * ELEMENTS),
                   .exact = malloc(sizeof(long double) * ELEMENTS),
                   .unit = malloc(sizeof(double) * ELEMENTS),
                   .error = malloc(sizeof(double) * ELEMENTS) };
    int status = on->a && on->b && on->c && on->exact && on->unit && on->error ? EXIT_FINE : fail("out of memory");
    for (int i = 0; i < 3 && status == EXIT_FINE; i++)
        if (lay_desc_natural(2, sides[i], &on->desc[i]) != LAY_OK)
            status = refuse_status(LAY_ERR_MEMORY, "report");
    return status;
}

static void strike_scene(scene *on)
{
    void *const memory[] = { on->a, on->b, on->c, on->exact, on->unit, on->error };
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        free(memory[i]);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(on->desc[i]);
}

/* The operands, and what their product is. */
static int fill_scene(scene *on, numbers_kind of)
{
    const int k = on->k;
    float *const columns = malloc(sizeof(float) * SIDE * (size_t)k);
    if (!columns)
        return fail("out of memory");
    numbers_fill(of, NUMBERS_A, SEED, SIDE, k, on->a);
    numbers_fill(of, NUMBERS_B, SEED, SIDE, k, columns);
#pragma omp parallel for
    for (int at = 0; at < ELEMENTS; at++) {
        const float *const row = on->a + (size_t)(at / SIDE) * (size_t)k;
        const float *const column = columns + (size_t)(at % SIDE) * (size_t)k;
        long double exact = 0, size = 0;
        for (int p = 0; p < k; p++) {
            const long double product = (long double)row[p] * column[p];
            exact += product;
            size += fabsl(product);
        }
        on->exact[at] = exact;
        on->unit[at] = (double)(size * 0x1p-24L);
    }
    for (int j = 0; j < SIDE; j++)
        for (int p = 0; p < k; p++)
            on->b[(size_t)p * SIDE + (size_t)j] = columns[(size_t)j * (size_t)k + (size_t)p];
    free(columns);
    return EXIT_FINE;
}

static int multiply(const scene *on, const author *by)
{
    if (by->peer) {
        by->peer->sgemm(CBLAS_ROW_MAJOR, CBLAS_NO_TRANS, CBLAS_NO_TRANS, SIDE, SIDE, on->k, 1, on->a, on->k, on->b,
                        SIDE, 0, on->c, SIDE);
        return EXIT_FINE;
    }
    const lay_status status = lay_sgemm(on->desc[0], on->desc[1], on->desc[2], 1, on->a, on->b, 0, on->c, &by->options);
    return status == LAY_OK ? EXIT_FINE : refuse_status(status, by->who);
}

static int compare(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Elements without any product are not counted. */
static void measure(const scene *on, author *by)
{
    const double bound = bound_of(on->k, by->options.compute), eta = 0x1p-149;
    int count = 0;
    by->largest = by->mean = by->of_bound = 0;
    for (int at = 0; at < ELEMENTS; at++) {
        if (on->unit[at] == 0)
            continue;
        const double miss = (double)((long double)on->c[at] - on->exact[at]), error = fabs(miss) / on->unit[at];
        const double share = fabs(miss) / (bound * on->unit[at] + (on->k + 2) * eta);
        on->error[count++] = error;
        by->largest = error > by->largest || !(error <= INFINITY) ? error : by->largest;
        by->of_bound = share > by->of_bound || !(share <= INFINITY) ? share : by->of_bound;
        by->mean += miss / on->unit[at];
    }
    qsort(on->error, (size_t)count, sizeof *on->error, compare);
    by->median = count ? 0.5 * (on->error[(count - 1) / 2] + on->error[count / 2]) : 0;
    by->mean /= count ? count : 1;
}

static void write_rows(FILE *csv, const scene *on, numbers_kind of, const author *by, int count)
{
    for (int i = 0; csv && i < count; i++) {
        fprintf(csv, "\"%s\",%d,\"%s\",%.4g,%.4g,%.4g,", numbers_name(of), on->k, by[i].who, by[i].median,
                by[i].largest, by[i].mean);
        fprintf(csv, by[i].peer ? "\n" : "%.4g\n", by[i].of_bound);
    }
}

/* How often, of how many, our error was no larger than the best peer's, and how much larger at most. */
typedef struct tally {
    int count, wins, beyond;
    double most;
    const char *name;
    int k;
} tally;

static void count_one(tally *to, const author *by, int count, int which, numbers_kind of, int k)
{
    double best = INFINITY;
    for (int i = 0; i < count; i++)
        if (by[i].peer)
            best = fmin(best, by[i].median);
    const double ratio = by[which].median <= best ? 1 : by[which].median / best;
    to->count++;
    to->wins += ratio <= 1;
    to->beyond += !(by[which].of_bound <= 1);
    if (ratio > to->most) {
        to->most = ratio;
        to->name = numbers_name(of);
        to->k = k;
    }
}

static void sum_up(const tally *of, const author *by)
{
    if (of->beyond)
        printf("%s: %d of %d beyond the bound\n", by->who, of->beyond, of->count);
    else
        printf("%s: all of %d within the bound\n", by->who, of->count);
    printf("%s: median no larger than the best peer's in %d of %d", by->who, of->wins, of->count);
    if (of->wins < of->count)
        printf(", at most %.3f of it (%s, k = %d)", of->most, of->name, of->k);
    printf("\n");
}

static int show_length(int k, author *by, int count, FILE *csv, tally tallies[2])
{
    scene on;
    int status = set_scene(&on, k);
    for (int of = 0; of < NUMBERS_KINDS && status == EXIT_FINE; of++) {
        status = fill_scene(&on, (numbers_kind)of);
        for (int i = 0; i < count && status == EXIT_FINE; i++) {
            status = multiply(&on, &by[i]);
            if (status == EXIT_FINE)
                measure(&on, &by[i]);
        }
        if (status != EXIT_FINE)
            break;
        printf("%-30s %6d", numbers_name((numbers_kind)of), k);
        for (int i = 0; i < count; i++)
            printf("  %8.3g %8.3g", by[i].median, by[i].largest);
        printf("\n");
        fflush(stdout);
        write_rows(csv, &on, (numbers_kind)of, by, count);
        for (int i = 0; i < 2; i++)
            count_one(&tallies[i], by, count, i, (numbers_kind)of, k);
    }
    strike_scene(&on);
    return status;
}

/* Without a matrix unit, f32_split as its portable model computes it. */
static void take_model_if_needed(author *split)
{
    static const int64_t side[2] = { SIDE, SIDE };
    lay_desc *square;
    lay_plan *plan;
    if (split->options.compute != LAY_COMPUTE_F32_SPLIT || split->options.kernel ||
        lay_desc_natural(2, side, &square) != LAY_OK)
        return;
    if (lay_plan_create(LAY_F32, square, square, square, &split->options, &plan) == LAY_OK) {
        lay_plan_destroy(plan);
    } else {
        split->options.kernel = "lay_split_f32_32x32_c";
        snprintf(split->who, sizeof split->who, "lay f32_split, model");
    }
    lay_desc_destroy(square);
}

static int list_authors(const terms *under, author by[PLAYERS])
{
    lay_compute compute = under->options.compute;
    if (compute == LAY_COMPUTE_AUTO || compute == LAY_COMPUTE_STRICT)
        compute = LAY_COMPUTE_F32_SPLIT;
    by[0] = by[1] = (author){ .options = under->options };
    by[0].options.compute = LAY_COMPUTE_STRICT;
    by[0].options.kernel = NULL;
    by[1].options.compute = compute;
    snprintf(by[0].who, sizeof by[0].who, "lay strict");
    snprintf(by[1].who, sizeof by[1].who, "lay %s", choices_compute_name(compute));
    take_model_if_needed(&by[1]);
    int count = 2;
    for (int i = 0; i < under->peer_count; i++) {
        const peer *one = &under->peers[i];
        if (!one->sgemm)
            return refuse("--report=errors multiplies on the CPU: not with %s", one->name), 0;
        if (one->set_threads)
            one->set_threads(under->options.threads);
        by[count] = (author){ .peer = one };
        snprintf(by[count].who, sizeof by[count].who, "%s", one->name);
        count++;
    }
    return count;
}

static int run(const terms *under, const sizes *of, FILE *csv)
{
    static author by[PLAYERS];
    tally tallies[2] = { { .most = 1 }, { .most = 1 } };
    const int count = list_authors(under, by);
    if (count == 0)
        return EXIT_REFUSED;
    printf(
        "errors of a product %d x %d x k in u |A||B|, u = 2^-24, element by element: median and largest\n\n%-30s %6s",
        SIDE, SIDE, "numbers", "k");
    for (int i = 0; i < count; i++)
        printf("  %17.17s", by[i].who);
    printf("\n");
    if (csv)
        fprintf(csv, "numbers,k,who,median,largest,mean,of_bound\n");
    int status = EXIT_FINE;
    for (int i = 0; i < of->count && status == EXIT_FINE; i++)
        status = show_length(of->n[i], by, count, csv, tallies);
    printf("\n");
    for (int i = 0; i < 2 && status == EXIT_FINE; i++)
        sum_up(&tallies[i], &by[i]);
    return status;
}

const report_row report_errors = {
    .name = "errors",
    .help = "how far f32 products of 29 kinds of numbers are from exact ones, ours and the peers';\n"
            "                       its words are lengths of sums, 1 to 16384 if not given; needs no device",
    .usual = { { 1, 8, 64, 512, 1024, 4096, 16384 }, 7 },
    .least = 1,
    .is_f32 = 1,
    .run = run,
};
