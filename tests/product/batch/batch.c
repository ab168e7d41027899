/* Batches: every index has the bits of the product that it is, whatever the layouts, types, threads and levels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../there.h"
#include "../support/trial.h"

/* A batch of matrices, or one, in storage of its own. */
typedef struct tensor {
    lay_desc *desc, *flat; /* flat: the storage, gaps too */
    char *memory;          /* in host memory: what it holds at first */
    void *there, *zero;    /* where products find it */
    int64_t lowest, count; /* elements of storage */
    size_t size;           /* bytes of an element */
} tensor;

/* A random batch of products. */
typedef struct scene {
    lay_type type;
    int64_t batch, m, n, k;
    float alpha, beta;
    lay_options options;
    tensor a, b, c;
} scene;

static void insist(lay_status status, const char *what)
{
    if (status != LAY_OK)
        fail_msg("%s: %s: %s", what, lay_status_name(status), lay_last_error());
}

/* LAY_TEST_PLACE: device or pinned; else host memory. */
static lay_memory find_memory(void)
{
    const char *const place = getenv("LAY_TEST_PLACE");
    return !place ? LAY_MEMORY_HOST : strcmp(place, "device") == 0 ? LAY_MEMORY_DEVICE : LAY_MEMORY_PINNED;
}

/* ---- tensors ---------------------------------------------------------------------------------- */

static uint64_t some_element(lay_type type, random_source *from)
{
    const float value = (float)(random_unit(from) * 4 - 2);
    const double wide = value;
    uint64_t bits = 0;
    if (type == LAY_F16)
        return (uint64_t)random_in(from, 0, 1) << 15 | (uint64_t)random_in(from, 12, 16) << 10 |
               (uint64_t)random_in(from, 0, 1023);
    memcpy(&bits, type == LAY_F64 ? (const void *)&wide : (const void *)&value, type == LAY_F64 ? 8 : 4);
    return type == LAY_BF16 ? bits >> 16 : bits;
}

static tensor make_tensor(lay_type type, lay_desc *desc, random_source *from)
{
    tensor made = { .desc = desc, .size = lay_type_size(type) };
    int64_t highest;
    lay_desc_span(desc, &made.lowest, &highest);
    made.count = highest - made.lowest + 1;
    made.memory = malloc((size_t)made.count * made.size + 1);
    const size_t part = made.size / (size_t)oracle_parts(type);
    for (size_t at = 0; at < (size_t)made.count * made.size; at += part) {
        const uint64_t element = some_element(oracle_real(type), from);
        memcpy(made.memory + at, &element, part); /* little-endian */
    }
    insist(lay_desc_natural(1, &made.count, &made.flat), "flat");
    insist(lay_alloc(type, made.flat, find_memory(), &made.there), "lay_alloc");
    made.zero = (char *)made.there - made.lowest * (int64_t)made.size;
    return made;
}

static void send(lay_type type, const tensor *of)
{
    insist(lay_copy(type, of->flat, of->memory, of->flat, of->there, NULL), "lay_copy");
}

/* The storage as products left it. */
static char *fetch(lay_type type, const tensor *of)
{
    char *const bytes = malloc((size_t)of->count * of->size + 1);
    insist(lay_copy(type, of->flat, of->there, of->flat, bytes, NULL), "lay_copy");
    return bytes;
}

static void free_tensor(tensor *of)
{
    lay_free(of->there);
    free(of->memory);
    lay_desc_destroy(of->flat);
    lay_desc_destroy(of->desc);
}

/* ---- layouts ---------------------------------------------------------------------------------- */

enum { ROOTS = 3, LEAVES = 9 };

static int factor(random_source *from, int64_t extent, int64_t radix[])
{
    int count = 0;
    for (int64_t d = 2; d < extent && count < 2; d++)
        if (extent % d == 0 && random_one_in(from, 2)) {
            radix[count++] = d;
            extent /= d;
        }
    radix[count++] = extent;
    return count;
}

