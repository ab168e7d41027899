/* What of C the blocks of a persistent row take: as many blocks as there is room for share all tiles, each the same
 * number of turns. */
#ifndef LAY_KERNELS_CUDA_DMMA_SHARES_CUH
#define LAY_KERNELS_CUDA_DMMA_SHARES_CUH

#include "cuda/dmma/block.cuh"

namespace dmma
{

/* A unit is a tile's slice of k. So many turns of one, and whole units where those are all. */
struct part {
    int unit, first, last; /* turns [first, last) */
};

constexpr int most_warps = 8; /* that multiply */

/* Full waves of units but one go to the blocks in turn. Of the others, more than one and less than two for each, a
 * block has an equal share, and so a unit may be cut once. The block that has its first turns begins with them:
 *
 *      role 0   |  unit 0                            |  unit 1: the last turns  |
 *      role 1   |  unit 1: the first    |  unit 2                               |  and so on
 *
 * Role r goes on with the sums that role r + 1 leaves it: the chain is one, as without a cut, and the bits are the
 * same wherever units are cut. Roles are drawn from the highest one down, so whoever is waited for has begun, and has
 * nobody to wait for first: no block needs another one's place.
 *
 * Units are those of all slices, slice by slice, where there is memory for their sums; else those of the block's own
 * slice. Warps go through the parts each by itself, so that some multiply while others leave or fetch sums. */
struct shares {
    int slice, tiles; /* of the first unit; tiles of a slice */
    int role, blocks, turns;
    int rounds;          /* whole units: role, role + blocks and so on */
    int unit, left_over; /* then from this unit on, whose last left_over turns are the next lower role's */
    int end, taken;      /* up to this one, of which the last `taken` turns are this role's */
    /* Parts: counted here, where registers are few; and whether the warp is the last one at its part of a tile. */
    int fed, multiplied[most_warps], is_last[most_warps];

    __device__ __forceinline__ int count() const
    {
        return rounds + end - unit + (taken > 0);
    }
    __device__ __forceinline__ part at(int i) const
    {
        if (i < rounds)
            return { role + i * blocks, 0, turns };
        const int here = unit + i - rounds;
        return { here, here == end ? turns - taken : 0, here == unit ? turns - left_over : turns };
    }
    __device__ __forceinline__ int slice_of(const part &of) const
    {
        return slice + of.unit / tiles;
    }
};

/* The tiles' numbers are those of blocks of other rows: down bands, column by column. */
template <class S> __device__ __forceinline__ tile_of tile_by_number(const lay_cuda_args &args, unsigned number)
{
    const unsigned columns = args.tiles_n, all = args.tiles_m;
    const unsigned first = all <= band ? 0 : quotient(number / band, columns, args.column_inverse) * band;
    const unsigned rows = min(static_cast<unsigned>(band), all - first), within = number - first * columns;
    const unsigned n = rows == band ? within / band : quotient(within, rows, args.rest_inverse);
    return { static_cast<int>(first + within - n * rows) * S::bm, static_cast<int>(n) * S::bn };
}
template <class S>
__device__ __forceinline__ tile_of tile_of_part(const lay_cuda_args &args, const shares &own, const part &of)
{
    return tile_by_number<S>(args, of.unit % own.tiles);
}

/* None where the slice is shorter than that. */
__device__ __forceinline__ steps steps_of_part(const lay_cuda_args &args, const shares &own, const part &of)
{
    const steps all = steps_of(args, own.slice_of(of));
    return { all.first + of.first * bk, min(all.first + of.last * bk, all.last) };
}

constexpr int least_part = 4; /* turns: handing sums over takes as long as three of them */

/* Where the share of a role begins, in units behind the first shared one and turns of the next. */
__device__ __forceinline__ void begin_share(int role, int blocks, int rest, int turns, int &unit, int &turn)
{
    const int more = role * rest;
    unit = role + more / blocks;
    turn = static_cast<int>(static_cast<int64_t>(more % blocks) * turns / blocks);
    if (turn < least_part) {
        turn = 0;
    } else if (turn > turns - least_part) {
        unit++;
        turn = 0;
    }
}

/* By one thread of the block. Without counters nothing is shared. */
template <class S> __device__ __forceinline__ shares take_shares(const lay_cuda_args &args)
{
    const int blocks = gridDim.x, tiles = args.tiles_m * args.tiles_n;
    const int units = args.counters ? tiles * args.slices : tiles, waves = units / blocks;
    shares own = {};
    own.slice = args.counters ? 0 : blockIdx.z;
    own.tiles = tiles;
    own.blocks = blocks;
    const steps longest = steps_of(args, own.slice);
    own.turns = turns_of(longest.last - longest.first);
    if (!args.counters || waves == 0 || units % blocks == 0) {
        own.role = blockIdx.x;
        own.rounds = (units - own.role + blocks - 1) / blocks;
        return own;
    }
    const int drawn = static_cast<int>(atomicInc(args.counters + blocks, blocks - 1)), first = (waves - 1) * blocks;
    own.role = blocks - 1 - drawn;
    own.rounds = waves - 1;
    begin_share(own.role, blocks, units % blocks, own.turns, own.unit, own.left_over);
    begin_share(own.role + 1, blocks, units % blocks, own.turns, own.end, own.taken);
    own.unit += first;
    own.end += first;
    return own;
}

} // namespace dmma

#endif
