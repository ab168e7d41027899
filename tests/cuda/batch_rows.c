/* Batches in device memory by every row of their kernels: each product has the bits that it has alone, at the edges of
 * tiles, in slices, in layouts of all classes; and what a plan says of them. */
#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../product/support/layouts.h"
#include "cuda_kernel.h"

static void insist(lay_status status, const char *what)
{
    if (status != LAY_OK)
        fail_msg("%s: %s: %s", what, lay_status_name(status), lay_last_error());
}

/* ---- operands --------------------------------------------------------------------------------- */

enum { LAYOUTS = 7, BLOCKS = 4, CORES = LAYOUTS };

/* A batch of matrices, tightly behind each other. */
static lay_desc *lay_out(int number, int64_t count, int64_t rows, int64_t columns)
{
    const long long b = count, m = rows, n = columns;
    switch (number) {
    case 0:
        return layout_parse("[%lld][%lld][%lld]", b, m, n);
    case 1:
        return layout_parse("[%lld:%lld][%lld:1][%lld:%lld]", b, m * n, m, n, m);
    case 2: /* gaps */
        return layout_parse("[%lld:%lld][%lld:%lld][%lld:1]", b, m * (n + 24), m, n + 24, n);
    case 3: /* no vectors */
        return layout_parse("[%lld:%lld][%lld:%lld][%lld:1]", b, m * (n + 3) + 1, m, n + 3, n);
    case BLOCKS: /* tiles of 16 x 16 or 8 x 8, or the whole */
        for (long long t = 16; t >= 8; t /= 2)
            if (m % t == 0 && n % t == 0)
                return layout_parse("A=[%lld][%lld][%lld][%lld][%lld]; [#A_0][[#A_1][#A_3]][[#A_2][#A_4]]", b, m / t,
                                    n / t, t, t);
        return layout_parse("[%lld:%lld][%lld:%lld][%lld:1]", b, m * n, m, n, n);
    case 5: /* blocks of 16 x 64, or the whole */
        return m % 16 == 0 && n % 64 == 0
                   ? layout_parse("A=[%lld][%lld][%lld][16][64]; [#A_0][[#A_1][#A_3]][[#A_2][#A_4]]", b, m / 16, n / 64)
                   : layout_parse("[%lld][%lld][%lld]", b, m, n);
    case CORES: /* blocks of 8 x 8, or the whole */
        return m % 8 == 0 && n % 8 == 0
                   ? layout_parse("A=[%lld][%lld][%lld][8][8]; [#A_0][[#A_1][#A_3]][[#A_2][#A_4]]", b, m / 8, n / 8)
                   : layout_parse("[%lld][%lld][%lld]", b, m, n);
    default: /* backwards in each dimension */
        return layout_parse("[%lld:%lld][%lld:%lld][%lld:-1]", b, -m * n, m, -n, n);
    }
}

/* The same matrix for every index. */
static lay_desc *lay_out_one(int64_t rows, int64_t columns)
{
    return layout_parse("[%lld][%lld]", (long long)rows, (long long)columns);
}

typedef struct tensor {
    lay_type type;
    lay_desc *desc, *flat;
    char *host, *memory, *zero; /* zero: of offset 0, on the device */
    size_t bytes;
} tensor;

static double random_element(random_source *from)
{
    return (random_unit(from) * 2 - 1) * (random_one_in(from, 20) ? 1e-4 : 1);
}

static tensor make(lay_type type, lay_desc *desc, random_source *from)
{
    tensor made = { .type = type, .desc = desc };
    const size_t size = lay_type_size(type);
    int64_t lowest, highest;
    lay_desc_span(desc, &lowest, &highest);
    const int64_t count = highest - lowest + 1;
    made.bytes = (size_t)count * size;
    made.host = malloc(made.bytes);
    for (int64_t i = 0; i < count; i++) {
        const double wide = random_element(from);
        const float value = (float)wide;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        const uint16_t brain = (uint16_t)(bits >> 16);
        const uint16_t half =
            (uint16_t)(bits >> 16 & 0x8000u) | (uint16_t)(random_in(from, 8, 15) << 10 | random_in(from, 0, 1023));
        memcpy(made.host + (size_t)i * size,
               type == LAY_F64    ? (const void *)&wide
               : type == LAY_F32  ? (const void *)&value
               : type == LAY_BF16 ? (const void *)&brain
                                  : (const void *)&half,
               size);
    }
    insist(lay_desc_natural(1, &count, &made.flat), "flat");
    insist(lay_alloc(type, made.flat, LAY_MEMORY_DEVICE, (void **)&made.memory), "lay_alloc");
    made.zero = made.memory - lowest * (int64_t)size;
    return made;
}

