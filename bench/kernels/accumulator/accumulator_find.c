/* Experiments on a matrix unit. Big numbers are 2^BIG and cancel, small ones show what became of them: the smallest
 * product of normal f16 numbers is 2^-28, so that it may lie 40 places behind. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "accumulator.h"

enum { BIG = 12, PLACES = 40, MAX_ASKED = MAX_DEPTH * MAX_DEPTH };

typedef struct search {
    const unit *of;
    FILE *to;
    accumulator *found;
    int open; /* answers that fit nothing */
} search;

static void say(const search *by, const char *format, ...)
{
    va_list values;
    if (!by->to)
        return;
    va_start(values, format);
    fprintf(by->to, "  %s: ", unit_name(by->of));
    vfprintf(by->to, format, values);
    fputc('\n', by->to);
    va_end(values);
}

void question_put(question *to, int step, double value)
{
    const int half = (int)floor(ilogb(value) / 2.0);
    to->left[step] = (float)ldexp(value, -half);
    to->right[step] = (float)ldexp(1, half);
}

/* One a tile's row, at the diagonal. */
void questions_ask(const unit *of, int count, const question *asked, float *answers)
{
    const int depth = lay_cuda_unit_depth(of->kind), tiles = (count + LINES - 1) / LINES;
    float *left = calloc((size_t)tiles * LINES * (2 * (size_t)depth + 2 * LINES), sizeof(float));
    float *right = left + (size_t)tiles * LINES * depth, *c = right + (size_t)tiles * LINES * depth;
    float *d = c + (size_t)tiles * SQUARE;
    for (int i = 0; i < count; i++) {
        memcpy(left + (size_t)i * depth, asked[i].left, (size_t)depth * sizeof(float));
        memcpy(right + (size_t)i * depth, asked[i].right, (size_t)depth * sizeof(float));
        c[(size_t)i * LINES + i % LINES] = asked[i].c;
    }
    of->add(of, tiles, 1, left, right, c, d);
    for (int i = 0; i < count; i++)
        answers[i] = d[(size_t)i * LINES + i % LINES];
    free(left);
}

/* C = 2^BIG, step p takes it away, step r adds a small number: it is left where r's lot comes behind p's. */
static void find_together(search *by)
{
    static question asked[MAX_ASKED];
    static float answers[MAX_ASKED];
    const int depth = lay_cuda_unit_depth(by->of->kind);
    const double small = ldexp(1, BIG - PLACES);
    memset(asked, 0, sizeof asked);
    for (int p = 0; p < depth; p++)
        for (int r = 0; r < depth; r++) {
            question *one = &asked[p * depth + r];
            one->c = 1 << BIG;
            question_put(one, p, -(1 << BIG));
            if (r != p)
                question_put(one, r, small);
        }
    questions_ask(by->of, depth * depth, asked, answers);
    int together = 1, left = 0, wrong = 0;
    for (int r = 1; r < depth; r++)
        together += answers[r] != (float)small;
    for (int p = 0; p < depth; p++)
        for (int r = 0; r < depth; r++) {
            const int is_left = answers[p * depth + r] == (float)small;
            left += is_left;
            wrong += p != r && is_left != (r / together > p / together);
        }
    by->found->together = together;
    by->open += wrong || together < 4;
    say(by,
        "%d products are added at a time, in ascending order. Of 2^%d - 2^%d at step p and 2^%d at step r, %d of %d "
        "pairs "
        "leave 2^%d, %d of them otherwise than that says.",
        together, BIG, BIG, BIG - PLACES, left, depth * (depth - 1), BIG - PLACES, wrong);
}

/* The last place behind 2^exponent that `small` keeps beside two numbers which cancel; small makes the question. */
typedef void (*put_small)(question *to, int exponent);
static int last_place(const search *by, const question *beside, put_small put, int exponent)
{
    question asked[PLACES + 1];
    float answers[PLACES + 1];
    int last = -1;
    for (int j = 0; j <= PLACES; j++) {
        asked[j] = *beside;
        put(&asked[j], exponent - j);
    }
    questions_ask(by->of, PLACES + 1, asked, answers);
    while (last < PLACES && answers[last + 1] == (float)ldexp(1, exponent - last - 1))
        last++;
    return last;
}
static void put_third(question *to, int exponent)
{
    question_put(to, 2, ldexp(1, exponent));
}
static void put_sum(question *to, int exponent)
{
    to->c = (float)ldexp(1, exponent);
}

/* Steps 0 and 1: left * right and its opposite. */
static question cancelling(double left, double right)
{
    question made = { 0 };
    made.left[0] = (float)left;
    made.left[1] = -(float)left;
    made.right[0] = made.right[1] = (float)right;
    return made;
}

