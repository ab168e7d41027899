/* What prepare makes of operands, against the contract (cuda_split.h): records of lines, summaries and images, bit for
 * bit, in every class and layout, whether blocks wait for each other or leave their parts to others. */
#include <cuda_runtime_api.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../random.h"
#include "../there.h"
#include "cuda_split.h"

#define MUST(call) assert_int_equal(call, cudaSuccess)

/* top and gap: of FP16X3. */
enum { TOP = 14, GAP = 2048, HALF_BITS = 11, LEAST_HALF = -24 };

typedef enum data { DENSE, SPARSE, WIDE, FEW_TINY, STRANGE, NOTHING, DATA_KINDS } data;

/* lines x k numbers in storage with gaps of NaN, which would be seen if they were read. */
typedef struct source {
    int lines, k, is_across, is_vector, is_table;
    int64_t elements;
    float *at;
    int64_t *across, *along; /* offsets, of lines and of steps */
} source;

/* All that prepare writes. */
typedef struct outcome {
    lay_cuda_split_summary summary;
    lay_cuda_split_line *lines;
    lay_cuda_split_tiny *tiny; /* those of a line in front, as many as there is room for */
    unsigned char *image;
} outcome;

static float number_of(data kind, random_source *from)
{
    const double plain = random_unit(from) - 0.5;
    switch (kind) {
    case SPARSE:
        return random_one_in(from, 3) ? (float)plain : random_one_in(from, 2) ? 0.0f : -0.0f;
    case WIDE:
        return (float)ldexp(plain, random_one_in(from, 20) ? (int)random_in(from, -140, 120) : 0);
    case FEW_TINY: /* down to denormals, and on either side of the limit */
        return random_one_in(from, 60) ? (float)ldexp(plain, -(int)random_in(from, 24, 140)) : (float)plain;
    case STRANGE:
        return random_one_in(from, 400) ? (random_one_in(from, 2) ? NAN : -INFINITY) : (float)plain;
    case NOTHING:
        return 0;
    default:
        return (float)plain;
    }
}

/* Rows of storage are a pitch apart. Of a table the halves have changed places, vectors of four as they were. */
static void lay_out(int64_t *offset, int count, int64_t stride, int is_table)
{
    const int half = is_table ? count / 8 * 4 : 0;
    for (int i = 0; i < count; i++)
        offset[i] = stride * (i < half ? i + half : i < 2 * half ? i - half : i);
}

static source source_make(int lines, int k, lay_cuda_class as, int is_table, data kind, random_source *from)
{
    source of = { .lines = lines, .k = k, .is_table = is_table };
    of.is_across = as == LAY_CUDA_ACROSS || as == LAY_CUDA_ACROSS_VECTOR;
    of.is_vector = as == LAY_CUDA_ACROSS_VECTOR || as == LAY_CUDA_ALONG_VECTOR;
    const int64_t within = of.is_across ? lines : k, rows = of.is_across ? k : lines;
    const int64_t pitch = of.is_vector ? (within + 7) / 4 * 4 : within + 1;
    of.elements = pitch * rows;
    of.at = malloc((size_t)of.elements * sizeof *of.at);
    of.across = malloc((size_t)lines * sizeof *of.across);
    of.along = malloc((size_t)k * sizeof *of.along);
    assert_true(of.at && of.across && of.along);
    lay_out(of.across, lines, of.is_across ? 1 : pitch, is_table);
    lay_out(of.along, k, of.is_across ? pitch : 1, is_table);
    for (int64_t i = 0; i < of.elements; i++)
        of.at[i] = NAN;
    for (int line = 0; line < lines; line++)
        for (int step = 0; step < k; step++)
            of.at[of.across[line] + of.along[step]] = number_of(kind, from);
    return of;
}

static void source_free(source *of)
{
    free(of->at);
    free(of->across);
    free(of->along);
}

static void outcome_make(const source *of, outcome *made)
{
    *made = (outcome){ .lines = calloc((size_t)of->lines, sizeof *made->lines),
                       .tiny = calloc((size_t)of->lines * LAY_SPLIT_TINY, sizeof *made->tiny),
                       .image = calloc(lay_cuda_split_fp16_size(of->lines, of->k), 1) };
    assert_true(made->lines && made->tiny && made->image);
}

