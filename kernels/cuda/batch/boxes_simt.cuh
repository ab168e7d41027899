/* f32 in boxes: a thread's sums in registers, by the plain fused multiply-add. */
#ifndef LAY_KERNELS_CUDA_BATCH_BOXES_SIMT_CUH
#define LAY_KERNELS_CUDA_BATCH_BOXES_SIMT_CUH

#include <type_traits>

#include "cuda/batch/boxes_multiply.cuh"
#include "cuda/batch/simt.cuh"

namespace batch
{

/* Warps and lanes lie in a tile as in simt.cuh. Left is [lines][16 steps], 64 bytes a line whose 16-byte pieces are
 * swizzled by two lines; right is [groups of 16 columns][16 steps][16 columns]. */
template <int tm_, int tn_, int warps_m, int warps_n, int groups_, int slots_, int blocks_> struct boxed_simt {
    using T = float;
    static constexpr int tm = tm_, tn = tn_, bm = 8 * tm * warps_m, bn = 4 * tn * warps_n, bk = 16;
    static constexpr int groups = groups_, group_threads = 32 * warps_m * warps_n, slots = slots_, blocks = blocks_;
    static constexpr int threads = groups * group_threads + (groups > 1 ? 32 : 0), can_slice = 1;
    static constexpr bool is_tiled = false;
    using left_image = boxed<float, bm, bk, false>;
    using right_image = boxed<float, bn, bk, true>;
    static constexpr int left_size = left_image::bytes, turn_size = left_size + right_image::bytes;
    static constexpr int releases = groups > 1 ? 1 : threads / 32, group = bk * right_image::line_bytes;
    static constexpr int shared_sums = groups > 1 ? groups *bm *(bn + 16) * sizeof(float) : threads * 16;
    static_assert(tn % 4 == 0 && bn % 16 == 0, "columns in vectors, and in boxes");

    struct sums {
        float acc[tm][tn], total[tm][tn / 4][4];
        uint32_t left, right; /* bytes, of the thread's first elements in a turn */
        uint32_t stir;        /* of its lines, all of which are 8 apart */
        uint32_t zeros, own;  /* 16 bytes of them, and 16 of the thread's own */
        int row, column;      /* of its first sums in the tile */

        __device__ __forceinline__ sums(const lay_cuda_batch_args &, const box_ring<boxed_simt> &ring)
            : zeros(ring.zeros), own(ring.sums + threadIdx.x * 16)
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
        /* Row by row to and fro, so that elements of both operands are at hand from the product before. */
        __device__ __forceinline__ void step(const float (&l)[tm][4], int e, uint32_t from)
        {
            float r[tn / 4][4];
#pragma unroll
            for (int j = 0; j < tn / 4; j++)
                load(from + j * group, r[j]);
#pragma unroll
            for (int i = 0; i < tm; i++)
#pragma unroll
                for (int j = 0; j < tn; j++) {
                    const int to = i % 2 ? tn - 1 - j : j;
                    acc[i][to] = fmaf(l[i][e], r[to / 4][to % 4], acc[i][to]);
                }
        }
        __device__ __forceinline__ void add_four(uint32_t slot, int chunk)
        {
            const uint32_t left_at = slot + left + (chunk * 16 ^ stir);
            const uint32_t right_at = slot + right + chunk * 4 * right_image::line_bytes;
            float l[tm][4];
#pragma unroll
            for (int i = 0; i < tm; i++)
                load(left_at + 8 * i * left_image::line_bytes, l[i]);
#pragma unroll
            for (int e = 0; e < 4; e++)
                step(l, e, right_at + e * right_image::line_bytes);
        }
        /* Steps that are no whole turn: none is added that is not there. */
        __device__ __forceinline__ void add_rest(uint32_t slot, int steps)
        {
#pragma unroll 1
            for (int p = 0; p < steps; p++) {
                const uint32_t left_at = slot + left + (p / 4 * 16 ^ stir) + p % 4 * 4;
                float l[tm][4];
#pragma unroll
                for (int i = 0; i < tm; i++)
                    load(left_at + 8 * i * left_image::line_bytes, l[i][0]);
                step(l, 0, slot + right + p * right_image::line_bytes);
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
                for (int j = 0; j < tn; j += 4) {
                    float zero[4];
                    load(zeros, zero);
#pragma unroll
                    for (int e = 0; e < 4; e++)
                        acc[i][j + (e ^ 1)] = zero[e];
                }
        }
        __device__ __forceinline__ void add(uint32_t slot, int there, bool is_first)
        {
            if (is_first)
                clear();
            if (there < bk)
                return add_rest(slot, there);
#pragma unroll
            for (int chunk = 0; chunk < bk / 4; chunk++)
                add_four(slot, chunk);
        }
        /* The last slice: from registers to registers by way of shared memory, which settles where sums lie. */
        __device__ __forceinline__ void finish(bool is_first)
        {
            if (!is_first)
#pragma unroll
                for (int i = 0; i < tm; i++)
#pragma unroll
                    for (int j = 0; j < tn; j++)
                        acc[i][j] += total[i][j / 4][j % 4];
#pragma unroll
            for (int i = 0; i < tm; i++)
#pragma unroll
                for (int j = 0; j < tn; j += 4) {
                    float four[4];
                    store(own, acc[i][j + 1], acc[i][j], acc[i][j + 3], acc[i][j + 2]);
                    load(own, four);
#pragma unroll
                    for (int e = 0; e < 4; e++)
                        total[i][j / 4][e] = four[e ^ 1];
                }
        }
        /* For load_stored, which knows the order of columns. */
        __device__ __forceinline__ void put(float *to, int pitch) const
        {
#pragma unroll
            for (int i = 0; i < tm; i++)
#pragma unroll
                for (int j = 0; j < tn; j += 4)
                    *reinterpret_cast<float4 *>(to + (row + 8 * i) * pitch + column + 4 * j) =
                        make_float4(acc[i][j + 1], acc[i][j], acc[i][j + 3], acc[i][j + 2]);
        }
        static __device__ __forceinline__ void load_stored(const float *from, float (&to)[4])
        {
            const float4 four = *reinterpret_cast<const float4 *>(from);
            to[0] = four.y, to[1] = four.x, to[2] = four.w, to[3] = four.z;
        }
        /* Two ways, as one with a choice in it would go by both. */
        __device__ __forceinline__ void fold(bool is_first)
        {
            if (is_first) {
#pragma unroll
                for (int i = 0; i < tm; i++)
#pragma unroll
                    for (int j = 0; j < tn; j++)
                        total[i][j / 4][j % 4] = acc[i][j];
            } else {
#pragma unroll
                for (int i = 0; i < tm; i++)
#pragma unroll
                    for (int j = 0; j < tn; j++)
                        total[i][j / 4][j % 4] += acc[i][j];
            }
        }
        __device__ __forceinline__ void write(const lay_cuda_batch_args &args, const result_offsets &at,
                                              place tile) const
        {
            using places = typename simt<tm, tn, warps_m, warps_n, 2, 1>::sums::places;
            write_sums<places, float, tm, tn / 4>(args, at, tile, { row, column }, total);
        }
    };
    using by = std::conditional_t<(groups > 1), by_groups<boxed_simt>, by_warps<boxed_simt>>;
};

} // namespace batch

#endif
