/* The shape of a BLAS's call: what a plan for it rests on, all but addresses and scalars. */
#ifndef LAYBLAS_SHAPE_H
#define LAYBLAS_SHAPE_H

#include <stdint.h>

#include "layoutgemm.h"

/* The type in the lowest two bits of a form, in the order s d c z; and how operands lie. */
enum {
    LAYBLAS_TYPE = 3,
    LAYBLAS_DOUBLE = 1,     /* of the type: d and z */
    LAYBLAS_COMPLEX = 2,    /* c and z */
    LAYBLAS_A_ALONG = 4,    /* elements of op(A) lie side by side along k, else along m */
    LAYBLAS_B_ALONG = 8,    /* of op(B) along k, else along n */
    LAYBLAS_C_BY_ROWS = 16, /* of C along n, else along m */
    LAYBLAS_CONJUGATED_A = 32,
    LAYBLAS_CONJUGATED_B = 64,
    LAYBLAS_VECTORS = 128, /* B and C are vectors, n is 1 */
    LAYBLAS_BATCH = 256,   /* the last four of a shape count; else they are 0 */
    LAYBLAS_NO_FORM = 512, /* an op that there is not: no such shape is ever remembered */
};

/* C is m x n, op(A) m x k, op(B) k x n. A step leads from line to line, a vector's from element to element. */
typedef struct layblas_shape {
    int64_t form, m, n, k, step_a, step_b, step_c;
    int64_t count, stride_a, stride_b, stride_c;
} layblas_shape;

static inline lay_type layblas_type(const layblas_shape *shape)
{
    static const lay_type types[] = { LAY_F32, LAY_F64, LAY_C32, LAY_C64 };
    return types[shape->form & LAYBLAS_TYPE];
}

/* A plan made for a shape, that whoever asks for it has to destroy. Hasty: some ways are not asked. */
lay_status layblas_make_plan(const layblas_shape *shape, int is_hasty, lay_plan **plan);

#endif