static void find_below(search *by)
{
    const question ones = cancelling(1 << BIG / 2, 1 << BIG / 2);
    const int last = last_place(by, &ones, put_third, BIG);
    by->found->below = last;
    by->open += last < 20 || last == PLACES;
    say(by,
        "terms keep %d bits behind the leading one of the largest. Of 2^%d - 2^%d + 2^(%d - j) the last is left up to "
        "j = %d.",
        last, BIG, BIG, BIG, last);

    const question large = cancelling(1.5 * (1 << BIG / 2), 1.5 * (1 << BIG / 2));
    const int beside = last_place(by, &large, put_third, BIG);
    by->found->normalizes_products = beside == last - 1;
    by->open += beside != last && beside != last - 1;
    say(by, "a product counts with %s. Beside 2.25 2^%d and its opposite 2^(%d - j) is left up to j = %d.",
        beside == last ? "the sum of its factors' exponents" : "its own exponent", BIG, BIG, beside);

    const int sum = last_place(by, &ones, put_sum, BIG);
    by->found->takes_sum = sum == last;
    by->open += sum != last && sum != PLACES;
    say(by, "the sum so far %s. In place of the third product C is left up to j = %d.",
        sum == last ? "is a term as the products are" : "is added apart", sum);
}

/* Whether the sum so far is the largest, too: 2^BIG - 255/256 2^BIG - 255/256 2^(BIG - 8) is 2^(BIG - 16), and the
 * products' own largest exponent is one less. */
static void check_sum_counts(search *by)
{
    const int last = by->found->below;
    question asked[2] = { { .c = 1 << BIG } };
    float answers[2];
    question_put(&asked[0], 0, -ldexp(255, BIG - 8));
    question_put(&asked[0], 1, -ldexp(255, BIG - 16));
    asked[1] = asked[0];
    question_put(&asked[0], 2, ldexp(1, BIG - last));
    question_put(&asked[1], 2, ldexp(1, BIG - last - 1));
    questions_ask(by->of, 2, asked, answers);
    const double rest = ldexp(1, BIG - 16);
    const int keeps_last = answers[0] == (float)(rest + ldexp(1, BIG - last)), keeps_next = answers[1] != (float)rest;
    if (by->found->takes_sum)
        by->open += !keeps_last || keeps_next;
    say(by, "beside C = 2^%d and products of less that leave 2^%d of it, 2^(%d - %d) is %s and 2^(%d - %d) %s.", BIG,
        BIG - 16, BIG, last, keeps_last ? "kept" : "lost", BIG, last + 1, keeps_next ? "kept" : "lost");
}

/* The one rounding with which the model has all answers; a sentence with these, in units behind a base of either sign.
 */
typedef struct choice {
    rounding *which;
    const char *what, *how;
    double base, unit;
    int count;
    question asked[8];
} choice;
static void choose(search *by, const choice *of)
{
    float answers[8], expected[8];
    char text[8 * 24] = "";
    int fit = 0;
    rounding good = TO_ZERO;
    questions_ask(by->of, of->count, of->asked, answers);
    for (*of->which = 0; *of->which < ROUNDINGS; ++*of->which) {
        const unit model = { by->of->kind, accumulator_add, *by->found };
        questions_ask(&model, of->count, of->asked, expected);
        if (memcmp(answers, expected, (size_t)of->count * sizeof(float)) == 0 && !fit++)
            good = *of->which;
    }
    *of->which = good;
    by->open += fit != 1;
    for (int i = 0; i < of->count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %g",
                 (answers[i] - (i < of->count / 2 ? of->base : -of->base)) / of->unit);
    say(by, "%s %s. %s%s.", of->what,
        fit == 1 ? rounding_name(good)
        : fit    ? "in a way that does not show"
                 : "in no way that is known here",
        of->how, text);
}

/* 2^BIG - 2^BIG + x, x in quarters of the last place that is kept. */
static void find_terms(search *by)
{
    static const int quarters[8] = { 9, 10, 11, 14, -9, -10, -11, -14 };
    choice of = { .which = &by->found->terms,
                  .what = "terms lose what lies behind the last bit kept",
                  .how = "2.25, 2.5, 2.75, 3.5 of it and their opposites become",
                  .unit = ldexp(1, BIG - by->found->below),
                  .count = 8 };
    for (int i = 0; i < 8; i++) {
        of.asked[i] = cancelling(1 << BIG / 2, 1 << BIG / 2);
        question_put(&of.asked[i], 2, quarters[i] * of.unit / 4);
    }
    choose(by, &of);
}

/* More than 24 bits: 4 2^BIG + x where C is a term, else C + x; x in quarters of the last place of an f32 number. */
static void find_result(search *by)
{
    static const int quarters[4] = { 1, 2, 3, 6 };
    const int ones = by->found->takes_sum ? 4 : 1;
    choice of = { .which = &by->found->result,
                  .what = "a sum of more bits becomes an f32 number",
                  .how = "0.25, 0.5, 0.75, 1.5 of the last place and their opposites become",
                  .base = ones << BIG,
                  .unit = ldexp(ones, BIG - 23),
                  .count = 8 };
    for (int i = 0; i < 8; i++) {
        const int sign = i < 4 ? 1 : -1;
        of.asked[i].c = (float)(sign * (1 << BIG));
        for (int one = 1; one < ones; one++)
            question_put(&of.asked[i], one - 1, sign * (1 << BIG));
        question_put(&of.asked[i], 3, sign * quarters[i % 4] * of.unit / 4);
    }
    choose(by, &of);
}

