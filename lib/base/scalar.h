/* alpha and beta: of a type that is known at run time, which is float for 16-bit types. And the types' names. */
#ifndef LAY_BASE_SCALAR_H
#define LAY_BASE_SCALAR_H

#include <stdint.h>

#include "layoutgemm.h"

typedef union lay_scalar {
    float f32;
    double f64;
} lay_scalar;

/* As lay_type_size, of a type that there is, where a call would show. */
static inline int64_t lay_size_of(lay_type type)
{
    return type == LAY_F32 ? 4 : type == LAY_F64 ? 8 : 2;
}

/* What alpha x + beta y of elements of two types is computed in, and alpha and beta are of. */
static inline lay_type lay_type_sum(lay_type x, lay_type y)
{
    return x == LAY_F64 || y == LAY_F64 ? LAY_F64 : LAY_F32;
}

/* A copy: what scalar points to may lie in an operand. */
static inline lay_scalar lay_scalar_read(const void *scalar, lay_type type)
{
    return type == LAY_F64 ? (lay_scalar){ .f64 = *(const double *)scalar }
                           : (lay_scalar){ .f32 = *(const float *)scalar };
}

static inline lay_scalar lay_scalar_of(float value, lay_type type)
{
    return type == LAY_F64 ? (lay_scalar){ .f64 = value } : (lay_scalar){ .f32 = value };
}

static inline int lay_scalar_is(const void *scalar, lay_type type, float value)
{
    return type == LAY_F64 ? *(const double *)scalar == value : *(const float *)scalar == value;
}

/* "f32", of a type that there is. */
static inline const char *lay_type_name(lay_type type)
{
    static const char *const name[] = { [LAY_F32] = "f32", [LAY_F64] = "f64", [LAY_F16] = "f16", [LAY_BF16] = "bf16" };
    return name[type];
}

#endif
