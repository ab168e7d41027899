/* cuda-narrow-bench: products on the matrix units of 9.0 by rows, slices of k and ways to add them that are named,
 * which the planner settles from sizes otherwise. Each is run on numbers whose sums are exact, so that all have the
 * bits of the first one, and timed as lay bench does. */
#include "cuda/narrow/narrow_cost.h" /* first: its headers call things args */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/base/element.h"
#include "bench/base/random.h"
#include "bench/device/device.h"
#include "bench/kernels/cuda/words.h"
#include "bench/timing/timing.h"
#include "cuda/launch/units.h"

enum { MAX_TIMED = 31, POOL = 999983 /* elements: no multiple of a line's */, MOST_TILE = 4096 };

static const option options[] = {
    { "sizes", 0, "LIST", "N or MxNxK, with commas" },
    { "type", 0, "NAME", "bf16 (if not given), f16 or tf32" },
    { "row", 0, "TILE,...", "128x64 and such; those that the planner takes if not given" },
    { "slices", 0, "LIST", "of k; 0: as planned, if not given" },
    { "adding", 0, "NAME,...",
      "together (by a cluster), last (by each tile's last block), or that in clusters of tiles that share what they "
      "read, 1x2 and such; together and last if not given" },
    { "by-columns", 0, NULL, "B's columns are contiguous" },
    { "tiles", 0, "N", "operands are in tiles of N x N, tile after tile; by rows if not given" },
    { "tiled", 0, "LETTERS", "those that are: some of abc, which is what is meant if not given" },
    { "rounds", 0, "N", "of the timing; 3 if not given" },
    { "turn", 0, "MS", "what a turn lasts at least; 2 if not given" },
    { 0 },
};

static const program self = {
    .name = "cuda-narrow-bench",
    .usage = "--sizes=LIST [OPTIONS]",
    .about = "Narrow products by rows, slices and ways to add them.\n",
    .options = options,
};

/* ---- what the planner is told */

static struct {
    int slices;                 /* 0: what it settles */
    lay_narrow_cluster cluster; /* of one block and not together: slices are apart */
} told;

int __real_lay_units_slices(const lay_problem *problem, lay_type type, const lay_device *device,
                            const lay_units_slicing *by);
int __wrap_lay_units_slices(const lay_problem *problem, lay_type type, const lay_device *device,
                            const lay_units_slicing *by);
int __wrap_lay_units_slices(const lay_problem *problem, lay_type type, const lay_device *device,
                            const lay_units_slicing *by)
{
    return told.slices ? told.slices : __real_lay_units_slices(problem, type, device, by);
}

lay_narrow_cluster __real_lay_narrow_cluster_of(const lay_cuda_kernel *row, const lay_cuda_shape *of, int is_nested,
                                                const lay_device *device, lay_narrow_may_share *may,
                                                const void *context);
lay_narrow_cluster __wrap_lay_narrow_cluster_of(const lay_cuda_kernel *row, const lay_cuda_shape *of, int is_nested,
                                                const lay_device *device, lay_narrow_may_share *may,
                                                const void *context);
lay_narrow_cluster __wrap_lay_narrow_cluster_of(const lay_cuda_kernel *row, const lay_cuda_shape *of, int is_nested,
                                                const lay_device *device, lay_narrow_may_share *may,
                                                const void *context)
{
    static const lay_narrow_cluster alone = { 1, 1, 1 };
    if (!told.slices)
        return __real_lay_narrow_cluster_of(row, of, is_nested, device, may, context);
    if (told.cluster.together > 1)
        return of->slices <= row->at_once ? (lay_narrow_cluster){ 1, 1, of->slices } : alone;
    return !may || may(row, told.cluster, context) ? told.cluster : alone;
}

/* ---- one product */

typedef struct product {
    lay_type type;
    int64_t m, n, k;
    int by_columns, tiles;
    const char *tiled;
    lay_options options;
    lay_desc *desc[3];
    char *block[3];
    size_t stride[3];
    int sets;
} product;

static lay_desc *describe(int64_t rows, int64_t columns, int by_columns, int tiles)
{
    char text[128];
    lay_desc *made = NULL;
    if (tiles)
        snprintf(text, sizeof text, "A=[%lld][%lld][%d][%d]; [[#A_0][#A_2]][[#A_1][#A_3]]", (long long)(rows / tiles),
                 (long long)(columns / tiles), tiles, tiles);
    else
        snprintf(text, sizeof text, "[%lld:%lld][%lld:%lld]", (long long)rows, by_columns ? 1LL : (long long)columns,
                 (long long)columns, by_columns ? (long long)rows : 1LL);
    if (lay_desc_parse(text, &made) != LAY_OK)
        exit(fail("%s", lay_last_error()));
    return made;
}

