/* f64: the matrix units, which are chains of fused multiply-adds (chain_f64.cuh). */
#ifndef LAY_KERNELS_CUDA_BATCH_DMMA_CUH
#define LAY_KERNELS_CUDA_BATCH_DMMA_CUH

#include "cuda/batch/image.cuh"
#include "cuda/batch/multiply.cuh"
#include "cuda/chain_f64.cuh"

namespace batch
{

/* Warps lie warps_m x warps_n in a tile, and each has wi x wj pieces of 16 x 8. */
template <int wi_, int wj_, int warps_m, int warps_n, int ahead_, int blocks_> struct dmma {
    using T = double;
    static constexpr int wi = wi_, wj = wj_, bm = 16 * wi * warps_m, bn = 8 * wj * warps_n, bk = 16;
    static constexpr int threads = 32 * warps_m * warps_n, ahead = ahead_, slots = ahead + 1, blocks = blocks_;
    static constexpr int alignment = 16;
    static constexpr bool is_asynchronous = false;
    using left_image = lines_by_steps<double, bm, bk, 8>;
    using right_image = steps_by_lines<double, bn, bk, 8>;
    static constexpr int left_size = left_image::bytes, turn_size = left_size + right_image::bytes;

    static __device__ __forceinline__ void publish()
    {
    }

    struct sums {
        double acc[wi][wj][4], total[2 * wi][wj][2];
        uint32_t left, right; /* bytes, of the lane's first elements in a turn */
        int row, column;      /* of its first sums in the tile */
        double nothing;       /* 0 that the compiler does not know: see clear */

        __device__ __forceinline__ explicit sums(const lay_cuda_batch_args &args)
        {
            nothing = args.units >> 31; /* there are some */
            const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, q = threadIdx.x % 4;
            const int first = warp / warps_n * 16 * wi, across = warp % warps_n * 8 * wj;
            row = first + g;
            column = across + 2 * q;
            left = left_image::at(first + g, q);
            right = left_size + right_image::at(across + g, q);
        }
        /* Sums cleared by a zero that it knows become a predicate of the units' instruction, and ptxas of CUDA 13.0
         * then takes a third sum for two of the others (bench/LOG.md, 53). */
        __device__ __forceinline__ void clear()
        {
#pragma unroll
            for (int i = 0; i < wi; i++)
#pragma unroll
                for (int j = 0; j < wj; j++)
#pragma unroll
                    for (int e = 0; e < 4; e++)
                        acc[i][j][e] = nothing;
        }
        __device__ __forceinline__ void add_eight(uint32_t left_at, uint32_t right_at)
        {
            double l[wi][4], r[wj][2];
#pragma unroll
            for (int j = 0; j < wj; j++)
#pragma unroll
                for (int h = 0; h < 2; h++)
                    load(right_at + right_image::at(8 * j, 4 * h), r[j][h]);
#pragma unroll
            for (int i = 0; i < wi; i++)
#pragma unroll
                for (int e = 0; e < 4; e++)
                    load(left_at + left_image::at(16 * i + e % 2 * 8, e / 2 * 4), l[i][e]);
#pragma unroll
            for (int i = 0; i < wi; i++)
#pragma unroll
                for (int j = 0; j < wj; j++)
                    multiply_add(acc[i][j], l[i], r[j]);
        }
        __device__ __forceinline__ void add(uint32_t slot, int there, bool is_first)
        {
            if (is_first)
                clear();
            __syncwarp(); /* copies may have left lanes apart, and the units want all */
            add_eight(slot + left, slot + right);
            if (there > 8)
                add_eight(slot + left + left_image::at(0, 8), slot + right + right_image::at(0, 8));
        }
        __device__ __forceinline__ void fold(bool is_first)
        {
#pragma unroll
            for (int i = 0; i < wi; i++)
#pragma unroll
                for (int j = 0; j < wj; j++)
#pragma unroll
                    for (int e = 0; e < 4; e++) {
                        double &to = total[2 * i + e / 2][j][e % 2];
                        to = is_first ? acc[i][j][e] : to + acc[i][j][e];
                    }
        }

        struct places {
            int first_row, first_column;

            __device__ __forceinline__ int row(int i) const
            {
                return first_row + 8 * i;
            }
            __device__ __forceinline__ int column(int j) const
            {
                return first_column + 8 * j;
            }
        };
        __device__ __forceinline__ void write(const lay_cuda_batch_args &args, const result_offsets &at,
                                              place tile) const
        {
            write_sums<places, double, 2 * wi, wj>(args, at, tile, { row, column }, total);
        }
    };
};

} // namespace batch

#endif
