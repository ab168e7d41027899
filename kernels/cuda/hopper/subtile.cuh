/* A part of a tile between the registers of matrix products and C, through shared memory. */
#ifndef LAY_KERNELS_CUDA_HOPPER_SUBTILE_CUH
#define LAY_KERNELS_CUDA_HOPPER_SUBTILE_CUH

/* A warp's subtile of C on its way: [16][pitch]. Pairs of columns by half a warp fall into 32 banks. */
struct piece_of_tile {
    enum { rows = 16, columns = 32, pitch = columns + 8, size = rows * pitch };
    float *at;

    /* Sums from number first on. */
    template <int first, int count> __device__ __forceinline__ void lay_from(const float (&sum)[count]) const
    {
        float *const own = at + threadIdx.x % 32 / 4 * pitch + threadIdx.x % 4 * 2;
#pragma unroll
        for (int j = 0; j < 4; j++)
            if (first + 4 * j < count) {
                *reinterpret_cast<float2 *>(own + 8 * j) = make_float2(sum[first + 4 * j], sum[first + 4 * j + 1]);
                *reinterpret_cast<float2 *>(own + 8 * j + 8 * pitch) =
                    make_float2(sum[first + 4 * j + 2], sum[first + 4 * j + 3]);
            }
    }
};

#endif
