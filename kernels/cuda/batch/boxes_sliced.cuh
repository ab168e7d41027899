/* f32 in boxes, for slices of few steps: what is added at a slice's end stays in registers, and one loop of turns has
 * all slices. To be compiled by ptxas -O1, which leaves multiply-adds in their order: elsewhere it changes sums over
 * among registers, and a fifth to a half of them wait for a bank. */
#ifndef LAY_KERNELS_CUDA_BATCH_BOXES_SLICED_CUH
#define LAY_KERNELS_CUDA_BATCH_BOXES_SLICED_CUH

#include "cuda/batch/boxes_simt.cuh"

namespace batch
{

/* Warps at their own pace, and one besides them that brings turns. */
template <class S> struct by_slices {
    static __device__ __forceinline__ void run(const lay_cuda_batch_boxed_args &boxed, const result_offsets &at,
                                               const box_ring<S> &ring, box_feed<S> &coming)
    {
        const lay_cuda_batch_args &args = boxed.of;
        if (threadIdx.x >= S::multipliers)
            return bring_all<S>(coming);
        const int turns_of_slice = (args.slice_k + S::bk - 1) / S::bk;
        typename S::sums sums(args, ring);
        box_place<S> here = { 0, 0 };
#pragma unroll 1
        for (int unit = blockIdx.x; unit < args.units; unit += gridDim.x) {
            int open = turns_of_slice;
            sums.start();
#pragma unroll 1
            for (int rest = args.k; rest > 0; rest -= S::bk) {
                const uint32_t turn = ring.turn + here.slot * S::turn_size;
                barrier_wait(ring.full + here.slot, here.parity);
                if (rest < S::bk)
                    sums.add_steps(turn, rest);
                else
                    sums.add_whole(turn);
                __syncwarp();
                if (threadIdx.x % 32 == 0)
                    barrier_arrive(ring.empty + here.slot);
                here.go_on();
                if (--open == 0 || rest <= S::bk) {
                    sums.end_slice();
                    open = turns_of_slice;
                }
            }
            sums.write(args, at, place::of<S>(args, unit));
        }
    }
};

template <int tm_, int tn_, int warps_m, int warps_n, int slots_, int blocks_>
struct sliced_simt : boxed_simt<tm_, tn_, warps_m, warps_n, 1, slots_, blocks_, true, true> {
    using base = boxed_simt<tm_, tn_, warps_m, warps_n, 1, slots_, blocks_, true, true>;
    using base::tm, base::tn, base::bk;
    using by = by_slices<sliced_simt>;
    static constexpr int shared_sums = 0;

    struct sums : base::sums {
        float whole[tm][tn / 4][4]; /* of all slices that have ended */

        using base::sums::sums, base::sums::acc, base::sums::load_right, base::sums::multiply_row;

        __device__ __forceinline__ void start()
        {
            each([](float &sum, float &total) {
                sum = 0.0f;
                total = -0.0f; /* -0 + x is x, bit for bit */
            });
        }
        __device__ __forceinline__ void end_slice()
        {
            each([](float &sum, float &total) {
                total += sum;
                sum = 0.0f;
            });
        }
        template <class Do> __device__ __forceinline__ void each(Do what)
        {
#pragma unroll
            for (int i = 0; i < tm; i++)
#pragma unroll
                for (int j = 0; j < tn; j++)
                    what(acc[i][j / 4][j % 4], whole[i][j / 4][j % 4]);
        }
        /* Four steps of left's rows at a time, each loaded anew when its last is multiplied; right a step ahead. */
        __device__ __forceinline__ void add_whole(uint32_t turn)
        {
            float l[tm][4], r[2][tn / 4][4];
            load_right(turn, 0, r[0]);
#pragma unroll
            for (int i = 0; i < tm; i++)
                load_four(turn, 0, i, l[i]);
#pragma unroll
            for (int p = 0; p < bk; p++) {
                if (p + 1 < bk)
                    load_right(turn, p + 1, r[(p + 1) % 2]);
#pragma unroll
                for (int i = 0; i < tm; i++) {
                    multiply_row(i, l[i][p % 4], r[p % 2]);
                    if (p % 4 == 3 && p + 1 < bk)
                        load_four(turn, p / 4 + 1, i, l[i]);
                }
            }
        }
        __device__ __forceinline__ void write(const lay_cuda_batch_args &args, const result_offsets &at,
                                              place tile) const
        {
            write_sums<typename base::places, float, tm, tn / 4>(args, at, tile, { this->row, this->column }, whole);
        }

    private:
        __device__ __forceinline__ void load_four(uint32_t turn, int chunk, int i, float (&to)[4]) const
        {
            load(turn + this->left + (chunk * 16 ^ this->stir) + 8 * i * base::left_image::line_bytes, to);
        }
    };
};

} // namespace batch

#endif
