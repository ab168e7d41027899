/* lay_axpby: random pairs of layouts and types, every bit of the result, nothing outside. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../there.h"
#include "scaled.h"

/* X or Y of a call: elements of a type in memory. */
typedef struct side {
    lay_type type;
    const lay_desc *desc;
    void *memory;
    size_t bytes;
    int64_t zero; /* elements to offset 0 */
} side;

/* y = alpha x + beta y where they are to lie; x->memory NULL: without X. */
static lay_status blend(const side *x, const void *alpha, const side *y, const void *beta, int is_conjugated,
                        lay_options *options)
{
    void *from = (char *)x->memory + x->zero * (int64_t)lay_type_size(x->type),
         *to = (char *)y->memory + y->zero * (int64_t)lay_type_size(y->type);
    const there_block blocks[] = { { y->memory, y->bytes, &to }, { x->memory, x->bytes, &from } };
    there_send(x->memory ? 2 : 1, blocks, 0, options);
    const lay_status status =
        lay_axpby(x->type, x->desc, alpha, x->memory ? from : NULL, y->type, y->desc, beta, to, is_conjugated, options);
    there_fetch();
    return status;
}

static void check(scaled *of)
{
    char why[400];
    if (scaled_run(of) != LAY_OK)
        fail_msg("%s\n  from %s\n  to %s", lay_last_error(), layout_text(of->x.desc), layout_text(of->y.desc));
    if (!scaled_is_right(of, why, sizeof why))
        fail_msg("%s\n  from %s\n  to %s", why, layout_text(of->x.desc), layout_text(of->y.desc));
    scaled_free(of);
}

static void random_layouts_types_and_factors_give_the_bits_of_plain_arithmetic(void **state)
{
    random_source from = random_case(40, (uint64_t) * (const lay_isa *)*state);
    for (int round = 0; round < trial_rounds(6000); round++) {
        const int is_large = random_one_in(&from, 100);
        const int64_t rows = random_in(&from, 0, is_large ? 600 : 70),
                      columns = random_in(&from, 0, is_large ? 600 : 70);
        scaled of = scaled_make(layout_random(&from, LAYOUT_INPUT, rows, columns),
                                layout_random(&from, LAYOUT_OUTPUT, rows, columns), &from);
        of.options.isa = *(const lay_isa *)*state;
        of.options.threads = (int)random_in(&from, 1, 4);
        check(&of);
    }
}

/* Streamed past the caches, cut in pieces, by several threads. */
static void large_ones_are_right_too(void **state)
{
    static const char *const pairs[][2] = { { "[2100][1100]", "[2100][1100]" },
                                            { "[2100][1100]", "[2100:1][1100:2101]" },
                                            { "[2100][1100]", "[2100:1200][1100:1]" },
                                            { "A=[1100][2100]; [#A_1][#A_0]", "[2100:2][1100:4200]" },
                                            { "[1:0][5000000:1]", "[1][5000000]" } };
    random_source from = random_case(41, (uint64_t) * (const lay_isa *)*state);
    for (size_t q = 0; q < 2 * sizeof pairs / sizeof pairs[0]; q++) {
        scaled of = scaled_make(layout_parse("%s", pairs[q / 2][0]), layout_parse("%s", pairs[q / 2][1]), &from);
        of.options.isa = *(const lay_isa *)*state;
        of.options.threads = 3;
        check(&of);
    }
}

/* Every pattern of 16 bits to every type and back: exact where the type holds it. */
static void every_16_bit_number_is_converted(void **state)
{
    enum { COUNT = 1 << 16 };
    lay_desc *const line = layout_parse("[65536]");
    lay_options options = LAY_OPTIONS_INIT;
    options.isa = *(const lay_isa *)*state;
    uint16_t *const all = oracle_memory(COUNT * sizeof *all);
    char *const to = oracle_memory(COUNT * sizeof(double));
    for (int i = 0; i < COUNT; i++)
        all[i] = (uint16_t)i;
    for (lay_type x = LAY_F16; x <= LAY_BF16; x++)
        for (lay_type y = LAY_F32; y <= LAY_BF16; y++) {
            const trial_scalar one = trial_scalar_of(y, 1), zero = trial_scalar_of(y, 0);
            const side whole = { x, line, all, COUNT * sizeof *all, 0 }, made = { y, line, to, COUNT * 8, 0 };
            assert_int_equal(blend(&whole, &one, &made, &zero, 0, &options), LAY_OK);
            for (int i = 0; i < COUNT; i++) {
                const double wanted = oracle_round(y, oracle_load(x, all, i)), got = oracle_load(y, to, i);
                if (isnan(wanted) ? !isnan(got) : got != wanted || !signbit(got) != !signbit(wanted))
                    fail_msg("%04x of type %d becomes %a of type %d", (unsigned)i, (int)x, got, (int)y);
            }
        }
    free(all);
    free(to);
    lay_desc_destroy(line);
}

