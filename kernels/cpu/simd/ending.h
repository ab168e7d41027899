/* A row of what becomes of sums: loops that compilers make vectors of, at each level its own. Included by a row, which
 * then defines it. */
#include <string.h>

#include "cpu_ending.h"

#define BY(name, real, operation)                                                                                      \
    static void name(void *line, int64_t count, const void *by, int64_t step)                                          \
    {                                                                                                                  \
        real *restrict const x = line;                                                                                 \
        const real *restrict const y = by;                                                                             \
        const real one = y[0];                                                                                         \
        for (int64_t i = 0; step && i < count; i++)                                                                    \
            x[i] = x[i] operation y[i];                                                                                \
        for (int64_t i = 0; !step && i < count; i++)                                                                   \
            x[i] = x[i] operation one;                                                                                 \
    }
BY(multiply_f32, float, *)
BY(multiply_f64, double, *)
BY(add_f32, float, +)
BY(add_f64, double, +)

/* Products and then their sums, through memory: of one loop gcc 12 makes vfmaddsub even where nothing is to be
 * contracted. */
enum { PRODUCTS = 64 };
#define COMPLEX(type, real)                                                                                            \
    static void multiply_##type(void *line, int64_t count, const void *by, int64_t step)                               \
    {                                                                                                                  \
        const real *const y = by;                                                                                      \
        real first[2 * PRODUCTS], second[2 * PRODUCTS];                                                                \
        for (int64_t done = 0; done < count; done += PRODUCTS) {                                                       \
            real *const x = (real *)line + 2 * done;                                                                   \
            const int64_t some = count - done < PRODUCTS ? count - done : PRODUCTS;                                    \
            for (int64_t i = 0; i < some; i++) {                                                                       \
                const real f = y[2 * (done + i) * step], g = y[2 * (done + i) * step + 1];                             \
                first[2 * i] = f * x[2 * i];                                                                           \
                first[2 * i + 1] = f * x[2 * i + 1];                                                                   \
                second[2 * i] = g == 0 ? -(real)0 : -(g * x[2 * i + 1]);                                               \
                second[2 * i + 1] = g == 0 ? -(real)0 : g * x[2 * i];                                                  \
            }                                                                                                          \
            for (int64_t i = 0; i < 2 * some; i++)                                                                     \
                x[i] = first[i] + second[i];                                                                           \
        }                                                                                                              \
    }                                                                                                                  \
    static void add_##type(void *line, int64_t count, const void *by, int64_t step)                                    \
    {                                                                                                                  \
        real *restrict const x = line;                                                                                 \
        const real *restrict const y = by;                                                                             \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            x[2 * i] += y[2 * i * step];                                                                               \
            x[2 * i + 1] += y[2 * i * step + 1];                                                                       \
        }                                                                                                              \
    }
COMPLEX(c32, float)
COMPLEX(c64, double)

/* exp(-a) for 0 <= a < most, 0 from there on, NaN of NaN: 2^-i e^-r with |r| <= ln(2) / 2, and e^-r by its series. */
static inline float exp_of_minus_f32(float a)
{
    static const float most = 87, to_integer = 0x1.8p23f;
    const float within = a > most ? most : a, shifted = within * 0x1.715476p0f + to_integer, i = shifted - to_integer;
    const float r = (within - i * 0x1.62e4p-1f) - i * 0x1.7f7d1cp-20f; /* ln 2 in two parts, the first one of 16 bits */
    float sum = -1.0f / 5040, power;
    sum = sum * r + 1.0f / 720;
    sum = sum * r - 1.0f / 120;
    sum = sum * r + 1.0f / 24;
    sum = sum * r - 1.0f / 6;
    sum = sum * r + 0.5f;
    sum = sum * r - 1;
    sum = sum * r + 1;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (127 - (bits - 0x4b400000u)) << 23;
    memcpy(&power, &bits, sizeof power);
    return a > most ? 0 : sum * power;
}

static inline double exp_of_minus_f64(double a)
{
    static const double most = 708, to_integer = 0x1.8p52;
    const double within = a > most ? most : a, shifted = within * 0x1.71547652b82fep0 + to_integer;
    const double i = shifted - to_integer, r = (within - i * 0x1.62e42feep-1) - i * 0x1.a39ef35793c76p-33;
    double sum = -1.0 / 6227020800, power;
    sum = sum * r + 1.0 / 479001600;
    sum = sum * r - 1.0 / 39916800;
    sum = sum * r + 1.0 / 3628800;
    sum = sum * r - 1.0 / 362880;
    sum = sum * r + 1.0 / 40320;
    sum = sum * r - 1.0 / 5040;
    sum = sum * r + 1.0 / 720;
    sum = sum * r - 1.0 / 120;
    sum = sum * r + 1.0 / 24;
    sum = sum * r - 1.0 / 6;
    sum = sum * r + 0.5;
    sum = sum * r - 1;
    sum = sum * r + 1;
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (1023 - (bits - 0x4338000000000000u)) << 52;
    memcpy(&power, &bits, sizeof power);
    return a > most ? 0 : sum * power;
}

/* GELU: x / 2 (1 + tanh(t / 2)) = x / (1 + e^-t), t = 2 sqrt(2 / pi) (x + 0.044715 x^3); below 0 x e^t / (1 + e^t), so
 * that nothing cancels. e^t is 0 long before x is -least. */
#define ALONE(type, real)                                                                                              \
    static void relu_##type(void *line, int64_t count, const double limits[2])                                         \
    {                                                                                                                  \
        real *const x = line;                                                                                          \
        (void)limits;                                                                                                  \
        for (int64_t i = 0; i < count; i++)                                                                            \
            x[i] = x[i] <= 0 ? 0 : x[i];                                                                               \
    }                                                                                                                  \
    static void clamp_##type(void *line, int64_t count, const double limits[2])                                        \
    {                                                                                                                  \
        real *const x = line;                                                                                          \
        const real low = (real)limits[0], high = (real)limits[1];                                                      \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            const real least = x[i] < low ? low : x[i];                                                                \
            x[i] = least > high ? high : least;                                                                        \
        }                                                                                                              \
    }                                                                                                                  \
    static void gelu_##type(void *line, int64_t count, const double limits[2])                                         \
    {                                                                                                                  \
        static const real least = 64, linear = (real)1.5957691216057308, cubic = (real)0.07135481627260025;            \
        real *const x = line;                                                                                          \
        (void)limits;                                                                                                  \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            const real t = x[i] * (linear + cubic * (x[i] * x[i])), z = exp_of_minus_##type(t < 0 ? -t : t);           \
            const real negative = (x[i] < -least ? -least : x[i]) * z;                                                 \
            x[i] = (x[i] >= 0 ? x[i] : negative) / (1 + z);                                                            \
        }                                                                                                              \
    }
ALONE(f32, float)
ALONE(f64, double)

#define ENDING_ROW(level, needs)                                                                                       \
    const lay_ending_row lay_ending_##level = {                                                                        \
        .name = "lay_ending_" #level,                                                                                  \
        .isa = needs,                                                                                                  \
        .multiply = { multiply_f32, multiply_f64, multiply_c32, multiply_c64 },                                        \
        .add = { add_f32, add_f64, add_c32, add_c64 },                                                                 \
        .activate = { { NULL, relu_f32, gelu_f32, clamp_f32 }, { NULL, relu_f64, gelu_f64, clamp_f64 } },              \
    };
