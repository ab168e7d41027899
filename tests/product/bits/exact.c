/* Every bit of products on the CPU is the one that docs/numerics.md writes down: of all types at all levels, in all
 * layouts, on any number of threads, packed or not, with every special case. The page as a program is in model.c.
 *
 * test_product_exact [SEED] */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/trial.h"
#include "model.h"

enum { TYPES = 4 };

static uint64_t seed = 41;

typedef struct shape {
    int64_t m, n, k;
} shape;

/* ---- comparing --------------------------------------------------------------------------------- */

static char *bytes_of_model(const trial *t, int is_fused, int limbs)
{
    const size_t elements = (size_t)(t->m * t->n);
    const model_product product = { .type = t->type,
                                    .is_fused = is_fused,
                                    .limbs = limbs,
                                    .m = t->m,
                                    .n = t->n,
                                    .k = t->k,
                                    .alpha = t->type == LAY_F64 ? t->alpha : (double)(float)t->alpha,
                                    .beta = t->type == LAY_F64 ? t->beta : (double)(float)t->beta,
                                    .a = t->a,
                                    .b = t->b,
                                    .c = t->c };
    double *const c = oracle_memory(elements * sizeof *c);
    char *const bytes = oracle_memory(elements * lay_type_size(t->type));
    model_multiply(&product, c);
    for (size_t at = 0; at < elements; at++)
        oracle_store(t->type, bytes, (int64_t)at, c[at]);
    oracle_unite_nans(t->type, bytes, (int64_t)elements);
    free(c);
    return bytes;
}

static void complain(const trial *t, const char *wanted, const char *got)
{
    char story[6000];
    const size_t size = lay_type_size(t->type);
    int64_t at = 0, others = 0;
    for (int64_t i = t->m * t->n - 1; i >= 0; i--)
        if (memcmp(wanted + (size_t)i * size, got + (size_t)i * size, size) != 0) {
            at = i;
            others++;
        }
    trial_story(t, story, sizeof story);
    fail_msg("%lld elements are others than the model's, the first C(%lld,%lld): %a, not %a, alpha %a, beta %a\n%s",
             (long long)others, (long long)(at / t->n), (long long)(at % t->n), oracle_load(t->type, got, at),
             oracle_load(t->type, wanted, at), t->alpha, t->beta, story);
}

static void expect(trial *t, trial_way way, const char *wanted)
{
    const int64_t elements = t->m * t->n;
    const size_t bytes = (size_t)elements * lay_type_size(t->type);
    char *const got = oracle_memory(bytes);
    trial_restore(t);
    if (trial_run(t, way) != LAY_OK) {
        char story[6000];
        trial_story(t, story, sizeof story);
        fail_msg("%s\n%s", lay_last_error(), story);
    }
    operand_bytes(&t->out, got);
    oracle_unite_nans(t->type, got, elements);
    if (memcmp(wanted, got, bytes) != 0)
        complain(t, wanted, got);
    assert_true(operand_gaps_are_kept(&t->out));
    free(got);
}

/* ---- numbers ----------------------------------------------------------------------------------- */

/* The least and the least normal number, and the largest. */
static const double least[TYPES] = {
    [LAY_F32] = 0x1p-149, [LAY_F64] = 0x1p-1074, [LAY_F16] = 0x1p-24, [LAY_BF16] = 0x1p-133
};
static const double least_normal[TYPES] = {
    [LAY_F32] = 0x1p-126, [LAY_F64] = 0x1p-1022, [LAY_F16] = 0x1p-14, [LAY_BF16] = 0x1p-126
};
static const double largest[TYPES] = {
    [LAY_F32] = 0x1.fffffep127, [LAY_F64] = 0x1.fffffffffffffp1023, [LAY_F16] = 65504, [LAY_BF16] = 0x1.fep127
};

static double some_finite(lay_type type, random_source *from)
{
    const double some[] = {
        0, least[type], 3 * least[type], least_normal[type] - least[type], least_normal[type], largest[type]
    };
    return random_one_in(from, 2) ? random_of(from, some) : -random_of(from, some);
}

