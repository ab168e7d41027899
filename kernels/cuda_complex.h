/* CUDA kernels of complex numbers, as their launcher sees them: what becomes images of real numbers, and C = beta C.
 * All else that complex products need are real ones. C and CUDA C++ both include this. */
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

#ifdef __cplusplus
}
#endif

#endif
