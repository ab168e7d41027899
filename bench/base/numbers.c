/* Kinds of numbers that products in few bits have gone wrong on. */
#include "numbers.h"

#include <math.h>

#include "random.h"

static const char *const names[NUMBERS_KINDS] = {
    [NUMBERS_UNIFORM] = "uniform [0, 1)",
    [NUMBERS_SIGNED] = "uniform (-1, 1)",
    [NUMBERS_NORMAL] = "normal",
    [NUMBERS_WIDE_10] = "log-uniform 2^+-10",
    [NUMBERS_WIDE_20] = "log-uniform 2^+-20",
    [NUMBERS_WIDE_30] = "log-uniform 2^+-30",
    [NUMBERS_WIDE_45] = "log-uniform 2^+-45",
    [NUMBERS_WIDE_60] = "log-uniform 2^+-60",
    [NUMBERS_TINY_BY_LARGE] = "A 2^[-126, -86], B 2^[0, 40]",
    [NUMBERS_DENORMAL_BY_HUGE] = "A denormal, B 2^[100, 120]",
    [NUMBERS_DENORMAL_RESULTS] = "results denormal",
    [NUMBERS_HUGE_BY_SMALL] = "A near the largest, B 2^-30",
    [NUMBERS_INTEGERS_16] = "integers to 16",
    [NUMBERS_INTEGERS_2047] = "integers to 2047",
    [NUMBERS_CANCELLING] = "pairs that cancel",
    [NUMBERS_GRADED_LINES] = "rows and columns 2^+-40",
    [NUMBERS_GRADED_20] = "k 2^+-20, A up and B down",
    [NUMBERS_GRADED_60] = "k 2^+-60, A up and B down",
    [NUMBERS_ONE_LARGE] = "one large element a row",
    [NUMBERS_COHERENT] = "all of a row alike",
    [NUMBERS_SPARSE_SMALL] = "few, 2^-40, by usual ones",
    [NUMBERS_LONG_RANGE] = "A 2^[-100, 27]",
    [NUMBERS_SMALL_BY_SMALL] = "A and B 2^[-58, -52]",
    [NUMBERS_NEAR_DENORMAL] = "A 2^[-126, -118], B 2^[0, 4]",
    [NUMBERS_ONE_OF_MANY] = "1 of k not 0",
    [NUMBERS_TWO_OF_MANY] = "2 of k not 0",
    [NUMBERS_EIGHT_OF_MANY] = "8 of k not 0",
    [NUMBERS_TIES] = "halfway between limbs",
    [NUMBERS_POWERS] = "powers of two",
};

const char *numbers_name(numbers_kind of)
{
    return names[of];
}

/* 0 .. 1, without 1 */
static double draw_unit(uint64_t *state)
{
    return (double)(random_next(state) >> 11) * 0x1p-53;
}

/* least .. most */
static int64_t draw_integer(uint64_t *state, int64_t least, int64_t most)
{
    return least + (int64_t)(random_next(state) % (uint64_t)(most - least + 1));
}

static double draw_normal(uint64_t *state)
{
    const double radius = sqrt(-2 * log(1 - draw_unit(state)));
    return radius * cos(6.283185307179586 * draw_unit(state));
}

static double draw_log(uint64_t *state, double least, double most)
{
    const double magnitude = exp2(least + (most - least) * draw_unit(state));
    return random_next(state) % 2 ? magnitude : -magnitude;
}

static double few(uint64_t *state, int64_t k, int count)
{
    return draw_integer(state, 1, k) <= count ? draw_normal(state) : 0;
}

/* Where an element lies: step p of k of line i of lines. */
typedef struct place {
    int64_t i, lines, p, k;
    int sign; /* 1 in A, -1 in B */
} place;