/* TF32 alone: what an operand's last 13 bits count for. */
static void find_operand(search *by)
{
    static const int quarters[3] = { 1, 3, 6 };
    choice of = { .which = &by->found->operand,
                  .what = "operands of more than 11 bits are read",
                  .how = "0.25, 0.75, 1.5 of the last bit and their opposites become",
                  .base = 1,
                  .unit = 0x1p-10,
                  .count = 6 };
    if (by->of->kind != LAY_CUDA_UNIT_TF32)
        return;
    for (int i = 0; i < 6; i++) {
        of.asked[i].left[0] = (i < 3 ? 1 : -1) * (float)(1 + quarters[i % 3] * of.unit / 4);
        of.asked[i].right[0] = 1;
    }
    choose(by, &of);
}

static void find_denormals(search *by)
{
    const int is_half = by->of->kind == LAY_CUDA_UNIT_F16, least = is_half ? -14 : -126, other = is_half ? 15 : 126;
    const double factor = ldexp(1, least - 2);
    question asked[3] = { { 0 } };
    float answers[3];
    asked[0].left[0] = (float)factor;
    asked[0].right[0] = (float)ldexp(1, other);
    asked[1].c = 0x1p-140f;
    asked[2].left[0] = asked[2].right[0] = is_half ? 0 : 0x1p-70f;
    questions_ask(by->of, 3, asked, answers);
    by->found->keeps_denormal_factors = answers[0] == (float)ldexp(factor, other);
    by->found->keeps_denormal_sums = answers[1] == 0x1p-140f;
    by->open += !by->found->keeps_denormal_factors && answers[0] != 0;
    by->open += !is_half && (answers[2] != 0) != by->found->keeps_denormal_sums;
    say(by, "denormal factors are %s, denormal sums %s. 2^%d times 2^%d is %g, C = 2^-140 becomes %g%s%g.",
        by->found->keeps_denormal_factors ? "kept" : "0", by->found->keeps_denormal_sums ? "kept" : "0", least - 2,
        other, answers[0], answers[1], is_half ? ", no product " : ", 2^-70 times 2^-70 ", answers[2]);
    if (!by->found->keeps_denormal_factors)
        return;
    const question beside = cancelling(factor, ldexp(1, other));
    const int last = last_place(by, &beside, put_third, least - 2 + other), below = by->found->below;
    by->found->normalizes_denormals = last == below;
    by->open += last != below && last != below - 2;
    say(by, "a denormal factor counts with %s. Beside 2^%d 2^%d and its opposite, 2^(%d - j) is left up to j = %d.",
        last == below ? "its own exponent" : "the least of its type", least - 2, other, least - 2 + other, last);
}

/* 1 - 1 + the last place that is kept, and 0 times the largest power of two: does it count? */
static void find_zeros(search *by)
{
    question asked = cancelling(1, 1);
    const double small = ldexp(1, -by->found->below);
    float answer;
    question_put(&asked, 2, small);
    asked.right[3] = by->of->kind == LAY_CUDA_UNIT_F16 ? 0x1p15f : 0x1p127f;
    questions_ask(by->of, 1, &asked, &answer);
    by->found->counts_zeros = answer != (float)small;
    say(by, "a factor of 0 %s. 1 - 1 + 2^-%d + 0 times %g is %g.",
        by->found->counts_zeros ? "counts with an exponent" : "takes its product out", by->found->below, asked.right[3],
        answer);
}

/* As find_result, where the number is denormal: x is quarters of the least. Products of f16 are none. */
static void find_denormal_result(search *by)
{
    static const int quarters[4] = { 1, 5, 6, 7 };
    choice of = { .which = &by->found->denormal,
                  .what = "a sum becomes a denormal number",
                  .how = "0.25, 1.25, 1.5, 1.75 of 2^-149 and their opposites become",
                  .unit = 0x1p-149,
                  .count = 8 };
    if (by->of->kind == LAY_CUDA_UNIT_F16 || !by->found->keeps_denormal_sums)
        return;
    for (int i = 0; i < 8; i++)
        question_put(&of.asked[i], 0, (i < 4 ? 1 : -1) * quarters[i % 4] * of.unit / 4);
    choose(by, &of);
}

int accumulator_find(const unit *of, FILE *to, accumulator *found)
{
    search by = { of, to, found, 0 };
    memset(found, 0, sizeof *found);
    found->keeps_denormal_factors = found->keeps_denormal_sums = 1; /* while roundings are chosen by the model */
    find_together(&by);
    if (by.open) /* three terms of one lot are needed */
        return by.open;
    find_below(&by);
    check_sum_counts(&by);
    find_terms(&by);
    find_result(&by);
    find_operand(&by);
    find_denormals(&by);
    find_denormal_result(&by);
    find_zeros(&by);
    return by.open;
}
