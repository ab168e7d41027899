/* split-bench: the parts of the CPU's split product by themselves (kernels/cpu_split.h): 32 x 32 products from panels
 * in the caches, C's update, packing of each class, beside the peaks of FMAs and of the matrix unit. One thread; rates
 * are the best of several bursts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/args.h"
#include "bench/timing/peak.h"
#include "bench/timing/peak_tiles.h"
#include "bench/timing/timing.h"
#include "cpu_split.h"
#include "machine/amx.h"
#include "machine/isa.h"
#include "plan/summation.h"

enum { LINES = LAY_CPU_SPLIT_LINES, BURSTS = 40, LEFTS = 7, RIGHTS = 16, PITCH = 4096 };

static void *allocate(size_t bytes)
{
    void *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!memory)
        exit(2);
    memset(memory, 0, bytes);
    return memory;
}

typedef struct stock {
    const lay_cpu_split_row *row;
    int64_t k;
    int limbs;
    size_t panel;
    char *left, *right;
    float *source, *c;
    int64_t far[PITCH], near[PITCH]; /* offsets */
} stock;

/* GFLOP/s of lefts x rights panels; with C's update or without. */
static double multiply(const stock *of, int lefts, int rights, int has_c)
{
    static lay_cpu_split_sums sums[2];
    lay_cpu_split_result result[2], *pending = NULL;
    int turn = 0;
    const double start = seconds_now();
    if (of->row->start)
        of->row->start();
    for (int j = 0; j < rights; j++)
        for (int i = 0; i < lefts; i++, turn = 1 - turn) {
            result[turn] = (lay_cpu_split_result){ .sums = &sums[turn],
                                                   .c = of->c + (int64_t)i * LINES * PITCH + (int64_t)j * LINES,
                                                   .row = of->far,
                                                   .rows = UINT32_MAX,
                                                   .columns = UINT32_MAX,
                                                   .alpha = 1,
                                                   .beta = 1 };
            const lay_cpu_split_tile tile = {
                .leaves = lay_cpu_split_leaves(of->k),
                .limbs = of->limbs,
                .a = of->left + (size_t)i * of->panel,
                .b = of->right + (size_t)j * of->panel,
                .sums = &sums[turn],
                .pending = pending,
                .coming = has_c ? &result[turn] : NULL,
                .next_a = of->left + (size_t)((i + 1) % lefts) * of->panel,
                .next_b = of->right + (size_t)(i + 1 < lefts ? j : (j + 1) % rights) * of->panel,
                .ahead = of->right + (size_t)((j + 1) % rights) * of->panel + (size_t)i * of->panel / (size_t)lefts,
                .ahead_bytes = of->panel / (size_t)(lefts * lay_cpu_split_leaves(of->k)),
            };
            of->row->multiply(&tile);
            pending = has_c ? &result[turn] : NULL;
        }
    if (of->row->stop)
        of->row->stop();
    if (pending)
        of->row->store(pending);
    return 2.0 * LINES * LINES * (double)of->k * lefts * rights / (seconds_now() - start) * 1e-9;
}

/* Nanoseconds for 16 elements: panels of a matrix of PITCH in turn, or one over and over. */
static double pack(const stock *of, lay_cpu_split_pack_fn *function, int is_across, int has_one, char *to)
{
    enum { PANELS = 16 };
    int64_t across[LINES];
    const double start = seconds_now();
    for (int i = 0; i < PANELS; i++) {
        for (int l = 0; l < LINES; l++)
            across[l] = (is_across ? of->near : of->far)[(has_one ? 0 : i * LINES) + l];
        const lay_cpu_split_pack panel = { .k = of->k,
                                           .w = LINES,
                                           .limbs = of->limbs,
                                           .src = of->source,
                                           .across = across,
                                           .along = is_across ? of->far : of->near,
                                           .dst = to + (has_one ? 0 : (size_t)i * of->panel) };
        function(&panel);
    }
    return (seconds_now() - start) / ((double)PANELS * LINES * (double)of->k / 16) * 1e9;
}