static double draw(numbers_kind of, uint64_t *state, const place *at)
{
    const int64_t i = at->i, p = at->p, k = at->k;
    const int sign = at->sign;
    const double x = 2 * draw_unit(state) - 1;
    switch (of) {
    case NUMBERS_UNIFORM:
        return draw_unit(state);
    case NUMBERS_SIGNED:
        return x;
    case NUMBERS_WIDE_10:
        return draw_log(state, -10, 10);
    case NUMBERS_WIDE_20:
        return draw_log(state, -20, 20);
    case NUMBERS_WIDE_30:
        return draw_log(state, -30, 30);
    case NUMBERS_WIDE_45:
        return draw_log(state, -45, 45);
    case NUMBERS_WIDE_60:
        return draw_log(state, -60, 60);
    case NUMBERS_TINY_BY_LARGE:
        return sign > 0 ? draw_log(state, -126, -86) : draw_log(state, 0, 40);
    case NUMBERS_DENORMAL_BY_HUGE:
        return sign > 0 ? x * 0x1p-128 : draw_log(state, 100, 120);
    case NUMBERS_DENORMAL_RESULTS:
        return x * 0x1p-70;
    case NUMBERS_HUGE_BY_SMALL:
        return sign > 0 ? x * 0x1.fffffep127 : x * 0x1p-30;
    case NUMBERS_INTEGERS_16:
        return (double)draw_integer(state, -16, 16);
    case NUMBERS_INTEGERS_2047:
        return (double)draw_integer(state, -2047, 2047);
    case NUMBERS_CANCELLING: /* b repeats, a changes its sign */
        return sign > 0 ? (p % 2 ? -1 : 1) * (1 + 0.5 * fabs(sin((double)(p / 2 + 31 * i)))) * (1 + 0x1p-20 * x)
                        : 1 + 0.5 * fabs(cos((double)(p / 2 + 17 * i)));
    case NUMBERS_GRADED_LINES:
        return draw_normal(state) * exp2((double)(80 * i / at->lines) - 40);
    case NUMBERS_GRADED_20:
        return draw_normal(state) * exp2(sign * (40.0 * (double)p / (double)k - 20));
    case NUMBERS_GRADED_60:
        return draw_normal(state) * exp2(sign * (120.0 * (double)p / (double)k - 60));
    case NUMBERS_ONE_LARGE:
        return draw_normal(state) * (p == (7 * i + 3) % k ? 0x1p20 : 1);
    case NUMBERS_COHERENT: {
        uint64_t own = 5 + RANDOM_STEP * (uint64_t)(2 * i + (sign > 0));
        return 1 + draw_unit(&own);
    }
    case NUMBERS_SPARSE_SMALL:
        return sign < 0 ? draw_normal(state) : random_next(state) % 4 ? 0 : draw_normal(state) * 0x1p-40;
    case NUMBERS_LONG_RANGE:
        return sign > 0 ? draw_log(state, -100, 27) : draw_normal(state);
    case NUMBERS_SMALL_BY_SMALL:
        return draw_log(state, -58, -52);
    case NUMBERS_NEAR_DENORMAL:
        return sign > 0 ? draw_log(state, -126, -118) : draw_log(state, 0, 4);
    case NUMBERS_ONE_OF_MANY:
        return few(state, k, 1);
    case NUMBERS_TWO_OF_MANY:
        return few(state, k, 2);
    case NUMBERS_EIGHT_OF_MANY:
        return few(state, k, 8);
    case NUMBERS_TIES: /* 8 bits, a tie, 7 zeros, a tie */
        return (128 + (double)draw_integer(state, 0, 127) + 0.5 + 0x1p-9) * (x < 0 ? -1 : 1);
    case NUMBERS_POWERS:
        return exp2((double)draw_integer(state, -8, 8)) * (x < 0 ? -1 : 1);
    default:
        return draw_normal(state);
    }
}

void numbers_fill(numbers_kind of, numbers_side side, uint64_t seed, int64_t lines, int64_t k, float *to)
{
    uint64_t state = seed * 2 + (side == NUMBERS_A);
    for (place at = { .lines = lines, .k = k, .sign = side }; at.i < lines; at.i++)
        for (at.p = 0; at.p < k; at.p++)
            *to++ = (float)draw(of, &state, &at);
}