/* Some elements of a matrix become special, where has_infinite also NaN and infinite. */
static void strew(lay_type type, double *matrix, int64_t elements, int has_infinite, random_source *from)
{
    static const double infinite[] = { NAN, INFINITY, -INFINITY };
    for (int64_t count = elements > 0 ? random_in(from, 0, 2 + elements / 8) : 0; count > 0; count--)
        matrix[random_in(from, 0, elements - 1)] = some_finite(type, from);
    for (int64_t count = elements > 0 && has_infinite ? random_in(from, 0, 2) : 0; count > 0; count--)
        matrix[random_in(from, 0, elements - 1)] = random_of(from, infinite);
}

static void fill(trial *t, random_source *from)
{
    trial_fill(t, from);
    if (!random_one_in(from, 3))
        return;
    const int has_infinite = random_one_in(from, 2);
    strew(t->type, t->a, t->m * t->k, has_infinite, from);
    strew(t->type, t->b, t->k * t->n, has_infinite, from);
    strew(t->type, t->c, t->m * t->n, has_infinite, from);
}

static int is_narrow(lay_type type)
{
    return type == LAY_F16 || type == LAY_BF16;
}

/* Rounding to 16 bits hides most of what differs in FP32. So C becomes what, times beta, cancels the product's first
 * bits, and what is left shows the others. A and B must keep these numbers. */
static void expose_fp32(trial *t)
{
    const trial own = *t;
    t->alpha = (double)(float)(-t->alpha / t->beta);
    t->beta = 0;
    char *const bytes = bytes_of_model(t, t->options.isa != LAY_ISA_C, 0);
    for (int64_t at = 0; at < t->m * t->n; at++)
        t->c[at] = oracle_load(t->type, bytes, at);
    t->alpha = own.alpha;
    t->beta = own.beta;
    free(bytes);
}

static double some_scalar(random_source *from)
{
    static const double usual[] = { 1, 1, -1, 0, -0.0, 0.7, -1.3, 2.5, 0x1.2826eap-2, -0x1.109decp-1 };
    static const double strange[] = { NAN, INFINITY, -INFINITY, 0x1p-149, 0x1.fffffep127, -0x1p-70 };
    return random_one_in(from, 10) ? random_of(from, strange) : random_of(from, usual);
}

/* ---- sizes ------------------------------------------------------------------------------------- */

/* Around the edges of tiles and vectors, */
static const int64_t edges[] = { 1,  2,  3,  4,  5,  7,  8,  9,  11, 12, 13, 14, 15, 16, 17,
                                 23, 24, 25, 31, 32, 33, 47, 48, 49, 63, 64, 65, 66, 80 };
/* of blocks of k and partial sums, */
static const int64_t steps[] = { 1,   7,   8,   9,   16,  31,   32,   33,   40,   64,   130,
                                 257, 511, 512, 513, 521, 1023, 1024, 1025, 1030, 1537, 2000 };
/* of slices, and of the pieces of 16-bit types, the last of them too short for partial sums, or not. */
static const int64_t long_steps[] = { 2047, 2048, 2049, 2079, 2080, 2561, 3583, 3584, 3585, 3601,
                                      4095, 4096, 4097, 4127, 4128, 4683, 6145, 7000, 8200 };

static shape some_shape(random_source *from)
{
    const int64_t kind = random_in(from, 0, 99);
    if (kind < 4)
        return (shape){ random_in(from, 0, 2), random_in(from, 0, 2), random_in(from, 0, 2) };
    if (kind < 60)
        return (shape){ random_of(from, edges), random_of(from, edges),
                        random_one_in(from, 2) ? random_in(from, 1, 80) : random_of(from, steps) };
    if (kind < 80) { /* a vector */
        const int is_long = random_one_in(from, 3);
        const int64_t k = is_long ? random_of(from, long_steps) : random_of(from, steps);
        const int64_t lines = random_in(from, 1, is_long ? 40 : 150);
        const shape column = { lines, 1, k }, row = { 1, lines, k };
        return random_one_in(from, 2) ? column : row;
    }
    return (shape){ random_of(from, edges) / 4 + 2, random_of(from, edges) / 6 + 1, random_of(from, long_steps) };
}

