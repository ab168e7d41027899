/* Shapes of this family: who computes what of a tile, where things lie in shared memory, and in which order. */
#ifndef LAY_KERNELS_CUDA_NARROW_TILE_CUH
#define LAY_KERNELS_CUDA_NARROW_TILE_CUH

#include "cuda/element.cuh"
#include "cuda/hopper/cluster.cuh"
#include "cuda_narrow.h"

/* Of a power of two. */
constexpr int log_of(int number)
{
    return number > 1 ? 1 + log_of(number / 2) : 0;
}

/* A block's tile of C is bm x bn; a multiplying warpgroup, of one, two or three, has parts of 64 x columns, one below
 * the other:
 *
 *         bn              bn               bn
 *     +--------+       +------+         +-----+-----+
 *  bm |   0    |    bm |  0   |   bm 64 |  0  |  1  |
 *     +--------+       |  0   |         +-----+-----+
 *     |   1    |       +------+
 *     +--------+       |  1   |
 *      bm = 128        |  1   | bm = 256
 *                      +------+
 *
 * `residents` blocks fit a multiprocessor at a time: with one a warpgroup that brings operands gives its registers to
 * those that multiply, with more two warps bring them, and one block's end hides in the other's turns. Where warpgroups
 * have tiles of their own in turns (is_pingpong), one's end hides in the other's turns, of one ring. */
template <piece_type kind_, int bm_, int bn_, int groups_, int residents_, bool is_left_across_, bool is_right_across_,
          bool is_walked_ = false, bool is_pingpong_ = false>
struct shape {
    static constexpr piece_type kind = kind_;
    static constexpr int bm = bm_, bn = bn_, groups = groups_, residents = residents_;
    static constexpr bool is_left_across = is_left_across_, is_right_across = is_right_across_;
    static constexpr bool is_walked = is_walked_; /* walk.cuh */
    static constexpr bool is_pingpong = is_pingpong_;
    static constexpr int of_tile = is_pingpong ? 1 : groups; /* warpgroups */
    static constexpr int groups_down = of_tile < bm / 64 ? of_tile : bm / 64, groups_across = of_tile / groups_down;
    static constexpr int parts = bm / 64 / groups_down, columns = bn / groups_across;
    static constexpr int steps = kind == TF32 ? 32 : 64; /* of a turn: 128 bytes */
    static_assert(parts * columns <= 256, "registers");
    static_assert(bm % 64 == 0 && bn % 16 == 0, "boxes of 16 lines");
    static constexpr int log_band = log_of(LAY_NARROW_BAND / bm);
    static_assert(LAY_NARROW_BAND >> log_band == bm, "a power of two");
    static_assert(parts * groups_down * 64 == bm && columns * groups_across == bn, "all of the tile");

    /* leaving.cuh */
    static constexpr bool leave_in_eights = kind != TF32 && columns % 32 == 0;
    static constexpr bool leave_in_sectors = kind != TF32 && columns % 32 == 16 && residents == 1;

    static constexpr int multipliers = groups * 128, bringers = residents == 1 ? 128 : 64;
    static constexpr int threads = multipliers + bringers;
    /* Of the 512 or 504 registers that a quarter of the multiprocessor has for three or four warps. */
    static constexpr int bringer_registers = 40;
    static constexpr int multiplier_registers =
        (65536 / threads / 8 * 8 * (groups + 1) - bringer_registers) / groups / 8 * 8;

    /* Columns whose lines are contiguous come in boxes of 64. */
    static constexpr int right_lines = is_right_across ? (bn + 63) / 64 * 64 : bn;
    static constexpr int left_size = bm * LAY_NARROW_LINE, turn_size = left_size + right_lines * LAY_NARROW_LINE;
    static constexpr int piece_columns = residents == 1 ? 32 : 16, piece_size = 16 * (piece_columns + 8);
    static constexpr int pieces = groups * 4 * piece_size * 4, most_turns = 16;
    static constexpr int barriers = 2 * most_turns + 4; /* and of 16 bytes a multiple */
    /* Of 228 KiB, of which the system takes one a block; and what alignment takes. */
    static constexpr int room = 233472 / residents - 2048 - pieces - barriers * 8;
    static_assert(!is_pingpong || LAY_NARROW_RING <= room, "room");
    static constexpr int of_turns = is_pingpong ? LAY_NARROW_RING : room;
    static constexpr int turns = of_turns / turn_size < most_turns ? of_turns / turn_size : most_turns;
    static constexpr int ring_size = is_pingpong ? of_turns : turns * turn_size;
    static constexpr int shared = 1024 + ring_size + barriers * 8 + pieces;
    static_assert(turns >= 3, "turns");
};

/* How the ring is divided: what stays lies before the slots of turns, which then have the other operand alone. */
template <typename S> struct slots {
    static constexpr int right_size = S::turn_size - S::left_size;
    const lay_narrow_stays which;
    const int of_turn;   /* bytes of a turn that stay */
    const int stay;      /* and of all turns */
    const int size, all; /* of a slot; slots */

    __device__ __forceinline__ explicit slots(const lay_narrow_args &args)
        : which(S::is_pingpong ? args.stays : LAY_NARROW_NONE_STAYS),
          of_turn(which == LAY_NARROW_LEFT_STAYS    ? S::left_size
                  : which == LAY_NARROW_RIGHT_STAYS ? right_size
                                                    : 0),
          stay(which ? (args.k + S::steps - 1) / S::steps * of_turn : 0), size(S::turn_size - of_turn),
          all(which == LAY_NARROW_LEFT_STAYS    ? few((S::ring_size - stay) / right_size)
              : which == LAY_NARROW_RIGHT_STAYS ? few((S::ring_size - stay) / S::left_size)
                                                : S::turns)
    {
    }
    static __device__ __forceinline__ int few(int count)
    {
        return count < S::most_turns ? count : S::most_turns;
    }
    __device__ __forceinline__ bool is(bool is_right) const
    {
        return which == (is_right ? LAY_NARROW_RIGHT_STAYS : LAY_NARROW_LEFT_STAYS);
    }
    /* Where an operand's turn is, the tile's how manieth, or in which slot: bytes from its place in the first turn of a
     * ring in which nothing stays. */
    __device__ __forceinline__ int place(bool is_right, int slot, int number) const
    {
        if constexpr (!S::is_pingpong)
            return slot * S::turn_size;
        const int before = is_right && which ? S::left_size : 0;
        return (is(is_right) ? number * of_turn : stay + slot * size) - before;
    }
};

