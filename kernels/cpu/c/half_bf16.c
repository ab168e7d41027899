/* bfloat16, portable C: the upper half of an FP32 number. */
#include <stdint.h>

typedef union bits {
    uint32_t whole;
    float real;
} bits;

static inline float widen_one(uint32_t x)
{
    return (bits){ .whole = x << 16 }.real;
}

static inline uint16_t round_one(float x)
{
    const uint32_t in = (bits){ .real = x }.whole, rounded = (in + 0x7fff + (in >> 16 & 1)) >> 16;
    return (uint16_t)((in & 0x7fffffff) > 0x7f800000 ? in >> 16 | 0x40 : rounded);
}

#include "cpu/c/half.h"

#include "cpu_half.h"

const lay_half_row lay_half_bf16_c = {
    .name = "lay_half_bf16_c",
    .type = LAY_BF16,
    .isa = LAY_ISA_C,
    .widen = widen,
    .round = round_all,
    .along = compute_along,
    .across = compute_across,
};