static void a_factor_of_one_and_no_sum_is_a_copy_of_every_bit(void **state)
{
    random_source from = random_case(42, 0);
    for (int round = 0; round < trial_rounds(2000); round++) {
        const lay_type type = (lay_type)random_in(&from, LAY_F32, LAY_BF16);
        const trial_scalar one = trial_scalar_of(type, 1), zero = trial_scalar_of(type, round % 2 ? 0 : -0.0);
        const int64_t rows = random_in(&from, 0, 70), columns = random_in(&from, 0, 70);
        operand x =
            operand_make(type, layout_random(&from, LAYOUT_INPUT, rows, columns), NULL, OPERAND_ANYWHERE, &from);
        operand y =
            operand_make(type, layout_random(&from, LAYOUT_OUTPUT, rows, columns), NULL, OPERAND_ANYWHERE, &from);
        operand_fill_bits(&x, &from);
        lay_options options = LAY_OPTIONS_INIT;
        options.isa = *(const lay_isa *)*state;
        const there_block blocks[] = { { x.memory, x.bytes, &x.zero }, { y.memory, y.bytes, &y.zero } };
        there_send(2, blocks, 0, &options);
        assert_int_equal(lay_axpby(type, x.desc, &one, x.zero, type, y.desc, &zero, y.zero, 1, &options), LAY_OK);
        there_fetch();
        const size_t bytes = (size_t)(rows * columns) * lay_type_size(type);
        char *const wanted = oracle_memory(bytes), *const got = oracle_memory(bytes);
        operand_bytes(&x, wanted);
        operand_bytes(&y, got);
        assert_memory_equal(wanted, got, bytes);
        assert_true(operand_gaps_are_kept(&y) && operand_is_untouched(&x));
        free(wanted);
        free(got);
        operand_free(&x);
        operand_free(&y);
    }
}

static void a_matrix_is_scaled_where_it_is(void **state)
{
    (void)state;
    float y[12], wanted[12];
    lay_desc *const rows = layout_parse("[3:4][2:2]"), *const other = layout_parse("[3:0][2:0]");
    const float minus = -3, zero = 0, one = 1;
    for (int i = 0; i < 12; i++) {
        y[i] = (float)i;
        wanted[i] = i % 2 == 0 ? -3 * y[i] : y[i];
    }
    lay_options options = LAY_OPTIONS_INIT;
    const side none = { .type = LAY_F32, .desc = rows }, no_other = { .type = LAY_F32, .desc = other },
               whole = { LAY_F32, rows, y, sizeof y, 0 };
    if (there_is_elsewhere())
        assert_int_equal(blend(&none, &zero, &whole, &minus, 0, &options), LAY_OK);
    else
        assert_int_equal(lay_axpby(LAY_F32, rows, &zero, y, LAY_F32, rows, &minus, y, 0, NULL), LAY_OK);
    assert_memory_equal(y, wanted, sizeof y);
    assert_int_equal(blend(&no_other, &zero, &whole, &one, 0, &options), LAY_OK);
    assert_memory_equal(y, wanted, sizeof y);
    assert_int_equal(blend(&no_other, &zero, &whole, &zero, 0, &options), LAY_OK);
    for (int i = 0; i < 12; i++)
        assert_true(y[i] == (i % 2 == 0 ? 0 : wanted[i]) && !signbit(i % 2 == 0 ? y[i] : 0.0f));
    lay_desc_destroy(rows);
    lay_desc_destroy(other);
}

/* The factors are read before the first element is written. */
static void factors_may_lie_in_what_is_written(void **state)
{
    (void)state;
    lay_desc *const line = layout_parse("[1000]");
    double x[1000], y[1000];
    for (int i = 0; i < 1000; i++) {
        x[i] = i;
        y[i] = 2;
    }
    lay_options options = LAY_OPTIONS_INIT;
    const side from = { LAY_F64, line, x, sizeof x, 0 }, to = { LAY_F64, line, y, sizeof y, 0 };
    assert_int_equal(blend(&from, &y[0], &to, &y[1], 0, &options), LAY_OK);
    for (int i = 0; i < 1000; i++)
        assert_true(y[i] == 2 * x[i] + 4);
    lay_desc_destroy(line);
}

