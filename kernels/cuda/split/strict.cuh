/* Path STRICT: all of C by fused multiply-adds. A warpgroup brings turns of both operands to shared memory, as those of
 * simt90 do; two multiply. Chunks of 64 steps are added to segments, those to the whole, as chains.cuh has it.
 *
 *          128                  4 lanes
 *       +---+---+---+---+      +-+-+-+-+
 *       |warp of|       |      +-+-+-+-+     a lane's rows: 4 here, and 4 half a warp below;
 *  128  |64 x 32|       |   8  +-+-+-+-+     its columns: 4 in either half of the warp
 *       +---+---+---+---+      +-+-+-+-+
 *       |       |       |
 *       +---+---+---+---+
 *
 * 64 sums of chunks and 64 of segments, fragments of two steps: 160 of the 184 registers. The whole, which every 2048
 * steps are added to, lies in shared memory. */
#ifndef LAY_KERNELS_CUDA_SPLIT_STRICT_CUH
#define LAY_KERNELS_CUDA_SPLIT_STRICT_CUH

#include "cuda/simt90/produce.cuh"
#include "cuda/simt90/result.cuh"
#include "cuda_split.h"

namespace strict
{

/* Of the 512 registers that a quarter of the multiprocessor has for four warps. */
enum { idle_registers = 24, producer_registers = 120, consumer_registers = 184 };

struct tile_shape {
    static constexpr int bm = 128, bn = 128, bk = 32, turns = 4, m = 8, n = 8;
    static constexpr bool is_roomy = false;
    static constexpr int pitch_m = bm + 4, pitch_n = bn + 4;
    static constexpr int left_size = bk * pitch_m, turn_size = left_size + bk * pitch_n;
    static constexpr int whole_size = bm * pitch_n; /* floats */
    static constexpr int shared = (turns * turn_size + whole_size) * 4 + 2 * turns * 8;
};
using ring_of_tile = ring<tile_shape>;
static_assert(tile_shape::shared == LAY_SPLIT_PATCH_SHARED &&
                  LAY_SPLIT_PATCH_GROUPS * LAY_SPLIT_PATCH_ROOM <= LAY_SPLIT_PATCH_SHARED,
              "what the launcher gives");
static_assert(LAY_SPLIT_CHUNK % tile_shape::bk == 0, "chunks end with turns");

/* What a lane sums. */
struct lane_sums {
    static constexpr int m = tile_shape::m, n = tile_shape::n, count = m * n;
    float chunk[m][n], segment[m][n];
    float *const whole; /* in shared memory, every consumers'th */
    int i0, j0;         /* in the tile, of chunk[0][0] */
    int chunks;
    bool has_whole;

    static __device__ __forceinline__ int row(int i)
    {
        return i / 4 * 32 + i % 4;
    }
    static __device__ __forceinline__ int column(int j)
    {
        return j / 4 * 16 + j % 4;
    }
    /* What is added to -0 is left as it is. */
    __device__ __forceinline__ explicit lane_sums(float *room)
        : whole(room + (threadIdx.x - producers)), chunks(0), has_whole(false)
    {
        const int warp = threadIdx.x / 32 - producers / 32, lane = threadIdx.x % 32;
        /* Lanes 1 or 2 apart read the same: 2 wavefronts a load, 3.3 where lanes go row by row (bench/LOG.md, 5). */
        i0 = warp / 4 * 64 + lane / 8 * 8 + lane % 2 * 4;
        j0 = warp % 4 * 32 + lane / 2 % 4 * 4;
#pragma unroll
        for (int i = 0; i < m; i++)
#pragma unroll
            for (int j = 0; j < n; j++)
                chunk[i][j] = 0, segment[i][j] = -0.0f;
    }
    __device__ __forceinline__ void end_segment()
    {
#pragma unroll
        for (int i = 0; i < m; i++) {
            __syncwarp(); /* a row at a time: registers are short */
#pragma unroll
            for (int j = 0; j < n; j++) {
                float *const at = whole + (i * n + j) * consumers;
                *at = has_whole ? *at + segment[i][j] : segment[i][j];
                segment[i][j] = -0.0f;
            }
        }
        has_whole = true;
    }
    __device__ __forceinline__ void end_chunk()
    {
#pragma unroll
        for (int i = 0; i < m; i++)
#pragma unroll
            for (int j = 0; j < n; j++)
                segment[i][j] += chunk[i][j], chunk[i][j] = 0;
        if (++chunks % (LAY_SPLIT_PATCH_SEGMENT / LAY_SPLIT_CHUNK) == 0)
            end_segment();
    }
    __device__ __forceinline__ void end()
    {
        if (!has_whole)
            return;
#pragma unroll
        for (int i = 0; i < m; i++) {
            __syncwarp();
#pragma unroll
            for (int j = 0; j < n; j++)
                segment[i][j] = whole[(i * n + j) * consumers] + segment[i][j];
        }
    }
};

struct fragment {
    float a[lane_sums::m], b[lane_sums::n];