static void send(const tensor *of)
{
    assert_int_equal(cudaMemcpy(of->memory, of->host, of->bytes, cudaMemcpyHostToDevice), cudaSuccess);
}

static char *fetch(const tensor *of)
{
    char *const bytes = malloc(of->bytes);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    assert_int_equal(cudaMemcpy(bytes, of->memory, of->bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    return bytes;
}

static void drop(tensor *of)
{
    lay_free(of->memory);
    free(of->host);
    lay_desc_destroy(of->flat);
    lay_desc_destroy(of->desc);
}

/* ---- batches ---------------------------------------------------------------------------------- */

typedef struct scene {
    lay_type type;
    int64_t count, m, n, k;
    const void *alpha, *beta;
    tensor a, b, c;
} scene;

/* NULL: the row cannot read such operands in boxes. */
static char *run_together(const scene *of, const lay_cuda_kernel *row)
{
    const char *const kernel = row->name;
    lay_options options = LAY_OPTIONS_INIT;
    options.kernel = kernel;
    send(&of->c);
    lay_plan *plan = NULL;
    lay_status status = lay_plan_create(of->type, of->a.desc, of->b.desc, of->c.desc, &options, &plan);
    if (status == LAY_OK)
        status = lay_plan_run(plan, of->alpha, of->a.zero, of->b.zero, of->beta, of->c.zero);
    if (status == LAY_ERR_UNSUPPORTED && row->boxes) {
        lay_plan_destroy(plan);
        return NULL;
    }
    insist(status, kernel);
    char *const bytes = fetch(&of->c);
    lay_plan_destroy(plan);
    return bytes;
}

static char *run_one_by_one(const scene *of)
{
    lay_options options = LAY_OPTIONS_INIT;
    send(&of->c);
    for (int64_t i = 0; i < of->count; i++) {
        const tensor *const all[] = { &of->a, &of->b, &of->c };
        lay_desc *desc[3];
        char *zero[3];
        for (int side = 0; side < 3; side++) {
            int64_t move;
            desc[side] = layout_of_index(all[side]->desc, i, &move);
            zero[side] = all[side]->zero + move * (int64_t)lay_type_size(of->type);
        }
        insist(lay_gemm(of->type, desc[0], desc[1], desc[2], of->alpha, zero[0], zero[1], of->beta, zero[2], &options),
               "one product");
        for (int side = 0; side < 3; side++)
            lay_desc_destroy(desc[side]);
    }
    return fetch(&of->c);
}

/* Layouts that boxes read, or some of them; else all. */
static int layout_for(const lay_cuda_kernel *row, int number)
{
    static const int in_boxes[] = { 0, 2, 4, 0, 2, 1, 5 };
    if (row->boxes == LAY_CUDA_CORES || row->boxes == LAY_CUDA_BLOCKS)
        return row->boxes == LAY_CUDA_CORES ? CORES : BLOCKS;
    return row->boxes ? in_boxes[number % LAYOUTS] : number % LAYOUTS;
}

/* Whether the row serves. */
static int insist_on_row(const lay_cuda_kernel *row, const int64_t size[4], int number)
{
    static const float alpha[] = { 1.25f, 1 }, beta[] = { 0, -0.75f };
    static const double wide_alpha[] = { 1.25, 1 }, wide_beta[] = { 0, -0.75 };
    random_source from = random_case(239, (uint64_t)number);
    scene of = { .type = row->type, .count = size[0], .m = size[1], .n = size[2], .k = size[3] };
    const int is_wide = row->type == LAY_F64, scalar = number % 2, is_shared = number % 5 == 4;
    of.alpha = is_wide ? (const void *)&wide_alpha[scalar] : &alpha[scalar];
    of.beta = is_wide ? (const void *)&wide_beta[scalar] : &beta[scalar];
    of.a = make(row->type, is_shared ? lay_out_one(of.m, of.k) : lay_out(layout_for(row, number), of.count, of.m, of.k),
                &from);
    of.b = make(row->type, lay_out(layout_for(row, number / 2), of.count, of.k, of.n), &from);
    of.c = make(
        row->type,
        lay_out(row->boxes == LAY_CUDA_CORES && number % 4 < 3 ? CORES : number / 3 % LAYOUTS, of.count, of.m, of.n),
        &from);
    send(&of.a);
    send(&of.b);
    char *const together = run_together(&of, row), *const apart = together ? run_one_by_one(&of) : NULL;
    if (together && memcmp(together, apart, of.c.bytes) != 0)
        fail_msg("%s, case %d: %lld of %lld x %lld x %lld: a batch of %s by %s into %s differs from its products",
                 row->name, number, (long long)of.count, (long long)of.m, (long long)of.n, (long long)of.k,
                 layout_text(of.a.desc), layout_text(of.b.desc), layout_text(of.c.desc));
    free(together);
    free(apart);
    drop(&of.a);
    drop(&of.b);
    drop(&of.c);
    return together != NULL;
}

static void every_row_has_the_bits_of_single_products(void **state)
{
    (void)state;
    static const int64_t sizes[][4] = { { 3, 16, 16, 16 },   { 5, 24, 24, 24 },    { 4, 48, 32, 48 },
                                        { 3, 64, 64, 64 },   { 2, 100, 100, 100 }, { 2, 128, 128, 128 },
                                        { 3, 33, 65, 17 },   { 2, 200, 136, 200 }, { 2, 65, 130, 250 },
                                        { 300, 16, 24, 32 }, { 2, 7, 9, 3 },       { 2, 256, 256, 256 } };
    enum { SIZES = sizeof sizes / sizeof sizes[0] };
    int number = 0;
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_BATCH);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
        int served = 0;
        for (int i = 0; i < 2 * SIZES; i++)
            served += insist_on_row(row, sizes[i / 2], number++);
        assert_true(served >= (row->boxes ? 4 : 2 * SIZES));
    }
    assert_true(number > 0);
}

