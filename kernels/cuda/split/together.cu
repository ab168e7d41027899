/* Operands -> records and images, as prepare.cu has them, where the blocks of 32 lines fit one cluster: they are at
 * work together for sure, read each other's boards, and wait for nothing in memory.
 *
 *     bring | look | meet | read boards | make | send | meet      a block; behind the last no board is read any more
 *
 * The first block of a cluster tells the lines' records, which only later launches ask for. */
#include "cuda/hopper/cluster.cuh"
#include "cuda/split/prepare.cuh"

namespace
{

/* In the place of a board's zeros: the block has not looked, for the path is STRICT whatever comes. */
constexpr unsigned not_looked = 0xffffffff;

struct meeting {
    board own;                                        /* what the block has found, for all blocks to read */
    unsigned greatest[32], is_strange[32], below[32]; /* what all have found */
    bool is_made;                                     /* limbs are */
};

/* What all blocks have found of the lane's line, zeros of all lines, and whether one has not looked. */
struct gathered {
    extremes line;
    unsigned zeros;
    bool is_out;

    __device__ __forceinline__ gathered(const board &own, int blocks) : line(), zeros(0), is_out(false)
    {
        const unsigned lane = threadIdx.x % 32 * sizeof(unsigned);
#pragma unroll 4
        for (int rank = 0; rank < blocks; rank++) {
            const unsigned there = address_in(&own, rank);
            const unsigned greatest = load_from(there + offsetof(board, greatest) + lane),
                           least = load_from(there + offsetof(board, least) + lane),
                           strange = load_from(there + offsetof(board, is_strange) + lane),
                           some = load_from(there + offsetof(board, zeros));
            line.greatest = max(line.greatest, greatest);
            line.least = max(line.least, least);
            line.is_strange |= strange != 0;
            zeros += some;
            is_out |= some == not_looked;
        }
    }
};

/* One warp, when all have looked. */
__device__ __forceinline__ gathered gather(const lay_cuda_split_args &args, int blocks, meeting &here)
{
    const int lane = threadIdx.x % 32;
    const known by_now(args);
    const gathered all(here.own, blocks);
    here.greatest[lane] = all.line.greatest;
    here.is_strange[lane] = all.line.is_strange;
    here.below[lane] = all.line.below();
    here.is_made = !all.is_out && by_now.path_at_best(args) == LAY_SPLIT_FP16X3;
    return all;
}

template <int warps>
__device__ __forceinline__ void prepare_part(const lay_cuda_split_args &args, const strip &with, int part, bool is_out,
                                             workplace<true> &here, meeting &on)
{
    const int k = args.k, lane = threadIdx.x % 32, leaf = part * warps + threadIdx.x / 32;
    const bool is_leaf = leaf < lay_cuda_split_leaves(k);
    const corner at = { with.line, leaf * LAY_SPLIT_STEPS };
    if (is_leaf && !is_out)
        bring(with.of, k, at, here.limbs);
    on.own.clear(is_out ? not_looked : 0);
    if (is_leaf && !is_out) {
        await_square(with.of, here.limbs);
        look_at_leaf(with.of, k, at, here.limbs, on.own);
    }
    __syncwarp();
    cluster_arrive();
    cluster_await();
    if (threadIdx.x < 32) {
        const gathered all = gather(args, with.blocks, on);
        if (part == 0 && !all.is_out) {
            with.note(all.line, all.zeros);
            with.sum_up(all.line);
        }
        __syncwarp();
    }
    cluster_arrive_quietly();
    __syncthreads();
    if (is_leaf && on.is_made) {
        const unsigned tiny = make(on.greatest[lane], on.is_strange[lane] != 0, on.below[lane], here);
        send(with.of, k, leaf, with.line, here);
        if (tiny)
            with.list_tiny(tiny, at.step);
        __syncwarp();
    }
    cluster_await();
}

template <int warps, int at_once>
__global__ void __launch_bounds__(warps * 32, at_once) together(const __grid_constant__ lay_cuda_split_args args)
{
    extern __shared__ __align__(128) char shared[];
    __shared__ meeting on;
    begin_launch();
    const int left_strips =
        args.left.is_kept ? 0 : static_cast<int>(lay_cuda_split_leaf_lines(args.m) / LAY_SPLIT_LINES);
    const int blocks = lay_cuda_split_cluster(args.k, warps), number = static_cast<int>(blockIdx.x) / blocks;
    const bool is_right = number >= left_strips;
    const strip with = { is_right ? args.right : args.left,
                         (is_right ? number - left_strips : number) * LAY_SPLIT_LINES, blocks };
    const bool is_out = blockIdx.x >= first_ones &&
                        __syncthreads_or(threadIdx.x == 0 && known(args).path_at_best(args) == LAY_SPLIT_STRICT);
    prepare_part<warps>(args, with, static_cast<int>(blockIdx.x) % blocks, is_out,
                        reinterpret_cast<workplace<true> *>(shared)[threadIdx.x / 32], on);
}

} // namespace

extern "C" const lay_cuda_pass lay_cuda_split_together_8 = { "split: prepare in clusters",
                                                             reinterpret_cast<const void *>(&together<8, 6>), 8 * 32,
                                                             8 * sizeof(workplace<true>) };
extern "C" const lay_cuda_pass lay_cuda_split_together_16 = { "split: prepare in clusters",
                                                              reinterpret_cast<const void *>(&together<16, 3>), 16 * 32,
                                                              16 * sizeof(workplace<true>) };
