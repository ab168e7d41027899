/* f32 in boxes: a thread's sums in registers, by the plain fused multiply-add. */
#ifndef LAY_KERNELS_CUDA_BATCH_BOXES_SIMT_CUH
#define LAY_KERNELS_CUDA_BATCH_BOXES_SIMT_CUH

#include <type_traits>

#include "cuda/batch/boxes_multiply.cuh"
#include "cuda/batch/boxes_totals.cuh"
#include "cuda/batch/simt.cuh"

namespace batch
{

/* Warps and lanes lie in a tile as in simt.cuh. Left is [lines][16 steps], 64 bytes a line whose 16-byte pieces are
 * swizzled by two lines; right is [groups of 16 columns][16 steps][16 columns]. A feeder is a warp besides them that
 * brings turns. */
template <int tm_, int tn_, int warps_m, int warps_n, int groups_, int slots_, int blocks_, bool has_far_totals = false,
          bool has_feeder_ = false>
struct boxed_simt {
    using T = float;
    static constexpr int tm = tm_, tn = tn_, bm = 8 * tm * warps_m, bn = 4 * tn * warps_n, bk = 16;
    static constexpr int groups = groups_, group_threads = 32 * warps_m * warps_n, slots = slots_, blocks = blocks_;
    static constexpr int multipliers = groups * group_threads, can_slice = 1, leaving_size = 0;
    using company = alone;
    static constexpr bool is_tiled = false, has_feeder = groups > 1 || has_feeder_;
    static constexpr int threads = multipliers + (has_feeder ? 32 : 0);
    using left_image = boxed<float, bm, bk, false>;
    using right_image = boxed<float, bn, bk, true>;
    static constexpr int left_size = left_image::bytes, turn_size = left_size + right_image::bytes;
    using totals = std::conditional_t<has_far_totals, totals_in_shared<tm, tn / 4, multipliers>,
                                      totals_in_registers<tm, tn / 4, multipliers>>;
    static constexpr int releases = groups > 1 ? 1 : multipliers / 32, group = bk * right_image::line_bytes;
    static constexpr int shared_sums = groups > 1 ? groups *bm *(bn + 16) * sizeof(float) : totals::shared;
    static_assert(tn % 4 == 0 && bn % 16 == 0, "columns in vectors, and in boxes");

    /* Steps of the left operand that are loaded at once: where sums are many, registers are few. */
    static constexpr int left_steps = tm * tn > 64 ? 1 : 2;

    /* A turn's first steps. */
    struct ahead {
        float left[tm][left_steps], right[tn / 4][4];
    };

    using places = typename simt<tm, tn, warps_m, warps_n, 2, 1>::sums::places;

    struct sums {
        float acc[tm][tn / 4][4];
        totals total;
        uint32_t left, right; /* bytes, of the thread's first elements in a turn */
        uint32_t stir;        /* of its lines, all of which are 8 apart */
        uint32_t zeros;       /* 16 bytes of them */
        int row, column;      /* of its first sums in the tile */

