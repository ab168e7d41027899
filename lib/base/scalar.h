/* alpha and beta: one element of a type that is known at run time. */
#ifndef LAY_BASE_SCALAR_H
#define LAY_BASE_SCALAR_H

#include "layoutgemm.h"

typedef union lay_scalar {
    float f32;
    double f64;
} lay_scalar;

/* A copy: what scalar points to may lie in an operand. */
static inline lay_scalar lay_scalar_read(const void *scalar, lay_type type)
{
    return type == LAY_F32 ? (lay_scalar){ .f32 = *(const float *)scalar }
                           : (lay_scalar){ .f64 = *(const double *)scalar };
}

static inline int lay_scalar_is(const void *scalar, lay_type type, float value)
{
    return type == LAY_F32 ? *(const float *)scalar == value : *(const double *)scalar == value;
}

#endif
