/* A tile of C by warps, each of which has a part of it in registers. Copies of the turns to come are on their way to a
 * ring of shared memory; fragments of the next group of steps are loaded while one is multiplied.
 *
 *     turn t:   multiply group 0, meanwhile          | turn t + 1 is there, | multiply group 1, meanwhile
 *               bring turn t + stages - 1, and load   | and nobody reads     | load group 0 of turn t + 1
 *               group 1, a little between products    | turn t any more      | */
#ifndef LAY_KERNELS_CUDA_MMA_MULTIPLY_CUH
#define LAY_KERNELS_CUDA_MMA_MULTIPLY_CUH

#include "cuda/mma/fragments.cuh"
#include "cuda/mma/result.cuh"

namespace
{

/* A tile, that of a warp, turns in the ring, blocks of a multiprocessor. */
template <piece_type of, int tile_m, int tile_n, int warp_m, int warp_n, int turns, int residents> struct shape {
    static constexpr piece_type type = of;
    static constexpr int size = of == TF32 ? 4 : 2, bm = tile_m, bn = tile_n, wm = warp_m, wn = warp_n;
    static constexpr int down = bm / wm, warps = down * (bn / wn), threads = warps * 32, stages = turns;
    static constexpr int blocks = residents, steps = LAY_MMA_LINE / size, band = 8;
    static constexpr int stage = (bm + bn) * LAY_MMA_LINE, ring = stages * stage;
    static constexpr int strips = warps * static_cast<int>(sizeof(strip<wn>)); /* where the ring was */
    static constexpr int shared = ring > strips ? ring : strips;
};

template <class S> __device__ __forceinline__ tile_index tile_of(const lay_mma_args &args, unsigned block)
{
    const unsigned all = args.tiles_m, columns = args.tiles_n;
    const unsigned first = all <= S::band ? 0 : quotient(block / S::band, columns, args.band_inverse) * S::band;
    const unsigned rows = min(static_cast<unsigned>(S::band), all - first), within = block - first * columns;
    const unsigned n = rows == S::band ? within / S::band : quotient(within, rows, args.rest_inverse);
    return { static_cast<int>(first + within - n * rows), static_cast<int>(n) };
}

/* Lines and columns of a warp in its block's tile. */
template <class S> __device__ __forceinline__ tile_index within_tile(unsigned thread)
{
    const int warp = static_cast<int>(thread / 32);
    return { warp % S::down * S::wm, warp / S::down * S::wn };
}

template <class S>
__device__ __forceinline__ void write_sums(const lay_mma_args &args, unsigned char *room,
                                           const float (&sum)[S::wm / 16][S::wn / 8][4])
{
    const unsigned thread = again(threadIdx.x);
    const tile_index tile = tile_of<S>(args, again(blockIdx.x)), part = within_tile<S>(thread);
    strip<S::wn> &own = reinterpret_cast<strip<S::wn> *>(room)[thread / 32];
#pragma unroll
    for (int t = 0; t < S::wm / 16; t++) {
        const int row = tile.m * S::bm + part.m + t * 16, column = tile.n * S::bn + part.n;
        fill_strip(own, sum[t]);
        __syncwarp();
        write_strip<S::type>(args, own, corner_of_c{ row, column, args.m - row, args.n - column });
        __syncwarp();
    }
}

template <class S, lay_mma_way left_way, lay_mma_way right_way>
__global__ void __launch_bounds__(S::threads, S::blocks) multiply(const __grid_constant__ lay_mma_args args)
{
    extern __shared__ __align__(1024) unsigned char room[];
    constexpr int rows = S::wm / 16, pairs = S::wn / 16;
    const unsigned ring = to_shared(room), ring_end = ring + S::ring;
    const tile_index tile = tile_of<S>(args, blockIdx.x), part = within_tile<S>(threadIdx.x);
    const int first = blockIdx.z * args.slice_k;
    const int last = args.slice_k < args.k - first ? first + args.slice_k : args.k;
    const int turns = (last - first + S::steps - 1) / S::steps;
    feed<left_way, S::bm, S::threads, S::size> left(args.left, tile.m * S::bm, args.m, first, last);
    feed<right_way, S::bn, S::threads, S::size> right(args.right, tile.n * S::bn, args.n, first, last);
    const fragments<true, left.is_across, S::bm, S::size> left_at(part.m);
    const fragments<false, right.is_across, S::bn, S::size> right_at(part.n);

    float sum[rows][2 * pairs][4] = {};
    uint32_t of_left[2][rows][4], of_right[2][pairs][4];
    const auto load = [&](unsigned stage, int group,
                          int which) { /* one of rows + pairs squares */
                                       if (which < rows)
                                           left_at.load(of_left[group][which], stage, which, group);
                                       else
                                           right_at.load(of_right[group][which - rows], stage + S::bm * LAY_MMA_LINE,
                                                         which - rows, group);
    };
    const auto bring_unit = [&](unsigned stage, int which) { /* one of the thread's */
                                                             if (which < left.own)
                                                                 left.bring_unit(which, stage, last);
                                                             else
                                                                 right.bring_unit(which - left.own,
                                                                                  stage + S::bm * LAY_MMA_LINE, last);
    };
    constexpr int columns = 2 * pairs, units = left.own + right.own, squares = rows + pairs;
    /* One group, column by column of tiles; in between, the next one's squares, and units of a turn to come. */
    const auto multiply_group = [&](int group, unsigned next, unsigned to) {
#pragma unroll
        for (int s = 0; s < columns; s++) {
#pragma unroll
            for (int which = s * squares / columns; which < (s + 1) * squares / columns; which++)
                load(next, 1 - group, which);
#pragma unroll
            for (int t = 0; t < rows; t++)
                multiply_add<S::type>(sum[t][s], of_left[group][t], of_right[group][s / 2][s % 2 * 2],
                                      of_right[group][s / 2][s % 2 * 2 + 1]);
#pragma unroll
            for (int which = s * units / columns; which < (s + 1) * units / columns && group == 0; which++)
                bring_unit(to, which);
        }
    };
    const auto go_on = [&] { /* behind the last turn units are zeros that nobody reads */
                             left.go_on(last);
                             right.go_on(last);
                             close_group();
    };

#pragma unroll
    for (int turn = 0; turn < S::stages - 1; turn++) {
#pragma unroll
        for (int which = 0; which < units; which++)
            bring_unit(ring + turn * S::stage, which);
        go_on();
    }
    await_groups<S::stages - 2>();
    __syncthreads();
#pragma unroll
    for (int which = 0; which < squares; which++)
        load(ring, 0, which);
    unsigned read = ring;
#pragma unroll 1
    for (int turn = 0; turn < turns; turn++) {
        multiply_group(0, read, (read == ring ? ring_end : read) - S::stage);
        go_on();
        await_groups<S::stages - 2>();
        __syncthreads();
        read = read + S::stage == ring_end ? ring : read + S::stage;
        multiply_group(1, read, 0);
    }

    await_groups<0>();
    __syncthreads();
    write_sums<S>(args, room, sum);
}

} // namespace

#endif
