/* Where a thread's sums of FP32 wait for the slices that are to come: in registers, or in shared memory. */
#ifndef LAY_KERNELS_CUDA_BATCH_BOXES_TOTALS_CUH
#define LAY_KERNELS_CUDA_BATCH_BOXES_TOTALS_CUH

#include "cuda/batch/copy.cuh"

namespace batch
{

/* Four sums of a slice, from registers or to them, in the order in which they are stored: boxed_simt says why. */
__device__ __forceinline__ void store_stirred(uint32_t to, const float (&four)[4])
{
    store(to, four[1], four[0], four[3], four[2]);
}
__device__ __forceinline__ void load_stirred(uint32_t from, float (&four)[4])
{
    float stored[4];
    load(from, stored);
#pragma unroll
    for (int e = 0; e < 4; e++)
        four[e] = stored[e ^ 1];
}

/* tm x 4 tv sums of each of so many threads. */
template <int tm, int tv, int threads> struct totals_in_registers {
    static constexpr int shared = threads * 16; /* bytes */
    float total[tm][tv][4];
    uint32_t own; /* 16 bytes of the thread's own */

    __device__ __forceinline__ explicit totals_in_registers(uint32_t sums) : own(sums + threadIdx.x * 16)
    {
    }
    /* Two ways, as one with a choice in it would go by both. */
    __device__ __forceinline__ void fold(const float (&acc)[tm][tv][4], bool is_first)
    {
        if (is_first) {
#pragma unroll
            for (int i = 0; i < tm; i++)
#pragma unroll
                for (int j = 0; j < tv; j++)
#pragma unroll
                    for (int e = 0; e < 4; e++)
                        total[i][j][e] = acc[i][j][e];
        } else {
#pragma unroll
            for (int i = 0; i < tm; i++)
#pragma unroll
                for (int j = 0; j < tv; j++)
#pragma unroll
                    for (int e = 0; e < 4; e++)
                        total[i][j][e] += acc[i][j][e];
        }
    }
    /* The last slice: from registers to registers by way of shared memory, which settles where sums lie. */
    __device__ __forceinline__ void finish(float (&acc)[tm][tv][4], bool is_first)
    {
        if (!is_first)
#pragma unroll
            for (int i = 0; i < tm; i++)
#pragma unroll
                for (int j = 0; j < tv; j++)
#pragma unroll
                    for (int e = 0; e < 4; e++)
                        acc[i][j][e] += total[i][j][e];
#pragma unroll
        for (int i = 0; i < tm; i++)
#pragma unroll
            for (int j = 0; j < tv; j++) {
                store_stirred(own, acc[i][j]);
                load_stirred(own, total[i][j]);
            }
    }
    __device__ __forceinline__ const float (&sums(const float (&)[tm][tv][4]) const)[tm][tv][4]
    {
        return total;
    }
};

/* A slice's sums have all the registers, so that a thread may have 8 x 16 of them: half the loads of 8 x 8 for each
 * product. The totals are met once a slice. */
template <int tm, int tv, int threads> struct totals_in_shared {
    static constexpr int shared = tm * tv * threads * 16;
    uint32_t own;

    __device__ __forceinline__ explicit totals_in_shared(uint32_t sums) : own(sums + threadIdx.x * 16)
    {
    }
    __device__ __forceinline__ void add(float (&acc)[tm][tv][4]) const
    {
#pragma unroll
        for (int i = 0; i < tm; i++)
#pragma unroll
            for (int j = 0; j < tv; j++) {
                float total[4];
                load_stirred(own + (i * tv + j) * threads * 16, total);
#pragma unroll
                for (int e = 0; e < 4; e++)
                    acc[i][j][e] = total[e] + acc[i][j][e];
            }
    }
    __device__ __forceinline__ void fold(float (&acc)[tm][tv][4], bool is_first) const
    {
        if (!is_first)
            add(acc);
#pragma unroll
        for (int i = 0; i < tm; i++)
#pragma unroll
            for (int j = 0; j < tv; j++)
                store_stirred(own + (i * tv + j) * threads * 16, acc[i][j]);
    }
    __device__ __forceinline__ void finish(float (&acc)[tm][tv][4], bool is_first) const
    {
        if (!is_first)
            add(acc);
    }
    __device__ __forceinline__ const float (&sums(const float (&acc)[tm][tv][4]) const)[tm][tv][4]
    {
        return acc;
    }
};

} // namespace batch

#endif
