/* Blocks of few threads that go down tiles of C, one after the other: the next tile's first stages are on their way
 * while this one's C leaves. A plain product has code for that; any other is multiplied tile by tile. */
#ifndef LAY_KERNELS_CUDA_DMMA_ALONE_WALK_CUH
#define LAY_KERNELS_CUDA_DMMA_ALONE_WALK_CUH

#include "cuda/dmma/alone.cuh"

namespace dmma
{

template <class S> struct all_of_walk : S {
    static constexpr int bm = S::bm * S::walk;
};

/* Everything lies by strides, and all tiles and turns are whole. */
template <class S> __device__ __forceinline__ bool is_plain_walk(const lay_cuda_args &args, tile_of tile)
{
    return is_plain<all_of_walk<S>>(args, tile) && !args.left_m.table && !args.left_k.table && !args.right_k.table &&
           !args.right_n.table && !args.resume && args.k % bk == 0;
}

/* Where the turn that is fed next begins: left's in a tile of the walk, right's in the same columns. */
struct place_of_turn {
    const char *left, *right;
    int turn, tiles; /* in the tile; that are left */
};

template <class S, way left_way, way right_way>
__device__ __forceinline__ void walk_plain(const lay_cuda_args &args, double *memory, tile_of tile)
{
    using left_feed = feed<left_way, S::bm, true>;
    using right_feed = feed<right_way, S::bn, false>;
    const room<S> in(memory);
    const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0), turns = args.k / bk;
    const int row = warp % S::warps_m * S::wm, column = warp / S::warps_m * S::wn;
    const int64_t left_apart = 8 * args.left_k.stride, right_apart = 8 * args.right_k.stride;
    look_across(args, tile, threadIdx.x, in);
    __syncthreads();
    left_feed left(args.left, in.across, args.left_m, args.m - tile.i, false, in.stages);
    right_feed right(args.right, in.across + S::bm, args.right_n, args.n - tile.j, false, in.stages + 8 * bk * S::bm);
    left.begin();
    right.begin();
    ring<S> from(0), to(0);
    place_of_turn next = { static_cast<const char *>(args.left), static_cast<const char *>(args.right), 0, S::walk };
    const auto feed_next = [&] {
        if (next.tiles > 0) {
            left.copy(to.stage, left.look(next.left, left_apart));
            right.copy(to.stage, right.look(next.right, right_apart));
            next.left += bk * left_apart;
            next.right += bk * right_apart;
            if (++next.turn == turns) {
                next.left += S::bm * 8 * args.left_m.stride - turns * bk * left_apart;
                next.right = static_cast<const char *>(args.right);
                next.turn = 0;
                next.tiles--;
            }
        }
        to.advance();
        end_copies();
    };
#pragma unroll 1
    for (int stage = 0; stage < S::stages - 1; stage++)
        feed_next();
    reader<image_of<left_way>, S::bm, true> from_left(in.stages, row);
    reader<image_of<right_way>, S::bn, false> from_right(in.stages + 8 * bk * S::bm, column);
#pragma unroll 1
    for (int i = 0; i < S::walk; i++, tile.i += S::bm) {
        sums<S> sum(row, column);
#pragma unroll 1
        for (int turn = 0; turn < turns; turn++) {
            await_stage<S::stages - 2>();
            feed_next();
            multiply_turn<S>(sum, from_left, from_right, bk);
            from_left.move(from.step);
            from_right.move(from.step);
            from.advance();
        }
        write_plain(sum, args, tile);
    }
}

template <class S>
__device__ __forceinline__ void add_slices_of_walk(const lay_cuda_args &args, double *memory, tile_of tile)
{
#pragma unroll 1
    for (int i = 0; i < S::walk && tile.i < args.m; i++, tile.i += S::bm) {
        const room<S> in(memory);
        const result<S> to = { args, tile, in.stages, in.of_c, static_cast<int>(threadIdx.x) };
        to.look_up_c();
        __syncthreads();
        write_slices<1>(to);
        __syncthreads();
    }
}

template <class S, way left_way, way right_way>
__device__ __forceinline__ void multiply_walk(const lay_cuda_args &args, double *memory, tile_of tile)
{
    if constexpr (left_way != SINGLE && right_way != SINGLE) {
        if (is_plain_walk<S>(args, tile))
            return walk_plain<S, left_way, right_way>(args, memory, tile);
    }
    lay_cuda_args own = args;
    own.counters = nullptr; /* there is one for the walk */
#pragma unroll 1
    for (int i = 0; i < S::walk && tile.i + i * S::bm < args.m; i++) {
        multiply_tile<S, left_way, right_way>(own, memory, { tile.i + i * S::bm, tile.j });
        __syncthreads();
    }
    if (args.partial && args.counters && is_last_slice(args))
        add_slices_of_walk<S>(args, memory, tile);
}

/* What a block does: one tile, or a walk. */
template <class S, way left_way, way right_way>
__device__ __forceinline__ void multiply_block(const lay_cuda_args &args, double *memory)
{
    const tile_of tile = tile_at<all_of_walk<S>>(args);
    if constexpr (S::walk > 1)
        multiply_walk<S, left_way, right_way>(args, memory, tile);
    else
        multiply_tile<S, left_way, right_way>(args, memory, tile);
}

} // namespace dmma

#endif
