/* 16-bit numbers by way of float, whose bits are theirs shifted and rebiased. */
#include "element.h"

#include <math.h>

typedef union bits {
    uint32_t whole;
    float real;
} bits;

static float widen(lay_type type, uint32_t x)
{
    if (type == LAY_BF16)
        return (bits){ .whole = x << 16 }.real;
    const bits magnitude = { .whole = (x & 0x7fff) << 13 };
    const float size = (x & 0x7c00) == 0x7c00 ? (x & 0x3ff ? NAN : INFINITY) : magnitude.real * 0x1p112f;
    return x & 0x8000 ? -size : size;
}

static uint16_t narrow(lay_type type, float x)
{
    const bits in = { .real = x };
    if (isnan(x))
        return 0x7fff;
    if (type == LAY_BF16)
        return (uint16_t)((in.whole + 0x8000) >> 16);
    const bits size = { .real = fabsf(x) * 0x1p-112f };
    return (uint16_t)((in.whole >> 16 & 0x8000) | (size.whole + 0x1000) >> 13);
}

int element_parts(lay_type type)
{
    return type == LAY_C32 || type == LAY_C64 ? 2 : 1;
}

lay_type element_real(lay_type type)
{
    return type == LAY_C32 ? LAY_F32 : type == LAY_C64 ? LAY_F64 : type;
}

double element_read(lay_type type, const void *zero, int64_t at)
{
    switch (element_real(type)) {
    case LAY_F32:
        return (double)((const float *)zero)[at];
    case LAY_F64:
        return ((const double *)zero)[at];
    default:
        return (double)widen(type, ((const uint16_t *)zero)[at]);
    }
}

void element_write(lay_type type, void *zero, int64_t at, double value)
{
    switch (element_real(type)) {
    case LAY_F32:
        ((float *)zero)[at] = (float)value;
        return;
    case LAY_F64:
        ((double *)zero)[at] = value;
        return;
    default:
        ((uint16_t *)zero)[at] = narrow(type, (float)value);
    }
}

const void *element_scalar(lay_type type, int is_one)
{
    static const float reals[][2] = { { 0, 0 }, { 1, 0 } };
    static const double doubles[][2] = { { 0, 0 }, { 1, 0 } };
    return element_real(type) == LAY_F64 ? (const void *)doubles[is_one] : (const void *)reals[is_one];
}
