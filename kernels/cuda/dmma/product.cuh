/* A product on the matrix units: 128 threads feed stages of shared memory, the others multiply. */
#ifndef LAY_KERNELS_CUDA_DMMA_PRODUCT_CUH
#define LAY_KERNELS_CUDA_DMMA_PRODUCT_CUH

#include "cuda/dmma/feed.cuh"
#include "cuda/dmma/result.cuh"

namespace dmma {

/* Matrix units of 16x8x8 and register files that warps share as they need. */
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
constexpr bool is_hopper = true;
#else
constexpr bool is_hopper = false;
#endif

/* A block computes bm x bn, a warp of it wm x wn. */
template <int bm_, int bn_, int wm_, int wn_, int stages_, int blocks_, int feeding_ = 0, int multiplying_ = 0>
struct shape {
    static constexpr int bm = bm_, bn = bn_, wm = wm_, wn = wn_, stages = stages_, blocks = blocks_;
    static constexpr int warps_m = bm / wm, warps = warps_m * (bn / wn), threads = feeders + 32 * warps;
    static constexpr int least_sm = wm * wn > 1024 ? 90 : 80; /* one share for all is too small */
    static constexpr int stage = bk * (bm + bn);              /* doubles */
    static constexpr int shared = stages * (8 * stage + 16) + 8 * (bm + bn);
    static constexpr int feeding = feeding_, multiplying = multiplying_; /* registers a thread; 0: as all entered */
    static constexpr int entry = 65536 / (threads * blocks) / 8 * 8;
    static_assert(feeders * feeding + 32 * warps * multiplying <= threads * entry, "the register file");
};

/* The place of everything in shared memory: stages, two barriers for each, offsets across. */
template <class S> struct room {
    uint32_t stages, full, empty;
    int64_t *at;
    __device__ __forceinline__ explicit room(double *memory)
        : stages(shared_address(memory)), full(stages + 8 * S::stage * S::stages), empty(full + 8 * S::stages),
          at(reinterpret_cast<int64_t *>(memory + S::stage * S::stages + 2 * S::stages))
    {
    }
};

/* Stages in the order of their use; parity is that of the phase now awaited. */
template <class S> struct ring {
    uint32_t stage = 0, barrier = 0; /* bytes from the first */
    int parity;
    __device__ __forceinline__ explicit ring(int parity_) : parity(parity_)
    {
    }
    __device__ __forceinline__ void advance()
    {
        const bool is_last = barrier == 8 * (S::stages - 1);
        stage = is_last ? 0 : stage + 8 * S::stage;
        barrier = is_last ? 0 : barrier + 8;
        parity ^= is_last;
    }
};

template <class S, way left_way, way right_way>
__device__ __forceinline__ void feed_stages(const lay_cuda_args &args, tile_of tile, steps own, const room<S> &in)
{
    feed<left_way, S::bm, true> left = {
        static_cast<const char *>(args.left), in.at, args.left_m, args.left_k, tile.i, args.m
    };
    feed<right_way, S::bn, false> right = {
        static_cast<const char *>(args.right), in.at + S::bm, args.right_n, args.right_k, tile.j, args.n
    };
    constexpr uint32_t right_image = 8 * bk * S::bm;
    left.begin(in.stages, own);
    right.begin(in.stages + right_image, own);
    ring<S> to(1);
    for (int p = own.first; p < own.last; p += bk) {
        barrier_wait(in.empty + to.barrier, to.parity);
        if (bk <= own.last - p) {
            left.copy(to.stage);
            right.copy(to.stage);
            barrier_arrive_after_copies(in.full + to.barrier);
            left.advance();
            right.advance();
        } else {
            left.copy_rest(in.stages + to.stage, p);
            right.copy_rest(in.stages + to.stage + right_image, p);
            wait_for_copies();
            barrier_arrive(in.full + to.barrier);
        }
        to.advance();
    }
}

/* Fragments are loaded ahead of the units: the left's two pieces, the right's from step to step. */
template <class S, image left_image, image right_image>
__device__ __forceinline__ void multiply_stages(sums<S> &sum, int row, int column, int turns, const room<S> &in)
{
    constexpr int pieces = S::wm / 16, columns = S::wn / 8, all = 2 * pieces; /* steps of 8, two a stage */
    reader<left_image, S::bm, true> left(in.stages, row);
    reader<right_image, S::bn, false> right(in.stages + 8 * bk * S::bm, column);
    const bool is_first = keep(threadIdx.x % 32) == 0;
    double l[4][4], r[2][columns][2];
    ring<S> from(0);
    barrier_wait(in.full, 0);
#pragma unroll
    for (int i = 0; i < 2; i++)
        left.left(l[i], i % pieces, i / pieces);
#pragma unroll
    for (int j = 0; j < columns; j++)
        right.right(r[0][j], j, 0);
    for (int turn = 0; turn < turns; turn++) {
#pragma unroll
        for (int at = 0; at < all; at++) {
            const int i = at % pieces, s = at / pieces, then = (at + 2) % all;
            /* The right's next step, spread over the pieces but the first, whose units still read its place. */
            auto load_right = [&] {
#pragma unroll
                for (int j = 0; j < columns; j++)
                    if (i == 1 + j * (pieces - 1) / columns)
                        right.right(r[1 - s][j], j, 1 - s);
            };
            left.left(l[(at + 2) % 4], then % pieces, then / pieces);
            if (s == 0)
                load_right();
            if (at == all - 3) { /* the last loads of this stage */
                __syncwarp();
                if (is_first)
                    barrier_arrive(in.empty + from.barrier);
                const uint32_t stage = from.stage;
                from.advance();
                left.move(from.stage - stage);
                right.move(from.stage - stage);
                if (turn + 1 < turns)
                    barrier_wait(in.full + from.barrier, from.parity);
            }
            if (s == 1)
                load_right();
#pragma unroll
            for (int j = 0; j < columns; j++)
                multiply_add(sum.at[i][j], l[at % 4], r[s][j]);
        }
    }
}

template <class S, way left_way, way right_way>
__global__ void __launch_bounds__(S::threads, is_hopper ? S::blocks : 1)
    multiply(const __grid_constant__ lay_cuda_args args)
{
    if constexpr (!is_hopper && S::least_sm >= 90) {
        __trap(); /* PTX for what comes before Hopper: the row says least_sm */
    } else {
        extern __shared__ __align__(128) double memory[];
        const room<S> in(memory);
        const tile_of tile = tile_at<S>(args, blockIdx.x);
        const steps own = steps_of(args, blockIdx.z);
        if (threadIdx.x < S::stages) {
            barrier_init(in.full + 8 * threadIdx.x, feeders);
            barrier_init(in.empty + 8 * threadIdx.x, S::warps);
        }
        walk_across<S::bm, S::threads>(in.at, args.left_m, tile.i, args.m);
        walk_across<S::bn, S::threads>(in.at + S::bm, args.right_n, tile.j, args.n);
        __syncthreads();
        const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0) - feeders / 32; /* so the compiler knows it is one */
        if (warp < 0) {
            give_registers<S::feeding>();
            feed_stages<S, left_way, right_way>(args, tile, own, in);
            if (args.counters)
                is_last_slice(args);
            return;
        }
        take_registers<S::multiplying>();
        const int row = warp % S::warps_m * S::wm, column = warp / S::warps_m * S::wn;
        sums<S> sum(row, column);
        if (args.resume)
            sum.resume(args, tile);
        multiply_stages<S, image_of<left_way>, image_of<right_way>>(sum, row, column,
                                                                    (own.last - own.first + bk - 1) / bk, in);
        meet<1, 32 * S::warps>(); /* all stages are read */
        const result<S> to(args, tile, in.stages, threadIdx.x - feeders);
        to.keep_sums(sum);
        meet<1, 32 * S::warps>();
        if (args.partial) {
            to.write_partial(blockIdx.z);
            if (!args.counters || !is_last_slice(args))
                return;
        }
        to.write(args.partial != nullptr);
    }
}

} // namespace dmma

#endif
