/* kernel-bench: every row of the kernel table by itself, on one thread: its tile function in GFLOP/s
 * and as a share of the FMA peak measured in the same rounds, and its packers in GB/s.
 *
 *   kernel-bench [--check-rates] [PART OF A NAME]
 *
 * hot: one tile over and over, the panels near. flow: a block of tiles as a product has it, panels of
 * A and B and C in the order of the loops, so what the caches do is in it. low: as flow, but one
 * panel of A, 4 rows of it. narrow: one panel of B, half full. All with C's rows a power of two apart.
 * Packers: all panels of a MATRIX x MATRIX matrix, row-major or column-major for the two unit strides,
 * and by tables of 24 x 24 blocks and with a stride of 3 both ways for the class that knows nothing.
 * --check-rates: whether each row's flops_per_cycle is what its tile does, by the core's own clock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/args.h"
#include "bench/timing/peak.h"
#include "bench/timing/timing.h"
#include "kernel.h"
#include "machine/isa.h"
#include "plan/summation.h"

static const double tolerance = 0.1; /* of a declared rate: neighbours on this machine cost less */

enum { ROUNDS = 11, BURSTS = 8, A_PANELS = 20, B_PANELS = 16, MATRIX = 1152, LOW = 4 };

static void *allocate(size_t size)
{
    void *memory = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
    if (!memory) {
        fprintf(stderr, "kernel-bench: out of memory\n");
        exit(1);
    }
    memset(memory, 0, size);
    return memory;
}

typedef struct block {
    const lay_kernel *row;
    size_t size; /* of an element */
    int64_t k;
    char *a, *b, *c; /* [A_PANELS][k][mr], [B_PANELS][k][nr], row-major with a power of two to the next row */
    int64_t ldc;
} block;

/* B's panel stays while A's go by, as in the library's loops. */
static double flops_of_block(const block *s, int a_panels, int b_panels, int m, int n)
{
    const lay_kernel *row = s->row;
    const float one32 = 1;
    const double one64 = 1;
    const void *one = row->type == LAY_F32 ? (const void *)&one32 : (const void *)&one64;
    const int64_t a_bytes = s->k * row->mr * (int64_t)s->size, b_bytes = s->k * row->nr * (int64_t)s->size;
    int64_t offset[LAY_MAX_MR];
    for (int i = 0; i < row->mr; i++)
        offset[i] = i * s->ldc;
    for (int j = 0; j < b_panels; j++)
        for (int i = 0; i < a_panels; i++) {
            const lay_tile tile = { .k = s->k,
                                    .a = s->a + i * a_bytes,
                                    .b = s->b + j * b_bytes,
                                    .c = s->c + (i * row->mr * s->ldc + j * row->nr) * (int64_t)s->size,
                                    .row = offset,
                                    .half = row->nr / 2,
                                    .m = m,
                                    .n = n,
                                    .alpha = one,
                                    .beta = one,
                                    .next_a = s->a + (i + 1) % a_panels * a_bytes,
                                    .next_b = s->b + (j + 1) % b_panels * b_bytes + i * s->k * LAY_AHEAD % b_bytes,
                                    .next_b_step = 64 };
            row->tile(&tile);
        }
    return 2.0 * m * n * (double)s->k * a_panels * b_panels;
}

/* The best of several bursts, as the peak is: what else runs on the machine is not the kernel's. The clock, 2 % of a
 * tile's time, is not read for each of few. */
static double rate_of_block(const block *s, int a_panels, int b_panels, int m, int n)
{
    enum { LEAST = 32 /* tiles */ };
    double best = 0;
    for (int burst = 0; burst < BURSTS; burst++) {
        const double start = seconds_now();
        double flops = 0, spent = 0;
        while (spent < 4e-4) {
            for (int tiles = 0; tiles < LEAST; tiles += a_panels * b_panels)
                flops += flops_of_block(s, a_panels, b_panels, m, n);
            spent = seconds_now() - start;
        }
        if (flops / spent * 1e-9 > best)
            best = flops / spent * 1e-9;
    }
    return best;
}