/* Ranks other than 2, by their own offsets. */
static void any_rank_is_right(void **state)
{
    static const char *const pairs[][2] = {
        { "[60]", "[60:3]" },
        { "[60:-1]", "A=[5][3][4]; [[#A_2][#A_1][#A_0]]" },
        { "[3][4][5]", "A=[5][4][3]; [#A_2][#A_1][#A_0]" },
        { "[3:0][4:5][5:1]", "[3][4][5]" },
        { "[2][3][2][5]", "[2:1][3:2][2:6][5:12]" },
        { "[[3][4]][5]", "A=[6][14]; [[3][[2][2]]#A_1][5#A_0]" },
    };
    const float alpha = 0.5f, beta = 2;
    lay_options options = LAY_OPTIONS_INIT;
    options.isa = *(const lay_isa *)*state;
    for (size_t q = 0; q < sizeof pairs / sizeof pairs[0]; q++) {
        lay_desc *const x = layout_parse("%s", pairs[q][0]), *const y = layout_parse("%s", pairs[q][1]);
        float from[256], to[256];
        uint16_t half[256];
        for (int i = 0; i < 256; i++) {
            from[i] = (float)i;
            to[i] = 1;
            oracle_store(LAY_F16, half, i, i);
        }
        int64_t lowest, highest;
        lay_desc_span(x, &lowest, &highest);
        const side source = { LAY_F16, x, half, sizeof half, -lowest }, target = { LAY_F32, y, to, sizeof to, 0 };
        assert_int_equal(blend(&source, &alpha, &target, &beta, 0, &options), LAY_OK);
        for (int64_t at = 0; at < lay_desc_extent(x, NULL); at++)
            assert_true(to[lay_desc_offset(y, 1, &at)] == 0.5f * from[lay_desc_offset(x, 1, &at) - lowest] + 2);
        lay_desc_destroy(x);
        lay_desc_destroy(y);
    }
}

/* One part of the result, in the type that it is computed in. */
static double add_parts(lay_type sum, double a, double b, int is_minus)
{
    return sum == LAY_C64 ? is_minus ? a - b : a + b : (double)(is_minus ? (float)a - (float)b : (float)a + (float)b);
}

static double multiply_parts(lay_type sum, double a, double b)
{
    return sum == LAY_C64 ? a * b : (double)((float)a * (float)b);
}

/* factor x; parts keep to themselves where factor has no imaginary part. */
static void multiply_complex(lay_type sum, const double factor[2], const double x[2], double out[2])
{
    for (int part = 0; part < 2; part++) {
        const double own = multiply_parts(sum, factor[0], x[part]), other = multiply_parts(sum, factor[1], x[1 - part]);
        out[part] = factor[1] == 0 ? own : add_parts(sum, own, other, part == 0);
    }
}

static lay_type part_of(lay_type type)
{
    return type == LAY_C32 ? LAY_F32 : type == LAY_C64 ? LAY_F64 : type;
}

static void draw_complex(lay_type type, int count, void *at, random_source *from)
{
    const int parts = type == LAY_C32 || type == LAY_C64 ? 2 : 1;
    for (int i = 0; i < count * parts; i++)
        oracle_store(part_of(type), at, i, random_one_in(from, 50) ? INFINITY : 2 * random_unit(from) - 1);
}

static void load_complex(lay_type type, const void *zero, int64_t at, double out[2])
{
    const int parts = type == LAY_C32 || type == LAY_C64 ? 2 : 1;
    out[0] = oracle_load(part_of(type), zero, at * parts);
    out[1] = parts == 2 ? oracle_load(part_of(type), zero, at * 2 + 1) : 0;
}

