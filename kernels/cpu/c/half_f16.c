/* IEEE half precision, portable C. */
#include <stdint.h>

typedef union bits {
    uint32_t whole;
    float real;
} bits;

static inline float widen_one(uint32_t x)
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

static inline uint16_t round_one(float x)
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

#include "cpu/c/half.h"

#include "cpu_half.h"

const lay_half_row lay_half_f16_c = {
    .name = "lay_half_f16_c",
    .type = LAY_F16,
    .isa = LAY_ISA_C,
    .widen = widen,
    .round = round_all,
    .along = compute_along,
    .across = compute_across,
};
