/* Every kernel row's along and across functions against the contract in kernel.h, bit by bit: x, lines and sums between
 * fences, whole and cut in segments. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "row.h"

enum { MAX_N = 70, GAP = 5, MOST_SEGMENTS = 8 };

/* k steps in blocks of kc, in segments of at most run steps, a gap between them in the lines. */
typedef struct shape {
    const lay_kernel *row;
    int64_t n, k, kc, run, line, step; /* strides */
} shape;

static double element(const lay_kernel *row, const void *array, int64_t index)
{
    return row->type == LAY_F32 ? (double)((const float *)array)[index] : ((const double *)array)[index];
}

static double multiply_add(const lay_kernel *row, double x, double y, double z)
{
    const int is_fused = row->summation == LAY_SUM_FUSED;
    if (row->type == LAY_F32)
        return is_fused ? (double)fmaf((float)x, (float)y, (float)z) : (double)((float)x * (float)y + (float)z);
    return is_fused ? fma(x, y, z) : x * y + z;
}

/* Where step p of a line lies, seen from its first one. */
static int64_t offset_of(const shape *s, int64_t p)
{
    return p * s->step + p / s->run * GAP;
}

static double sum_block(const shape *s, const void *x, const void *b, int64_t j, int64_t from, int64_t to)
{
    const int64_t partials = LAY_PARTIAL_BYTES / (int64_t)element_size(s->row);
    double sum[LAY_PARTIAL_BYTES / sizeof(float)] = { 0 };
    for (int64_t p = from; p < to; p++)
        sum[(p - from) % partials] =
            multiply_add(s->row, element(s->row, x, p), element(s->row, b, j * s->line + offset_of(s, p)),
                         sum[(p - from) % partials]);
    for (int64_t half = partials / 2; half > 0; half /= 2)
        for (int64_t l = 0; l < half; l++)
            sum[l] = multiply_add(s->row, 1, sum[l + half], sum[l]);
    return sum[0];
}

static int cut(const shape *s, lay_segment segment[MOST_SEGMENTS])
{
    int count = 0;
    for (int64_t p = 0; p < s->k; p += s->run)
        segment[count++] =
            (lay_segment){ .count = s->k - p < s->run ? s->k - p : s->run, .from_a = p, .from_b = offset_of(s, p) };
    return count;
}

/* x, and the lines' elements among NaN. */
static fenced fill_lines(const shape *s, int at_front, uint64_t *seed)
{
    fenced b = fence_elements(s->row, (s->n - 1) * s->line + offset_of(s, s->k - 1) + 1, at_front, NULL);
    for (int64_t j = 0; j < s->n; j++)
        for (int64_t p = 0; p < s->k; p++)
            set_element(s->row, b.bytes, j * s->line + offset_of(s, p), draw(seed));
    return b;
}

static void compare(const shape *s, const void *x, const void *b, const void *sums, int64_t sums_row, const char *what)
{
    for (int64_t i = 0; i * s->kc < s->k; i++)
        for (int64_t j = 0; j < s->n; j++) {
            const int64_t to = (i + 1) * s->kc < s->k ? (i + 1) * s->kc : s->k;
            const double wanted = sum_block(s, x, b, j, i * s->kc, to), got = element(s->row, sums, i * sums_row + j);
            if (memcmp(&wanted, &got, sizeof got) != 0)
                fail_msg("%s %s: n=%lld k=%lld kc=%lld run=%lld, line %lld block %lld: %a, not %a", s->row->name, what,
                         (long long)s->n, (long long)s->k, (long long)s->kc, (long long)s->run, (long long)j,
                         (long long)i, got, wanted);
        }
}

