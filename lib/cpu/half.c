/* Conversions in whole-number arithmetic without branches, which compilers turn into vectors. What rounds is an
 * addition of normal numbers: the same with FTZ and DAZ set. */
#include "cpu/half.h"

typedef union bits {
    uint32_t whole;
    float real;
} bits;

static float widen_f16(uint32_t x)
{
    static const uint32_t exponent = 0x7c00u << 13, rebias = (uint32_t)(127 - 15) << 23;
    const uint32_t magnitude = (x & 0x7fff) << 13, sign = (x & 0x8000) << 16;
    const bits least = { .whole = (uint32_t)(127 - 14) << 23 };
    bits denormal = { .whole = magnitude + least.whole }, out;
    denormal.real -= least.real;
    out.whole = magnitude + rebias + ((magnitude & exponent) == exponent ? rebias : 0);
    out.whole = (magnitude & exponent ? out.whole : denormal.whole) | sign;
    return out.real;
}

static float widen_bf16(uint32_t x)
{
    return (bits){ .whole = x << 16 }.real;
}

static uint16_t round_f16(float x)
{
    static const uint32_t infinite = 0x7f800000, too_large = 0x477ff000 /* 65520 */, least = 0x38800000 /* 2^-14 */;
    const bits in = { .real = x }, half = { .real = 0.5f }; /* of which a unit in the last place is 2^-24 */
    const uint32_t sign = in.whole >> 16 & 0x8000, magnitude = in.whole & 0x7fffffff;
    const bits denormal = { .real = (bits){ .whole = magnitude }.real + half.real };
    const uint32_t normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - ((uint32_t)(127 - 15) << 23)) >> 13;
    uint32_t out = magnitude < least ? denormal.whole - half.whole : normal;
    out = magnitude >= too_large ? 0x7c00 : out;
    out = magnitude > infinite ? 0x7e00 : out;
    return (uint16_t)(out | sign);
}

static uint16_t round_bf16(float x)
{
    const uint32_t in = (bits){ .real = x }.whole, rounded = (in + 0x7fff + (in >> 16 & 1)) >> 16;
    return (uint16_t)((in & 0x7fffffff) > 0x7f800000 ? in >> 16 | 0x40 : rounded);
}

void lay_half_widen(lay_type type, const uint16_t from[], int64_t count, float to[])
{
    if (type == LAY_F16)
        for (int64_t i = 0; i < count; i++)
            to[i] = widen_f16(from[i]);
    else
        for (int64_t i = 0; i < count; i++)
            to[i] = widen_bf16(from[i]);
}

void lay_half_round(lay_type type, const float from[], int64_t count, uint16_t to[])
{
    if (type == LAY_F16)
        for (int64_t i = 0; i < count; i++)
            to[i] = round_f16(from[i]);
    else
        for (int64_t i = 0; i < count; i++)
            to[i] = round_bf16(from[i]);
}
