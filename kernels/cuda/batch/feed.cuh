/* Operands on their way into shared memory: turns of steps, tile after tile, ahead of who multiplies. */
#ifndef LAY_KERNELS_CUDA_BATCH_FEED_CUH
#define LAY_KERNELS_CUDA_BATCH_FEED_CUH

#include "cuda/batch/copy.cuh"
#include "cuda/element.cuh"
#include "cuda_batch.h"

namespace batch
{

/* An element's offset in bytes; segments are worked out, as tables in memory would be. */
template <int size> __device__ __forceinline__ int bytes_at(const lay_cuda_offsets &of, int i)
{
    return static_cast<int>(size * (of.run ? i * of.stride + i / of.run * of.jump : offset_at(of, i)));
}

/* Offsets in C of a product, in bytes, filled once for all that a block computes. */
struct result_offsets {
    int *result_m, *result_n;

    __device__ __forceinline__ result_offsets(const lay_cuda_batch_args &args, int *shared)
        : result_m(shared), result_n(shared + args.m)
    {
    }
    template <int size, int threads> __device__ __forceinline__ void fill(const lay_cuda_batch_args &args) const
    {
#pragma unroll 1
        for (int number = threadIdx.x; number < args.m + args.n; number += threads) {
            const bool is_column = number >= args.m;
            const lay_cuda_offsets &of = args.within[is_column ? LAY_CUDA_BATCH_RESULT_N : LAY_CUDA_BATCH_RESULT_M];
            result_m[number] = bytes_at<size>(of, is_column ? number - args.m : number);
        }
    }
};

/* The same, and those of the operands ahead of them. */
struct offsets : result_offsets {
    int *left_m, *left_k, *right_k, *right_n;

    __device__ __forceinline__ offsets(const lay_cuda_batch_args &args, void *shared)
        : result_offsets(args, static_cast<int *>(shared) + args.m + 2 * args.k + args.n),
          left_m(static_cast<int *>(shared)), left_k(left_m + args.m), right_k(left_k + args.k),
          right_n(right_k + args.k)
    {
    }
    /* One loop for all: code that runs once is waited for. */
    template <int size, int threads> __device__ __forceinline__ void fill(const lay_cuda_batch_args &args) const
    {
        const int all = 2 * (args.m + args.n + args.k);
#pragma unroll 1
        for (int number = threadIdx.x; number < all; number += threads) {
            int axis = 0, i = number, extent = args.m;
#pragma unroll 1
            while (i >= extent) {
                i -= extent;
                axis++;
                extent = axis == LAY_CUDA_BATCH_RESULT_M                                   ? args.m
                         : axis == LAY_CUDA_BATCH_LEFT_K || axis == LAY_CUDA_BATCH_RIGHT_K ? args.k
                                                                                           : args.n;
            }
            left_m[number] = bytes_at<size>(args.within[axis], i);
        }
    }
};

/* A tile of C: of which product, and from which row and column on. */
struct place {
    int product, i, j;

