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
 *     piece, lane q    0,0 0,2    1,0 1,2    0,1 0,3      1,1   1,3
 *
 * A feeder is a warp besides them that brings turns; a lean shape loads half a turn where it is multiplied, and not
 * while the half before is. */
template <int wi_, int wj_, int warps_m, int warps_n, int groups_, int slots_, int blocks_, bool has_far_totals = false,
          bool has_feeder_ = false, bool is_lean = false>
struct boxed_dmma {
    using T = double;
    static constexpr int wi = wi_, wj = wj_, bm = 16 * wi * warps_m, bn = 8 * wj * warps_n, bk = 16;
    static constexpr int groups = groups_, group_threads = 32 * warps_m * warps_n, slots = slots_, blocks = blocks_;
    static constexpr int multipliers = groups * group_threads, can_slice = 1, leaving_size = 0;
    using company = alone;
    static constexpr bool is_tiled = false, has_feeder = groups > 1 || has_feeder_;
    static constexpr int threads = multipliers + (has_feeder ? 32 : 0);
    using left_image = boxed<double, bm, bk, false>;
    using right_image = boxed<double, bn, bk, true>;
    static constexpr int left_size = left_image::bytes, turn_size = left_size + right_image::bytes;
    static constexpr int releases = groups > 1 ? 1 : multipliers / 32, line = left_image::line_bytes;
    static constexpr int shared_sums = (groups > 1       ? groups * bm * (bn + 8)
                                        : has_far_totals ? bm * bn
                                                         : 0) *
                                       static_cast<int>(sizeof(double));
    static_assert(wj % 2 == 0, "two pieces side by side");

    /* What a lane multiplies in eight steps. */
    struct ahead {
        double left[wi][4], right[wj][2];
    };

    struct sums {
        static constexpr int kept = has_far_totals ? 1 : wi;
        double acc[wi][wj][4], total[kept][wj][4]; /* or in shared memory, from here on: */
        uint32_t far;
        uint32_t left[2][2], right[2][2]; /* bytes, of the lane's elements in a turn: by half, step; by piece, step */
        int row, column, q;               /* of its first sums in the tile; of its steps */
        double nothing;                   /* 0 that the compiler does not know: dmma.cuh */