/* Leaves of all dimensions in any order of memory, some with gaps, some backwards, of inputs some with stride 0. */
static lay_desc *make_nested(random_source *from, int is_input, const int64_t extents[ROOTS], int first)
{
    int64_t radix[LEAVES], stride[LEAVES], place = 1;
    int order[LEAVES] = { 0 }, count = 0, begin[ROOTS + 1];
    for (int root = first; root < ROOTS; root++) {
        begin[root] = count;
        count += factor(from, extents[root], radix + count);
    }
    begin[ROOTS] = count;
    for (int i = 0; i < count; i++) { /* shuffled, as it grows */
        const int other = (int)random_in(from, 0, i);
        order[i] = order[other];
        order[other] = i;
    }
    for (int i = 0; i < count; i++) {
        const int leaf = order[i];
        stride[leaf] = random_one_in(from, 4) ? -place : place;
        place = place * (radix[leaf] > 0 ? radix[leaf] : 1) + (random_one_in(from, 4) ? random_in(from, 1, 5) : 0);
        if (is_input && random_one_in(from, 10))
            stride[leaf] = 0;
    }
    char text[500];
    int length = 0;
    for (int root = first; root < ROOTS; root++) {
        length += snprintf(text + length, sizeof text - (size_t)length, "[");
        for (int leaf = begin[root]; leaf < begin[root + 1]; leaf++)
            length += snprintf(text + length, sizeof text - (size_t)length, "[%lld:%lld]", (long long)radix[leaf],
                               (long long)stride[leaf]);
        length += snprintf(text + length, sizeof text - (size_t)length, "]");
    }
    return layout_parse("%s", text);
}

/* Some of a larger batch's: radices that the range of the indices cuts across. */
static lay_desc *make_ragged(random_source *from, int is_input, const int64_t extents[ROOTS])
{
    const int64_t tile = random_in(from, 2, 5), first = random_in(from, 0, tile - 1);
    const int64_t larger[ROOTS] = { (extents[0] + first + tile - 1) / tile * tile, extents[1], extents[2] };
    lay_desc *const whole =
        make_nested(from, is_input, (const int64_t[]){ larger[0] / tile, extents[1], extents[2] }, 0);
    lay_desc *parts[ROOTS], *digit, *sliced, *tiled;
    int64_t lowest, highest;
    lay_desc_span(whole, &lowest, &highest);
    const int64_t apart = highest - lowest + 1;
    insist(lay_desc_strided(1, &tile, &apart, &digit), "digit");
    for (int i = 0; i < ROOTS; i++)
        insist(lay_desc_dim(whole, i == 0 ? "0" : i == 1 ? "1" : "2", &parts[i]), "dim");
    lay_desc *outer_and_inner;
    insist(lay_desc_join(2, (const lay_desc *[]){ parts[0], digit }, &outer_and_inner),
           "join"); /* one dimension below */
    lay_desc *flat;
    insist(lay_desc_dim(outer_and_inner, NULL, &flat), "dim");
    insist(lay_desc_join(ROOTS, (const lay_desc *[]){ flat, parts[1], parts[2] }, &tiled), "join");
    insist(lay_desc_slice(tiled, 0, first, extents[0], &sliced), "slice");
    lay_desc *const gone[] = { whole, digit, parts[0], parts[1], parts[2], outer_and_inner, flat, tiled };
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++)
        lay_desc_destroy(gone[i]);
    return sliced;
}

static lay_desc *make_layout(random_source *from, int is_input, int64_t batch, int64_t rows, int64_t columns)
{
    const int64_t extents[ROOTS] = { batch, rows, columns };
    lay_desc *desc;
    if (is_input && random_one_in(from, 4))
        return make_nested(from, is_input, extents, 1); /* one matrix for all */
    if (random_one_in(from, 4)) {
        insist(lay_desc_natural(ROOTS, extents, &desc), "natural");
        return desc;
    }
    return random_one_in(from, 3) ? make_ragged(from, is_input, extents) : make_nested(from, is_input, extents, 0);
}

/* ---- scenes ----------------------------------------------------------------------------------- */

static scene make_scene(lay_type type, int64_t batch, int64_t m, int64_t n, int64_t k, random_source *from)
{
    scene made = { .type = type, .batch = batch, .m = m, .n = n, .k = k, .alpha = 0.75f, .options = LAY_OPTIONS_INIT };
    made.beta = random_one_in(from, 2) ? 0 : -1.25f;
    made.a = make_tensor(type, make_layout(from, 1, batch, m, k), from);
    made.b = make_tensor(type, make_layout(from, 1, batch, k, n), from);
    made.c = make_tensor(type, make_layout(from, 0, batch, m, n), from);
    send(type, &made.a);
    send(type, &made.b);
    if (find_memory() == LAY_MEMORY_PINNED)
        made.options.backend = LAY_BACKEND_CUDA;
    return made;
}

