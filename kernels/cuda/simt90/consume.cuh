/* The consumers' loop: fragments from the ring, one step ahead of the multiplications, each warp at its own pace. */
#ifndef LAY_KERNELS_CUDA_SIMT90_CONSUME_CUH
#define LAY_KERNELS_CUDA_SIMT90_CONSUME_CUH

#include "cuda/simt90/barrier.cuh"
#include "cuda/simt90/tile.cuh"

struct fragment {
    float a[sums::m], b[sums::n];

    __device__ __forceinline__ void load(const float *left, const float *right)
    {
#pragma unroll
        for (int i = 0; i < sums::m; i += 4)
            *reinterpret_cast<float4 *>(a + i) = *reinterpret_cast<const float4 *>(left + sums::row(i));
#pragma unroll
        for (int j = 0; j < sums::n; j += 4)
            *reinterpret_cast<float4 *>(b + j) = *reinterpret_cast<const float4 *>(right + sums::column(j));
    }
};

/* Registers with even and with odd numbers are two banks, each of which gives one value a clock; a multiply-add
 * needs three. Row by row its element of a is at hand from the one before, b goes to and fro, and the sum must not
 * be in b's bank: see swapped() in result.cuh. */
__device__ __forceinline__ void step(sums &sums, const fragment &f)
{
#pragma unroll
    for (int i = 0; i < sums::m; i++)
#pragma unroll
        for (int j = 0; j < sums::n; j++) {
            const int to = i % 2 ? sums::n - 1 - j : j;
            sums.at[i][to] = fmaf(f.a[i], f.b[to], sums.at[i][to]);
        }
}

template <typename S> __device__ __forceinline__ void consume(const ring<S> &ring, sums &sums, steps own)
{
    constexpr int unroll = 8, in_turn = S::bk / unroll; /* more than 8 steps of code are too much for the cache */
    const bool leads = threadIdx.x % 32 == 0;
    const float *left = ring.turn + sums.i0, *right = ring.turn + S::left_size + sums.j0;
    int slot = 0, parity = 0, rest = in_turn, chunks = (own.last - own.first + S::bk - 1) / S::bk * in_turn;
    asm volatile("" : "+r"(chunks)); /* counted, not worked out again each time */
    bool is_next_full = false;
    fragment f[2];
    barrier_wait(ring.full, 0);
    f[0].load(left, right);
#pragma unroll 1
    for (; chunks > 0; chunks--) {
        if (rest == 1) { /* the answer takes a while */
            const int next = slot + 1 == S::turns ? 0 : slot + 1;
            is_next_full = barrier_is_over(ring.full + next, next ? parity : parity ^ 1);
        }
#pragma unroll
        for (int p = 0; p < unroll - 1; p++) {
            f[(p + 1) % 2].load(left + (p + 1) * S::pitch_m, right + (p + 1) * S::pitch_n);
            step(sums, f[p % 2]);
        }
        left += unroll * S::pitch_m;
        right += unroll * S::pitch_n;
        if (--rest == 0) {
            rest = in_turn;
            __syncwarp();
            if (leads)
                barrier_arrive(ring.empty + slot);
            left += S::turn_size - S::bk * S::pitch_m;
            right += S::turn_size - S::bk * S::pitch_n;
            if (++slot == S::turns) {
                slot = 0, parity ^= 1;
                left -= S::turns * S::turn_size;
                right -= S::turns * S::turn_size;
            }
            if (!is_next_full)
                barrier_wait(ring.full + slot, parity);
        }
        f[0].load(left, right);
        step(sums, f[(unroll - 1) % 2]);
    }
}

#endif