static trial_data some_data(random_source *from)
{
    static const trial_data kinds[] = { TRIAL_SIGNED, TRIAL_SIGNED, TRIAL_UNIT, TRIAL_WIDE, TRIAL_GRADED, TRIAL_TINY };
    return random_of(from, kinds);
}

/* ---- trying ------------------------------------------------------------------------------------ */

static void place(trial *t, int may_share, random_source *from)
{
    const layout_use use = may_share ? LAYOUT_INPUT : LAYOUT_OUTPUT;
    if (!may_share && random_one_in(from, 2)) {
        trial_place(t, layout_usual((int)random_in(from, 0, LAYOUT_USUAL - 1), t->m, t->k),
                    layout_usual((int)random_in(from, 0, LAYOUT_USUAL - 1), t->k, t->n),
                    layout_usual((int)random_in(from, 0, LAYOUT_USUAL - 1), t->m, t->n), OPERAND_ANYWHERE, from);
        return;
    }
    trial_place(t, layout_random(from, use, t->m, t->k), layout_random(from, use, t->k, t->n),
                layout_random(from, LAYOUT_OUTPUT, t->m, t->n), OPERAND_ANYWHERE, from);
}

/* t's numbers in several layouts, the first of which may share elements: the same bits in all of them. */
static void try(trial *t, int is_fused, int limbs, int may_share, random_source *from)
{
    enum { LAYOUTS = 3 };
    static const int threads[] = { 1, 2, 3, 16 };
    char *wanted = NULL;
    for (int layout = 0; layout < LAYOUTS; layout++) {
        place(t, may_share && layout == 0, from);
        if (layout == 0)
            wanted = bytes_of_model(t, is_fused, limbs);
        t->options.threads = random_of(from, threads);
        expect(t, (trial_way)random_in(from, 0, TRIAL_WAYS - 1), wanted);
        trial_unplace(t);
    }
    free(wanted);
}

static trial trial_of(lay_type type, shape of, trial_data data)
{
    trial t = { .type = type, .m = of.m, .n = of.n, .k = of.k, .alpha = 1, .data = data };
    t.options = (lay_options)LAY_OPTIONS_INIT;
    t.options.backend = LAY_BACKEND_CPU;
    return t;
}

static void products_have_the_pages_bits(void **state)
{
    const lay_isa isa = *(const lay_isa *)*state;
    for (int round = 0; round < trial_rounds(750); round++) {
        random_source from = random_case(seed, (uint64_t)(round * 4 + (int)isa));
        trial t = trial_of((lay_type)(round % TYPES), some_shape(&from), some_data(&from));
        t.alpha = some_scalar(&from);
        t.beta = some_scalar(&from);
        t.options.isa = isa;
        fill(&t, &from);
        const int is_exposed = is_narrow(t.type) && t.beta != 0 && !random_one_in(&from, 3);
        if (is_exposed)
            expose_fp32(&t);
        try(&t, isa != LAY_ISA_C, 0, !is_exposed, &from);
        trial_free(&t);
    }
}

