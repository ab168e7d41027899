/* f64 in boxes: the matrix units, which are chains of fused multiply-adds (chain_f64.cuh). */
#ifndef LAY_KERNELS_CUDA_BATCH_BOXES_DMMA_CUH
#define LAY_KERNELS_CUDA_BATCH_BOXES_DMMA_CUH

#include <type_traits>

#include "cuda/batch/boxes_multiply.cuh"
#include "cuda/batch/dmma.cuh"

namespace batch
{

/* Warps lie warps_m x warps_n in a tile, and each has wi x wj pieces of 16 x 8. Left is [lines][16 steps], right
 * [groups of 16 columns][16 steps][16 columns], 128 bytes a line whose 16-byte pieces are swizzled by eight lines.
 *
 * Which rows and columns of a piece a lane has is free. So half a warp reads rows that are two apart, and two pieces
 * side by side alternate in pairs of columns, so that no two lanes that read at a time meet in a bank:
 *
 *     columns of 16    0 1 2 3    4 5 6 7    8 9 10 11    12 13 14 15
 *     piece, lane q    0,0 0,2    1,0 1,2    0,1 0,3      1,1   1,3                                               */
template <int wi_, int wj_, int warps_m, int warps_n, int groups_, int slots_, int blocks_> struct boxed_dmma {
    using T = double;
    static constexpr int wi = wi_, wj = wj_, bm = 16 * wi * warps_m, bn = 8 * wj * warps_n, bk = 16;
    static constexpr int groups = groups_, group_threads = 32 * warps_m * warps_n, slots = slots_, blocks = blocks_;
    static constexpr int threads = groups * group_threads + (groups > 1 ? 32 : 0), can_slice = 1;
    static constexpr bool is_tiled = false;
    using left_image = boxed<double, bm, bk, false>;
    using right_image = boxed<double, bn, bk, true>;
    static constexpr int left_size = left_image::bytes, turn_size = left_size + right_image::bytes;
    static constexpr int releases = groups > 1 ? 1 : threads / 32, line = left_image::line_bytes;
    static constexpr int shared_sums = groups > 1 ? groups *bm *(bn + 8) * sizeof(double) : 0;
    static_assert(wj % 2 == 0, "two pieces side by side");

    struct sums {
        double acc[wi][wj][4], total[2 * wi][wj][2];
        uint32_t left, right;           /* bytes, of the lane's lines in a turn */
        uint32_t left_stir, right_stir; /* and from there to its pieces */
        int row, column, q;             /* of its first sums in the tile; of its steps */
        double nothing;                 /* 0 that the compiler does not know: dmma.cuh */

        __device__ __forceinline__ sums(const lay_cuda_batch_args &args, const box_ring<boxed_dmma> &)
        {
            nothing = args.units >> 31; /* there are some */
            const int warp = threadIdx.x % group_threads / 32, g = threadIdx.x % 32 / 4;
            q = threadIdx.x % 4;
            const int apart = g % 4 * 2 + g / 4, pair = g / 2 % 2 * 4 + g / 4;
            const int first = warp / warps_n * 16 * wi, across = warp % warps_n * 8 * wj;
            row = first + apart;
            column = across + q % 2 * 8 + q / 2 * 2;
            left = row * line + q % 2 * 8;
            left_stir = (q / 2 ^ apart) * 16;
            right = left_size + across / 16 * (bk * line) + q * line + g % 2 * 8;
            right_stir = (pair ^ q) * 16;
            keep(left);
            keep(left_stir);
            keep(right);
            keep(right_stir);
        }
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
        /* Steps behind the end are -0 on the left, and +0 on the right, as copies leave them: fma(-0, +0, x) is x, bit
         * for bit. */
        template <bool is_rest> __device__ __forceinline__ void add_eight(uint32_t slot, int half, int there)
        {
            double l[wi][4], r[wj][2];
#pragma unroll
            for (int j = 0; j < wj; j++)
#pragma unroll
                for (int h = 0; h < 2; h++)
                    load(slot + right + j / 2 * (bk * line) + (8 * half + 4 * h) * line +
                             (right_stir ^ j % 2 * 32 ^ h * 64),
                         r[j][h]);
#pragma unroll
            for (int i = 0; i < wi; i++)
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    load(slot + left + (16 * i + e % 2 * 8) * line + (left_stir ^ e / 2 * 32 ^ half * 64), l[i][e]);
                    if (is_rest && q + e / 2 * 4 >= there)
                        l[i][e] = -0.0;
                }
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
            __syncwarp(); /* barriers may have left lanes apart, and the units want all */
            if (there < bk) {
#pragma unroll 1
                for (int half = 0; 8 * half < there; half++)
                    add_eight<true>(slot, half, there - 8 * half);
                return;
            }
            add_eight<false>(slot, 0, 8);
            if constexpr (wi * wj > 8 || threads * blocks > 384)
                __syncwarp(); /* loads of both halves at a time want too many registers */
            add_eight<false>(slot, 1, 8);
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
        __device__ __forceinline__ void finish(bool is_first)
        {
            fold(is_first);
        }
        __device__ __forceinline__ void put(double *to, int pitch) const
        {
            const places mine = { row, column };
#pragma unroll
            for (int i = 0; i < 2 * wi; i++)
#pragma unroll
                for (int j = 0; j < wj; j++)
                    *reinterpret_cast<double2 *>(to + mine.row(i) * pitch + mine.column(j)) =
                        make_double2(acc[i / 2][j][i % 2 * 2], acc[i / 2][j][i % 2 * 2 + 1]);
        }
        static __device__ __forceinline__ void load_stored(const double *from, double (&to)[2])
        {
            const double2 two = *reinterpret_cast<const double2 *>(from);
            to[0] = two.x, to[1] = two.y;
        }

        struct places {
            int first_row, first_column;

            __device__ __forceinline__ int row(int i) const
            {
                return first_row + 8 * i;
            }
            __device__ __forceinline__ int column(int j) const
            {
                return first_column + 16 * (j / 2) + 4 * (j % 2);
            }
        };
        __device__ __forceinline__ void write(const lay_cuda_batch_args &args, const result_offsets &at,
                                              place tile) const
        {
            write_sums<places, double, 2 * wi, wj>(args, at, tile, { row, column }, total);
        }
    };
    using by = std::conditional_t<(groups > 1), by_groups<boxed_dmma>, by_warps<boxed_dmma>>;
};

} // namespace batch

#endif
