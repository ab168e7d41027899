/* lay rates: what this machine's rates are, in lines that LAY_RATES reads. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/peak.h"
#include "bench/base/timing.h"
#include "tool.h"

enum { ROUNDS = 40, SIDE = 1152 };

/* ---- a core ----------------------------------------------------------------------------------- */

/* GHz: a chain of additions takes a cycle each. */
static double measure_clock(void)
{
    enum { STEPS = 400000 };
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t sum = 0;
        const double start = seconds_now();
        for (int i = 0; i < STEPS; i++) {
            sum += 1;
            __asm__ volatile("" : "+r"(sum));
        }
        const double rate = STEPS / (seconds_now() - start) * 1e-9;
        best = rate > best ? rate : best;
    }
    return best;
}

/* GB/s of reading so many bytes again and again. */
static double measure_reading(const uint64_t *from, size_t bytes)
{
    const size_t least = (size_t)256 << 20, words = bytes / sizeof *from;
    const int times = (int)(least / bytes > 0 ? least / bytes / 8 + 1 : 1);
    double best = 0;
    for (int round = 0; round < 8; round++) {
        uint64_t sum[8] = { 0 };
        const double start = seconds_now();
        for (int t = 0; t < times; t++)
            for (size_t i = 0; i < words; i += 8)
                for (int j = 0; j < 8; j++)
                    sum[j] += from[i + (size_t)j];
        __asm__ volatile("" : : "r"(sum) : "memory");
        const double rate = (double)bytes * times / (seconds_now() - start) * 1e-9;
        best = rate > best ? rate : best;
    }
    return best;
}

/* ---- packing and C ---------------------------------------------------------------------------- */

typedef struct layouts {
    const char *a, *b, *c;
} layouts;

static lay_status make_plan(const layouts *of, lay_plan **out)
{
    const char *const text[] = { of->a, of->b, of->c };
    lay_desc *desc[3] = { NULL };
    lay_options options = LAY_OPTIONS_INIT;
    options.threads = 1;
    options.backend = LAY_BACKEND_CPU;
    lay_status status = LAY_OK;
    for (int i = 0; i < 3 && status == LAY_OK; i++)
        status = lay_desc_parse(text[i], &desc[i]);
    if (status == LAY_OK)
        status = lay_plan_create(LAY_F32, desc[0], desc[1], desc[2], &options, out);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
    return status;
}

/* ns an element of a B that is packed whole; 0 where it failed. */
static double measure_packing(const layouts *of, const float *b)
{
    lay_plan *plan = NULL;
    double best = 0;
    if (make_plan(of, &plan) != LAY_OK)
        return 0;
    for (int round = 0; round < ROUNDS; round++) {
        lay_packed *packed = NULL;
        const double start = seconds_now();
        if (lay_pack(plan, LAY_OPERAND_B, b, &packed) != LAY_OK)
            break;
        const double now = (seconds_now() - start) * 1e9 / ((double)SIDE * SIDE);
        lay_packed_destroy(packed);
        best = best == 0 || now < best ? now : best;
    }
    lay_plan_destroy(plan);
    return best;
}

static void print(const char *name, double value, const char *unit)
{
    if (value > 0)
        printf("%-16s %10.4g  # %s\n", name, value, unit);
}

static int measure(const args *given)
{
    static const struct {
        const char *name;
        layouts of;
    } packings[] = {
        { "pack_copied", { "[1152][1152]", "[1152][1152]", "[1152][1152]" } },
        { "pack_transposed", { "[1152][1152]", "[1152:1][1152:1152]", "[1152][1152]" } },
        { "pack_pieces", { "[1152][1152]", "[1152:4][[288:4608][4:1]]", "[1152][1152]" } },
        { "pack_digits", { "[1152][1152]", "[[16:1][72:16]][1152:1152]", "[1152][1152]" } },
        { "pack_gathered", { "[1152][1152]", "[1152:2][1152:2304]", "[1152][1152]" } },
    };
    if (given->word_count)
        return refuse("rates takes no arguments, '%s' was given", given->words[0]);
    const size_t bytes = (size_t)256 << 20;
    uint64_t *const memory = malloc(bytes);
    if (!memory)
        return fail("out of memory");
    memset(memory, 1, bytes); /* not 0: such memory need not be there */
    const double clock = measure_clock(), peak = lay_bench_peak(LAY_F32, peak_level(LAY_ISA_AUTO));
    printf("# Rates of this machine: LAY_RATES=FILE has the library use them. What is not named stays.\n");
    print("clock", clock, "GHz");
    print("flops", peak / clock, "f32 operations a cycle");
    print("from_l2", measure_reading(memory, (size_t)256 << 10), "GB/s");
    print("from_l3", measure_reading(memory, (size_t)6 << 20), "GB/s");
    print("from_memory", measure_reading(memory, bytes), "GB/s");
    for (size_t i = 0; i < sizeof packings / sizeof packings[0]; i++)
        print(packings[i].name, measure_packing(&packings[i].of, (const float *)(const void *)memory), "ns an element");
    free(memory);
    return EXIT_FINE;
}

static const option rates_options[] = { { 0 } };

const command rates_command = {
    .name = "rates",
    .usage = "",
    .summary = "measure the rates of this machine that plans rest on, in lines that LAY_RATES=FILE takes",
    .notes = "Takes some seconds on one CPU, which nobody else should use meanwhile.\n",
    .options = rates_options,
    .run = measure,
};