/* Each where something begins or ends that cuts sums, or where it must not show, with odd factors. */
static void the_pages_borders_are_where_it_says(void **state)
{
    static const shape borders[] = {
        { 18, 20, 4683 },                                    /* 16-bit pieces whose last one has blocks of its own */
        { 64, 2, 3584 },  { 2, 64, 3585 },  { 65, 2, 3585 }, /* slices */
        { 2, 2, 65536 },  { 2, 2, 131073 },                  /* the most of them, and longer ones */
        { 1, 40, 31 },    { 40, 1, 32 },    { 1, 1, 70000 }, /* partial sums */
        { 1, 9, 2079 },   { 9, 1, 2080 },                    /* of a last piece */
        { 2049, 12, 60 }, { 12, 2049, 60 },                  /* a row too many for 16-bit blocks of C is no vector */
        { 130, 90, 520 },                                    /* for threads */
    };
    const lay_isa isa = *(const lay_isa *)*state;
    for (int i = 0; i < (int)(sizeof borders / sizeof borders[0]); i++)
        for (int type = 0; type < TYPES; type++) {
            random_source from = random_case(seed + 1, (uint64_t)(i * TYPES + type));
            trial t = trial_of((lay_type)type, borders[i], TRIAL_SIGNED);
            t.alpha = 0x1.2826eap-2;
            t.beta = -0x1.109decp-1;
            t.options.isa = isa;
            trial_fill(&t, &from);
            if (is_narrow(t.type))
                expose_fp32(&t);
            try(&t, isa != LAY_ISA_C, 0, 0, &from);
            trial_free(&t);
        }
}

/* ---- split operands ---------------------------------------------------------------------------- */

/* Magnitudes that make lines plain, scaled and strange, a factor for each line. */
static void spread(double *matrix, int64_t rows, int64_t columns, int is_by_rows, random_source *from)
{
    static const int by[] = { 0, 0, 0, 62, -52, 100, -110, -140 };
    const int64_t lines = is_by_rows ? rows : columns, length = is_by_rows ? columns : rows;
    for (int64_t i = 0; i < lines; i++) {
        const int exponent = random_of(from, by), is_wide = random_one_in(from, 6);
        for (int64_t p = 0; p < length; p++) {
            double *const x = matrix + (is_by_rows ? i * columns + p : p * columns + i);
            *x = oracle_round(LAY_F32, ldexp(*x, exponent + (is_wide ? (int)random_in(from, -60, 60) : 0)));
        }
    }
}

static void split_one(const char *kernel, lay_compute compute, int limbs, lay_isa isa, uint64_t number)
{
    static const int64_t lines[] = { 1, 2, 7, 31, 32, 33, 40, 65 };
    static const int64_t some_k[] = { 1, 5, 8, 31, 32, 33, 63, 64, 65, 255, 256, 257, 289, 512, 513, 530, 1100, 4000 };
    random_source from = random_case(seed + 2, number);
    const shape of = { random_of(&from, lines), random_of(&from, lines), random_of(&from, some_k) };
    trial t = trial_of(LAY_F32, of, random_one_in(&from, 4) ? TRIAL_TINY : TRIAL_SIGNED);
    t.alpha = some_scalar(&from);
    t.beta = some_scalar(&from);
    t.options.kernel = kernel;
    t.options.compute = compute;
    t.options.isa = isa;
    fill(&t, &from);
    if (random_one_in(&from, 2)) {
        spread(t.a, t.m, t.k, 1, &from);
        spread(t.b, t.k, t.n, 0, &from);
    }
    try(&t, isa != LAY_ISA_C, limbs, 1, &from);
    trial_free(&t);
}

static void split_products_have_the_pages_bits(void **state)
{
    const lay_isa isa = *(const lay_isa *)*state;
    for (int i = 0; i < TRIAL_SPLITTING; i++) {
        if (i == 1 && isa != LAY_ISA_C) /* once, not at every level */
            continue;
        if (!trial_splits_here(trial_splitting[i])) {
            print_message("# %s is not run: %s\n", trial_splitting[i], lay_last_error());
            continue;
        }
        for (int round = 0; round < trial_rounds(450); round++)
            split_one(trial_splitting[i], trial_split_modes[round % 3], 3 - round % 3, i == 1 ? LAY_ISA_AUTO : isa,
                      (uint64_t)(round * 8 + i * 4 + (int)isa));
    }
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : seed;
    static const trial_promise promises[] = {
#define PROMISE(test) { #test, test }
        PROMISE(products_have_the_pages_bits),
        PROMISE(the_pages_borders_are_where_it_says),
        PROMISE(split_products_have_the_pages_bits),
#undef PROMISE
    };
    return trial_keep_promises("exact", promises, sizeof promises / sizeof promises[0]);
}
