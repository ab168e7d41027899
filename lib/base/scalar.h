/* alpha and beta: of a type that is known at run time, which is float for 16-bit types. And the types' names. */
#ifndef LAY_BASE_SCALAR_H
#define LAY_BASE_SCALAR_H

#include <stdint.h>

#include "layoutgemm.h"

typedef union lay_scalar {
    float f32;
    double f64;
    float c32[2]; /* real part, imaginary part */
    double c64[2];
} lay_scalar;

static inline int lay_type_is_complex(lay_type type)
{
    return type == LAY_C32 || type == LAY_C64;
}

/* Of doubles, one or two. */
static inline int lay_type_is_double(lay_type type)
{
    return type == LAY_F64 || type == LAY_C64;
}

/* Of a complex type that of its parts, else itself. */
static inline lay_type lay_type_real(lay_type type)
{
    return type == LAY_C32 ? LAY_F32 : type == LAY_C64 ? LAY_F64 : type;
}

/* As lay_type_size, of a type that there is, where a call would show. */
static inline int64_t lay_size_of(lay_type type)
{
    return type == LAY_F32 ? 4 : type == LAY_F64 || type == LAY_C32 ? 8 : type == LAY_C64 ? 16 : 2;
}

/* What alpha x + beta y of elements of two types is computed in, and alpha and beta are of. */
static inline lay_type lay_type_sum(lay_type x, lay_type y)
{
    const int is_double = lay_type_is_double(x) || lay_type_is_double(y);
    if (lay_type_is_complex(x) || lay_type_is_complex(y))
        return is_double ? LAY_C64 : LAY_C32;
    return is_double ? LAY_F64 : LAY_F32;
}

/* A copy: what scalar points to may lie in an operand. */
static inline lay_scalar lay_scalar_read(const void *scalar, lay_type type)
{
    const float *const f32 = scalar;
    const double *const f64 = scalar;
    switch (type) {
    case LAY_F64:
        return (lay_scalar){ .f64 = *f64 };
    case LAY_C32:
        return (lay_scalar){ .c32 = { f32[0], f32[1] } };
    case LAY_C64:
        return (lay_scalar){ .c64 = { f64[0], f64[1] } };
    default:
        return (lay_scalar){ .f32 = *f32 };
    }
}

/* Of a real type. */
static inline lay_scalar lay_scalar_of(float value, lay_type type)
{
    return type == LAY_F64 ? (lay_scalar){ .f64 = value } : (lay_scalar){ .f32 = value };
}

/* The parts of a complex scalar, as doubles. */
static inline double lay_scalar_real(const void *scalar, lay_type type)
{
    return type == LAY_C64 ? *(const double *)scalar : (double)*(const float *)scalar;
}

static inline double lay_scalar_imaginary(const void *scalar, lay_type type)
{
    return type == LAY_C64 ? ((const double *)scalar)[1] : (double)((const float *)scalar)[1];
}

static inline int lay_scalar_is(const void *scalar, lay_type type, float value)
{
    if (lay_type_is_complex(type))
        return lay_scalar_real(scalar, type) == (double)value && lay_scalar_imaginary(scalar, type) == 0;
    return type == LAY_F64 ? *(const double *)scalar == value : *(const float *)scalar == value;
}

/* "f32", of a type that there is. */
static inline const char *lay_type_name(lay_type type)
{
    static const char *const name[] = { [LAY_F32] = "f32",   [LAY_F64] = "f64", [LAY_F16] = "f16",
                                        [LAY_BF16] = "bf16", [LAY_C32] = "c32", [LAY_C64] = "c64" };
    return name[type];
}

#endif
