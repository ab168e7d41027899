/* f32: a thread's sums in registers, by the plain fused multiply-add. */
#ifndef LAY_KERNELS_CUDA_BATCH_SIMT_CUH
#define LAY_KERNELS_CUDA_BATCH_SIMT_CUH

#include "cuda/batch/image.cuh"
#include "cuda/batch/multiply.cuh"

namespace batch
{

/* Warps lie warps_m x warps_n in a tile, a warp's lanes 8 x 4: rows 8 apart, columns in pieces of 4 that lie 16 apart.
 * Lanes 1 or 2 apart read the same, which halves the wavefronts of both operands' reads (bench/LOG.md, 5). */
template <int tm_, int tn_, int warps_m, int warps_n, int ahead_, int blocks_> struct simt {
    using T = float;
    static constexpr int tm = tm_, tn = tn_, bm = 8 * tm * warps_m, bn = 4 * tn * warps_n, bk = 16;
    static constexpr int threads = 32 * warps_m * warps_n, ahead = ahead_, slots = ahead + 1, blocks = blocks_,
                         alignment = 16;
    static constexpr bool is_asynchronous = false;
    static_assert(tn % 4 == 0, "columns in vectors");
    using left_image = lines_by_steps<float, bm, bk, 1>;
    using right_image = steps_by_lines<float, bn, bk, 1>;
    static constexpr int left_size = left_image::bytes, turn_size = left_size + right_image::bytes;

    static __device__ __forceinline__ void publish()
    {
    }

    struct sums {
        float acc[tm][tn], total[tm][tn / 4][4];
        uint32_t left, right; /* bytes, of the thread's first elements in a turn */
        int row, column;      /* the same in the tile */

        __device__ __forceinline__ explicit sums(const lay_cuda_batch_args &)
        {
            const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
            row = warp / warps_n * 8 * tm + lane / 8 * 2 + lane % 2;
            column = warp % warps_n * 4 * tn + lane / 2 % 4 * 4;
            left = left_image::at(row, 0);
            right = left_size + right_image::at(column, 0);
        }
        __device__ __forceinline__ void clear()
        {
#pragma unroll
            for (int i = 0; i < tm; i++)
#pragma unroll
                for (int j = 0; j < tn; j++)
                    acc[i][j] = 0;
        }
        /* One step, whose left elements are component e of what was loaded. */
        __device__ __forceinline__ void step(const float (&l)[tm][4], int e, uint32_t from, bool is_first)
        {
            float r[tn];
#pragma unroll
            for (int j = 0; j < tn; j += 4) {
                float four[4];
                load(from + 16 * j, four);
#pragma unroll
                for (int c = 0; c < 4; c++)
                    r[j + c] = four[c];
            }
#pragma unroll
            for (int i = 0; i < tm; i++)
#pragma unroll
                for (int j = 0; j < tn; j++)
                    acc[i][j] = fmaf(l[i][e], r[j], is_first ? 0.0f : acc[i][j]);
        }
        __device__ __forceinline__ void load_left(float (&l)[tm][4], uint32_t from) const
        {
#pragma unroll
            for (int i = 0; i < tm; i++)
                load(from + 8 * i * left_image::pitch * 4, l[i]);
        }
        template <bool is_first> __device__ __forceinline__ void add_four(uint32_t left_at, uint32_t right_at)
        {
            float l[tm][4];
            load_left(l, left_at);
#pragma unroll
            for (int e = 0; e < 4; e++)
                step(l, e, right_at + e * right_image::pitch * 4, is_first && e == 0);
        }
        /* Steps that are no multiple of four: none is added that is not there. */
        __device__ __forceinline__ void add_rest(uint32_t left_at, uint32_t right_at, int steps)
        {
            float l[tm][4];
            load_left(l, left_at);
#pragma unroll
            for (int e = 0; e < 3; e++)
                if (e < steps)
                    step(l, e, right_at + e * right_image::pitch * 4, false);
        }
        /* A loop, as its body unrolled wants too many registers. */
        __device__ __forceinline__ void add(uint32_t slot, int there, bool is_first)
        {
            uint32_t left_at = slot + left, right_at = slot + right;
            int steps = there < bk ? there : bk;
            if (is_first && steps >= 4) {
                add_four<true>(left_at, right_at);
                left_at += 16;
                right_at += 4 * right_image::pitch * 4;
                steps -= 4;
            } else if (is_first) {
                clear();
            }
#pragma unroll 1
            for (; steps >= 4; steps -= 4) {
                add_four<false>(left_at, right_at);
                left_at += 16;
                right_at += 4 * right_image::pitch * 4;
            }
            if (steps > 0)
                add_rest(left_at, right_at, steps);
        }
        __device__ __forceinline__ void fold(bool is_first)
        {
#pragma unroll
            for (int i = 0; i < tm; i++)
#pragma unroll
                for (int j = 0; j < tn; j++)
                    total[i][j / 4][j % 4] = is_first ? acc[i][j] : total[i][j / 4][j % 4] + acc[i][j];
        }

        struct places {
            int first_row, first_column;

            __device__ __forceinline__ int row(int i) const
            {
                return first_row + 8 * i;
            }
            __device__ __forceinline__ int column(int j) const
            {
                return first_column + 16 * j;
            }
        };
        __device__ __forceinline__ void write(const lay_cuda_batch_args &args, const result_offsets &at,
                                              place tile) const
        {
            write_sums<places, float, tm, tn / 4>(args, at, tile, { row, column }, total);
        }
    };
};

} // namespace batch

#endif