static void free_scene(scene *of)
{
    free_tensor(&of->a);
    free_tensor(&of->b);
    free_tensor(&of->c);
}

static lay_status multiply(const scene *of, const lay_desc *a, const lay_desc *b, const lay_desc *c, const void *zero_a,
                           const void *zero_b, void *zero_c)
{
    const float alpha[] = { of->alpha, of->alpha / 2 }, beta[] = { of->beta, of->beta / 4 };
    const double longer_alpha[] = { alpha[0], alpha[1] }, longer_beta[] = { beta[0], beta[1] };
    return oracle_real(of->type) == LAY_F64
               ? lay_gemm(of->type, a, b, c, longer_alpha, zero_a, zero_b, longer_beta, zero_c, &of->options)
               : lay_gemm(of->type, a, b, c, alpha, zero_a, zero_b, beta, zero_c, &of->options);
}

static char *run_batch(const scene *of)
{
    send(of->type, &of->c);
    insist(multiply(of, of->a.desc, of->b.desc, of->c.desc, of->a.zero, of->b.zero, of->c.zero), "the batch");
    return fetch(of->type, &of->c);
}

static char *run_one_by_one(const scene *of)
{
    send(of->type, &of->c);
    for (int64_t i = 0; i < of->batch; i++) {
        const tensor *const all[] = { &of->a, &of->b, &of->c };
        lay_desc *desc[3];
        char *zero[3];
        for (int side = 0; side < 3; side++) {
            int64_t move;
            desc[side] = layout_of_index(all[side]->desc, i, &move);
            zero[side] = (char *)all[side]->zero + move * (int64_t)all[side]->size;
        }
        insist(multiply(of, desc[0], desc[1], desc[2], zero[0], zero[1], zero[2]), "one product");
        for (int side = 0; side < 3; side++)
            lay_desc_destroy(desc[side]);
    }
    return fetch(of->type, &of->c);
}

/* All of C's storage, so gaps too. */
static void expect_same(const scene *of, const char *what)
{
    char *const together = run_batch(of), *const apart = run_one_by_one(of);
    if (memcmp(together, apart, (size_t)of->c.count * of->c.size) != 0)
        fail_msg("%s: type %d, %lld of %lld x %lld x %lld, beta %g, threads %d, isa %d: a batch of %s by %s into %s "
                 "differs from its products",
                 what, (int)of->type, (long long)of->batch, (long long)of->m, (long long)of->n, (long long)of->k,
                 (double)of->beta, of->options.threads, (int)of->options.isa, layout_text(of->a.desc),
                 layout_text(of->b.desc), layout_text(of->c.desc));
    free(together);
    free(apart);
}

/* The levels that trials are made at; a device has none. */
static int find_levels(lay_isa isas[TRIAL_LEVELS])
{
    const int levels = trial_isas(isas);
    return there_is_elsewhere() ? 1 : levels;
}

/* ---- bits ------------------------------------------------------------------------------------- */

static void backwards(void *context, int64_t count, void (*task)(void *, int64_t), void *argument)
{
    (void)context;
    for (int64_t i = count; i > 0; i--)
        task(argument, i - 1);
}

/* All of them in turn, those that there are where the operands lie. */
enum { TYPES = LAY_C64 + 1 };
static lay_type type_of(int64_t number)
{
    const lay_type type = (lay_type)(number % TYPES);
    return lay_type_size(type) > 2 || there_takes_halves() ? type : LAY_F32;
}

static void every_index_has_the_bits_of_its_product(void **state)
{
    (void)state;
    lay_isa isas[TRIAL_LEVELS];
    const int levels = find_levels(isas);
    const int64_t cases = trial_rounds(1200);
    for (int64_t number = 0; number < cases; number++) {
        random_source from = random_case(91, (uint64_t)number);
        const lay_type type = type_of(random_in(&from, 0, TYPES - 1));
        const int64_t longest = random_one_in(&from, 4) ? 90 : 20;
        scene of = make_scene(type, random_in(&from, 1, 9), random_in(&from, 1, longest), random_in(&from, 1, longest),
                              random_in(&from, 1, longest), &from);
        for (int i = 0; i < 2 * levels; i++) {
            of.options.isa = isas[i / 2];
            of.options.threads = 1 + i % 2;
            of.options.parallel = i % 2 && number % 3 == 0 ? backwards : NULL;
            expect_same(&of, "random");
        }
        free_scene(&of);
    }
}

