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

#include "cuda/dmma/unit.cuh"

namespace dmma
{

enum image { BY_STEP, BY_INDEX, BY_NUMBER, BY_LINE /* both: expanded.cuh */ };

constexpr int bk = 16; /* the pairs along k of one index fill 128 bytes */

/* Element (k, a), in doubles; of the left operand rows that are read together are 2 apart, of the right 1. */
template <image kind, int across, bool is_left> __device__ __forceinline__ int place(int k, int a)
{
    if (kind == BY_STEP)
        return k * across + ((a / 2 ^ ((k & 3) << 1 | (k >> 2 & 1))) << 1 | (a & 1));
    const int stir = (is_left ? a >> 1 : a) & 3;
    return a * bk + ((k / 2 ^ stir << 1) << 1 | (k & 1));
}

/* Of complex numbers: which are negated (lay_cuda_args), and the steps of the slice. */
struct expansion {
    unsigned negated;
    int steps;
};

/* Fragments of one warp, across 16-row (left) or 8-column (right) pieces i and 8-step halves s of a stage. */
template <image kind, int across, bool is_left> struct reader {
    uint32_t at[4]; /* of piece 0: BY_STEP left [h], right [h][i odd]; BY_INDEX [s][h] */

    __device__ __forceinline__ reader(uint32_t image, int first, const expansion & = {})
    {
        const int g = threadIdx.x % 32 / 4, q = threadIdx.x % 4;
#pragma unroll
        for (int v = 0; v < 4; v++) {
            int element;
            if (kind == BY_INDEX)
                element = place<kind, across, is_left>(4 * v + q, first + (is_left ? 2 * g : g));
            else if (is_left)
                element = place<kind, across, is_left>(4 * (v % 2) + q, first + 2 * g);
            else
                element = place<kind, across, is_left>(4 * (v / 2) + q, first + 8 * (v % 2) + g);
            at[v] = keep(image + 8 * element);
        }
    }
    /* To another stage, bytes on. */
    __device__ __forceinline__ void move(int bytes)
    {
#pragma unroll
        for (uint32_t &address : at)
            address += bytes;
    }
    __device__ __forceinline__ void left(double (&to)[4], int i, int s) const
    {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            if (kind == BY_STEP) {
                load_two(at[h] + 8 * (8 * s * across + 16 * i), to[2 * h], to[2 * h + 1]);
            } else {
                to[2 * h] = load_one(at[2 * s + h] + 8 * 16 * i * bk);
                to[2 * h + 1] = load_one(at[2 * s + h] + 8 * (16 * i + 1) * bk);
            }
        }
    }
    __device__ __forceinline__ void right(double (&to)[2], int i, int s) const
    {
#pragma unroll
        for (int h = 0; h < 2; h++)
            to[h] = load_one(kind == BY_STEP ? at[2 * h + i % 2] + 8 * (8 * s * across + 16 * (i / 2))
                                             : at[2 * s + h] + 8 * 8 * i * bk);
    }
    /* What is loaded is what is multiplied: expanded.cuh has other ones. */
    __device__ __forceinline__ void expand(double (&)[2], int) const
    {
    }
    __device__ __forceinline__ void pass_turn()
    {
    }
};

} // namespace dmma

#endif