static block make_block(const lay_kernel *row)
{
    const size_t size = row->type == LAY_F32 ? sizeof(float) : sizeof(double);
    block s = { .row = row, .size = size, .k = LAY_KC, .ldc = 2048 };
    s.a = allocate((size_t)s.k * (size_t)row->mr * size * A_PANELS);
    s.b = allocate((size_t)s.k * (size_t)row->nr * size * B_PANELS);
    s.c = allocate((size_t)s.ldc * (size_t)row->mr * size * A_PANELS);
    return s;
}

static void free_block(block *s)
{
    free(s->a);
    free(s->b);
    free(s->c);
}

/* The core's clock now, in 1e9 per second: a chain of additions of a register to itself takes a cycle each. */
static double clock_now(void)
{
    enum { ADDITIONS = 1 << 16 };
    double best = 0;
    for (int burst = 0; burst < BURSTS; burst++) {
        uint64_t x = 1;
        const double start = seconds_now();
        for (int i = 0; i < ADDITIONS / 64; i++)
#pragma GCC unroll 64
            for (int j = 0; j < 64; j++) {
                x += x;
                __asm__ volatile("" : "+r"(x));
            }
        const double rate = ADDITIONS / (seconds_now() - start) * 1e-9;
        if (rate > best)
            best = rate;
    }
    return best;
}

/* The rate is declared for cores that issue two FMAs of full width a cycle: where the peak is less, so is the rate. 1
 * where it is confirmed. */
static int confirms_rate(const lay_kernel *row)
{
    block s = make_block(row);
    double ghz[ROUNDS], peak[ROUNDS], hot[ROUNDS];
    rate_of_block(&s, 1, 1, row->mr, row->nr);
    for (int r = 0; r < ROUNDS; r++) {
        peak[r] = lay_bench_peak(row->type, row->isa);
        hot[r] = rate_of_block(&s, 1, 1, row->mr, row->nr);
        ghz[r] = clock_now();
    }
    free_block(&s);
    const double two = (row->summation == LAY_SUM_FUSED ? 4 : 2) * lay_bench_peak_lanes(row->type, row->isa);
    const double issued = median_ratio(peak, ghz, ROUNDS), share = issued < two ? issued / two : 1;
    const double measured = median_ratio(hot, ghz, ROUNDS), declared = row->flops_per_cycle * share;
    const int is_confirmed = measured >= (1 - tolerance) * declared && measured <= (1 + tolerance) * declared;
    printf("%-28s declared %5.1f  measured %5.1f flops a cycle at %.2f GHz  %s\n", row->name, declared, measured,
           median(ghz, ROUNDS), is_confirmed ? "confirmed" : "not confirmed");
    if (!is_confirmed)
        fprintf(stderr, "kernel-bench: %s declares %g flops a cycle, and the clock says %.1f\n", row->name, declared,
                measured);
    return is_confirmed;
}

static void time_tile(const lay_kernel *row)
{
    block s = make_block(row);
    double peak[ROUNDS], hot[ROUNDS], flow[ROUNDS], low[ROUNDS], narrow[ROUNDS];
    rate_of_block(&s, A_PANELS, B_PANELS, row->mr, row->nr);
    for (int r = 0; r < ROUNDS; r++) {
        peak[r] = lay_bench_peak(row->type, row->isa);
        hot[r] = rate_of_block(&s, 1, 1, row->mr, row->nr) / peak[r];
        flow[r] = rate_of_block(&s, A_PANELS, B_PANELS, row->mr, row->nr) / peak[r];
        low[r] = rate_of_block(&s, 1, B_PANELS, LOW, row->nr) / peak[r];
        narrow[r] = rate_of_block(&s, A_PANELS, 1, row->mr, row->nr / 2) / peak[r];
    }
    const double best = median(peak, ROUNDS), share = median(hot, ROUNDS);
    printf("%-28s peak %7.1f  hot %7.1f %5.3f  flow %5.3f  low %5.3f  narrow %5.3f\n", row->name, best, share * best,
           share, median(flow, ROUNDS), median(low, ROUNDS), median(narrow, ROUNDS));
    free_block(&s);
}

/* Offsets of a MATRIX x MATRIX matrix by panel and step. */
typedef struct source {
    const char *name;
    lay_pack_class class;
    int64_t across[MATRIX], along[MATRIX];
} source;

