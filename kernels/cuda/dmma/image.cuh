/* How bk steps of an operand lie in shared memory, and how a warp's fragments come out of there.
 *
 *      BY_STEP    [bk][across]: written by what comes across the steps, in pairs across or one by one
 *      BY_INDEX   [across][bk]: written by pairs along the steps
 *
 * Pairs (16 bytes) are stirred within 128 bytes, so that neither the copies in nor the fragments out meet in a
 * bank. A fragment of the left operand has rows 2 g and 2 g + 1 of 16 where the unit says g and g + 8: in
 * BY_STEP both are one load. */
#ifndef LAY_KERNELS_CUDA_DMMA_IMAGE_CUH
#define LAY_KERNELS_CUDA_DMMA_IMAGE_CUH

#include "cuda/element.cuh"

namespace dmma {

enum image { BY_STEP, BY_INDEX };

constexpr int bk = 16; /* the pairs along k of one index fill 128 bytes */

/* Element (k, a), in doubles; of the left operand rows that are read together are 2 apart, of the right 1. */
template <image kind, int across, bool is_left> __device__ __forceinline__ int place(int k, int a)
{
    if (kind == BY_STEP)
        return k * across + ((a / 2 ^ ((k & 3) << 1 | (k >> 2 & 1))) << 1 | (a & 1));
    const int stir = (is_left ? a >> 1 : a) & 3;
    return a * bk + ((k / 2 ^ stir << 1) << 1 | (k & 1));
}

/* Fragments of one warp, across 16-row (left) or 8-column (right) pieces i and 8-step halves s of a stage. */
template <image kind, int across, bool is_left> struct reader {
    int at[4]; /* of piece 0: BY_STEP left [h], right [h][i odd]; BY_INDEX [s][h] */

    __device__ __forceinline__ void begin(int first)
    {
        const int g = threadIdx.x % 32 / 4, q = threadIdx.x % 4;
#pragma unroll
        for (int v = 0; v < 4; v++) {
            if (kind == BY_INDEX)
                at[v] = place<kind, across, is_left>(4 * v + q, first + (is_left ? 2 * g : g));
            else if (is_left)
                at[v] = place<kind, across, is_left>(4 * (v % 2) + q, first + 2 * g);
            else
                at[v] = place<kind, across, is_left>(4 * (v / 2) + q, first + 8 * (v % 2) + g);
        }
    }
    __device__ __forceinline__ void left(double (&to)[4], const double *stage, int i, int s) const
    {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            if (kind == BY_STEP) {
                const double2 rows = *reinterpret_cast<const double2 *>(stage + at[h] + 8 * s * across + 16 * i);
                to[2 * h] = rows.x;
                to[2 * h + 1] = rows.y;
            } else {
                to[2 * h] = stage[at[2 * s + h] + 16 * i * bk];
                to[2 * h + 1] = stage[at[2 * s + h] + 16 * i * bk + bk];
            }
        }
    }
    __device__ __forceinline__ void right(double (&to)[2], const double *stage, int i, int s) const
    {
#pragma unroll
        for (int h = 0; h < 2; h++)
            to[h] = kind == BY_STEP ? stage[at[2 * h + i % 2] + 8 * s * across + 16 * (i / 2)]
                                    : stage[at[2 * s + h] + 8 * i * bk];
    }
};

} // namespace dmma

#endif