/* The turns in shared memory, and the barriers of each: full when it may be read, empty when it may be written; and of
 * the sums of slices that are together, or of both warpgroups whose tiles take turns. */
template <typename S> struct ring {
    char *turn;
    uint64_t *full, *empty, *sums, *stay; /* stay: of what stays before the turns */
    float *pieces;                        /* of C, of each multiplying warp (result.cuh) */

    __device__ __forceinline__ explicit ring(char *shared)
        : turn(shared + (1024 - shared_address(shared) % 1024) % 1024),
          full(reinterpret_cast<uint64_t *>(turn + S::ring_size)), empty(full + S::most_turns),
          sums(empty + S::most_turns), stay(sums + 2), pieces(reinterpret_cast<float *>(full + S::barriers))
    {
    }
};

/* Where a ring's user is, of so many slots. */
template <typename S> struct position {
    int slot, parity;

    __device__ __forceinline__ void go_on(int slots = S::turns)
    {
        if (++slot == slots)
            slot = 0, parity ^= 1;
    }
    __device__ __forceinline__ void pass_by(int count, int slots)
    {
        for (slot += count; slot >= slots; parity ^= 1)
            slot -= slots;
    }
};

enum { LAY_NARROW_NO_TILE = 1 << 30 };

/* A tile's sum over one slice: the unit of work. Slice by slice; tiles go down the columns of bands, so that blocks at
 * work at a time share what they read. */
struct work {
    int i, j; /* the first row and column of C; LAY_NARROW_NO_TILE: none of C's */
    int slice, step, turns;
    int tile; /* its number, if there is one */
};

/* Which line of all a tile's line is; negative: none. The tile begins with number `first`, a multiple of `lines`. */
template <int lines>
__device__ __forceinline__ int line_of(const lay_narrow_strips &strips, int first, int line, int count)
{
    if (strips.blocks == 0)
        return first + line < count ? first + line : -1;
    const int tile = first / lines, group = quotient(tile, strips.in_block, strips.inverse);
    const int above = line * strips.own_inverse >> 16, block = group * strips.blocks + above;
    const int inner = (tile - group * strips.in_block) * strips.own + line - above * strips.own;
    return line < lines && inner < strips.inner && block < strips.outer ? block * strips.inner + inner : -1;
}
template <typename S> __device__ __forceinline__ int row_of(const lay_narrow_args &args, int i, int line)
{
    return line_of<S::bm>(args.strips_m, i, line, args.m);
}
template <typename S> __device__ __forceinline__ int column_of(const lay_narrow_args &args, int j, int line)
{
    return line_of<S::bn>(args.strips_n, j, line, args.n);
}

/* Works are numbered by clusters: of neighbouring tiles each block has one; of slices each has its own of the same
 * tile. What is here is what all launches wait for: its instructions are fetched from memory, so that there are no
 * divisions and no branches around them. */
template <typename S> struct schedule {
    int first, apart, count;

    __device__ __forceinline__ explicit schedule(const lay_narrow_args &args)
        : first(cluster_number()), apart(cluster_count()), count(args.in_slice * (args.is_together ? 1 : args.slices))
    {
    }
    static __device__ __forceinline__ bool is_shared(const lay_narrow_args &args)
    {
        return args.cluster > 1 && !args.is_together;
    }
    __device__ __forceinline__ work at(const lay_narrow_args &args, int number) const
    {
        const int rank = cluster_rank(), down = rank & ((1 << args.log_down) - 1); /* of slices none is */
        const int beside = args.is_together ? 0 : rank >> args.log_down;
        const int whole = quotient(number, args.in_slice, args.slice_inverse); /* slices of all tiles */
        const int tile = number - whole * args.in_slice, slice = args.is_together ? rank : whole;
        const int log_band = S::is_pingpong ? args.log_band : S::log_band - args.log_down; /* clusters high */
        const int number_of_band = quotient(tile, args.in_band, args.band_inverse), above = number_of_band << log_band;
        const unsigned rows = min(1 << log_band, args.tiles_down - above), rest = tile - number_of_band * args.in_band;
        const unsigned in_rest = quotient(rest, rows, args.rest_inverse), in_band = rest >> log_band;
        const int across = rows == 1u << log_band ? in_band : in_rest;
        const int row = ((above + rest - across * rows) << args.log_down) + down;
        const int column = (across << args.log_across) + beside;
        const int begin = slice * args.slice_k, steps = min(args.slice_k, args.k - begin);
        const int turns = args.turns ? args.turns : static_cast<int>((steps + S::steps - 1u) / S::steps);
        return { row * S::bm, column * S::bn, slice, begin, turns, row * args.tiles_n + column };
    }
};
#endif