static double rate_of_pack(const lay_kernel *row, lay_pack_fn *pack, int width, int64_t kc, const source *from,
                           const char *src, void *dst)
{
    const int64_t size = row->type == LAY_F32 ? sizeof(float) : sizeof(double);
    const double start = seconds_now();
    for (int64_t p = 0; p < MATRIX; p += kc)
        for (int64_t i = 0; i < MATRIX; i += width) {
            const lay_panel panel = { .k = p + kc < MATRIX ? kc : MATRIX - p,
                                      .w = (int)(i + width < MATRIX ? width : MATRIX - i),
                                      .src = src,
                                      .across = from->across + i,
                                      .along = from->along + p,
                                      .dst = dst };
            pack(&panel);
        }
    return (double)MATRIX * MATRIX * (double)size / (seconds_now() - start) * 1e-9;
}

static void time_packs(const lay_kernel *row)
{
    static source sources[] = { { .name = "across", .class = LAY_PACK_ACROSS },
                                { .name = "along", .class = LAY_PACK_ALONG },
                                { .name = "along, 4096 apart", .class = LAY_PACK_ALONG },
                                { .name = "blocks", .class = LAY_PACK_ANY },
                                { .name = "strided", .class = LAY_PACK_ANY },
                                { .name = "pairs", .class = LAY_PACK_ANY } };
    enum { SOURCES = sizeof sources / sizeof sources[0], BLOCK = 24, STRIDE = 3 };
    for (int64_t i = 0; i < MATRIX; i++) {
        sources[0].across[i] = sources[1].along[i] = sources[2].along[i] = i;
        sources[0].along[i] = sources[1].across[i] = i * MATRIX;
        sources[2].across[i] = i * 4096;
        sources[3].across[i] = i / BLOCK * BLOCK * MATRIX + i % BLOCK * BLOCK;
        sources[3].along[i] = i / BLOCK * BLOCK * BLOCK + i % BLOCK;
        sources[4].across[i] = i * STRIDE * STRIDE * MATRIX;
        sources[4].along[i] = i * STRIDE;
        sources[5].across[i] = 2 * i; /* complex numbers, whose parts are steps */
        sources[5].along[i] = i / 2 * 2 * MATRIX + i % 2;
    }
    char *src = allocate((size_t)MATRIX * MATRIX * STRIDE * STRIDE * sizeof(double));
    void *dst = allocate((size_t)MATRIX * LAY_MAX_NR * sizeof(double));
    const int64_t kc = LAY_KC;
    for (int q = 0; q < SOURCES; q++) {
        double a[ROUNDS], b[ROUNDS];
        const lay_pack_class class = sources[q].class;
        for (int r = 0; r < ROUNDS; r++) {
            a[r] = rate_of_pack(row, row->pack_a[class], row->mr, kc, &sources[q], src, dst);
            b[r] = rate_of_pack(row, row->pack_b[class], row->nr, kc, &sources[q], src, dst);
        }
        printf("    pack %-18s a %6.2f GB/s  b %6.2f GB/s\n", sources[q].name, median(a, ROUNDS), median(b, ROUNDS));
    }
    free(src);
    free(dst);
}

static const option options[] = {
    { "check-rates", 0, NULL, "compare each row's flops_per_cycle with the clock; 1 if one differs by more than 10 %" },
    { 0 },
};
static const program self = {
    .name = "kernel-bench",
    .usage = "[--check-rates] [PART OF A NAME]",
    .about = "Rows of the CPU's kernel table by themselves, on one thread.\n",
    .options = options,
    .most_words = 1,
};

int main(int argc, char **argv)
{
    const char *limit = "";
    const unsigned levels = lay_isa_find(&limit);
    args given;
    args_read_all(&self, argc, argv, &given);
    int asked = 0, confirmed = 0, found = 0;
    for (int i = 0; i < lay_kernel_count; i++) {
        const lay_kernel *row = lay_kernels[i];
        if (given.word_count && !strstr(row->name, given.words[0]))
            continue;
        found++;
        if (!lay_isa_is_in(levels, row->isa)) {
            printf("%-28s not run: %s\n", row->name, limit);
            continue;
        }
        if (args_value(&given, "check-rates")) {
            asked++;
            confirmed += confirms_rate(row);
        } else {
            time_tile(row);
            time_packs(row);
        }
        fflush(stdout);
    }
    if (!found)
        fprintf(stderr, "kernel-bench: no row's name has '%s' in it\n", given.words[0]);
    args_free(&given);
    return !found || confirmed != asked;
}