        __device__ __forceinline__ sums(const lay_cuda_batch_args &args, const box_ring<boxed_dmma> &ring)
            : far(ring.sums + threadIdx.x * 16)
        {
            nothing = args.units >> 31; /* there are some */
            const int warp = threadIdx.x % group_threads / 32, g = threadIdx.x % 32 / 4;
            q = threadIdx.x % 4;
            const int apart = g % 4 * 2 + g / 4, pair = g / 2 % 2 * 4 + g / 4;
            const int first = warp / warps_n * 16 * wi, across = warp % warps_n * 8 * wj;
            row = first + apart;
            column = across + q % 2 * 8 + q / 2 * 2;
            const int left_stir = (q / 2 ^ apart) * 16, right_stir = (pair ^ q) * 16;
#pragma unroll
            for (int x = 0; x < 2; x++)
#pragma unroll
                for (int h = 0; h < 2; h++) {
                    left[x][h] = row * line + q % 2 * 8 + (left_stir ^ h * 32 ^ x * 64);
                    right[x][h] =
                        left_size + across / 16 * (bk * line) + q * line + g % 2 * 8 + (right_stir ^ x * 32 ^ h * 64);
                    keep(left[x][h]);
                    keep(right[x][h]);
                }
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
        __device__ __forceinline__ void load(uint32_t turn, int which, ahead &to) const
        {
#pragma unroll
            for (int j = 0; j < wj; j++)
#pragma unroll
                for (int h = 0; h < 2; h++)
                    batch::load(turn + right[j % 2][h] + j / 2 * (bk * line) + (8 * which + 4 * h) * line,
                                to.right[j][h]);
#pragma unroll
            for (int i = 0; i < wi; i++)
#pragma unroll
                for (int e = 0; e < 4; e++)
                    batch::load(turn + left[which][e / 2] + (16 * i + e % 2 * 8) * line, to.left[i][e]);
        }
        __device__ __forceinline__ void load_first(uint32_t turn, ahead &to) const
        {
            load(turn, 0, to);
        }
        __device__ __forceinline__ void add(const ahead &of)
        {
#pragma unroll
            for (int i = 0; i < wi; i++)
#pragma unroll
                for (int j = 0; j < wj; j++)
                    multiply_add(acc[i][j], of.left[i], of.right[j]);
        }
        template <class Pass> __device__ __forceinline__ void add_turn(uint32_t turn, ahead &first, Pass pass)
        {
            ahead second;
            load(turn, 1, second);
            add(first);
            pass();
            add(second);
        }
        /* With half of a turn in registers at a time. */
        __device__ __forceinline__ void add_lean(uint32_t turn, ahead &half)
        {
            add(half);
            load(turn, 1, half);
            add(half);
        }
        /* Steps behind the end are -0 on the left, and +0 on the right, as copies leave them: fma(-0, +0, x) is x, bit
         * for bit. */
        __device__ __forceinline__ void add_part(ahead &of, int there)
        {
#pragma unroll
            for (int i = 0; i < wi; i++)
#pragma unroll
                for (int e = 0; e < 4; e++)
                    of.left[i][e] = q + e / 2 * 4 < there ? of.left[i][e] : -0.0;
            add(of);
        }
        __device__ __forceinline__ void add_rest(uint32_t turn, int there, ahead &first)
        {
            add_part(first, there);
            if (there > 8) {
                load(turn, 1, first);
                add_part(first, there - 8);
            }
        }
        /* A turn at a time, for groups. */
        __device__ __forceinline__ void add(uint32_t turn, int there)
        {
            __syncwarp(); /* barriers may have left lanes apart, and the units want all */
            ahead first;
            load(turn, 0, first);
            if (there < bk)
                add_rest(turn, there, first);
            else if (is_lean)
                add_lean(turn, first);
            else
                add_turn(turn, first, [] {});
        }
        static __device__ __forceinline__ uint32_t place_of(int i, int j, int h)
        {
            return ((i * wj + j) * 2 + h) * (multipliers * 16);
        }
        /* The slices before are added to this one's sums. */
        __device__ __forceinline__ void add_total()
        {
#pragma unroll
            for (int i = 0; i < wi; i++)
#pragma unroll
                for (int j = 0; j < wj; j++)
#pragma unroll
                    for (int h = 0; h < 2; h++) {
                        double &x = acc[i][j][2 * h], &y = acc[i][j][2 * h + 1], sum[2];
                        if (has_far_totals)
                            batch::load(far + place_of(i, j, h), sum);
                        else
                            sum[0] = total[i % kept][j][2 * h], sum[1] = total[i % kept][j][2 * h + 1];
                        x = sum[0] + x;
                        y = sum[1] + y;
                    }
        }
        __device__ __forceinline__ void fold(bool is_first)
        {
            finish(is_first);
#pragma unroll
            for (int i = 0; i < wi; i++)
#pragma unroll
                for (int j = 0; j < wj; j++)
#pragma unroll
                    for (int e = 0; e < 4; e++)
                        if (!has_far_totals)
                            total[i % kept][j][e] = acc[i][j][e];
                        else if (e % 2 == 0)
                            store(far + place_of(i, j, e / 2), acc[i][j][e], acc[i][j][e + 1]);
        }
        __device__ __forceinline__ void finish(bool is_first)
        {
            if (!is_first)
                add_total();
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
            double rows[2 * wi][wj][2];
#pragma unroll
            for (int i = 0; i < wi; i++)
#pragma unroll
                for (int j = 0; j < wj; j++)
#pragma unroll
                    for (int e = 0; e < 4; e++)
                        rows[2 * i + e / 2][j][e % 2] = acc[i][j][e];
            write_sums<places, double, 2 * wi, wj>(args, at, tile, { row, column }, rows);
        }
    };
    using by = std::conditional_t<(groups > 1), by_groups<boxed_dmma>,
                                  std::conditional_t<is_lean, by_warps<boxed_dmma>, by_warps_ahead<boxed_dmma>>>;
};

} // namespace batch

#endif
