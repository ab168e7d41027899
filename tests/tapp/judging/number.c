/* Elements of TAPP's types as numbers of higher precision, and back. */
#include "number.h"

#include <math.h>
#include <string.h>

typedef struct type_fact {
    const char *name;
    size_t size;
    int bits, is_complex;
} type_fact;

static const type_fact facts[NUMBER_TYPES] = {
    [TAPP_F32] = { "F32", 4, 24, 0 },  [TAPP_F64] = { "F64", 8, 53, 0 }, [TAPP_C32] = { "C32", 8, 24, 1 },
    [TAPP_C64] = { "C64", 16, 53, 1 }, [TAPP_F16] = { "F16", 2, 11, 0 }, [TAPP_BF16] = { "BF16", 2, 8, 0 },
};

const char *type_name(TAPP_datatype type)
{
    return facts[type].name;
}

size_t type_size(TAPP_datatype type)
{
    return facts[type].size;
}

int type_is_complex(TAPP_datatype type)
{
    return facts[type].is_complex;
}

int type_bits(TAPP_datatype type)
{
    return facts[type].bits;
}

static float bits_as_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static long double half_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    long double size = 0;
    if (exponent == 31)
        size = fraction ? (long double)NAN : (long double)INFINITY;
    else if (exponent == 0)
        size = ldexpl(fraction, -24);
    else
        size = ldexpl(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -size : size;
}

/* The 16 bits of a number with so many significant bits, whose least normal number is 2^lowest. */
static uint16_t narrow_bits(long double value, int bits, int lowest)
{
    const int infinite = bits == 11 ? 0x7c00 : 0x7f80;
    const int sign = signbit(value) ? 0x8000 : 0;
    if (isnan(value))
        return (uint16_t)(infinite + 1 + sign);
    if (isinf(value))
        return (uint16_t)(infinite + sign);
    int exponent = lowest;
    if (value != 0)
        exponent = ilogbl(value) > lowest ? ilogbl(value) : lowest;
    const long double steps = rintl(ldexpl(fabsl(value), bits - 1 - exponent)); /* 2^bits: one exponent more */
    const long double coded = steps + ldexpl(exponent - lowest, bits - 1);
    return (uint16_t)((coded > infinite ? infinite : (int)coded) + sign);
}

number number_load(TAPP_datatype type, const void *zero, int64_t offset)
{
    const char *at = (const char *)zero + offset * (int64_t)type_size(type);
    float f[2];
    double d[2];
    uint16_t narrow;
    switch (type) {
    case TAPP_F32:
        memcpy(f, at, sizeof(f[0]));
        return (number){ f[0], 0 };
    case TAPP_F64:
        memcpy(d, at, sizeof(d[0]));
        return (number){ d[0], 0 };
    case TAPP_C32:
        memcpy(f, at, sizeof(f));
        return (number){ f[0], f[1] };
    case TAPP_C64:
        memcpy(d, at, sizeof(d));
        return (number){ d[0], d[1] };
    case TAPP_F16:
        memcpy(&narrow, at, sizeof(narrow));
        return (number){ half_value(narrow), 0 };
    default:
        memcpy(&narrow, at, sizeof(narrow));
        return (number){ bits_as_float((uint32_t)narrow << 16), 0 };
    }
}

void number_store(TAPP_datatype type, void *zero, int64_t offset, number value)
{
    char *at = (char *)zero + offset * (int64_t)type_size(type);
    const float f[2] = { (float)value.re, (float)value.im };
    const double d[2] = { (double)value.re, (double)value.im };
    uint16_t narrow = type == TAPP_F16 ? narrow_bits(value.re, 11, -14) : narrow_bits(value.re, 8, -126);
    switch (type) {
    case TAPP_F32:
    case TAPP_C32:
        memcpy(at, f, type_size(type));
        break;
    case TAPP_F64:
    case TAPP_C64:
        memcpy(at, d, type_size(type));
        break;
    default:
        memcpy(at, &narrow, sizeof(narrow));
    }
}
