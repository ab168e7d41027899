/* From the sums of complex numbers to shared memory, where the turns were. */
#ifndef LAY_KERNELS_CUDA_SIMT90_NUMBERS_RESULT_CUH
#define LAY_KERNELS_CUDA_SIMT90_NUMBERS_RESULT_CUH

#include "cuda/complex/result.cuh"
#include "cuda/simt90/numbers.cuh"

namespace numbers
{

__device__ __forceinline__ writer writer_of(place tile)
{
    return { static_cast<int>(threadIdx.x) - producers, consumers, tile.i, tile.j };
}

template <typename S> __device__ __forceinline__ void put_sums(float *whole, int group, const sums<S> &sums)
{
    meet<consumers>(); /* all turns are read */
    float *const to = whole + group * S::bm * S::pitch_n;
#pragma unroll
    for (int i = 0; i < S::m; i++)
#pragma unroll
        for (int j = 0; j < S::n; j += 4)
            put_two(to + (sums.i0 + sums.row(i)) * S::pitch_n + sums.j0 + sums.column(j),
                    { sums.at[i][j], sums.at[i][j + 1], sums.at[i][j + 2], sums.at[i][j + 3] });
    meet<consumers>();
}

} // namespace numbers

#endif
