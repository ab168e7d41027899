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

/* Stages in the order of their use; parity is that of the phase now awaited. */
template <int stages> struct ring {
    int at = 0, parity;
    __device__ __forceinline__ explicit ring(int parity_) : parity(parity_)
    {
    }
    __device__ __forceinline__ void advance()
    {
        parity ^= at == stages - 1;
        at = at == stages - 1 ? 0 : at + 1;
    }
};

template <class S, way left_way, way right_way>
__device__ __forceinline__ void feed_stages(const lay_cuda_args &args, tile_of tile, steps own, double *stages,
                                            uint64_t *full, uint64_t *empty, const int64_t *at)
{
    feed<left_way, S::bm, true> left = {
        static_cast<const char *>(args.left), at, args.left_m, args.left_k, tile.i, args.m
    };
    feed<right_way, S::bn, false> right = {
        static_cast<const char *>(args.right), at + S::bm, args.right_n, args.right_k, tile.j, args.n
    };
    left.begin(shared_address(stages), own);
    right.begin(shared_address(stages + bk * S::bm), own);
    ring<S::stages> to(1);
    for (int p = own.first; p < own.last; p += bk) {
        barrier_wait(&empty[to.at], to.parity);
        if (bk <= own.last - p) {
            left.copy(8 * S::stage * to.at);
            right.copy(8 * S::stage * to.at);
            barrier_arrive_after_copies(&full[to.at]);
            left.advance();
            right.advance();
        } else {
            double *stage = stages + S::stage * to.at;
            left.copy_rest(stage, p);
            right.copy_rest(stage + bk * S::bm, p);
            wait_for_copies();
            barrier_arrive(&full[to.at]);
        }
        to.advance();
    }
}

/* Fragments are loaded ahead of the units: the left's two pieces, the right's from step to step. */
template <class S, image left_image, image right_image>
__device__ __forceinline__ void multiply_stages(sums<S> &sum, int row, int column, int turns, const double *stages,
                                                uint64_t *full, uint64_t *empty)
{
    constexpr int pieces = S::wm / 16, columns = S::wn / 8, all = 2 * pieces; /* steps of 8, two a stage */
    reader<left_image, S::bm, true> left;
    reader<right_image, S::bn, false> right;
    left.begin(row);
    right.begin(column);
    double l[4][4], r[2][columns][2];
    ring<S::stages> from(0);
    barrier_wait(&full[0], 0);
    const double *stage = stages;
#pragma unroll
    for (int i = 0; i < 2; i++)
        left.left(l[i], stage, i % pieces, i / pieces);
#pragma unroll
    for (int j = 0; j < columns; j++)
        right.right(r[0][j], stage + bk * S::bm, j, 0);
    for (int turn = 0; turn < turns; turn++) {
#pragma unroll
        for (int at = 0; at < all; at++) {
            const int i = at % pieces, s = at / pieces, then = (at + 2) % all;
            /* The right's next step, spread over the pieces but the first, whose units still read its place. */
            auto load_right = [&] {
#pragma unroll
                for (int j = 0; j < columns; j++)
                    if (i == 1 + j * (pieces - 1) / columns)
                        right.right(r[1 - s][j], stage + bk * S::bm, j, 1 - s);
            };
            left.left(l[(at + 2) % 4], stage, then % pieces, then / pieces);
            if (s == 0)
                load_right();
            if (at == all - 3) { /* the last loads of this stage */
                __syncwarp();
                if (threadIdx.x % 32 == 0)
                    barrier_arrive(&empty[from.at]);
                from.advance();
                if (turn + 1 < turns)
                    barrier_wait(&full[from.at], from.parity);
                stage = stages + S::stage * from.at;
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
        extern __shared__ __align__(128) double stages[];
        uint64_t *full = reinterpret_cast<uint64_t *>(stages + S::stages * S::stage), *empty = full + S::stages;
        int64_t *at = reinterpret_cast<int64_t *>(empty + S::stages);
        const tile_of tile = tile_at<S>(args, blockIdx.x);
        const steps own = steps_of(args, blockIdx.z);
        if (threadIdx.x < S::stages) {
            barrier_init(&full[threadIdx.x], feeders);
            barrier_init(&empty[threadIdx.x], S::warps);
        }
        walk_across<S::bm, S::threads>(at, args.left_m, tile.i, args.m);
        walk_across<S::bn, S::threads>(at + S::bm, args.right_n, tile.j, args.n);
        __syncthreads();
        if (threadIdx.x < feeders) {
            give_registers<S::feeding>();
            feed_stages<S, left_way, right_way>(args, tile, own, stages, full, empty, at);
            if (args.counters)
                is_last_slice(args);
            return;
        }
        take_registers<S::multiplying>();
        const int warp = threadIdx.x / 32 - feeders / 32;
        const int row = warp % S::warps_m * S::wm, column = warp / S::warps_m * S::wn;
        sums<S> sum(tile.i + row, tile.j + column);
        if (args.resume)
            sum.read(args, static_cast<const double *>(args.resume));
        multiply_stages<S, image_of<left_way>, image_of<right_way>>(
            sum, row, column, (own.last - own.first + bk - 1) / bk, stages, full, empty);
        if (args.partial) {
            sum.write_partial(args, blockIdx.z);
            if (!args.counters || !is_last_slice(args))
                return;
            sum.add_slices(args);
        }
        sum.write(args);
    }
}

} // namespace dmma

#endif
