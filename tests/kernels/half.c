/* Every row of 16-bit numbers against the contract in kernels/cpu_half.h: conversions against arithmetic in double,
 * with and without the flags that flush denormals; reading between fences; and lines in products with a vector, bit by
 * bit those of the same level's FP32 row, which partial sums.c checks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include <cmocka.h>

#include "cpu_half.h"
#include "machine/isa.h"
#include "row.h"

enum { NUMBERS = 1 << 16, SIGN = 0x8000 };

/* Bits of the exponent and of the fraction. */
typedef struct format {
    int exponent, fraction;
} format;

static format format_of(const lay_half_row *row)
{
    return row->type == LAY_F16 ? (format){ 5, 10 } : (format){ 8, 7 };
}

static int is_nan(format of, uint16_t x)
{
    return (x & 0x7fff) > ((1 << of.exponent) - 1) << of.fraction;
}

/* The number that a pattern stands for, by the definition of the formats; no NaN. */
static double value_of(format of, uint16_t x)
{
    const int bias = (1 << (of.exponent - 1)) - 1, exponent = x >> of.fraction & ((1 << of.exponent) - 1);
    const int fraction = x & ((1 << of.fraction) - 1), is_normal = exponent > 0;
    const double magnitude = exponent == (1 << of.exponent) - 1 ? INFINITY
                                                                : ldexp(fraction + (is_normal << of.fraction),
                                                                        exponent + !is_normal - bias - of.fraction);
    return x & SIGN ? -magnitude : magnitude;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The nearest pattern, ties to even: a unit in the last place is never below the smallest denormal. */
static uint16_t nearest(format of, const lay_half_row *row, uint32_t bits)
{
    const uint16_t sign = bits >> 16 & SIGN;
    const int bias = (1 << (of.exponent - 1)) - 1;
    if ((bits & 0x7fffffff) > 0x7f800000)
        return row->type == LAY_F16 ? sign | 0x7e00 : (uint16_t)(bits >> 16 | 0x40);
    const double magnitude = fabs((double)float_of(bits));
    int exponent; /* magnitude < 2^exponent */
    frexp(magnitude, &exponent);
    if (magnitude == 0 || exponent < 2 - bias)
        exponent = 2 - bias;
    const int last = exponent - 1 - of.fraction;
    const double units = isinf(magnitude) ? INFINITY : nearbyint(ldexp(magnitude, -last));
    const int steps = last + of.fraction + bias - 1; /* binades above the lowest */
    if (isinf(units) || ldexp(units, last) >= ldexp(1, bias + 1))
        return (uint16_t)(sign | ((1 << of.exponent) - 1) << of.fraction);
    return (uint16_t)(sign + (uint16_t)units + (uint16_t)(steps << of.fraction));
}

static void flush(int is_on)
{
#ifdef __SSE2__
    const unsigned ftz_and_daz = 0x8040;
    _mm_setcsr(is_on ? _mm_getcsr() | ftz_and_daz : _mm_getcsr() & ~ftz_and_daz);
#else
    (void)is_on;
#endif
}

/* 1 when this machine runs the row. */
static int runs_here(const lay_half_row *row)
{
    const char *limit = "";
    if (lay_isa_is_in(lay_isa_find(&limit), row->isa))
        return 1;
    print_message("# %s is not run: %s\n", row->name, limit);
    return 0; /* Meson takes skip() for a failure */
}

static void every_number_is_widened_exactly(void **state)
{
    const lay_half_row *row = *state;
    const format of = format_of(row);
    static uint16_t from[NUMBERS];
    static float to[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        from[i] = (uint16_t)i;
    for (int flushed = 0; flushed < 2 && runs_here(row); flushed++) {
        flush(flushed);
        row->widen(from, 1, NUMBERS, to);
        flush(0);
        for (int i = 0; i < NUMBERS; i++)
            if (is_nan(of, from[i])) {
                const uint32_t payload = (uint32_t)(i & ((1 << of.fraction) - 1)) << (23 - of.fraction);
                assert_int_equal(bits_of(to[i]) | 1 << 22, (uint32_t)(i & SIGN) << 16 | 0x7fc00000 | payload);
            } else if (bits_of(to[i]) != bits_of((float)value_of(of, from[i]))) {
                fail_msg("%s: %04x becomes %a, flushing %d", row->name, (unsigned)i, (double)to[i], flushed);
            }
    }
}

/* Around each number of the upper half of FP32, and around what lies halfway between two of either type. */
static void every_number_is_rounded_to_the_nearest(void **state)
{
    static const uint16_t lower[] = { 0,      1,      0x0fff, 0x1000, 0x1001, 0x2fff, 0x3000, 0x3001,
                                      0x7fff, 0x8000, 0x8001, 0xefff, 0xf000, 0xf001, 0xffff };
    const lay_half_row *row = *state;
    const format of = format_of(row);
    enum { EACH = sizeof lower / sizeof lower[0] };
    static float from[NUMBERS];
    static uint16_t to[NUMBERS];
    for (int way = 0; way < 2 * EACH && runs_here(row); way++) {
        for (int i = 0; i < NUMBERS; i++)
            from[i] = float_of((uint32_t)i << 16 | lower[way / 2]);
        flush(way % 2);
        row->round(from, NUMBERS, to, 1);
        flush(0);
        for (int i = 0; i < NUMBERS; i++) {
            const uint32_t bits = (uint32_t)i << 16 | lower[way / 2];
            if (to[i] != nearest(of, row, bits))
                fail_msg("%s: %08x becomes %04x, not %04x, flushing %d", row->name, bits, to[i], nearest(of, row, bits),
                         way % 2);
        }
    }
}

/* Elements a stride apart, the first and the last where a page ends. */
static void no_other_element_is_touched(void **state)
{
    static const int64_t steps[] = { 1, 2, 3, 17, -1, -2, 0 };
    enum { MOST = 70, GAP = 0xabcd };
    const lay_half_row *row = *state;
    uint64_t seed = 5;
    for (int64_t count = 0; count <= MOST && runs_here(row); count++)
        for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
            const int64_t step = steps[s], span = count ? (count - 1) * llabs(step) + 1 : 0;
            const int64_t first = step < 0 && count ? span - 1 : 0;
            fenced half = fence((size_t)span * 2, (int)(count % 2)), real = fence((size_t)count * 4, (int)(count % 2));
            uint16_t *const halves = half.bytes;
            for (int64_t i = 0; i < span; i++)
                halves[i] = (uint16_t)(draw_bits(&seed) & 0x3fff);
            row->widen(halves + first, step, count, real.bytes);
            for (int64_t i = 0; i < count; i++)
                assert_true(((float *)real.bytes)[i] == (float)value_of(format_of(row), halves[first + i * step]));
            for (int64_t i = 0; i < span; i++)
                halves[i] = GAP;
            if (step != 0)
                row->round(real.bytes, count, halves + first, step);
            for (int64_t i = 0; i < span && step != 0; i++)
                assert_int_equal(
                    halves[i], (i - first) % step
                                   ? GAP
                                   : nearest(format_of(row), row, bits_of(((float *)real.bytes)[(i - first) / step])));
            unfence(&half);
            unfence(&real);
        }
}

/* Lines of 16-bit numbers and the same as FP32, between fences. */
typedef struct pair {
    fenced half, real;
} pair;

static pair draw_lines(const lay_half_row *row, int64_t count, int at_front, uint64_t *seed)
{
    const uint16_t kept = row->type == LAY_F16 ? 0xbfff : 0xbf7f; /* below 2 */
    pair lines = { fence((size_t)count * 2, at_front), fence((size_t)count * 4, at_front) };
    for (int64_t i = 0; i < count; i++) {
        const uint16_t x = (uint16_t)draw_bits(seed) & kept;
        ((uint16_t *)lines.half.bytes)[i] = x;
        ((float *)lines.real.bytes)[i] = (float)value_of(format_of(row), x);
    }
    return lines;
}

static const lay_kernel *find_f32(lay_isa isa)
{
    for (int i = 0; i < lay_kernel_count; i++)
        if (lay_kernels[i]->type == LAY_F32 && lay_kernels[i]->isa == isa)
            return lay_kernels[i];
    fail_msg("this level has no row of f32");
    return NULL;
}

enum { MAX_K = 700, MAX_N = 1200, MAX_LINES = 24, SUMS = 1500 };
static float x[MAX_K], sums[2][SUMS];

static void compare(const lay_half_row *row, const char *what, int64_t n, int64_t k)
{
    if (memcmp(sums[0], sums[1], sizeof sums[0]) != 0)
        fail_msg("%s %s: other sums than of FP32, n=%lld k=%lld", row->name, what, (long long)n, (long long)k);
}

/* In one segment of several blocks, or in two of one block, a gap between them. */
static void check_along(const lay_half_row *row, const lay_kernel *f32, int at_front, uint64_t *seed)
{
    const int64_t n = 1 + (int64_t)(draw_bits(seed) % MAX_LINES), k = 1 + (int64_t)(draw_bits(seed) % MAX_K);
    const int64_t cut = k / 32 * 16, gap = draw_bits(seed) % 4;
    const int is_cut = cut > 0 && at_front == 0;
    const lay_segment segment[] = { { is_cut ? cut : k, 0, 0 }, { k - cut, cut, cut + gap } };
    const int64_t kc = is_cut ? k : k > 300 ? 160 : k > 100 ? 48 : k;
    int64_t line[MAX_LINES];
    for (int64_t j = 0; j < n; j++)
        line[j] = j * (k + gap);
    pair b = draw_lines(row, (n - 1) * (k + gap) + k + (is_cut ? gap : 0), at_front, seed);
    memset(sums, 0, sizeof sums);
    for (int is_half = 0; is_half < 2; is_half++) {
        const lay_along along = { .k = k,
                                  .kc = kc,
                                  .segment = segment,
                                  .segments = 1 + is_cut,
                                  .n = n,
                                  .line = line,
                                  .x = x,
                                  .b = is_half ? b.half.bytes : b.real.bytes,
                                  .sums = sums[is_half],
                                  .sums_row = n + gap };
        (is_half ? row->along : f32->along)(&along);
    }
    compare(row, "along", n, k);
    unfence(&b.half);
    unfence(&b.real);
}

static void check_across(const lay_half_row *row, const lay_kernel *f32, int at_front, uint64_t *seed)
{
    const int64_t n = 1 + (int64_t)(draw_bits(seed) % (at_front ? MAX_N : 40)),
                  k = 1 + (int64_t)(draw_bits(seed) % 300);
    const int64_t cut = k / 32 * 16, step = n + (int64_t)(draw_bits(seed) % 3);
    const int is_cut = cut > 0 && draw_bits(seed) % 3 == 0;
    const lay_segment segment[] = { { is_cut ? cut : k, 0, 0 }, { k - cut, cut, cut * step } };
    pair b = draw_lines(row, (k - 1) * step + n, at_front, seed);
    fenced room = fence((size_t)((n + LAY_PARTIAL_LINES) * LAY_PARTIAL_BYTES), at_front);
    memset(sums, 0, sizeof sums);
    for (int is_half = 0; is_half < 2; is_half++) {
        const lay_across across = { .segment = segment,
                                    .segments = 1 + is_cut,
                                    .n = n,
                                    .x = x,
                                    .b = is_half ? b.half.bytes : b.real.bytes,
                                    .b_step = step,
                                    .sums = sums[is_half],
                                    .room = room.bytes };
        memset(room.bytes, 0xff, (size_t)((n + LAY_PARTIAL_LINES) * LAY_PARTIAL_BYTES));
        (is_half ? row->across : f32->across)(&across);
    }
    compare(row, "across", n, k);
    unfence(&b.half);
    unfence(&b.real);
    unfence(&room);
}

static void lines_have_the_sums_of_fp32(void **state)
{
    const lay_half_row *row = *state;
    const lay_kernel *const f32 = find_f32(row->isa);
    uint64_t seed = 9;
    for (int p = 0; p < MAX_K; p++)
        x[p] = (float)draw(&seed);
    for (int round = 0; round < 600 && runs_here(row); round++) {
        check_along(row, f32, round % 2, &seed);
        check_across(row, f32, round % 2, &seed);
    }
}

int main(void)
{
    static const struct {
        const char *claim;
        void (*test)(void **state);
    } promises[] = {
        { "every number is widened exactly", every_number_is_widened_exactly },
        { "every number is rounded to the nearest", every_number_is_rounded_to_the_nearest },
        { "no other element is touched", no_other_element_is_touched },
        { "lines have the sums of FP32", lines_have_the_sums_of_fp32 },
    };
    enum { PROMISES = sizeof promises / sizeof promises[0] };
    const size_t count = (size_t)lay_half_row_count * PROMISES;
    struct CMUnitTest *tests = calloc(count, sizeof *tests);
    char(*names)[120] = calloc(count, sizeof *names);
    if (!tests || !names)
        return 1;
    for (size_t i = 0; i < count; i++) {
        const lay_half_row *row = lay_half_rows[i / PROMISES];
        snprintf(names[i], sizeof *names, "%s: %s", row->name, promises[i % PROMISES].claim);
        tests[i] = (struct CMUnitTest){ .name = names[i],
                                        .test_func = promises[i % PROMISES].test,
                                        .initial_state = (void *)(uintptr_t)row };
    }
    const int failed = _cmocka_run_group_tests("half", tests, count, NULL, NULL);
    free(tests);
    free(names);
    return failed;
}
