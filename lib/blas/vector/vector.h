/* Products of complex matrices with vectors, whose shapes are new too often for plans. */
#ifndef LAYBLAS_VECTOR_H
#define LAYBLAS_VECTOR_H

#include <stdint.h>

/* Steps of k at most: 2 parts each, they are one block of the sum, which has 512 (docs/numerics.md). */
enum { LAYBLAS_VECTOR_STEPS = 256 };

/* y = alpha A x + beta y, complex numbers, in the order of the real product with x expanded (docs/numerics.md): from +0
 * on, step by step,
 *
 *     re = fma(re a, re x, re)   re = fma(im a, -im x, re)
 *     im = fma(re a, im x, im)   im = fma(im a, re x, im)
 *
 * with -im a for im a where A is conjugated. An alpha with an imaginary part multiplies x before, each product and sum
 * rounded. The element of row i and step p lies at a[i + p * a_step] or, along k, at a[i * a_step + p]. */
typedef struct layblas_vector {
    int64_t rows, steps;              /* >= 1; steps <= LAYBLAS_VECTOR_STEPS */
    const void *alpha, *a, *x, *beta; /* beta's imaginary part is 0 */
    void *y;
    int64_t a_step, x_step, y_step;
    int is_along, is_conjugated;
} layblas_vector;
typedef void layblas_vector_fn(const layblas_vector *of);

layblas_vector_fn layblas_vector_c32_avx2, layblas_vector_c64_avx2;

#endif