/* Three products whose A begins an element later than boxes may. */
static void insist_on_unaligned(const lay_cuda_kernel *row, int64_t side, int64_t k, int number)
{
    static const float one = 1, zero = 0;
    static const double wide_one = 1, wide_zero = 0;
    random_source from = random_case(243, (uint64_t)number);
    scene of = { .type = row->type, .count = 3, .m = side, .n = side, .k = k };
    const int is_wide = row->type == LAY_F64;
    of.alpha = is_wide ? (const void *)&wide_one : &one;
    of.beta = is_wide ? (const void *)&wide_zero : &zero;
    of.a = make(row->type, lay_out(0, 4, side, k), &from);
    of.b = make(row->type, lay_out(0, 3, k, side), &from);
    of.c = make(row->type, lay_out(0, 3, side, side), &from);
    send(&of.a);
    send(&of.b);
    lay_desc_destroy(of.a.desc); /* the fourth product is room for the first three to begin an element later */
    of.a.desc = lay_out(0, 3, side, k);
    of.a.zero += lay_type_size(row->type);
    char *const together = run_together(&of, row), *const apart = run_one_by_one(&of);
    if (together)
        assert_memory_equal(together, apart, of.c.bytes);
    free(together);
    free(apart);
    drop(&of.a);
    drop(&of.b);
    drop(&of.c);
}

/* Tensor copies want 16 bytes: such a run goes by another row, or, where k is too long for that, one product after the
 * other, with the same bits. */
static void addresses_that_are_not_aligned_go_without_boxes(void **state)
{
    (void)state;
    int number = 0;
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_BATCH);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
        insist_on_unaligned(row, 64, 64, number++);
        if (row->boxes)
            insist_on_unaligned(row, 64, 8192, number++);
    }
}

/* C = beta C. */
static void a_batch_of_no_steps_is_scaled(void **state)
{
    (void)state;
    static const int64_t size[] = { 7, 20, 36, 0 };
    int number = 0;
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_BATCH);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));)
        for (int i = 0; i < 4; i++) {
            random_source from = random_case(241, (uint64_t)number++);
            static const float one = 1, beta[] = { 0, -0.75f };
            static const double wide_one = 1, wide_beta[] = { 0, -0.75 };
            const int is_wide = row->type == LAY_F64;
            scene of = { .type = row->type, .count = size[0], .m = size[1], .n = size[2] };
            of.alpha = is_wide ? (const void *)&wide_one : &one;
            of.beta = is_wide ? (const void *)&wide_beta[i % 2] : &beta[i % 2];
            of.a.desc = layout_parse("[7][20][0]");
            of.b.desc = layout_parse("[7][0][36]");
            of.c = make(row->type, lay_out(i, of.count, of.m, of.n), &from);
            char *const together = run_together(&of, row), *const apart = run_one_by_one(&of);
            if (together) /* boxed rows bring operands, and may say that there are none */
                assert_memory_equal(together, apart, of.c.bytes);
            free(together);
            free(apart);
            lay_desc_destroy(of.a.desc);
            lay_desc_destroy(of.b.desc);
            drop(&of.c);
        }
}

int main(void)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        printf("1..0 # SKIP no GPU\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_the_bits_of_single_products),
        cmocka_unit_test(addresses_that_are_not_aligned_go_without_boxes),
        cmocka_unit_test(a_batch_of_no_steps_is_scaled),
    };
    return cmocka_run_group_tests_name("cuda_batch_rows", tests, NULL, NULL);
}
