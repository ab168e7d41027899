/* A matrix unit beside its model on random numbers. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "accumulator.h"
#include "bench/base/random.h"

typedef enum number_kind { NEAR_ONE, WIDE, CANCELLING, SPARSE, SMALL, NUMBER_KINDS } number_kind;
static const char *const kind_names[NUMBER_KINDS] = { "near one", "wide", "cancelling", "zeros and denormals",
                                                      "small" };

/* Of so many bits behind the leading one, exponents from `from` to `to`, either sign. */
static float number(uint64_t *state, int bits, int from, int to)
{
    const uint64_t drawn = random_next(state);
    const int exponent = from + (int)(drawn >> 33) % (to - from + 1);
    const double size = ldexp(1 + ldexp((double)(drawn & ((UINT64_C(1) << bits) - 1)), -bits), exponent);
    return (float)(drawn >> 31 & 1 ? -size : size);
}

/* An f16, bf16 or f32 number. */
static float factor(uint64_t *state, lay_cuda_unit_kind kind, number_kind numbers)
{
    const int bits = kind == LAY_CUDA_UNIT_F16 ? 10 : kind == LAY_CUDA_UNIT_BF16 ? 7 : 23;
    const int least = kind == LAY_CUDA_UNIT_F16 ? -14 : -126;
    const int choice = (int)(random_next(state) % 4);
    switch (numbers) {
    case WIDE:
        return number(state, bits, -13, 13);
    case SPARSE:
        return choice < 2   ? 0
               : choice < 3 ? (float)ldexp(1 + (double)(random_next(state) & 3),
                                           least - 5) /* denormal, whole in its last place */
                            : number(state, bits, -4, 12);
    case SMALL:
        return kind == LAY_CUDA_UNIT_F16 ? number(state, bits, least, least + 4) : number(state, bits, -76, -60);
    default:
        return number(state, bits, -2, 2);
    }
}

static void draw_line(uint64_t *state, lay_cuda_unit_kind kind, number_kind numbers, int is_left, int steps,
                      float *line)
{
    for (int p = 0; p < steps; p++)
        line[p] = numbers == CANCELLING && p % 2 && (is_left || random_next(state) % 8)
                      ? (is_left ? line[p - 1] : -line[p - 1])
                      : factor(state, kind, numbers);
}

static void draw(uint64_t *state, lay_cuda_unit_kind kind, number_kind numbers, int tiles, int steps, float *left,
                 float *right, float *c)
{
    for (int i = 0; i < tiles * LINES; i++) {
        draw_line(state, kind, numbers, 1, steps, left + (long)i * steps);
        draw_line(state, kind, numbers, 0, steps, right + (long)i * steps);
    }
    for (long i = 0; i < (long)tiles * SQUARE; i++)
        c[i] = numbers == SMALL         ? number(state, 23, -149 + 23, -120)
               : random_next(state) % 8 ? number(state, 23, numbers == WIDE ? -24 : -6, numbers == WIDE ? 24 : 6)
                                        : 0;
}

static long compare_kind(const unit *of, const unit *model, number_kind numbers, int instructions, int tiles, FILE *to)
{
    const int steps = instructions * lay_cuda_unit_depth(of->kind);
    const long lines = (long)tiles * LINES, all = (long)tiles * SQUARE;
    float *left = malloc((size_t)(2 * lines * steps + 3 * all) * sizeof(float)), *right = left + lines * steps;
    float *c = right + lines * steps, *got = c + all, *expected = got + all;
    uint64_t state = (uint64_t)numbers * 64 + (uint64_t)instructions;
    long wrong = 0, first = 0;
    draw(&state, of->kind, numbers, tiles, steps, left, right, c);
    of->add(of, tiles, instructions, left, right, c, got);
    model->add(model, tiles, instructions, left, right, c, expected);
    for (long i = all - 1; i >= 0; i--)
        if (got[i] != expected[i])
            wrong++, first = i;
    if (to)
        fprintf(to, "  %s: %s, %d instruction%s: %ld of %ld elements are the model's.\n", unit_name(of),
                kind_names[numbers], instructions, instructions > 1 ? "s" : "", all - wrong, all);
    if (to && wrong) {
        const float *row = left + first / LINES * steps,
                    *column = right + (first / SQUARE * LINES + first % LINES) * steps;
        fprintf(to, "    element %ld is %a, the model's %a; C %a, and products of", first, got[first], expected[first],
                c[first]);
        for (int p = 0; p < steps; p++)
            fprintf(to, " %a %a%s", row[p], column[p], p + 1 < steps ? "," : "\n");
    }
    free(left);
    return wrong;
}

long accumulator_compare(const unit *of, const accumulator *by, int tiles, FILE *to)
{
    const unit model = { of->kind, accumulator_add, *by };
    long wrong = 0;
    for (number_kind numbers = 0; numbers < NUMBER_KINDS; numbers++)
        for (int instructions = 1; instructions <= LAY_CUDA_UNIT_CHAIN; instructions *= LAY_CUDA_UNIT_CHAIN)
            wrong += compare_kind(of, &model, numbers, instructions, tiles, to);
    return wrong;
}
