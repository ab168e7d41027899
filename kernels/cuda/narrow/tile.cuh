/* Shapes of this family: who computes what of a tile, where things lie in shared memory, and in which order. */
#ifndef LAY_KERNELS_CUDA_NARROW_TILE_CUH
#define LAY_KERNELS_CUDA_NARROW_TILE_CUH

#include "cuda/element.cuh"
#include "cuda/hopper/ptx.cuh"
#include "cuda_narrow.h"

/* One warpgroup brings operands, two multiply. */
enum { producers = 128, consumers = 256 };

/* A block's tile of C is bm x bn; a consuming warpgroup has parts of 64 x columns, one below the other:
 *
 *         bn              bn               bn
 *     +--------+       +------+         +-----+-----+
 *  bm |   0    |    bm |  0   |   bm 64 |  0  |  1  |
 *     +--------+       |  0   |         +-----+-----+
 *     |   1    |       +------+
 *     +--------+       |  1   |
 *      bm = 128        |  1   | bm = 256
 *                      +------+
 */
template <piece_type kind_, int bm_, int bn_, bool is_left_across_, bool is_right_across_> struct shape {
    static constexpr piece_type kind = kind_;
    static constexpr int bm = bm_, bn = bn_;
    static constexpr bool is_left_across = is_left_across_, is_right_across = is_right_across_;
    static constexpr int parts = bm / 128 ? bm / 128 : 1, columns = bm == 64 ? bn / 2 : bn;
    static constexpr int steps = kind == TF32 ? 32 : 64; /* of a turn: 128 bytes */
    static_assert(parts * columns <= 256, "registers");
    static_assert(bm % 64 == 0 && bn % 64 == 0, "boxes of 64 lines");

    static constexpr int left_size = bm * LAY_NARROW_LINE, turn_size = left_size + bn * LAY_NARROW_LINE;
    static constexpr int pieces = 8 * 16 * 40 * 4, most_turns = 8;
    static constexpr int room = 232448 - 1024 - pieces - most_turns * 16; /* 227 KiB, and what alignment takes */
    static constexpr int turns = room / turn_size < most_turns ? room / turn_size : most_turns;
    static constexpr int shared = 1024 + turns * turn_size + most_turns * 16 + pieces;
};

/* The turns in shared memory, and the barriers of each: full when it may be read, empty when it may be written. */
template <typename S> struct ring {
    char *turn;
    uint64_t *full, *empty;
    float *pieces; /* of C, of each consuming warp (result.cuh) */

    __device__ __forceinline__ explicit ring(char *shared)
        : turn(shared + (1024 - shared_address(shared) % 1024) % 1024),
          full(reinterpret_cast<uint64_t *>(turn + S::turns * S::turn_size)), empty(full + S::most_turns),
          pieces(reinterpret_cast<float *>(empty + S::most_turns))
    {
    }
};

/* Where a ring's user is. */
template <typename S> struct position {
    int slot, parity;

    __device__ __forceinline__ void go_on()
    {
        if (++slot == S::turns)
            slot = 0, parity ^= 1;
    }
};

/* A tile's sum over one slice: the unit of work. Slice by slice; tiles go down the columns of bands, so that blocks at
 * work at a time share what they read. */
struct work {
    int i, j; /* the first row and column of C */
    int slice, step, turns;
};

template <typename S> struct schedule {
    int count;

    __device__ __forceinline__ explicit schedule(const lay_narrow_args &args)
        : count(args.tiles_m * args.tiles_n * args.slices)
    {
    }
    __device__ __forceinline__ work at(const lay_narrow_args &args, int number) const
    {
        constexpr int band = 2048 / S::bm; /* tiles high */
        const int tiles = args.tiles_m * args.tiles_n, slice = number / tiles, tile = number % tiles;
        const int in_band = band * args.tiles_n, first = tile / in_band * band, rows = min(band, args.tiles_m - first);
        const int rest = tile % in_band, begin = slice * args.slice_k;
        const int steps = min(args.slice_k, args.k - begin);
        return { (first + rest % rows) * S::bm, rest / rows * S::bn, slice, begin, (steps + S::steps - 1) / S::steps };
    }
};
#endif