static void check_complex(lay_type type_x, lay_type type_y, const char *layout_x, const char *layout_y, lay_isa isa,
                          random_source *from)
{
    enum { COUNT = 20000 };
    static double x[2 * COUNT], y[2 * COUNT], before[2 * COUNT];
    static const double factors[][2] = { { 0, 0 }, { 1, 0 }, { 1, 0 }, { -0.75, 0 }, { 0.5, -1.25 }, { 0, 1 } };
    const double *alpha = random_of(from, factors), *beta = random_of(from, factors);
    const lay_type sum = type_x == LAY_F64 || type_x == LAY_C64 || type_y == LAY_C64 ? LAY_C64 : LAY_C32;
    const int is_conjugated = random_one_in(from, 2);
    const float alpha_f32[] = { (float)alpha[0], (float)alpha[1] }, beta_f32[] = { (float)beta[0], (float)beta[1] };
    lay_desc *const from_desc = layout_parse("%s", layout_x), *const to_desc = layout_parse("%s", layout_y);
    lay_options options = LAY_OPTIONS_INIT;
    options.isa = isa;
    draw_complex(type_x, COUNT, x, from);
    draw_complex(type_y, COUNT, y, from);
    memcpy(before, y, sizeof y);
    const side source = { type_x, from_desc, x, sizeof x, 0 }, target = { type_y, to_desc, y, sizeof y, 0 };
    const void *const scalars[] = { sum == LAY_C64 ? (const void *)alpha : alpha_f32,
                                    sum == LAY_C64 ? (const void *)beta : beta_f32 };
    assert_int_equal(blend(&source, scalars[0], &target, scalars[1], is_conjugated, &options), LAY_OK);
    for (int64_t i = 0; i < lay_desc_extent(from_desc, NULL); i++) {
        const int64_t at = lay_desc_offset(to_desc, 1, &i);
        double in[2], old[2], got[2], first[2], second[2];
        load_complex(type_x, x, lay_desc_offset(from_desc, 1, &i), in);
        load_complex(type_y, before, at, old);
        load_complex(type_y, y, at, got);
        in[1] = is_conjugated && type_x >= LAY_C32 ? -in[1] : in[1];
        multiply_complex(sum, alpha, in, first);
        multiply_complex(sum, beta, old, second);
        for (int part = 0; part < 2; part++) {
            const int has_first = alpha[0] != 0 || alpha[1] != 0, has_second = beta[0] != 0 || beta[1] != 0;
            const double wanted =
                oracle_round(part_of(type_y), has_first && has_second ? add_parts(sum, first[part], second[part], 0)
                                              : has_first             ? first[part]
                                              : has_second            ? second[part]
                                                                      : 0);
            if (isnan(wanted) ? !isnan(got[part]) : got[part] != wanted)
                fail_msg("type %d %s to %d %s, conjugated %d, %g %gi, %g %gi, at %lld part %d: %a, not %a", (int)type_x,
                         layout_x, (int)type_y, layout_y, is_conjugated, alpha[0], alpha[1], beta[0], beta[1],
                         (long long)i, part, got[part], wanted);
        }
        memcpy((char *)before + at * (int64_t)lay_type_size(type_y), (char *)y + at * (int64_t)lay_type_size(type_y),
               lay_type_size(type_y));
    }
    assert_memory_equal(before, y, sizeof y); /* nothing else */
    lay_desc_destroy(from_desc);
    lay_desc_destroy(to_desc);
}

static void complex_numbers_are_converted_conjugated_and_scaled(void **state)
{
    static const char *const pairs[][2] = { { "[90][80]", "[90][80]" },
                                            { "[90][80]", "[90:1][80:95]" },
                                            { "[90][80]", "[90:2][80:200]" },
                                            { "[90:0][80:1]", "[90:100][80:1]" },
                                            { "[3][4][5]", "A=[5][4][3]; [#A_2][#A_1][#A_0]" },
                                            { "[[3][4]][5]", "A=[6][14]; [[3][[2][2]]#A_1][5#A_0]" } };
    random_source from = random_case(46, (uint64_t) * (const lay_isa *)*state);
    for (int round = 0; round < 6; round++)
        for (size_t q = 0; q < sizeof pairs / sizeof pairs[0]; q++)
            for (lay_type x = LAY_F32; x <= LAY_C64; x++)
                for (lay_type y = LAY_C32; y <= LAY_C64; y++)
                    check_complex(x, y, pairs[q][0], pairs[q][1], *(const lay_isa *)*state, &from);
}

int main(void)
{
    static const trial_promise promises[] = {
        { "random layouts, types and factors give the bits of plain arithmetic",
          random_layouts_types_and_factors_give_the_bits_of_plain_arithmetic },
        { "large ones are right too", large_ones_are_right_too },
        { "every 16-bit number is converted", every_16_bit_number_is_converted },
        { "a factor of one and no sum is a copy of every bit", a_factor_of_one_and_no_sum_is_a_copy_of_every_bit },
        { "a matrix is scaled where it is", a_matrix_is_scaled_where_it_is },
        { "factors may lie in what is written", factors_may_lie_in_what_is_written },
        { "any rank is right", any_rank_is_right },
        { "complex numbers are converted, conjugated and scaled", complex_numbers_are_converted_conjugated_and_scaled },
    };
    if (!there_exists())
        return 0;
    return trial_keep_promises("axpby", promises, sizeof promises / sizeof promises[0]);
}