        template <class Ring>
        __device__ __forceinline__ sums(const lay_cuda_batch_args &, const Ring &ring)
            : total(ring.sums), zeros(ring.zeros)
        {
            const int warp = threadIdx.x % group_threads / 32, lane = threadIdx.x % 32;
            row = warp / warps_n * 8 * tm + lane / 8 * 2 + lane % 2;
            column = warp % warps_n * 4 * tn + lane / 2 % 4 * 4;
            stir = row / 2 % 4 * 16;
            left = row * left_image::line_bytes;
            right = left_size + column / 16 * group + column % 16 * 4;
            keep(stir);
            keep(left);
            keep(right);
        }
        __device__ __forceinline__ void load_left(uint32_t turn, int p, float (&to)[tm][left_steps]) const
        {
            const uint32_t from = turn + left + (p / 4 * 16 ^ stir) + p % 4 * 4;
#pragma unroll
            for (int i = 0; i < tm; i++)
                load(from + 8 * i * left_image::line_bytes, to[i]);
        }
        __device__ __forceinline__ void load_right(uint32_t turn, int p, float (&to)[tn / 4][4]) const
        {
#pragma unroll
            for (int j = 0; j < tn / 4; j++)
                load(turn + right + p * right_image::line_bytes + j * group, to[j]);
        }
        __device__ __forceinline__ void load_at(uint32_t turn, int p, ahead &to) const
        {
            load_left(turn, p, to.left);
            load_right(turn, p, to.right);
        }
        __device__ __forceinline__ void load_first(uint32_t turn, ahead &to) const
        {
            load_at(turn, 0, to);
        }
        /* Row by row to and fro, so that elements of both operands are at hand from the product before. */
        template <int count>
        __device__ __forceinline__ void multiply(const float (&l)[tm][count], int e, const float (&r)[tn / 4][4])
        {
#pragma unroll
            for (int i = 0; i < tm; i++)
                multiply_row(i, l[i][e], r);
        }
        __device__ __forceinline__ void multiply_row(int i, float l, const float (&r)[tn / 4][4])
        {
#pragma unroll
            for (int j = 0; j < tn; j++) {
                const int to = i % 2 ? tn - 1 - j : j;
                float &sum = acc[i][to / 4][to % 4];
                sum = fmaf(l, r[to / 4][to % 4], sum);
            }
        }
        /* What is multiplied was loaded while the steps before were. */
        template <class Pass> __device__ __forceinline__ void add_turn(uint32_t turn, ahead &first, Pass pass)
        {
            constexpr int in_code = 8; /* steps: more are too much for the cache of instructions */
            ahead other;
#pragma unroll 1
            for (int p = 0; p < bk; p += in_code)
#pragma unroll
                for (int s = 0; s < in_code; s += 2 * left_steps) {
                    const int next = p + s + 2 * left_steps;
                    load_left(turn, p + s + left_steps, other.left);
                    load_right(turn, p + s + 1, other.right);
                    multiply(first.left, 0, first.right);
                    if constexpr (left_steps == 2) {
                        load_right(turn, p + s + 2, first.right);
                        multiply(first.left, 1, other.right);
                        load_right(turn, p + s + 3, other.right);
                        multiply(other.left, 0, first.right);
                    }
                    if (next < bk)
                        load_at(turn, next, first);
                    else
                        pass();
                    multiply(other.left, left_steps - 1, other.right);
                }
        }
        __device__ __forceinline__ void add_rest(uint32_t turn, int steps, const ahead &)
        {
            add_steps(turn, steps);
        }
        __device__ __forceinline__ void add_four(uint32_t slot, int chunk)
        {
            const uint32_t left_at = slot + left + (chunk * 16 ^ stir);
            float l[tm][4], r[tn / 4][4];
#pragma unroll
            for (int i = 0; i < tm; i++)
                load(left_at + 8 * i * left_image::line_bytes, l[i]);
#pragma unroll
            for (int e = 0; e < 4; e++) {
                load_right(slot, 4 * chunk + e, r);
                multiply(l, e, r);
            }
        }
        /* Steps that are no whole turn: none is added that is not there. */
        __device__ __forceinline__ void add_steps(uint32_t slot, int steps)
        {
#pragma unroll 1
            for (int p = 0; p < steps; p++) {
                const uint32_t left_at = slot + left + (p / 4 * 16 ^ stir) + p % 4 * 4;
                float l[tm][1], r[tn / 4][4];
#pragma unroll
                for (int i = 0; i < tm; i++)
                    load(left_at + 8 * i * left_image::line_bytes, l[i][0]);
                load_right(slot, p, r);
                multiply(l, 0, r);
            }
        }
        /* Registers with even and with odd numbers are two banks, each of which gives one value a clock; a multiply-add
         * needs three, of which the left one is at hand from the one before. So a sum must not lie in the bank of its
         * right element. What one instruction loads or stores lies in neighbouring registers, in that order: columns 2
         * j and 2 j + 1 of the sums are loaded and stored the other way round. */
        __device__ __forceinline__ void clear()
        {
#pragma unroll
            for (int i = 0; i < tm; i++)
#pragma unroll
                for (int j = 0; j < tn / 4; j++)
                    load_stirred(zeros, acc[i][j]);
        }
        __device__ __forceinline__ void add(uint32_t slot, int there)
        {
            if (there < bk)
                return add_steps(slot, there);
#pragma unroll
            for (int chunk = 0; chunk < bk / 4; chunk++)
                add_four(slot, chunk);
        }
        __device__ __forceinline__ void finish(bool is_first)
        {
            total.finish(acc, is_first);
        }
        /* For load_stored, which knows the order of columns. */
        __device__ __forceinline__ void put(float *to, int pitch) const
        {
#pragma unroll
            for (int i = 0; i < tm; i++)
#pragma unroll
                for (int j = 0; j < tn / 4; j++) {
                    const float(&four)[4] = acc[i][j];
                    *reinterpret_cast<float4 *>(to + (row + 8 * i) * pitch + column + 16 * j) =
                        make_float4(four[1], four[0], four[3], four[2]);
                }
        }
        static __device__ __forceinline__ void load_stored(const float *from, float (&to)[4])
        {
            const float4 four = *reinterpret_cast<const float4 *>(from);
            to[0] = four.y, to[1] = four.x, to[2] = four.w, to[3] = four.z;
        }
        __device__ __forceinline__ void fold(bool is_first)
        {
            total.fold(acc, is_first);
        }
        __device__ __forceinline__ void write(const lay_cuda_batch_args &args, const result_offsets &at,
                                              place tile) const
        {
            write_sums<places, float, tm, tn / 4>(args, at, tile, { row, column }, total.sums(acc));
        }
    };
    using by_one = std::conditional_t<has_far_totals, by_warps_ahead<boxed_simt>, by_warps<boxed_simt>>;
    using by = std::conditional_t<(groups > 1), by_groups<boxed_simt>, by_one>;
};

} // namespace batch

#endif