static void must(int status)
{
    if (status != EXIT_FINE)
        exit(status);
}

/* -1, 0 and 1: no sum of them is rounded before C is. */
static const void *find_pool(lay_type type)
{
    static void *pools[LAY_BF16 + 1];
    const size_t size = lay_type_size(type);
    if (pools[type])
        return pools[type];
    char *const host = malloc(POOL * size);
    uint64_t state = 1;
    if (!host)
        exit(fail("out of memory"));
    for (int64_t i = 0; i < POOL; i++)
        element_write(type, host, i, (double)(random_next(&state) % 3) - 1);
    must(device_allocate(POOL * size, &pools[type]));
    must(device_upload(pools[type], host, POOL * size));
    free(host);
    return pools[type];
}

/* Sets of operands that outgrow the second cache, as lay bench has them. */
static void take(product *of)
{
    const int64_t extent[3][2] = { { of->m, of->k }, { of->k, of->n }, { of->m, of->n } };
    const size_t size = lay_type_size(of->type);
    size_t bytes = 0;
    for (int i = 0; i < 3; i++) {
        const int is_tiled = of->tiles && strchr(of->tiled, "abc"[i]);
        if (is_tiled && (extent[i][0] % of->tiles || extent[i][1] % of->tiles))
            exit(refuse("%lld x %lld is no number of tiles of %d", (long long)extent[i][0], (long long)extent[i][1],
                        of->tiles));
        of->desc[i] = describe(extent[i][0], extent[i][1], i == 1 && of->by_columns, is_tiled ? of->tiles : 0);
        of->stride[i] = ((size_t)extent[i][0] * (size_t)extent[i][1] * size + 255) / 256 * 256;
        bytes += of->stride[i];
    }
    of->sets = (int)(3 * device_get()->l2 / bytes + 1);
    for (int i = 0; i < 3; i++) {
        void *memory;
        must(device_allocate(of->stride[i] * (size_t)of->sets, &memory));
        must(device_repeat(memory, find_pool(of->type), POOL * size, of->stride[i] * (size_t)of->sets));
        of->block[i] = memory;
    }
    must(device_wait());
}

static void give(product *of)
{
    for (int i = 0; i < 3; i++) {
        device_free(of->block[i]);
        lay_desc_destroy(of->desc[i]);
    }
}

typedef struct runner {
    const product *of;
    lay_plan *plan;
} runner;

static lay_status run(void *whom, int set)
{
    static const float one = 1, zero = 0;
    const runner *const own = whom;
    const product *const of = own->of;
    const size_t number = (size_t)set;
    return lay_plan_run(own->plan, &one, of->block[0] + number * of->stride[0], of->block[1] + number * of->stride[1],
                        &zero, of->block[2] + number * of->stride[2]);
}

/* What its row and grid are called, of lay_plan_explain's lines. */
static void print_choice(const lay_plan *plan)
{
    static char text[1 << 16];
    lay_plan_explain(plan, text, sizeof text);
    char *const grid = strstr(text, "grid ");
    const size_t length = grid ? strcspn(grid + 10, "\n") : 0;
    printf("%.*s", (int)length, grid ? grid + 10 : "");
}

/* All of C, of the first set, where it was NaN. */
static void compute(runner *by, char *to)
{
    const product *const of = by->of;
    must(device_fill(of->block[2], 0xff, of->stride[2]));
    if (run(by, 0) != LAY_OK)
        exit(fail("%s", lay_last_error()));
    must(device_wait());
    must(device_download(to, of->block[2], of->stride[2]));
}