static void print_products(const stock *of)
{
    static const struct {
        const char *name;
        int lefts, rights, has_c;
    } cases[] = { { "one pair", 1, 1, 0 }, { "second cache", LEFTS, RIGHTS, 0 }, { "and C", LEFTS, RIGHTS, 1 } };
    double best[3] = { 0 }, peak = 0, unit = 0;
    for (int burst = 0; burst < BURSTS; burst++) {
        for (int i = 0; i < 3; i++) {
            const double rate = multiply(of, cases[i].lefts, cases[i].rights, cases[i].has_c);
            best[i] = rate > best[i] ? rate : best[i];
        }
        if (burst % 8 == 0) {
            const double now = lay_bench_peak(LAY_F32, peak_level(LAY_ISA_AUTO));
            peak = now > peak ? now : peak;
            unit = fmax(unit, lay_bench_peak_tiles() / (of->limbs * (of->limbs + 1) / 2.0));
        }
    }
    printf("%s limbs %d k %lld: FMA peak %.1f  matrix unit %.1f", of->row->name, of->limbs, (long long)of->k, peak,
           unit);
    for (int i = 0; i < 3; i++)
        printf("  %s %.1f (%.2f)", cases[i].name, best[i], best[i] / peak);
    printf("\n");
}

static void print_packing(const stock *of)
{
    char *const to = allocate(16 * of->panel);
    for (int is_right = 0; is_right < 2; is_right++)
        for (int class = LAY_PACK_ACROSS; class < LAY_PACK_ANY; class ++)
            for (int has_one = 0; has_one < 2; has_one++) {
                double best = 1e9;
                for (int burst = 0; burst < BURSTS / 2; burst++) {
                    const double now = pack(of, (is_right ? of->row->pack_right : of->row->pack_left)[class],
                                            class == LAY_PACK_ACROSS, has_one, to);
                    best = now < best ? now : best;
                }
                printf("    pack %-5s %-6s %-9s %6.2f ns for 16 elements\n", is_right ? "right" : "left",
                       class == LAY_PACK_ACROSS ? "across" : "along", has_one ? "near" : "in turn", best);
            }
    free(to);
}

static void run(const lay_cpu_split_row *row)
{
    static stock of;
    of.row = row;
    of.source = allocate((size_t)PITCH * 1024 * sizeof(float));
    of.c = allocate((size_t)PITCH * LEFTS * LINES * sizeof(float));
    for (int64_t i = 0; i < PITCH; i++) {
        of.near[i] = i;
        of.far[i] = i * PITCH;
    }
    for (int64_t i = 0; i < (int64_t)PITCH * 1024; i++)
        of.source[i] = (float)(i * 7919 % 8191) / 8192 - 0.3f;
    for (of.limbs = 3; of.limbs >= 1; of.limbs--)
        for (of.k = LAY_KC; of.k >= 256; of.k /= 2) {
            of.panel = (size_t)lay_cpu_split_leaves(of.k) * lay_cpu_split_leaf(of.limbs);
            of.left = allocate(LEFTS * of.panel);
            of.right = allocate(RIGHTS * of.panel);
            /* What the unit does in a second depends on them (peak_tiles.h). */
            lay_bench_fill_tiles((uint16_t *)(void *)of.left, LEFTS * of.panel / sizeof(uint16_t), 1);
            lay_bench_fill_tiles((uint16_t *)(void *)of.right, RIGHTS * of.panel / sizeof(uint16_t), 2);
            print_products(&of);
            if (of.k == LAY_KC)
                print_packing(&of);
            free(of.left);
            free(of.right);
        }
    free(of.source);
    free(of.c);
}

static const option options[] = { { 0 } };
static const program self = {
    .name = "split-bench",
    .usage = "",
    .about = "The parts of the CPU's split product by themselves, on one thread.\n",
    .options = options,
};

int main(int argc, char **argv)
{
    args given;
    args_read_all(&self, argc, argv, &given);
    args_free(&given);
    const char *limit = "";
    const unsigned levels = lay_isa_find(&limit);
    for (int i = 0; i < lay_cpu_split_row_count; i++) {
        const lay_cpu_split_row *row = lay_cpu_split_rows[i];
        const char *refusal = !lay_isa_is_in(levels, row->isa) ? limit
                              : row->isa == LAY_ISA_AMX        ? lay_amx_refusal()
                                                               : NULL;
        if (refusal)
            printf("%s not run: %s\n", row->name, refusal);
        else if (!row->is_emulated)
            run(row);
    }
    return 0;
}
