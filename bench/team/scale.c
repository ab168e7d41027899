/* scale-bench: what a team's product takes from one place to 65,536 of them, by the cost model of its plans: no place
 * and no element is there. Places are GPUs, so many a node; links within a node and between nodes are options. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "bench/base/args.h"
#include "bench/base/complain.h"
#include "bench/reports/chart.h"
#include "team/cost/deal.h"

enum { A, B, C };

/* A machine of places. */
typedef struct cluster {
    int64_t node, block, most;
    double near_gbytes, near_us, far_gbytes, far_us, step_us, hidden, tflops, memory_gbytes, panel_mbytes;
} cluster;

/* m, n and k as multiples of a side. */
typedef struct kind {
    const char *name;
    double m, n, k;
} kind;

static const kind kinds[] = {
    { "square", 1, 1, 1 }, { "tall", 16, 0.25, 0.25 }, { "flat", 0.25, 0.25, 16 }, { "contraction", 4, 0.0625, 4 }
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

typedef struct grid {
    int64_t rows, columns, layers;
} grid;

/* What comes out for a number of places. */
typedef struct outcome {
    int64_t places;
    grid on, copies; /* taken; and with k cut as well */
    lay_team_cut cut;
    double seconds, efficiency, bytes, messages, memory; /* bytes and messages that a place takes */
    double bound, least, split; /* bytes: whatever is remembered, with all of k at a place, and where k is cut, too */
    int fits;
} outcome;

/* Elements that a place takes from others on a grid, for sides that it divides: of A, B, and of C the sums. */
static double volume_on(const grid *on, double m, double n, double k)
{
    const double r = (double)on->rows, c = (double)on->columns, l = (double)on->layers;
    return m * k / r / l * (1 - 1 / c) + k * n / c / l * (1 - 1 / r) + m * n / r / c * (1 - 1 / l);
}

static grid choose_grid(int64_t places, int64_t most_layers, double m, double n, double k)
{
    grid best = { 0, 0, 0 };
    for (int64_t l = 1; l <= min_of(places, most_layers); l++)
        for (int64_t r = 1; places % l == 0 && r <= places / l; r++) {
            const grid on = { r, places / l / r, l };
            if (r * on.columns * l == places && (!best.rows || volume_on(&on, m, n, k) < volume_on(&best, m, n, k)))
                best = on;
        }
    return best;
}

/* Of what a place takes of A and of B, the share from other nodes, whose places are a tile of the grid. */
static void find_far(const grid *on, int64_t node, double of_a, double of_b, double far[2])
{
    double least = INFINITY;
    for (int64_t r = 1; r <= node; r++) {
        const int64_t c = node / r;
        if (r * c != node || on->rows % r || on->columns % c)
            continue;
        const double a = on->columns > 1 ? (double)(on->columns - c) / (double)(on->columns - 1) : 0;
        const double b = on->rows > 1 ? (double)(on->rows - r) / (double)(on->rows - 1) : 0;
        if (of_a * a + of_b * b < least) {
            least = of_a * a + of_b * b;
            far[A] = a;
            far[B] = b;
        }
    }
    if (isinf(least))
        far[A] = far[B] = 1;
}

/* One link that takes as long as the two do, one after the other. */
static lay_team_links join_links(const cluster *of, const lay_team_shape *shape, const grid *on)
{
    double far[2] = { 0, 0 };
    const double all = shape->moved[A] + shape->moved[B];
    find_far(on, min_of(of->node, shape->places), shape->moved[A], shape->moved[B], far);
    const double share = all > 0 ? (shape->moved[A] * far[A] + shape->moved[B] * far[B]) / all : 0;
    return (lay_team_links){ .message = 1e-6 * (share * of->far_us + (1 - share) * of->near_us),
                             .step = 1e-6 * of->step_us,
                             .rate = 1e9 / (share / of->far_gbytes + (1 - share) / of->near_gbytes),
                             .hidden = of->hidden };
}

static int predict(const cluster *of, lay_type type, const int64_t size[3], int64_t places, outcome *out)
{
    const double m = (double)size[0], n = (double)size[1], k = (double)size[2], p = (double)places;
    const double bytes = (double)lay_type_size(type), share = (m * n + m * k + k * n) / p;
    const grid on = choose_grid(places, 1, m, n, k);
    const lay_block_cyclic dealt[] = {
        lay_block_cyclic_on_grid(size[0], size[2], ceil_div(size[0], on.rows), of->block, on.rows, on.columns),
        lay_block_cyclic_on_grid(size[2], size[1], of->block, ceil_div(size[1], on.columns), on.rows, on.columns),
        lay_block_cyclic_on_grid(size[0], size[1], ceil_div(size[0], on.rows), ceil_div(size[1], on.columns), on.rows,
                                 on.columns)
    };
    lay_team_candidate candidate[LAY_TEAM_CANDIDATES];
    lay_team_shape shape = lay_block_cyclic_shape(type, dealt, places);
    const lay_team_links links = join_links(of, &shape, &on);
    shape.products = 2 * (double)shape.rows * (double)shape.columns * k / (1e12 * of->tflops);
    lay_team_panel_bytes = (int64_t)(1e6 * of->panel_mbytes);
    lay_team_cut_choose(&shape, &links, candidate);
    *out = (outcome){ .places = places, .on = on, .copies = choose_grid(places, places, m, n, k) };
    out->cut = candidate[0].cut;
    out->bytes = candidate[0].moves;
    out->messages = lay_block_cyclic_messages(dealt, &out->cut, places) / p;
    out->memory = share * bytes + candidate[0].memory;
    out->seconds = shape.products + candidate[0].seconds;
    out->efficiency = 2 * m * n * k / p / (1e12 * of->tflops) / out->seconds;
    out->bound = fmax(lay_volume_least(1, m, n, k, p) - share, 0) * bytes;
    out->least = volume_on(&on, m, n, k) * bytes;
    out->split = volume_on(&out->copies, m, n, k) * bytes;
    out->fits = out->memory <= 1e9 * of->memory_gbytes;
    return out->messages < 0 ? fail("out of memory") : EXIT_FINE;
}

/* A ratio, or nothing where nothing has to move. */
static const char *ratio(double x, double y, char text[16])
{
    snprintf(text, 16, y > 0 ? "%.2f" : "-", x / y);
    return text;
}

static void print(const kind *of, const outcome *row, FILE *csv)
{
    char on[32], bound[16], summa[16], split[16];
    snprintf(on, sizeof on, "%lld x %lld", (long long)row->on.rows, (long long)row->on.columns);
    printf("%7lld %-11s %8lld %10.4g %6.3f %8.3g %8.3g %6s %6s %6s%s\n", (long long)row->places, on,
           (long long)row->cut.depth, row->seconds, row->efficiency, 1e-9 * row->bytes, row->messages,
           ratio(row->bytes, row->bound, bound), ratio(row->bytes, row->least, summa),
           ratio(row->split, row->bound, split), row->fits ? "" : "  no room");
    if (csv)
        fprintf(csv, "%s,%lld,%lld,%lld,%lld,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%d\n", of->name,
                (long long)row->places, (long long)row->on.rows, (long long)row->on.columns, (long long)row->cut.depth,
                row->seconds, row->efficiency, row->bytes, row->messages, row->memory, row->bound, row->least,
                row->split, row->fits);
}

static int run_kind(const cluster *of, lay_type type, const kind *what, int64_t side, int line, chart *drawn, FILE *csv)
{
    const int64_t size[] = { (int64_t)(what->m * (double)side), (int64_t)(what->n * (double)side),
                             (int64_t)(what->k * (double)side) };
    printf("\n%s: %lld x %lld x %lld\n", what->name, (long long)size[0], (long long)size[1], (long long)size[2]);
    printf("%7s %-11s %8s %10s %6s %8s %8s %6s %6s %6s\n", "places", "grid", "panel", "seconds", "eff.", "GB",
           "messages", "/bound", "/SUMMA", "k cut");
    snprintf(drawn->line[line].name, sizeof drawn->line[line].name, "%s", what->name);
    int point = 0, status = EXIT_FINE;
    for (int64_t places = 1; places <= of->most && status == EXIT_FINE; places *= 2, point++) {
        outcome row;
        status = predict(of, type, size, places, &row);
        if (status != EXIT_FINE)
            break;
        print(what, &row, csv);
        drawn->x[point] = (int)places;
        drawn->line[line].y[point] = row.fits ? row.efficiency : NAN;
    }
    drawn->points = point;
    return status;
}

static const option options[] = {
    { "n", 0, "N", "the side of the square product; others have as many products; 262144 if not given" },
    { "most", 0, "PLACES", "places at most, in powers of two; 65536 if not given" },
    { "node", 0, "PLACES", "places of a node; 8" },
    { "near-gbytes", 0, "X", "GB/s that a place takes from its node; 392: NVLink of an H200, measured" },
    { "near-us", 0, "X", "us of a message there; 2.6, measured" },
    { "far-gbytes", 0, "X", "GB/s that a place takes from other nodes; 50: one port of 400 Gb/s each" },
    { "far-us", 0, "X", "us of a message between nodes; 5" },
    { "step-us", 0, "X", "us of a step of its own; 10" },
    { "hidden", 0, "X", "the share of transfers beside products that costs no time; 1: copy engines, measured" },
    { "tflops", 0, "X", "TFLOP/s of a place; 51: f32 of an H200, measured" },
    { "memory-gbytes", 0, "X", "memory of a place; 141" },
    { "panel-mbytes", 0, "X", "a step's panels of an operand; 1024" },
    { "block", 0, "N", "k is dealt out in blocks of so many; 128" },
    { "csv", 0, "FILE", "rows, in bytes and seconds" },
    { "plot", 0, "FILE", "the efficiency as SVG" },
    { NULL, 0, NULL, NULL },
};

static int read_options(const args *given, cluster *of, int64_t *side)
{
    const struct {
        const char *name;
        double *to;
    } reals[] = { { "near-gbytes", &of->near_gbytes },
                  { "near-us", &of->near_us },
                  { "far-gbytes", &of->far_gbytes },
                  { "far-us", &of->far_us },
                  { "step-us", &of->step_us },
                  { "hidden", &of->hidden },
                  { "tflops", &of->tflops },
                  { "memory-gbytes", &of->memory_gbytes },
                  { "panel-mbytes", &of->panel_mbytes } };
    int status = args_integer(given, "n", 1024, 1 << 24, side);
    status = status ? status : args_integer(given, "most", 1, 1 << 20, &of->most);
    status = status ? status : args_integer(given, "node", 1, 1 << 10, &of->node);
    status = status ? status : args_integer(given, "block", 1, 1 << 20, &of->block);
    for (size_t i = 0; i < sizeof reals / sizeof reals[0] && status == EXIT_FINE; i++) {
        status = args_real(given, reals[i].name, reals[i].to);
        if (status == EXIT_FINE && !(*reals[i].to > 0))
            status = refuse("--%s is above 0", reals[i].name);
    }
    return status == EXIT_FINE && of->hidden > 1 ? refuse("--hidden is at most 1") : status;
}

static int run(const cluster *of, int64_t side, FILE *csv, const char *plot)
{
    static chart drawn;
    int status = EXIT_FINE;
    snprintf(drawn.title, sizeof drawn.title, "Efficiency of f32 products, predicted; %lld^3 multiply-adds",
             (long long)side);
    snprintf(drawn.across, sizeof drawn.across, "places");
    snprintf(drawn.up, sizeof drawn.up, "share of all places' peak");
    drawn.lines = KINDS;
    printf("f32, predicted by the cost model of a team's plans, C stays; a place: %g TFLOP/s, %g GB;\n"
           "%lld places a node, there %g GB/s and %g us, between nodes %g GB/s and %g us\n",
           of->tflops, of->memory_gbytes, (long long)of->node, of->near_gbytes, of->near_us, of->far_gbytes,
           of->far_us);
    if (csv)
        fputs("product,places,grid_rows,grid_columns,panel,seconds,efficiency,bytes,messages,memory,bound,summa,k_cut,"
              "fits\n",
              csv);
    for (int i = 0; i < KINDS && status == EXIT_FINE; i++)
        status = run_kind(of, LAY_F32, &kinds[i], side, i, &drawn, csv);
    puts("\nGB, messages: what a place takes. /bound: to 3 (mnk/p)^(2/3) elements less its share (Irony, Toledo, "
         "Tiskin\n"
         "2004; Al Daas and others 2022). /SUMMA: to SUMMA on the best grid. k cut: to the bound if k were cut, too "
         "(2.5D),\n"
         "which is another order of the sum and is not done. no room: more than a place's memory.");
    return status == EXIT_FINE && plot ? chart_write(&drawn, plot) : status;
}

int main(int argc, char **argv)
{
    static const program self = { .name = "scale-bench",
                                  .usage = "[OPTIONS]",
                                  .about = "Predicts products on 1 to 65,536 places.",
                                  .options = options };
    cluster of = { .node = 8,
                   .block = 128,
                   .most = 65536,
                   .near_gbytes = 392,
                   .near_us = 2.6,
                   .far_gbytes = 50,
                   .far_us = 5,
                   .step_us = 10,
                   .hidden = 1,
                   .tflops = 51,
                   .memory_gbytes = 141,
                   .panel_mbytes = 1024 };
    int64_t side = 1 << 18;
    args given;
    args_read_all(&self, argc, argv, &given);
    int status = read_options(&given, &of, &side);
    const char *const path = args_value(&given, "csv");
    FILE *const csv = status == EXIT_FINE && path ? fopen(path, "w") : NULL;
    if (status == EXIT_FINE && path && !csv)
        status = refuse("%s cannot be written", path);
    if (status == EXIT_FINE)
        status = run(&of, side, csv, args_value(&given, "plot"));
    if (csv && fclose(csv) != 0 && status == EXIT_FINE)
        status = fail("%s cannot be written", path);
    args_free(&given);
    return status;
}
