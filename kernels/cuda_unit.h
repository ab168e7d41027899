/* The matrix units of compute capability 9.0 by themselves, for the bench that asks how they add. No part of the
 * library.
 *
 *     d(i,j) = c(i,j) + sum over p of left(i,p) right(j,p)        64 x 64, so many instructions of `depth` steps
 *
 * in the instructions that kernels/cuda/narrow and split are made of, their sum in the same registers throughout.
 * Numbers are f32: those of 16-bit kinds must be ones of the kind, of TF32 the units read what they read. */
#ifndef LAY_KERNELS_CUDA_UNIT_H
#define LAY_KERNELS_CUDA_UNIT_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lay_cuda_unit_kind {
    LAY_CUDA_UNIT_F16,
    LAY_CUDA_UNIT_BF16,
    LAY_CUDA_UNIT_TF32,
    LAY_CUDA_UNIT_KINDS
} lay_cuda_unit_kind;

enum {
    LAY_CUDA_UNIT_LINES = 64,
    LAY_CUDA_UNIT_MAX_DEPTH = 16,
    LAY_CUDA_UNIT_CHAIN = 4, /* instructions of the longer of two kernels */
    LAY_CUDA_UNIT_THREADS = 128
};

/* Steps of an instruction. */
static inline int lay_cuda_unit_depth(lay_cuda_unit_kind kind)
{
    return kind == LAY_CUDA_UNIT_TF32 ? 8 : 16;
}

typedef struct lay_cuda_unit_args {
    const float *left, *right; /* [tiles][64][instructions * depth] */
    const float *c;            /* [tiles][64][64] */
    float *d;                  /* the same */
} lay_cuda_unit_args;

/* By kind, of one instruction and of a chain of them: launched with a block a tile, and the arguments by value. */
extern const void *const lay_cuda_unit[LAY_CUDA_UNIT_KINDS][2];

#ifdef __cplusplus
}
#endif

#endif