    __device__ __forceinline__ void load(const float *left, const float *right)
    {
#pragma unroll
        for (int i = 0; i < lane_sums::m; i += 4)
            *reinterpret_cast<float4 *>(a + i) = *reinterpret_cast<const float4 *>(left + lane_sums::row(i));
#pragma unroll
        for (int j = 0; j < lane_sums::n; j += 4)
            *reinterpret_cast<float4 *>(b + j) = *reinterpret_cast<const float4 *>(right + lane_sums::column(j));
    }
};

/* Rows to and fro, for the registers' banks: simt90/consume.cuh. */
__device__ __forceinline__ void step(lane_sums &sums, const fragment &f)
{
#pragma unroll
    for (int i = 0; i < lane_sums::m; i++)
#pragma unroll
        for (int j = 0; j < lane_sums::n; j++) {
            const int to = i % 2 ? lane_sums::n - 1 - j : j;
            sums.chunk[i][to] = fmaf(f.a[i], f.b[to], sums.chunk[i][to]);
        }
}

/* All turns of k steps; behind the last one the producers have one without data. */
__device__ __forceinline__ void consume(const ring_of_tile &ring, lane_sums &sums, int k, position<tile_shape> &at)
{
    using S = tile_shape;
    constexpr int unroll = 16, in_turn = S::bk / unroll, in_chunk = LAY_SPLIT_CHUNK / S::bk;
    const bool leads = threadIdx.x % 32 == 0;
    const float *left = ring.turn + at.slot * S::turn_size + sums.i0;
    const float *right = ring.turn + at.slot * S::turn_size + S::left_size + sums.j0;
    fragment f[2];
    const auto end_turn = [&] {
        __syncwarp();
        if (leads)
            barrier_arrive(ring.empty + at.slot);
        at.go_on();
    };
    barrier_wait(ring.full + at.slot, at.parity);
    f[0].load(left, right);
    int rest = (k + S::bk - 1) / S::bk;
#pragma unroll 1
    for (; rest > 0; rest -= in_chunk) {
        int steps = min(rest, in_chunk) * in_turn, until = in_turn;
#pragma unroll 1
        for (; steps > 0; steps--) {
            bool is_next_full = false;
            if (until == 1) { /* the answer takes a while */
                position<S> next = at;
                next.go_on();
                is_next_full = barrier_is_over(ring.full + next.slot, next.parity);
            }
#pragma unroll
            for (int p = 0; p < unroll - 1; p++) {
                f[(p + 1) % 2].load(left + (p + 1) * S::pitch_m, right + (p + 1) * S::pitch_n);
                step(sums, f[p % 2]);
            }
            left += unroll * S::pitch_m;
            right += unroll * S::pitch_n;
            if (--until == 0) {
                until = in_turn;
                end_turn();
                left = ring.turn + at.slot * S::turn_size + sums.i0;
                right = ring.turn + at.slot * S::turn_size + S::left_size + sums.j0;
                if (!is_next_full)
                    barrier_wait(ring.full + at.slot, at.parity);
            }
            f[0].load(left, right);
            step(sums, f[(unroll - 1) % 2]);
        }
        sums.end_chunk();
    }
    end_turn();
    sums.end();
}

/* To [bm][pitch_n]. As simt90's share: columns j and j ^ 1 change places, so that sums get registers in the other bank
 * than b. */
__device__ __forceinline__ void share(float *tile, const lane_sums &sums)
{
    meet<consumers>();
#pragma unroll
    for (int i = 0; i < lane_sums::m; i++)
#pragma unroll
        for (int j = 0; j < lane_sums::n; j += 4)
            *reinterpret_cast<float4 *>(tile + (sums.i0 + lane_sums::row(i)) * tile_shape::pitch_n + sums.j0 +
                                        lane_sums::column(j)) =
                swapped(make_float4(sums.segment[i][j], sums.segment[i][j + 1], sums.segment[i][j + 2],
                                    sums.segment[i][j + 3]));
    meet<consumers>();
}

/* The product as simt90 has its arguments. */
__device__ __forceinline__ lay_cuda_args plain(const lay_cuda_split_args &of)
{
    lay_cuda_args args = {};
    args.m = of.m, args.n = of.n, args.k = of.k;
    args.left = of.left.from, args.right = of.right.from, args.c = of.c;
    args.left_m = of.left.across, args.left_k = of.left.along;
    args.right_k = of.right.along, args.right_n = of.right.across;
    args.result_m = of.result_m, args.result_n = of.result_n;
    args.alpha.f32 = of.alpha, args.beta.f32 = of.beta;
    args.is_c_vector = of.is_c_vector;
    args.left_class = of.left.as, args.right_class = of.right.as;
    return args;
}

/* Tiles go down bands, as those of simt90. There are fewer than an int counts: cuda_split.h, tiles_m. */
__device__ __forceinline__ int tiles_high(const lay_cuda_args &args)
{
    return (args.m + tile_shape::bm - 1) / tile_shape::bm;
}
__device__ __forceinline__ int tiles_wide(const lay_cuda_args &args)
{
    return (args.n + tile_shape::bn - 1) / tile_shape::bn;
}
__device__ __forceinline__ int tiles_of(const lay_cuda_args &args)
{
    return tiles_high(args) * tiles_wide(args);
}
__device__ __forceinline__ place place_at(const lay_cuda_args &args, int number)
{
    const int in_band = band * tiles_wide(args), first = number / in_band * band;
    const int rows = min(static_cast<int>(band), tiles_high(args) - first), rest = number % in_band;
    return { (first + rest % rows) * tile_shape::bm, rest / rows * tile_shape::bn };
}

enum { busy = producers + consumers };

/* Producers and consumers go over tiles in loops of their own, for they have registers of their own. Producers are up
 * to a ring ahead: they bring the next tile's first turns while this one's sums go to C. */
__device__ __forceinline__ void produce_all(const lay_cuda_args &args, const ring_of_tile &ring)
{
    position<tile_shape> at = { 0, 1 };
#pragma unroll 1
    for (int number = blockIdx.x; number < tiles_of(args); number += gridDim.x)
        at = produce<tile_shape>(args, ring, place_at(args, number), steps{ 0, args.k }, at);
}

__device__ __forceinline__ void consume_all(const lay_cuda_args &args, const ring_of_tile &ring, float *whole)
{
    position<tile_shape> at = { 0, 0 };
#pragma unroll 1
    for (int number = blockIdx.x; number < tiles_of(args); number += gridDim.x) {
        lane_sums sums(whole);
        consume(ring, sums, args.k, at);
        share(whole, sums);
        write_c<tile_shape>(args, whole, place_at(args, number));
        meet<consumers>(); /* the whole's place is free */
    }
}

/* All of C, by all threads of the grid. */
__device__ __forceinline__ void compute_all(const lay_cuda_split_args &of, float *shared)
{
    using S = tile_shape;
    const lay_cuda_args args = plain(of);
    const ring_of_tile ring(shared);
    if (threadIdx.x == 0)
        for (int i = 0; i < S::turns; i++) {
            barrier_init(ring.full + i, producers);
            barrier_init(ring.empty + i, consumers / 32);
        }
    __syncthreads();
    if (threadIdx.x >= busy) {
        give_registers<idle_registers>();
    } else if (threadIdx.x < producers) {
        give_registers<producer_registers>();
        produce_all(args, ring);
    } else {
        take_registers<consumer_registers>();
        consume_all(args, ring, shared + S::turns * S::turn_size + 2 * S::turns * 2);
    }
}

} // namespace strict

#endif
