/* Copies that change elements on a device, without one: the job as it is prepared for the device's kernels, and their
 * own text on the host. Every bit is the CPU's, and nothing outside is written. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../cases.h"
#include "../../oracle.h"
#include "../../product/support/layouts.h"
#include "changed_kernels.h"
#include "cuda/copy/choose.h"

enum { TYPES = 6, ROUNDS = 6000 };

/* Those that move bits are no subject; a build with CUDA has its own. */
__attribute__((weak)) const void *const lay_cuda_copy_lines[4], *const lay_cuda_copy_tiles[4],
                                                                    *const lay_cuda_copy_tiles_by_vectors[4][3];

/* Storage of a descriptor, and offset 0. */
typedef struct storage {
    char *memory, *zero;
    size_t bytes;
} storage;

static lay_type part_of(lay_type type)
{
    return lay_type_real(type);
}

/* Halfway between two numbers of 16 bits, or a hair beside that: where a second rounding would show. */
static double draw_halfway(random_source *from)
{
    static const double beside[] = { 0, 0, 0x1p-23, -0x1p-23, 0x1p-40, -0x1p-40, 0x1p-52, -0x1p-52 };
    const lay_type type = random_one_in(from, 2) ? LAY_F16 : LAY_BF16;
    const uint16_t low = (uint16_t)random_bits(from), high = (uint16_t)(low + 1);
    return (oracle_load(type, &low, 0) + oracle_load(type, &high, 0)) / 2 * (1 + random_of(from, beside));
}

static void draw(lay_type part, void *at, int64_t i, random_source *from)
{
    static const double special[] = { 0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 65519.9, 65520, 0x1p-25, 0x1.8p-25 };
    const size_t size = lay_type_size(part);
    const uint64_t bits = random_bits(from);
    if (random_one_in(from, 3))
        memcpy((char *)at + (size_t)i * size, &bits, size);
    else
        oracle_store(part, at, i,
                     random_one_in(from, 3)   ? draw_halfway(from)
                     : random_one_in(from, 9) ? random_of(from, special)
                                              : 2 * random_unit(from) - 1);
}

/* Any numbers, in gaps too; now and then complex ones lie at odd multiples of their parts. */
static storage make(lay_type type, const lay_desc *desc, random_source *from)
{
    int64_t lowest, highest;
    lay_desc_span(desc, &lowest, &highest);
    const size_t size = lay_type_size(type), part = lay_type_size(part_of(type));
    const int64_t elements = highest >= lowest ? highest - lowest + 1 : 0;
    const size_t shift = (size_t)random_in(from, 0, 3) * part;
    storage made = { .bytes = (size_t)elements * size + shift + size };
    made.bytes = (made.bytes + part - 1) / part * part;
    made.memory = oracle_memory(made.bytes);
    for (size_t i = 0; i < made.bytes / part; i++)
        draw(part_of(type), made.memory, (int64_t)i, from);
    made.zero = made.memory + shift - lowest * (int64_t)size;
    return made;
}

static lay_scalar draw_factor(lay_type sum, random_source *from)
{
    static const double usual[] = { 0, 0, 0, 1, 1, 1, -1, 0.5, -0.0, 3, 0x1p-20, 0x1p20, INFINITY, NAN };
    const double re = random_one_in(from, 3) ? 2 * random_unit(from) - 1 : random_of(from, usual);
    const double im = random_one_in(from, 3) ? 2 * random_unit(from) - 1 : random_one_in(from, 20) ? NAN : 0;
    return sum == LAY_F32   ? (lay_scalar){ .f32 = (float)re }
           : sum == LAY_F64 ? (lay_scalar){ .f64 = re }
           : sum == LAY_C32 ? (lay_scalar){ .c32 = { (float)re, (float)im } }
                            : (lay_scalar){ .c64 = { re, im } };
}

/* Whether two memories have the same numbers, of NaNs any: where not, which. */
static int64_t find_difference(lay_type part, const char *x, const char *y, size_t bytes)
{
    const size_t size = lay_type_size(part);
    for (size_t i = 0; i < bytes / size; i++)
        if (memcmp(x + i * size, y + i * size, size) != 0 &&
            !(isnan(oracle_load(part, x, (int64_t)i)) && isnan(oracle_load(part, y, (int64_t)i))))
            return (int64_t)i;
    return -1;
}

/* As a launch would, tables where the host has them. */
static int change_by_kernels(const lay_copy_job *job)
{
    const size_t bytes = lay_cuda_copy_count_tables(job);
    int64_t *const tables = oracle_memory(bytes + 1);
    lay_cuda_copy_args args;
    const lay_cuda_copy_form form = lay_cuda_copy_choose(job, tables, tables, &args);
    const int is_done =
        form.threads == LAY_CUDA_COPY_THREADS && changed_launch(form.function, form.blocks, form.shared, &args);
    free(tables);
    return is_done;
}