static void check_along(shape s, int at_front, uint64_t *seed)
{
    lay_segment segment[MOST_SEGMENTS];
    int64_t line[MAX_N];
    s.step = 1;
    s.line = offset_of(&s, s.k) + (int64_t)(draw_bits(seed) % GAP);
    const int64_t blocks = (s.k + s.kc - 1) / s.kc, sums_row = s.n + (int64_t)(draw_bits(seed) % GAP);
    fenced x = fence_elements(s.row, s.k, at_front, seed), b = fill_lines(&s, at_front, seed);
    fenced sums = fence_elements(s.row, (blocks - 1) * sums_row + s.n, at_front, NULL);
    for (int64_t j = 0; j < s.n; j++)
        line[j] = j * s.line;
    const lay_along along = { .k = s.k,
                              .kc = s.kc,
                              .segment = segment,
                              .segments = cut(&s, segment),
                              .n = s.n,
                              .line = line,
                              .x = x.bytes,
                              .b = b.bytes,
                              .sums = sums.bytes,
                              .sums_row = sums_row };
    s.row->along(&along);
    compare(&s, x.bytes, b.bytes, sums.bytes, sums_row, "along");
    unfence(&x);
    unfence(&b);
    unfence(&sums);
}

static void check_across(shape s, int at_front, uint64_t *seed)
{
    lay_segment segment[MOST_SEGMENTS];
    s.kc = s.k;
    s.line = 1;
    s.step = s.n + (int64_t)(draw_bits(seed) % GAP);
    fenced x = fence_elements(s.row, s.k, at_front, seed), b = fill_lines(&s, at_front, seed);
    fenced sums = fence_elements(s.row, s.n, at_front, NULL);
    fenced room = fence((size_t)((s.n + LAY_PARTIAL_LINES) * LAY_PARTIAL_BYTES), at_front);
    memset(room.bytes, 0xff, (size_t)((s.n + LAY_PARTIAL_LINES) * LAY_PARTIAL_BYTES));
    const lay_across across = { .segment = segment,
                                .segments = cut(&s, segment),
                                .n = s.n,
                                .x = x.bytes,
                                .b = b.bytes,
                                .b_step = s.step,
                                .sums = sums.bytes,
                                .room = room.bytes };
    s.row->across(&across);
    compare(&s, x.bytes, b.bytes, sums.bytes, s.n, "across");
    unfence(&x);
    unfence(&b);
    unfence(&sums);
    unfence(&room);
}

static void every_sum_has_the_contracts_bits(void **state)
{
    const lay_kernel *row = *state;
    if (!is_runnable(row))
        return; /* Meson takes skip() for a failure */
    uint64_t seed = 1;
    for (int round = 0; round < 1500; round++) {
        shape s = { .row = row, .n = 1 + (int64_t)(draw_bits(&seed) % MAX_N) };
        s.k = 1 + (int64_t)(draw_bits(&seed) % (round % 3 ? 100 : 40));
        s.run = s.k;
        s.kc = round % 4 == 0 ? 1 + (int64_t)(draw_bits(&seed) % 24) : s.k;
        check_along(s, round % 2, &seed);
        s.kc = s.k;
        s.run =
            round % 5 == 0 ? LAY_PARTIAL_BYTES / (int64_t)element_size(row) * (int64_t)(1 + draw_bits(&seed) % 3) : s.k;
        if (s.k > s.run * MOST_SEGMENTS)
            s.k = s.kc = s.run * MOST_SEGMENTS;
        check_along(s, round % 2, &seed);
        check_across(s, round % 2, &seed);
    }
    for (int round = 0; round < 80; round++) { /* rows that wait in room: in several windows, or in several pieces */
        const int is_long = round % 4 < 2;
        shape s = { .row = row, .n = 30 + (int64_t)(draw_bits(&seed) % (is_long ? 400 : 1500)) };
        s.k = 33 + (int64_t)(draw_bits(&seed) % (is_long ? 500 : 96));
        s.run = s.k;
        check_across(s, round % 2, &seed);
    }
}

int main(void)
{
    return run_for_every_row("partials", "every sum has the contract's bits", every_sum_has_the_contracts_bits);
}
