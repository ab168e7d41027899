/* Shapes of this family: who computes what of a tile, where things lie in shared memory, and in which order. */
#ifndef LAY_KERNELS_CUDA_SPLIT_TILE_CUH
#define LAY_KERNELS_CUDA_SPLIT_TILE_CUH

#include "cuda/element.cuh"
#include "cuda/split/line.cuh"
#include "cuda/split/ptx.cuh"

/* One warpgroup brings leaves of both images, two multiply. */
enum { producers = 128, consumers = 256 };

/* A block's tile of C is bm x bn; a consuming warpgroup has 64 x columns of it:
 *
 *          bn                       bn
 *     +----------+             +-----+-----+
 *  bm |    0     |   or, bm 64 |  0  |  1  |
 *     +----------+             +-----+-----+
 *     |    1     |
 *     +----------+
 *
 * A thread has 64 x columns / 128 sums, three times: in FP32, of a chunk's leading products, and of corrections: 192
 * of its 224 registers where columns is 128. A turn of the ring is one leaf of the tile's lines of both images: 128
 * bytes a line, 192 of BF16X6.
 *
 * Where the last tiles are too few for all multiprocessors, each is cut in 2 or 4 parts, by columns.
 *
 * fp16_chunk: steps of FP16X3 after which leading sums are promoted, of which each slice is a multiple; rows of the
 * table have LAY_SPLIT_CHUNK. */
template <int bm_, int bn_, int fp16_chunk_ = LAY_SPLIT_CHUNK> struct shape {
    static constexpr int bm = bm_, bn = bn_, fp16_chunk = fp16_chunk_;
    static constexpr int warpgroups_m = bm / 64, warpgroups_n = 2 / warpgroups_m;
    static constexpr int rows = 64, columns = bn / warpgroups_n, most_parts = columns == 128 ? 4 : 2;
    static_assert(columns <= 128, "registers");

    static constexpr int fp16_turn = (bm + bn) * 128, bf16_turn = (bm + bn) * 192;
    static constexpr int scales = 4 * 2 * (rows + columns), pieces = 8 * 16 * 40 * 4, most_turns = 8;
    static constexpr int room =
        232448 - 1024 - scales - pieces - most_turns * 16; /* 227 KiB, and what alignment takes */
    static constexpr int fit(int turn)
    {
        return room / turn < most_turns ? room / turn : most_turns;
    }
    static constexpr int fp16_turns = fit(fp16_turn), bf16_turns = fit(bf16_turn);
    static constexpr int ring_size =
        fp16_turns * fp16_turn > bf16_turns *bf16_turn ? fp16_turns *fp16_turn : bf16_turns *bf16_turn;
    static constexpr int shared = 1024 + ring_size + most_turns * 16 + scales + pieces;
    static_assert(fp16_turns >= 4 && bf16_turns >= 3, "a ring: chunks at work, and the next");
};

/* The turns in shared memory, and the barriers of each: full when it may be read, empty when it may be written. */
template <typename S> struct ring {
    char *turn;
    uint64_t *full, *empty;
    int *scales;   /* of each consuming warpgroup, [rows + columns] */
    float *pieces; /* of C, of each consuming warp (result.cuh) */

    __device__ __forceinline__ explicit ring(char *shared)
        : turn(shared + (1024 - shared_address(shared) % 1024) % 1024),
          full(reinterpret_cast<uint64_t *>(turn + S::ring_size)), empty(full + S::most_turns),
          scales(reinterpret_cast<int *>(empty + S::most_turns)),
          pieces(reinterpret_cast<float *>(scales + 2 * (S::rows + S::columns)))
    {
    }
};

/* Where a ring's user is. */
template <int turns> struct position {
    int slot, parity;

    __device__ __forceinline__ void go_on()
    {
        if (++slot == turns)
            slot = 0, parity ^= 1;
    }
};

/* A tile's sum over one slice, or a part of it: the unit of work. Slice by slice; tiles go down the columns of bands,
 * so that blocks at work at a time share what they read. */
struct work {
    int i, j;  /* the first row and column of C */
    int parts; /* bn / parts columns */
    int slice;
    int leaf, leaves; /* the slice's first; how many, even */
};

template <typename S> struct plan {
    int whole, parts, count; /* tiles that are not cut; of those behind them; units in all */

    __device__ __forceinline__ explicit plan(const lay_cuda_split_args &args)
    {
        const int tiles = args.tiles_m * args.tiles_n * args.slices, blocks = gridDim.x, rest = tiles % blocks;
        whole = tiles - rest;
        parts = S::most_parts == 4 && rest * 4 <= blocks ? 4 : rest * 2 <= blocks ? 2 : 1;
        count = whole + rest * parts;
    }

    __device__ __forceinline__ work at(const lay_cuda_split_args &args, int number) const
    {
        constexpr int band = 20 * 128 / S::bm; /* tiles high; 8 and 12 are slower by 1 to 4 % */
        const bool is_whole = number < whole;
        const int place = is_whole ? number : whole + (number - whole) / parts;
        const int tiles = args.tiles_m * args.tiles_n, slice = place / tiles, tile = place % tiles;
        const int in_band = band * args.tiles_n, first = tile / in_band * band, rows = min(band, args.tiles_m - first);
        const int rest = tile % in_band, part = is_whole ? 0 : (number - whole) % parts;
        const int begin = slice * args.slice_k, end = args.slice_k < args.k - begin ? begin + args.slice_k : args.k;
        return { (first + rest % rows) * S::bm, rest / rows * S::bn + part * (S::bn / parts),
                 is_whole ? 1 : parts,          slice,
                 begin / LAY_SPLIT_STEPS,       lay_cuda_split_leaves(end - begin) };
    }
};

#endif
