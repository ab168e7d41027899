/* A matrix unit in integers. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "accumulator.h"

/* whole * 2^last, which counts with an exponent in the largest of a lot, or does not. */
typedef struct term {
    int64_t whole;
    int last, exponent;
    int counts;
} term;

const char *rounding_name(rounding way)
{
    static const char *const names[ROUNDINGS] = { "towards zero", "down", "to nearest, ties to even" };
    return names[way];
}

const char *unit_name(const unit *of)
{
    static const char *const names[LAY_CUDA_UNIT_KINDS] = { "f16", "bf16", "tf32" };
    return names[of->kind];
}

/* whole / 2^by. */
static int64_t shift_right(int64_t whole, int by, rounding way)
{
    if (by > 62)
        return way == DOWN && whole < 0 ? -1 : 0;
    const int64_t below = whole >> by, rest = whole - below * (INT64_C(1) << by), half = INT64_C(1) << by >> 1;
    const int is_more =
        way == TO_ZERO ? whole < 0 && rest : way == TO_NEAREST && (rest > half || (rest == half && below & 1));
    return by == 0 ? whole : below + is_more;
}

/* whole * 2^last as an f32 number. */
static float round_to_float(int64_t whole, int last, rounding normal, rounding denormal)
{
    const int64_t size = whole < 0 ? -whole : whole;
    if (size == 0)
        return 0;
    const int first = 63 - __builtin_clzll((unsigned long long)size) + last,
              kept = first - 23 < -149 ? -149 : first - 23;
    if (kept <= last)
        return (float)ldexp((double)whole, last);
    return (float)ldexp((double)shift_right(whole, kept - last, first < -126 ? denormal : normal), kept);
}

static int exponent_or(float x, int least)
{
    const int own = x == 0 ? least : ilogbf(x);
    return own < least ? least : own;
}

static term read_operand(const accumulator *by, lay_cuda_unit_kind kind, float x)
{
    const int precision = kind == LAY_CUDA_UNIT_BF16 ? 7 : 10, least = kind == LAY_CUDA_UNIT_F16 ? -14 : -126;
    const int normal = exponent_or(x, least), is_denormal = x != 0 && ilogbf(x) < least;
    term made = { 0, normal - precision, normal, 1 };
    if (!is_denormal || by->keeps_denormal_factors) {
        const int64_t all = (int64_t)ldexp(x, 23 - normal);
        made.whole = shift_right(all, 23 - precision, by->operand);
    }
    if (is_denormal && by->normalizes_denormals)
        made.exponent = ilogbf(x);
    return made;
}

static term multiply(const accumulator *by, const term *left, const term *right)
{
    term made = { left->whole * right->whole, left->last + right->last, left->exponent + right->exponent, 1 };
    if (by->normalizes_products && fabs(ldexp((double)made.whole, made.last)) >= ldexp(1, made.exponent + 1))
        made.exponent++;
    made.counts = made.whole != 0 || by->counts_zeros;
    return made;
}

static term take_sum(const accumulator *by, float c)
{
    const int normal = exponent_or(c, -126), is_flushed = fabsf(c) < 0x1p-126f && !by->keeps_denormal_sums;
    term made = { is_flushed ? 0 : (int64_t)ldexp(c, 23 - normal), normal - 23, normal, 1 };
    made.counts = made.whole != 0;
    return made;
}

static float add_terms(const accumulator *by, int below, rounding way, const term *terms, int count)
{
    int max = INT32_MIN;
    for (int i = 0; i < count; i++)
        if (terms[i].counts && terms[i].exponent > max)
            max = terms[i].exponent;
    int64_t sum = 0;
    for (int i = 0; i < count; i++) {
        if (terms[i].whole == 0)
            continue;
        const int up = terms[i].last - (max - below);
        sum += up >= 0 ? terms[i].whole * (INT64_C(1) << up) : shift_right(terms[i].whole, -up, way);
    }
    return max == INT32_MIN ? 0 : round_to_float(sum, max - below, by->result, by->denormal);
}

static float add_lot(const accumulator *by, float c, const term *products, int count)
{
    term terms[MAX_DEPTH + 1] = { take_sum(by, c) };
    memcpy(terms + 1, products, (size_t)count * sizeof(term));
    float sum = by->takes_sum ? add_terms(by, by->below, by->terms, terms, count + 1)
                              : add_terms(by, by->below, by->terms, terms + 1, count);
    if (!by->takes_sum) {
        const term both[2] = { terms[0], take_sum(by, sum) };
        sum = add_terms(by, 56, by->result, both, 2);
    }
    return fabsf(sum) < 0x1p-126f && !by->keeps_denormal_sums ? 0 : sum;
}

/* One tile, whose operands are read once for the lines that they meet. */
static void add_tile(const unit *of, int steps, const float *left, const float *right, const float *c, float *d)
{
    term rows[LINES * LAY_CUDA_UNIT_CHAIN * MAX_DEPTH], columns[LINES * LAY_CUDA_UNIT_CHAIN * MAX_DEPTH];
    const int together = of->model.together;
    for (int i = 0; i < LINES * steps; i++) {
        rows[i] = read_operand(&of->model, of->kind, left[i]);
        columns[i] = read_operand(&of->model, of->kind, right[i]);
    }
    for (int at = 0; at < SQUARE; at++) {
        const term *row = rows + at / LINES * steps, *column = columns + at % LINES * steps;
        float sum = c[at];
        for (int first = 0; first < steps; first += together) {
            term products[MAX_DEPTH];
            for (int p = 0; p < together; p++)
                products[p] = multiply(&of->model, &row[first + p], &column[first + p]);
            sum = add_lot(&of->model, sum, products, together);
        }
        d[at] = sum;
    }
}

void accumulator_add(const unit *of, int tiles, int instructions, const float *left, const float *right, const float *c,
                     float *d)
{
    const int steps = instructions * lay_cuda_unit_depth(of->kind);
    for (long tile = 0; tile < tiles; tile++)
        add_tile(of, steps, left + tile * LINES * steps, right + tile * LINES * steps, c + tile * SQUARE,
                 d + tile * SQUARE);
}
