/* CUDA kernels of complex numbers, as their launcher sees them: products of operands as they lie, what becomes images
 * of real numbers, and C = beta C. C and CUDA C++ both include this.
 *
 * The contract of a product kernel is that of cuda_strict.h for the real product that a complex one is, with right
 * expanded (docs/decisions/0021); steps p = 2 l + s and columns 2 j + t of lay_cuda_args are those of that product:
 *
 *      left(i, 2 l + s)            part s of left(i, l)                      part 0 is re, part 1 im
 *      right(2 l + s, 2 j + t)     part s ^ t of right(l, j), negated where bit 2 s + t of negated is set
 *      result(i, 2 j + t)          part t of c(i, j)
 *
 * m rows; n and k are even: twice the complex columns and steps. Offsets are of complex numbers, in complex numbers:
 * left_k and right_k of l, right_n and result_n of j. Slices are of real steps. left and right are aligned to a number;
 * of f32 a class in vectors promises that two numbers side by side, from each even index on, are one aligned vector; of
 * f64 a class says which way lanes go best, and any function serves any layout. is_c_vector: c is aligned to a number.
 * resume is NULL. Partial sums are real, [slices][m][n]; the launcher adds them with lay_cuda_complex_add. */
#ifndef LAY_KERNELS_CUDA_COMPLEX_H
#define LAY_KERNELS_CUDA_COMPLEX_H

#include "cuda_strict.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An image's segments of real numbers, pitch apart. Segment 2 i has length complex numbers x; then segment 2 i has (re
 * z, im z) and segment 2 i + 1 (im z, re z), with some numbers of each pair negated: z = factor x or, where
 * is_conjugated, factor conj(x). */
typedef struct lay_cuda_expand_args {
    void *image; /* aligned to a complex number, as is each segment */
    int64_t segments, length, pitch;
    int is_conjugated, has_factor; /* without one it is 1 */
    int first_negated[2], second_negated[2];
    double factor[2];
} lay_cuda_expand_args;

/* C = beta C of args.m x args.n complex numbers, by args.c, args.result_m and args.result_n alone; +0 without reading C
 * where beta is 0, and part by part where it has no imaginary part. */
typedef struct lay_cuda_complex_scale_args {
    lay_cuda_args args;
    double beta[2];
} lay_cuda_complex_scale_args;

/* Of float, of double. Blocks of LAY_CUDA_ADD_THREADS threads, of which each has LAY_CUDA_COMPLEX_EACH numbers. */
enum { LAY_CUDA_COMPLEX_EACH = 4 };
extern const void *const lay_cuda_expand[], *const lay_cuda_complex_scale[];

/* C from the partial sums of a complex row's slices, added in ascending order; arguments as the row's, launched as
 * lay_cuda_complex_scale, for m n / 2 numbers. Of float, of double. */
extern const void *const lay_cuda_complex_add[];

#ifdef __cplusplus
}
#endif

#endif
