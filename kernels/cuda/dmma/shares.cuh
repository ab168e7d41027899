/* What of C the blocks of a persistent row take: as many blocks as there is room for share all tiles, each the same
 * number of turns. */
#ifndef LAY_KERNELS_CUDA_DMMA_SHARES_CUH
#define LAY_KERNELS_CUDA_DMMA_SHARES_CUH

#include "cuda/dmma/block.cuh"

namespace dmma
{

/* So many turns of a tile, and whole tiles where those are all. */
struct part {
    int tile, first, last; /* turns [first, last) */
};

/* Full waves of tiles but one go to the blocks in turn. Of the others, more than one and less than two for each, a
 * block has an equal share, and so a tile may be cut once. The block that has its first turns begins with them:
 *
 *      role 0   |  tile 0                            |  tile 1: the last turns  |
 *      role 1   |  tile 1: the first    |  tile 2                               |  and so on
 *
 * Role r goes on with the sums that role r + 1 leaves it: the chain is one, as without a cut, and the bits are the
 * same wherever tiles are cut. Roles are drawn from the highest one down, so whoever is waited for has begun, and has
 * nobody to wait for first: no block needs another one's place. */
struct shares {
    int slice, groups; /* the first one that the block sums, and how many */
    int role, blocks, turns;
    int rounds;          /* whole tiles: role, role + blocks and so on */
    int tile, left_over; /* then from this tile on, whose last left_over turns are the next lower role's */
    int end, taken;      /* up to this one, of which the last `taken` turns are this role's */
    int fed, multiplied; /* parts: counted here, where registers are few */

    __device__ __forceinline__ int count() const
    {
        return rounds + end - tile + (taken > 0);
    }
    __device__ __forceinline__ part at(int i) const
    {
        if (i < rounds)
            return { role + i * blocks, 0, turns };
        const int here = tile + i - rounds;
        return { here, here == end ? turns - taken : 0, here == tile ? turns - left_over : turns };
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

constexpr int least_part = 4; /* turns: handing sums over takes as long as three of them */

/* Where the share of a role begins, in tiles behind the first shared one and turns of the next. */
__device__ __forceinline__ void begin_share(int role, int blocks, int rest, int turns, int &tile, int &turn)
{
    const int more = role * rest;
    tile = role + more / blocks;
    turn = static_cast<int>(static_cast<int64_t>(more % blocks) * turns / blocks);
    if (turn < least_part) {
        turn = 0;
    } else if (turn > turns - least_part) {
        tile++;
        turn = 0;
    }
}

/* By one thread of the block. Counters: a flag for each role, then so many roles as are drawn; zero before and after.
 * Without them nothing is shared. */
template <class S> __device__ __forceinline__ shares take_shares(const lay_cuda_args &args)
{
    const int blocks = gridDim.x, tiles = args.tiles_m * args.tiles_n, waves = tiles / blocks;
    shares own = {};
    const bool is_together = S::groups > 1 && args.slices > 1 && (args.counters || !args.partial);
    own.slice = blockIdx.z;
    own.groups = is_together ? args.slices : 1;
    own.blocks = blocks;
    const steps longest = steps_of(args, own.slice);
    own.turns = turns_of(longest.last - longest.first);
    if (!args.counters || waves == 0 || tiles % blocks == 0) {
        own.role = blockIdx.x;
        own.rounds = (tiles - own.role + blocks - 1) / blocks;
        return own;
    }
    const int drawn = static_cast<int>(atomicInc(args.counters + blocks, blocks - 1)), first = (waves - 1) * blocks;
    own.role = blocks - 1 - drawn;
    own.rounds = waves - 1;
    begin_share(own.role, blocks, tiles % blocks, own.turns, own.tile, own.left_over);
    begin_share(own.role + 1, blocks, tiles % blocks, own.turns, own.end, own.taken);
    own.tile += first;
    own.end += first;
    return own;
}

/* A role's sums on their way to the one below it, [pairs of a thread][threads]; they lie in memory by roles. */
template <class S> struct handed {
    static constexpr int workers = 32 * S::warps, pairs = S::groups * S::bm * S::bn / 2;
    double2 *first;
    unsigned *flag;

    __device__ __forceinline__ handed(const lay_cuda_args &args, int role)
        : first(static_cast<double2 *>(args.partial) + static_cast<int64_t>(role) * pairs), flag(args.counters + role)
    {
    }
    /* Those that multiply, all of them. */
    __device__ __forceinline__ void leave(sums<S> &of, int worker) const
    {
        double2 *to = first + worker;
        of.for_pairs([&](int, int, double a, double b) {
            *to = make_double2(a, b);
            to += workers;
        });
        __threadfence();
        meet_workers<S>();
        if (worker == 0)
            atomicExch(flag, 1u);
    }
    /* By one of them, behind it a barrier; leaves a zero. */
    __device__ __forceinline__ void await() const
    {
        while (atomicExch(flag, 0u) == 0)
            __nanosleep(32);
        __threadfence();
    }
    /* __ldcg: L1 knows nothing of what others wrote. */
    __device__ __forceinline__ void take(sums<S> &to, int worker) const
    {
        const double2 *from = first + worker;
        to.for_pairs([&](int, int, double &a, double &b) {
            const double2 both = __ldcg(from);
            a = both.x;
            b = both.y;
            from += workers;
        });
    }
};

} // namespace dmma

#endif
