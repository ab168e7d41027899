/* Operands -> records of their lines, and images of FP16 limbs. Memory is read once: a block brings 32 lines by 256
 * steps to shared memory, tells the lines' records what it finds, waits for the other blocks of these lines, which
 * start with it, and makes its part of the image.
 *
 *     bring | look | tell | wait             | make | send       a block; six of them share a multiprocessor, so that
 *     bring | look | tell | wait      | make | send              copies are always on their way
 *       bring | look | tell | wait    | make | send
 *
 * No wait is for ever, whatever else is at work on the device and in whichever order blocks start: one that has lost
 * its patience leaves its part to the one that tells last, which brings it once more. Both change a bit of the strip's
 * first record, and who comes second sees that: no part is left out or made twice.
 *
 * Where 32 lines have too many blocks for that, two kinds of them take turns: some look, others bring the same elements
 * again some hundred blocks later, from the L2 cache.
 *
 *     blocks   | strips 0 .. lag-1 | lag     | 0          | lag+1 | 1 ..                | n-lag .. n-1 |
 *              |       look        | look    | make       | look  | make                |     make     |
 *
 * These wait for those that look at the same lines, all of which come before them: blocks start in order. Whether the
 * limbs will do is known when all have finished; that they will not, often before: then those that have waited make
 * nothing, for nobody asks for this image. Where BF16's will not do either, blocks that start leave at once, and no
 * record is asked for. */
#include "cuda/split/prepare.cuh"

namespace
{

#if __CUDA_ARCH__ >= 900
enum { blocks_at_once = 6 };
#else
enum { blocks_at_once = 4 }; /* more find no shared memory */
#endif
enum { warps = LAY_SPLIT_THREADS / 32 };

/* A block's work: one part of a strip of 32 lines, a leaf a warp. */
struct task {
    bool looks, makes;
    int strip, part;
};

__device__ __forceinline__ task task_of(int strips, unsigned each, unsigned block)
{
    const int part = static_cast<int>(block % each);
    if (each <= LAY_SPLIT_MEETING)
        return { true, true, static_cast<int>(block / each), part };
    const unsigned lag = min(static_cast<unsigned>(strips), (LAY_SPLIT_LAG + each - 1) / each);
    const unsigned first = lag * each, both = (strips - lag) * 2 * each;
    if (block < first)
        return { true, false, static_cast<int>(block / each), part };
    const unsigned turn = (block - first) / each;
    if (block >= first + both)
        return { false, true, static_cast<int>(turn - (strips - lag)), part };
    return { turn % 2 == 0, turn % 2 != 0, static_cast<int>(turn % 2 ? turn / 2 : lag + turn / 2), part };
}

/* One warp, when all have looked: tells, and waits. That limbs would be for nothing may be known by then. */
__device__ __forceinline__ void meet_others(const lay_cuda_split_args &args, const strip &with, const task &own,
                                            board &on)
{
    bool is_mine = own.makes;
    if (own.looks && with.write_down(on)) {
        fence_device();
        with.sum_up();
        if (own.makes)
            with.take_over(on);
    } else if (own.makes) {
        if (threadIdx.x == 0)
            is_mine = with.await(own.part, args.patience);
        is_mine = __shfl_sync(0xffffffff, is_mine, 0);
        __syncwarp();
    }
    if (is_mine) {
        const known all(args);
        with.read(on);
        is_mine = all.path_at_best(args) == LAY_SPLIT_FP16X3;
    }
    on.is_mine = is_mine;
}

/* A block's part, then those that others have left to it. */
__device__ __forceinline__ void prepare_parts(const lay_cuda_split_args &args, const strip &with, const task &own,
                                              workplace<true> &here, board &on)
{
    const int k = args.k, leaves = lay_cuda_split_leaves(k), lane = threadIdx.x % 32;
    int part = own.part;
    for (bool is_own = true; part >= 0; is_own = false) {
        const int leaf = part * warps + threadIdx.x / 32;
        const bool is_leaf = leaf < leaves;
        const corner at = { with.line, leaf * LAY_SPLIT_STEPS };
        if (is_leaf)
            bring(with.of, k, at, here.limbs);
        if (is_own)
            on.clear();
        if (is_leaf) {
            await_square(with.of, here.limbs);
            if (is_own && own.looks)
                look_at_leaf(with.of, k, at, here.limbs, on);
            else
                sort_line(here.limbs);
        }
        if (is_own) {
            __syncthreads();
            if (threadIdx.x < 32)
                meet_others(args, with, own, on);
            __syncthreads();
            if (!on.is_mine)
                return;
        }
        if (is_leaf) {
            const unsigned tiny = make(on.greatest[lane], on.is_strange[lane], on.below[lane], here);
            send(with.of, k, leaf, with.line, here);
            if (tiny)
                with.list_tiny(tiny, at.step);
        }
        part = on.next(is_own ? 0 : part + 1);
    }
}

__global__ void __launch_bounds__(LAY_SPLIT_THREADS, blocks_at_once)
    prepare(const __grid_constant__ lay_cuda_split_args args)
{
    __shared__ __align__(128) workplace<true> room[warps];
    __shared__ board on;
    begin_launch();
    const int left_strips =
        args.left.is_kept ? 0 : static_cast<int>(lay_cuda_split_leaf_lines(args.m) / LAY_SPLIT_LINES);
    const int right_strips =
        args.right.is_kept ? 0 : static_cast<int>(lay_cuda_split_leaf_lines(args.n) / LAY_SPLIT_LINES);
    const int blocks = lay_cuda_split_strip_blocks(args.k);
    const task own = task_of(left_strips + right_strips, blocks, blockIdx.x);
    const bool is_right = own.strip >= left_strips;
    const strip with = { is_right ? args.right : args.left,
                         (is_right ? own.strip - left_strips : own.strip) * LAY_SPLIT_LINES, blocks };
    if (blockIdx.x >= first_ones &&
        __syncthreads_or(threadIdx.x == 0 && known(args).path_at_best(args) == LAY_SPLIT_STRICT)) {
        if (own.looks && threadIdx.x == 0)
            with.arrive();
        return;
    }
    prepare_parts(args, with, own, room[threadIdx.x / 32], on);
}

} // namespace

extern "C" const lay_cuda_pass lay_cuda_split_prepare = { "split: prepare", reinterpret_cast<const void *>(&prepare),
                                                          LAY_SPLIT_THREADS, 0 };
