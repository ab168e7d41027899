/* 16 rows of a warp's sums in shared memory, where lanes find what lies side by side in C. */
#ifndef LAY_KERNELS_CUDA_MMA_STRIP_CUH
#define LAY_KERNELS_CUDA_MMA_STRIP_CUH

#include <stdint.h>

namespace
{

/* 4 columns more, so that rows meet in no bank. */
template <int columns> struct strip {
    float sum[16][columns + 4];
};

template <int columns>
__device__ __forceinline__ void fill_strip(strip<columns> &to, const float (&sum)[columns / 8][4])
{
    const int lane = threadIdx.x % 32, row = lane / 4, column = lane % 4 * 2;
#pragma unroll
    for (int t = 0; t < columns / 8; t++) {
        *reinterpret_cast<float2 *>(&to.sum[row][t * 8 + column]) = make_float2(sum[t][0], sum[t][1]);
        *reinterpret_cast<float2 *>(&to.sum[row + 8][t * 8 + column]) = make_float2(sum[t][2], sum[t][3]);
    }
}

/* To [slices][m][n], from row i and column j on; is_transposed: the strip's rows are its columns. */
template <bool is_transposed, int columns>
__device__ __forceinline__ void write_partial(float *partial, int m, int n, const strip<columns> &from, int slice,
                                              int i, int j)
{
    float *const to = partial + static_cast<int64_t>(slice) * m * n;
#pragma unroll 4
    for (int e = threadIdx.x % 32; e < 16 * columns; e += 32) {
        const int row = is_transposed ? e % 16 : e / columns, column = is_transposed ? e / 16 : e % columns;
        const int down = is_transposed ? j + column : i + row, across = is_transposed ? i + row : j + column;
        if (down < m && across < n)
            to[static_cast<int64_t>(down) * n + across] = from.sum[row][column];
    }
}

} // namespace

#endif