static void outcome_free(outcome *made)
{
    free(made->lines);
    free(made->tiny);
    free(made->image);
}

/* ---- the contract */

static unsigned bits_of(float x)
{
    unsigned bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & 0x7fffffff;
}

static float float_of(unsigned bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* To nearest, ties to even. */
static uint16_t half_of(double x, double *rounded)
{
    int exponent;
    frexp(x, &exponent);
    const int unit = x != 0 && exponent - HALF_BITS > LEAST_HALF ? exponent - HALF_BITS : LEAST_HALF;
    *rounded = ldexp(nearbyint(ldexp(x, -unit)), unit);
    const unsigned sign = signbit(x) ? 0x8000 : 0, units = (unsigned)ldexp(fabs(*rounded), -unit);
    return (uint16_t)(sign | (units + ((unsigned)(unit - LEAST_HALF) << (HALF_BITS - 1))));
}

static void put_half(unsigned char *line, int line_number, int unit, int step, uint16_t half)
{
    memcpy(line + (unit ^ line_number % 8) * 16 + step % 8 * 2, &half, sizeof half);
}

static void expect_line(const source *of, int line, outcome *wanted)
{
    lay_cuda_split_line *record = &wanted->lines[line];
    const int leaves = lay_cuda_split_leaves(of->k);
    float least = INFINITY;
    int scale = 0, range = 0, exponent;
    for (int step = 0; step < of->k; step++) {
        const float x = fabsf(of->at[of->across[line] + of->along[step]]);
        if (step % LAY_SPLIT_SAMPLED == 0)
            wanted->summary.zeros += x == 0;
        if (!isfinite(x)) {
            record->flags |= LAY_SPLIT_STRANGE;
            continue;
        }
        record->greatest = bits_of(x) > record->greatest ? bits_of(x) : record->greatest;
        least = x > 0 && x < least ? x : least;
    }
    if (record->greatest) {
        record->least = 0x7fffffff - bits_of(least);
        frexp(float_of(record->greatest), &scale);
        frexp(least, &exponent);
        range = scale - exponent;
        scale = TOP + 1 - scale;
    }
    lay_cuda_split_summary *all = &wanted->summary;
    all->range = (unsigned)range > all->range ? (unsigned)range : all->range;
    all->strange += (record->flags & LAY_SPLIT_STRANGE) != 0;
    const int is_strange = record->flags != 0;
    for (int step = 0; step < leaves * LAY_SPLIT_STEPS; step++) {
        unsigned char *to =
            wanted->image + (lay_cuda_split_leaf_lines(of->lines) * (step / LAY_SPLIT_STEPS) + line) * 128;
        const float x = step < of->k ? of->at[of->across[line] + of->along[step]] : 0;
        const int unit = step % LAY_SPLIT_STEPS / 8;
        const int is_tiny = !is_strange && x != 0 && fabs(ldexp(x, scale)) < ldexp(1, TOP - LAY_SPLIT_FP16_RANGE);
        if (is_tiny && record->tiny < LAY_SPLIT_TINY)
            wanted->tiny[line * LAY_SPLIT_TINY + (int)record->tiny] = (lay_cuda_split_tiny){ step, x };
        record->tiny += (unsigned)is_tiny;
        double scaled = isfinite(x) && !is_tiny ? (float)ldexp(x, scale) : 0, rounded;
        put_half(to, line, unit, step, half_of(scaled, &rounded));
        put_half(to, line, unit + 4, step, half_of((scaled - rounded) * GAP, &rounded));
    }
    record->flags |= record->tiny > LAY_SPLIT_TINY ? LAY_SPLIT_WIDE : 0;
    all->wide += (record->flags & LAY_SPLIT_WIDE) != 0;
    all->tailed += record->tiny != 0;
    all->beyond += !is_strange && range > LAY_SPLIT_FP16_RANGE;
}

static void expect(const source *of, outcome *wanted)
{
    outcome_make(of, wanted);
    for (int line = 0; line < of->lines; line++)
        expect_line(of, line, wanted);
}

/* ---- the kernel */

static void *sent(const void *from, size_t bytes)
{
    void *to;
    MUST(cudaMalloc(&to, bytes));
    MUST(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    return to;
}

/* NULL: this build has no code for 9.0. */
static const lay_cuda_pass *prepare(void)
{
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_SPLIT);
    const lay_cuda_kernel *row = lay_cuda_next(&walk);
    return row ? row->passes[LAY_SPLIT_PREPARE] : NULL;
}

static lay_cuda_offsets offsets_of(const source *of, const int64_t *offset, int64_t *table, int count)
{
    return of->is_table ? (lay_cuda_offsets){ .table = table }
                        : (lay_cuda_offsets){ .stride = count > 1 ? offset[1] : 1 };
}

static void run(const source *of, lay_cuda_class as, int patience, outcome *got)
{
    const size_t image = lay_cuda_split_fp16_size(of->lines, of->k), lines = (size_t)of->lines * sizeof *got->lines,
                 tiny = (size_t)of->lines * LAY_SPLIT_TINY * sizeof *got->tiny;
    int64_t *const across = sent(of->across, (size_t)of->lines * sizeof *across);
    int64_t *const along = sent(of->along, (size_t)of->k * sizeof *along);
    lay_cuda_split_args args = { .m = of->lines, .n = 1, .k = of->k, .patience = patience };
    lay_cuda_split_operand *const left = &args.left;
    left->from = sent(of->at, (size_t)of->elements * sizeof *of->at);
    left->across = offsets_of(of, of->across, across, of->lines);
    left->along = offsets_of(of, of->along, along, of->k);
    left->as = as;
    left->extent = of->lines;
    MUST(cudaMalloc((void **)&left->lines, lines));
    MUST(cudaMalloc((void **)&left->tiny, tiny));
    MUST(cudaMalloc((void **)&left->summary, sizeof *left->summary));
    MUST(cudaMalloc(&left->fp16, image));
    MUST(cudaMemset(left->lines, 0, lines));
    MUST(cudaMemset(left->summary, 0, sizeof *left->summary));
    MUST(cudaMemset(left->fp16, 0xee, image));
    MUST(cudaMemset(left->tiny, 0xee, tiny));
    args.right.is_kept = LAY_SPLIT_KEPT_ALL;
    void *values[] = { &args };
    const dim3 grid = { (unsigned)lay_cuda_split_prepare_blocks(&args), 1, 1 }, block = { LAY_SPLIT_THREADS, 1, 1 };
    MUST(cudaLaunchKernel(prepare()->function, grid, block, values, 0, NULL));
    MUST(cudaDeviceSynchronize());
    outcome_make(of, got);
    MUST(cudaMemcpy(got->lines, left->lines, lines, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(&got->summary, left->summary, sizeof got->summary, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(got->tiny, left->tiny, tiny, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(got->image, left->fp16, image, cudaMemcpyDeviceToHost));
    void *const all[] = { (void *)left->from, across, along, left->lines, left->tiny, left->summary, left->fp16 };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        MUST(cudaFree(all[i]));
}

/* Lines with a flag are listed once each. */
static void assert_listed(const source *of, const outcome *got, int first, unsigned count, unsigned flags)
{
    char *const seen = calloc((size_t)of->lines, 1);
    for (int i = first; i < first + (int)count; i++) {
        const unsigned line = got->lines[i].listed;
        assert_true(line < (unsigned)of->lines && !seen[line]);
        assert_true(got->lines[line].flags & flags);
        seen[line] = 1;
    }
    free(seen);
}

/* Those with tiny elements are listed once each; so are these elements, in any order: of a line that has more than
 * there is room for, some of them. */
static void assert_tiny(const source *of, const outcome *wanted, const outcome *got)
{
    char *const seen = calloc((size_t)of->lines, 1);
    for (unsigned i = 0; i < got->summary.tailed; i++) {
        const unsigned line = got->lines[i].mended;
        assert_true(line < (unsigned)of->lines && !seen[line]);
        assert_true(got->lines[line].tiny > 0);
        seen[line] = 1;
    }
    free(seen);
    for (int line = 0; line < of->lines; line++) {
        const lay_cuda_split_tiny *one = &wanted->tiny[line * LAY_SPLIT_TINY],
                                  *other = &got->tiny[line * LAY_SPLIT_TINY];
        assert_int_equal(got->lines[line].tiny, wanted->lines[line].tiny);
        for (unsigned i = 0; i < wanted->lines[line].tiny && wanted->lines[line].tiny <= LAY_SPLIT_TINY; i++) {
            int found = 0;
            for (unsigned j = 0; j < wanted->lines[line].tiny; j++)
                found += memcmp(&one[i], &other[j], sizeof *one) == 0;
            assert_int_equal(found, 1);
        }
    }
}

static void assert_same(const source *of, const outcome *wanted, const outcome *got)
{
    for (int line = 0; line < of->lines; line++) {
        assert_int_equal(got->lines[line].greatest, wanted->lines[line].greatest);
        assert_int_equal(got->lines[line].least, wanted->lines[line].least);
        assert_int_equal(got->lines[line].flags, wanted->lines[line].flags);
    }
    assert_memory_equal(&got->summary, &wanted->summary, sizeof got->summary);
    assert_memory_equal(got->image, wanted->image, lay_cuda_split_fp16_size(of->lines, of->k));
    assert_listed(of, got, 0, got->summary.strange, LAY_SPLIT_STRANGE);
    assert_listed(of, got, of->lines - (int)got->summary.wide, got->summary.wide, LAY_SPLIT_WIDE);
    assert_tiny(of, wanted, got);
}

static void check(int lines, int k, lay_cuda_class as, int is_table, data kind, const int *patiences)
{
    random_source from = random_case(107, (uint64_t)lines * 1000003 + (uint64_t)k);
    source of = source_make(lines, k, as, is_table, kind, &from);
    outcome wanted, got;
    expect(&of, &wanted);
    for (; *patiences >= 0; patiences++) {
        run(&of, as, *patiences, &got);
        assert_same(&of, &wanted, &got);
        outcome_free(&got);
    }
    outcome_free(&wanted);
    source_free(&of);
}

/* ---- what is true */

static const int patient[] = { LAY_SPLIT_PATIENCE, -1 };

static void images_and_records_are_those_of_the_contract(void **state)
{
    static const int shapes[][2] = { { 1, 1 },     { 33, 31 },  { 64, 256 }, { 31, 65 },
                                     { 100, 513 }, { 5, 3000 }, { 70, 250 } };
    (void)state;
    for (size_t shape = 0; shape < sizeof shapes / sizeof shapes[0]; shape++)
        for (int as = 0; as < LAY_CUDA_CLASSES; as++)
            for (int is_table = 0; is_table <= 1; is_table++)
                for (int kind = 0; kind < DATA_KINDS; kind++)
                    check(shapes[shape][0], shapes[shape][1], (lay_cuda_class)as, is_table, (data)kind, patient);
}

/* Some always leave their parts to the last, some only where it comes late. */
static void impatient_blocks_change_no_bits(void **state)
{
    static const int patiences[] = { 0, 500, 1000, 2000, 4000, 8000, -1 };
    (void)state;
    for (int as = 0; as < LAY_CUDA_CLASSES; as++) {
        check(300, 4000, (lay_cuda_class)as, 0, DENSE, patiences);
        check(300, 1090, (lay_cuda_class)as, 1, STRANGE, patiences);
        check(300, 1090, (lay_cuda_class)as, 0, FEW_TINY, patiences);
    }
    check(3, LAY_SPLIT_MEETING * 256, LAY_CUDA_ALONG_VECTOR, 0, WIDE, patiences);
}

/* So many blocks that they take turns, and one more step than those that meet have. */
static void long_lines_are_read_twice(void **state)
{
    (void)state;
    for (int as = 0; as < LAY_CUDA_CLASSES; as++) {
        check(70, LAY_SPLIT_MEETING * 256 + 1, (lay_cuda_class)as, 0, DENSE, patient);
        check(33, 70001, (lay_cuda_class)as, 1, STRANGE, patient);
        check(40, 30001, (lay_cuda_class)as, 1, FEW_TINY, patient);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_and_records_are_those_of_the_contract),
        cmocka_unit_test(impatient_blocks_change_no_bits),
        cmocka_unit_test(long_lines_are_read_twice),
    };
    int major = 0;
    setenv("LAY_TEST_PLACE", "device", 1);
    if (!there_exists())
        return 0;
    MUST(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    if (!prepare() || major != 9) {
        printf("1..0 # SKIP limbs are for compute capability 9.0, and built for it\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