static void check(const lay_change *change, const lay_desc *x, const lay_desc *y, random_source *from)
{
    static lay_copy_job job;
    storage source = make(change->from, x, from), target = make(change->to, y, from);
    char *const before = oracle_memory(target.bytes), *const wanted = oracle_memory(target.bytes);
    memcpy(before, target.memory, target.bytes);
    lay_copy_prepare(change, x, source.zero, y, target.zero, &job);
    if (job.is_plain || job.elements == 0)
        goto done;
    lay_copy_on_host(&job, 1, LAY_ISA_C);
    memcpy(wanted, target.memory, target.bytes);
    memcpy(target.memory, before, target.bytes);
    lay_copy_prepare(change, x, source.zero, y, target.zero, &job);
    if (!change_by_kernels(&job))
        fail_msg("no such kernel, or too much shared memory");
    const int64_t at = find_difference(part_of(change->to), wanted, target.memory, target.bytes);
    if (at >= 0)
        fail_msg("%s to %s by %s, conjugated %d, alpha %g, beta %g, part %lld: %a, not %a but %a before\n  from %s\n"
                 "  to %s",
                 lay_type_name(change->from), lay_type_name(change->to), lay_type_name(job.sum_type),
                 change->is_conjugated, lay_scalar_real(&job.alpha, part_of(job.sum_type)),
                 lay_scalar_real(&job.beta, part_of(job.sum_type)), (long long)at,
                 oracle_load(part_of(change->to), target.memory, at), oracle_load(part_of(change->to), wanted, at),
                 oracle_load(part_of(change->to), before, at), layout_text(x), layout_text(y));
done:
    free(wanted);
    free(before);
    free(source.memory);
    free(target.memory);
}

static void check_types(lay_type type_x, lay_type type_y, const lay_desc *x, const lay_desc *y, random_source *from)
{
    lay_change change = {
        .from = type_x, .to = type_y, .is_conjugated = random_one_in(from, 3), .is_in_double = random_one_in(from, 8)
    };
    const lay_scalar alpha = draw_factor(lay_change_sum(&change), from),
                     beta = draw_factor(lay_change_sum(&change), from);
    change.alpha = random_one_in(from, 4) ? NULL : &alpha;
    change.beta = change.alpha ? &beta : NULL;
    check(&change, x, y, from);
}

static int is_served(lay_type x, lay_type y)
{
    return !lay_type_is_complex(x) || lay_type_is_complex(y);
}

static void random_layouts_and_types_have_the_bits_of_the_cpu(void **state)
{
    (void)state;
    const int rounds = cases_at_most(ROUNDS);
    random_source from = random_case(63, 0);
    for (int round = 0; round < rounds; round++) {
        const int is_large = random_one_in(&from, 60);
        const int64_t rows = random_in(&from, 0, is_large ? 300 : 40),
                      columns = random_in(&from, 0, is_large ? 300 : 40);
        lay_desc *const x = layout_random(&from, LAYOUT_INPUT, rows, columns), *const y = layout_random(
                                                                                   &from, LAYOUT_OUTPUT, rows, columns);
        const lay_type type_x = (lay_type)random_in(&from, 0, TYPES - 1),
                       type_y = (lay_type)random_in(&from, 0, TYPES - 1);
        if (is_served(type_x, type_y))
            check_types(type_x, type_y, x, y, &from);
        lay_desc_destroy(x);
        lay_desc_destroy(y);
    }
}

/* Lines that blocks share, lines that share a block, tiles of every form: for every pair of types. */
static void every_pair_of_types_goes_every_way(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        { "[9000]", "[9000]" },
        { "[70][60]", "[70:64][60:1]" },
        { "[3][5000]", "[3:5001][5000:1]" },
        { "[90][80]", "[90:1][80:95]" },
        { "[90][80]", "[90:2][80:200]" },
        { "[1000:1][5:1000]", "[1000:5][5:1]" },
        { "[90:0][80:1]", "[90:100][80:1]" },
        { "[3][4][5]", "A=[5][4][3]; [#A_2][#A_1][#A_0]" },
        { "[[3][4]][5]", "A=[6][14]; [[3][[2][2]]#A_1][5#A_0]" },
        { "[33:-4][3:1]", "[33:4][3:1]" },
        { "[1]", "[1]" },
    };
    random_source from = random_case(64, 0);
    for (size_t q = 0; q < sizeof pairs / sizeof pairs[0]; q++) {
        lay_desc *const x = layout_parse("%s", pairs[q][0]), *const y = layout_parse("%s", pairs[q][1]);
        for (int i = 0; i < TYPES * TYPES; i++)
            for (int again = 0; is_served((lay_type)(i / TYPES), (lay_type)(i % TYPES)) && again < 3; again++)
                check_types((lay_type)(i / TYPES), (lay_type)(i % TYPES), x, y, &from);
        lay_desc_destroy(x);
        lay_desc_destroy(y);
    }
    assert_true(changed_have_all_run());
}

/* Blocks begin where a grid was full. */
static void a_second_grid_goes_on_where_the_first_one_ended(void **state)
{
    (void)state;
    enum { COUNT = 9000 };
    static float to[COUNT];
    static uint16_t from[COUNT];
    static lay_copy_job job;
    lay_desc *const line = layout_parse("[9000]");
    for (int i = 0; i < COUNT; i++)
        from[i] = (uint16_t)i;
    const lay_change change = { .from = LAY_BF16, .to = LAY_F32 };
    lay_copy_prepare(&change, line, from, line, to, &job);
    lay_cuda_copy_args args;
    const lay_cuda_copy_form form = lay_cuda_copy_choose(&job, NULL, NULL, &args);
    assert_true(form.blocks == 3);
    args.first_block = 1;
    assert_true(changed_launch(form.function, 2, form.shared, &args));
    for (int i = 0; i < COUNT; i++) {
        const uint32_t bits = i < LAY_CUDA_COPY_BYTES / 4 ? 0 : (uint32_t)from[i] << 16;
        assert_memory_equal(&to[i], &bits, sizeof bits);
    }
    lay_desc_destroy(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_layouts_and_types_have_the_bits_of_the_cpu),
        cmocka_unit_test(every_pair_of_types_goes_every_way),
        cmocka_unit_test(a_second_grid_goes_on_where_the_first_one_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