    template <class S> static __device__ __forceinline__ place of(const lay_cuda_batch_args &args, int unit)
    {
        const int tiles = args.tiles_m * args.tiles_n;
        if (tiles == 1)
            return { unit, 0, 0 };
        const int product = unit / tiles, tile = unit - product * tiles, row = tile / args.tiles_n;
        return { product, row * S::bm, (tile - row * args.tiles_n) * S::bn };
    }
};

/* What of an operand's turn is there: lines across from the tile's first on, and steps. */
struct extent {
    int lines, steps;
};

/* One thread's share of an operand's turn, `bytes` at a time. Image says where a line's step lies in shared memory, and
 * what stands for steps behind the end. across, along: offsets from the tile's first line and the turn's first step on.
 *
 * Threads side by side have neighbours, as many as divide what there is; so what a thread copies has one place along
 * those or a few, and all that hangs on it is worked out once. */
template <class Image, int threads, int bytes, bool is_along> struct copies {
    using T = typename Image::T;
    static constexpr int size = sizeof(T), v = bytes / size;
    static constexpr int near = (is_along ? Image::steps : Image::lines) / v,
                         far = is_along ? Image::lines : Image::steps;
    static constexpr int low = near & -near, side = low < threads ? low : threads, apart = threads / side;
    static constexpr int pieces = near / side, rows = (far + apart - 1) / apart;
    static constexpr bool adds_up = Image::template adds_up<is_along>(pieces == 1 ? 64 : side * v, apart);

    static __device__ __forceinline__ void put(uint32_t to, const char *from, int there)
    {
        if constexpr (bytes == 2)
            store(to, there ? *reinterpret_cast<const uint16_t *>(from) : uint16_t(0));
        else
            copy<bytes>(to, from, there * size);
    }
    /* The place of a copy, from that of the thread's first. */
    static __device__ __forceinline__ uint32_t place(uint32_t to, uint32_t first, int line, int step, int line_on,
                                                     int step_on)
    {
        return adds_up ? first + Image::at(line_on, step_on) : to + Image::at(line + line_on, step + step_on);
    }

    static __device__ __forceinline__ void run(uint32_t to, const char *base, const int *across, const int *along,
                                               extent there)
    {
        int thread = threadIdx.x;
        asm volatile("" : "+r"(thread)); /* else places in all kinds of turns would be worked out ahead, and kept */
        const int near_at = thread % side * v, far_at = thread / side;
        const int line = is_along ? far_at : near_at, step = is_along ? near_at : far_at;
        const uint32_t first = to + Image::at(line, step);
        const int lines = there.lines < Image::lines ? there.lines : Image::lines;
        const int padded = Image::padded(there.steps < Image::steps ? there.steps : Image::steps);
#pragma unroll
        for (int piece = 0; piece < pieces; piece++) {
            const int on = piece * side * v;
            if (is_along)
                run_lines(to, first, base, across + line, along, there, line, step, on, lines, padded);
            else
                run_steps(to, first, base, across, along + step, there, line, step, on, lines, padded);
        }
    }
    /* The same steps of several lines. */
    static __device__ __forceinline__ void run_lines(uint32_t to, uint32_t first, const char *base, const int *across,
                                                     const int *along, extent there, int line, int step, int on,
                                                     int lines, int padded)
    {
        const int wanted = there.steps - step - on, open = wanted < 0 ? 0 : wanted < v ? wanted : v;
        if (step + on >= padded)
            return;
        const char *const from = base + (open ? along[step + on] : 0);
        const bool is_whole = Image::pads_with_zeros || open == v;
#pragma unroll
        for (int row = 0; row < rows; row++)
            if (line + row * apart < lines) {
                const uint32_t into = place(to, first, line, step, row * apart, on);
                if (is_whole)
                    put(into, from + across[row * apart], open);
                else
                    Image::template pad<v>(into, from + across[row * apart], open);
            }
    }
    /* The same lines of several steps. */
    static __device__ __forceinline__ void run_steps(uint32_t to, uint32_t first, const char *base, const int *across,
                                                     const int *along, extent there, int line, int step, int on,
                                                     int lines, int padded)
    {
        const int wanted = lines - line - on, open = wanted < v ? wanted : v;
        if (wanted <= 0)
            return;
        const char *const from = base + across[line + on];
#pragma unroll
        for (int row = 0; row < rows; row++)
            if (step + row * apart < padded) {
                const bool is_there = step + row * apart < there.steps;
                const uint32_t into = place(to, first, line, step, on, row * apart);
                const char *const own = from + (is_there ? along[row * apart] : 0);
                if (Image::pads_with_zeros || is_there)
                    put(into, own, is_there ? open : 0);
                else
                    Image::template pad<v>(into, own, 0);
            }
    }
};

template <class Image, int threads, bool is_along>
__device__ __forceinline__ void copy_by(uint32_t to, const char *base, const int *across, const int *along,
                                        extent there, int bytes)
{
    constexpr int size = sizeof(typename Image::T), most = Image::template takes_vectors<is_along> ? 16 : size;
    if (most == 16 && bytes == 16)
        copies<Image, threads, most, is_along>::run(to, base, across, along, there);
    else if (size == 2 && bytes == 8)
        copies<Image, threads, size == 2 ? 8 : size, is_along>::run(to, base, across, along, there);
    else if (size == 2 && bytes == 4)
        copies<Image, threads, size == 2 ? 4 : size, is_along>::run(to, base, across, along, there);
    else
        copies<Image, threads, size, is_along>::run(to, base, across, along, there);
}

/* Images of 16-bit types are of one direction alone. */
template <class Image, int threads>
__device__ __forceinline__ void copy_operand(uint32_t to, const char *base, const int *across, const int *along,
                                             extent there, const lay_cuda_batch_operand &of)
{
    constexpr bool is_either = sizeof(typename Image::T) > 2;
    if (is_either ? of.is_along : Image::template takes_vectors<true>)
        copy_by<Image, threads, is_either || Image::template takes_vectors<true>>(to, base, across, along, there,
                                                                                  of.bytes);
    else
        copy_by<Image, threads, !is_either && Image::template takes_vectors<true>>(to, base, across, along, there,
                                                                                   of.bytes);
}

/* Where the coming turn is. S: the block's shape. */
template <class S> struct feed {
    const lay_cuda_batch_args &args;
    const offsets &at;
    int unit, step;
    place tile;
    const char *left, *right; /* of the tile's product */
    uint32_t first, slot;     /* shared addresses: of the ring, of the turn to be filled */

    __device__ __forceinline__ feed(const lay_cuda_batch_args &args_, const offsets &at_, uint32_t ring)
        : args(args_), at(at_), unit(blockIdx.x), step(0), tile{ 0, 0, 0 }, left(nullptr), right(nullptr), first(ring),
          slot(ring)
    {
        find();
    }
    __device__ __forceinline__ void find()
    {
        if (unit >= args.units)
            return;
        tile = place::of<S>(args, unit);
        constexpr int64_t size = sizeof(typename S::T);
        left = static_cast<const char *>(args.left.first) + size * offset_at(args.left.batch, tile.product);
        right = static_cast<const char *>(args.right.first) + size * offset_at(args.right.batch, tile.product);
    }
    /* Begins the copies of the next turn, as one group; an empty one behind the last. */
    __device__ __forceinline__ void next()
    {
        if (unit < args.units && args.k > 0) {
            const int steps = args.k - step;
            copy_operand<typename S::left_image, S::threads>(slot, left, at.left_m + tile.i, at.left_k + step,
                                                             { args.m - tile.i, steps }, args.left);
            copy_operand<typename S::right_image, S::threads>(slot + S::left_size, right, at.right_n + tile.j,
                                                              at.right_k + step, { args.n - tile.j, steps },
                                                              args.right);
            slot = slot == first + (S::slots - 1) * S::turn_size ? first : slot + S::turn_size;
            step += S::bk;
            if (step >= args.k) {
                step = 0;
                unit += gridDim.x;
                find();
            }
        }
        close_group();
    }
};

} // namespace batch

#endif