/* Vectors with partial sums, sums in slices, several blocks, products of which each has work for two threads. */
static void every_order_of_the_sum_is_the_products_own(void **state)
{
    (void)state;
    static const int64_t sizes[][4] = { { 5, 1, 40, 600 },   { 4, 33, 1, 77 },     { 3, 7, 9, 4700 },
                                        { 2, 30, 40, 1030 }, { 3, 260, 130, 220 }, { 40, 24, 24, 24 } };
    lay_isa isas[TRIAL_LEVELS];
    const int levels = find_levels(isas);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int type = 0; type < TYPES; type++) {
            random_source from = random_case(92, s * TYPES + (uint64_t)type);
            scene of = make_scene(type_of(type), sizes[s][0], sizes[s][1], sizes[s][2], sizes[s][3], &from);
            for (int i = 0; i < 2 * levels; i++) {
                of.options.isa = isas[i / 2];
                of.options.threads = 1 + i % 2;
                expect_same(&of, "order");
            }
            free_scene(&of);
        }
}

/* A workspace for each: many products that are packed, on two threads at a time, again and again. */
static void threads_that_share_a_batch_do_not_meet(void **state)
{
    (void)state;
    for (int number = 0; number < 20; number++) {
        random_source from = random_case(93, (uint64_t)number);
        scene of = make_scene(number % 2 ? LAY_F64 : LAY_F32, 60, 50, 50, 70, &from);
        of.options.threads = 2 + number % 3;
        expect_same(&of, "shared");
        free_scene(&of);
    }
}

static void split_products_come_in_batches(void **state)
{
    (void)state;
    static const char *const splitting[] = { "lay_split_f32_32x32_c", "lay_split_f32_32x32_amx" };
    for (int number = 0; number < 24; number++) {
        random_source from = random_case(94, (uint64_t)number);
        if (!there_is_elsewhere() && !trial_splits_here(splitting[number % 2]))
            continue;
        scene of =
            make_scene(LAY_F32, 5, random_in(&from, 1, 70), random_in(&from, 1, 70), random_in(&from, 8, 200), &from);
        send(LAY_F32, &of.c);
        of.options.compute = LAY_COMPUTE_F32_SPLIT;
        of.options.kernel = there_is_elsewhere() ? NULL : splitting[number % 2];
        of.options.threads = 1 + number % 3;
        if (!there_is_elsewhere() || multiply(&of, of.a.desc, of.b.desc, of.c.desc, of.a.zero, of.b.zero, of.c.zero) !=
                                         LAY_ERR_UNSUPPORTED) /* a device has the units or not */
            expect_same(&of, "split");
        free_scene(&of);
    }
}

/* ---- special values ---------------------------------------------------------------------------- */

/* k or alpha 0: C = beta C in every index, without a look at A and B; and not a byte else. */
static void every_index_is_scaled(void **state)
{
    (void)state;
    for (int number = 0; number < 64; number++) {
        random_source from = random_case(95, (uint64_t)number);
        const lay_type type = type_of(number);
        scene of = make_scene(type, random_in(&from, 1, 40), random_in(&from, 1, 30), random_in(&from, 1, 30),
                              number % 3 ? 4 : 0, &from);
        of.alpha = number % 3 ? 0 : 1;
        of.options.threads = 1 + number % 2;
        expect_same(&of, "scaled");
        free_scene(&of);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_has_the_bits_of_its_product),
        cmocka_unit_test(every_order_of_the_sum_is_the_products_own),
        cmocka_unit_test(threads_that_share_a_batch_do_not_meet),
        cmocka_unit_test(split_products_come_in_batches),
        cmocka_unit_test(every_index_is_scaled),
    };
    if (!there_exists())
        return 0;
    return cmocka_run_group_tests_name("batch", tests, NULL, NULL);
}