static int by_number(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Whether its bits are the wanted ones, or there were none wanted yet. */
static int time_one(const product *of, const char *name, const char *adding, char *wanted, int *has_wanted, int rounds,
                    double turn)
{
    runner by = { .of = of };
    double seconds[MAX_TIMED], *const list[] = { seconds };
    device_turn own = { .call = run, .self = &by, .sets = of->sets }, *const turns[] = { &own };
    lay_options asked = of->options;
    char kernel[64];
    snprintf(kernel, sizeof kernel, "narrow_%s_%s",
             of->type == LAY_F32    ? "tf32"
             : of->type == LAY_BF16 ? "bf16"
                                    : "f16",
             name ? name : "");
    asked.kernel = name ? kernel : NULL;
    if (lay_plan_create(of->type, of->desc[0], of->desc[1], of->desc[2], &asked, &by.plan) != LAY_OK) {
        printf("%s: %s\n", kernel, lay_last_error());
        return 1;
    }
    char *const found = *has_wanted ? malloc(of->stride[2]) : wanted;
    if (!found || lay_plan_reserve(by.plan) != LAY_OK)
        exit(fail("%s", found ? lay_last_error() : "out of memory"));
    compute(&by, found);
    int is_right = !*has_wanted || memcmp(found, wanted, of->stride[2]) == 0;
    *has_wanted = 1;
    must(device_race(turns, list, 1, rounds, turn));
    device_turn_free(&own);
    if (found != wanted) { /* and once more behind all those runs */
        compute(&by, found);
        is_right &= memcmp(found, wanted, of->stride[2]) == 0;
        free(found);
    }
    qsort(seconds, (size_t)rounds, sizeof *seconds, by_number);
    printf("%lldx%lldx%lld,%s,0%d,%s,%d,%s,%.2f,%s,\"", (long long)of->m, (long long)of->n, (long long)of->k,
           of->type == LAY_F32    ? "TF32"
           : of->type == LAY_BF16 ? "bf16"
                                  : "f16",
           of->by_columns, name ? name : "planned", told.slices, adding, 1e6 * seconds[rounds / 2],
           is_right ? "right" : "WRONG");
    print_choice(by.plan);
    printf("\"\n");
    fflush(stdout);
    lay_plan_destroy(by.plan);
    return is_right;
}

static lay_type read_type(const char *text, lay_options *to)
{
    if (!text || strcmp(text, "bf16") == 0)
        return LAY_BF16;
    if (strcmp(text, "f16") == 0)
        return LAY_F16;
    if (strcmp(text, "tf32") != 0)
        exit(refuse("--type is one of bf16, f16 and tf32, not '%s'", text));
    to->compute = LAY_COMPUTE_TF32;
    return LAY_F32;
}

static lay_narrow_cluster read_adding(const char *text)
{
    lay_narrow_cluster read = { 1, 1, 1 };
    if (strcmp(text, "together") == 0)
        read.together = 2;
    else if (strcmp(text, "last") != 0 && sscanf(text, "%dx%d", &read.down, &read.across) != 2)
        exit(refuse("--adding is together, last or DOWNxACROSS, not '%s'", text));
    return read;
}

/* Whether k can be cut so, and so many slices be together. */
static int makes_sense(const product *of)
{
    return told.slices >= 1 && lay_units_cut(of->type, of->m, of->n, of->k, told.slices).slices &&
           (told.slices > 1 || told.cluster.down * told.cluster.across > 1) &&
           (told.cluster.together == 1 || (told.slices > 1 && told.slices <= LAY_NARROW_TOGETHER));
}

int main(int argc, char **argv)
{
    args given;
    words sizes, rows, slices, adding;
    args_read_all(&self, argc, argv, &given);
    words_read(&given, "sizes", NULL, &sizes);
    words_read(&given, "row", NULL, &rows);
    words_read(&given, "slices", "0", &slices);
    words_read(&given, "adding", "together,last", &adding);
    const int rounds = (int)number_read(&given, "rounds", 1, MAX_TIMED, 3);
    const double turn = 1e-3 * real_read(&given, "turn", 2);
    product of = { .options = LAY_OPTIONS_INIT,
                   .by_columns = args_value(&given, "by-columns") != NULL,
                   .tiles = (int)number_read(&given, "tiles", 1, MOST_TILE, 0),
                   .tiled = args_value(&given, "tiled") };
    int wrong = 0;
    if (!of.tiled)
        of.tiled = "abc";
    of.type = read_type(args_value(&given, "type"), &of.options);
    must(device_open(LAY_DEVICE_AUTO));
    of.options.backend = LAY_BACKEND_CUDA;
    of.options.device = device_get()->number;
    of.options.stream = device_get()->stream;
    for (int s = 0; s < sizes.count; s++) {
        int m, n, k, has_wanted = 0;
        size_read(sizes.at[s], &m, &n, &k);
        of.m = m, of.n = n, of.k = k;
        take(&of);
        char *const wanted = malloc(of.stride[2]);
        for (int r = 0; r < (rows.count ? rows.count : 1) && wanted; r++)
            for (int z = 0; z < slices.count; z++)
                for (int a = 0; a < adding.count; a++) {
                    told.slices = strcmp(slices.at[z], "0") == 0 ? 0 : count_read(slices.at[z]);
                    told.cluster = read_adding(adding.at[a]);
                    if (makes_sense(&of) || (told.slices <= 1 && a == 0))
                        wrong += !time_one(&of, rows.count ? rows.at[r] : NULL, adding.at[a], wanted, &has_wanted,
                                           rounds, turn);
                }
        free(wanted);
        give(&of);
    }
    return wrong != 0;
}
