/* Operands -> records of their lines, and images of FP16 pieces. Blocks of two kinds take turns: some look at 32 lines
 * by 256 steps, others make the image of as many that were looked at some hundred blocks before, and come from the L2
 * cache: memory is read once.
 *
 *     blocks   | strips 0 .. lag-1 | lag     | 0          | lag+1 | 1 ..                | n-lag .. n-1 |
 *              |       look        | look    | make       | look  | make                |     make     |
 *
 * Blocks that make wait for those that look at the same lines, all of which come before them: blocks start in order.
 * Whether the pieces will do is known when all have finished. */
#include "cuda/split/image.cuh"
#include "cuda/split/ptx.cuh"

namespace
{

enum { warps = LAY_SPLIT_THREADS / 32 };

/* Of elements of one line, as in its record. */
struct extremes {
    unsigned greatest, least;
    bool is_strange;
};

/* The same, as it is found: three instructions an element. Zeros and numbers only. */
struct finding {
    float greatest; /* absolute; NaN or infinite if one is */
    unsigned least; /* twice the bits of the least nonzero one, less 1 */

    __device__ __forceinline__ finding() : greatest(0), least(0xffffffff)
    {
    }
    __device__ __forceinline__ void see(float x)
    {
        greatest = greatest_or_nan(greatest, fabsf(x));
        least = min(least, 2 * __float_as_uint(x) - 1);
    }
    __device__ __forceinline__ bool is_strange() const
    {
        return !is_finite(greatest);
    }
    __device__ __forceinline__ extremes result() const
    {
        const unsigned bits = __float_as_uint(greatest);
        return { bits, bits ? 0x7fffffff - (least / 2 + 1) : 0, false };
    }
};

template <int count> __device__ __forceinline__ extremes look(float (&value)[count])
{
    finding quick;
#pragma unroll
    for (int i = 0; i < count; i++)
        quick.see(value[i]);
    if (!quick.is_strange())
        return quick.result();
    finding rest;
#pragma unroll
    for (int i = 0; i < count; i++)
        rest.see(is_finite(value[i]) ? value[i] : 0);
    extremes found = rest.result();
    found.is_strange = true;
    return found;
}

/* Of a block's 32 lines. */
struct board {
    unsigned greatest[32], least[32], is_strange[32], zeros;

    __device__ __forceinline__ void clear()
    {
        if (threadIdx.x < 32)
            greatest[threadIdx.x] = least[threadIdx.x] = is_strange[threadIdx.x] = zeros = 0;
        __syncthreads();
    }
    __device__ __forceinline__ void tell(int line, const extremes &of)
    {
        atomicMax(greatest + line, of.greatest);
        atomicMax(least + line, of.least);
        if (of.is_strange)
            is_strange[line] = 1;
    }
    /* By all of a warp. */
    __device__ __forceinline__ void tell_zeros(int own)
    {
        const int all = __reduce_add_sync(0xffffffff, own);
        if (all && threadIdx.x % 32 == 0)
            atomicAdd(&zeros, static_cast<unsigned>(all));
    }
};

/* Whether an element is there, looked at for zeros, and one. */
__device__ __forceinline__ bool is_zero(const lay_cuda_split_operand &of, int k, int line, int step, float value)
{
    return line < of.extent && step < k && value == 0;
}

/* A warp looks at one leaf. */
__device__ __forceinline__ void look_at_leaf(const lay_cuda_split_operand &of, int k, int line, int leaf, board &on)
{
    if (goes_across(of)) {
        float value[32];
        load_across<false>(of, k, { line, leaf * LAY_SPLIT_STEPS }, value);
        on.tell(threadIdx.x % 32, look(value));
        int zeros = 0;
#pragma unroll
        for (int i = 0; i < 32; i += LAY_SPLIT_SAMPLED)
            zeros += is_zero(of, k, line + threadIdx.x % 32, leaf * LAY_SPLIT_STEPS + i, value[i]);
        on.tell_zeros(zeros);
        return;
    }
    float value[4][8];
#pragma unroll
    for (int i = 0; i < 4; i++)
        load_along<false>(of, k, { line + i * 8, leaf * LAY_SPLIT_STEPS }, value[i]);
#pragma unroll
    for (int i = 0; i < 4; i++)
        on.tell(i * 8 + threadIdx.x % 32 / 4, look(value[i]));
    int zeros = 0;
#pragma unroll
    for (int i = 0; i < 4; i++)
        zeros += is_zero(of, k, line + i * 8 + threadIdx.x % 32 / 4,
                         leaf * LAY_SPLIT_STEPS + threadIdx.x % 4 * LAY_SPLIT_SAMPLED, value[i][0]);
    on.tell_zeros(zeros);
}

/* One warp: a block's lines into their records, and if that was the last block of them, these into the summary. */
__device__ __forceinline__ void write_down(const lay_cuda_split_operand &of, int line, const board &on, unsigned blocks)
{
    const int lane = threadIdx.x % 32;
    lay_cuda_split_line *const own = of.lines + line + lane;
    const bool is_there = line + lane < of.extent;
    if (is_there && on.greatest[lane]) {
        atomicMax(&own->greatest, on.greatest[lane]);
        atomicMax(&own->least, on.least[lane]);
    }
    if (is_there && on.is_strange[lane])
        atomicOr(&own->flags, static_cast<unsigned>(LAY_SPLIT_STRANGE));
    if (lane == 0 && on.zeros)
        atomicAdd(&of.summary->zeros, on.zeros);
    __threadfence();
    __syncwarp();
    unsigned before = 0;
    if (lane == 0)
        before = atomicAdd(&own->arrivals, 1u);
    if (__shfl_sync(0xffffffff, before, 0) != blocks - 1)
        return;
    __threadfence();
    unsigned range = 0, flags = 0;
    if (is_there) {
        const unsigned greatest = __ldcg(&own->greatest), least = __ldcg(&own->least);
        range = greatest ? exponent_of(greatest) - exponent_of(0x7fffffff - least) : 0;
        flags = __ldcg(&own->flags) | (range > LAY_SPLIT_FP16_RANGE ? LAY_SPLIT_WIDE : 0);
        own->flags = flags;
    }
    range = __reduce_max_sync(0xffffffff, range);
    const unsigned strange = __ballot_sync(0xffffffff, flags & LAY_SPLIT_STRANGE);
    const unsigned wide = __ballot_sync(0xffffffff, flags & LAY_SPLIT_WIDE), only_wide = wide & ~strange;
    unsigned before_wide = 0;
    if (lane == 0) {
        atomicMax(&of.summary->range, range);
        if (wide)
            atomicAdd(&of.summary->wide, static_cast<unsigned>(__popc(wide)));
        if (strange)
            before = atomicAdd(&of.summary->strange, static_cast<unsigned>(__popc(strange)));
        if (only_wide)
            before_wide = atomicAdd(&of.summary->only_wide, static_cast<unsigned>(__popc(only_wide)));
    }
    before = __shfl_sync(0xffffffff, before, 0) + __popc(strange & ((1u << lane) - 1));
    before_wide = __shfl_sync(0xffffffff, before_wide, 0) + __popc(only_wide & ((1u << lane) - 1));
    if (flags)
        of.lines[flags & LAY_SPLIT_STRANGE ? before : of.extent - 1 - before_wide].listed = line + lane;
}

/* A block's work: warps' leaves from leaf on, of 32 lines from line on. */
struct task {
    bool looks;
    int strip, leaf;
};

__device__ __forceinline__ task task_of(int strips, int leaves, unsigned block)
{
    const unsigned each = (leaves + warps - 1) / warps,
                   lag = min(static_cast<unsigned>(strips), (LAY_SPLIT_LAG + each - 1) / each);
    const unsigned first = lag * each, both = (strips - lag) * 2 * each;
    unsigned strip = block / each;
    bool looks = true;
    if (block >= first + both) {
        looks = false;
        strip = strips - lag + (block - first - both) / each;
    } else if (block >= first) {
        const unsigned turn = (block - first) / each;
        looks = turn % 2 == 0;
        strip = looks ? lag + turn / 2 : turn / 2;
    }
    return { looks, static_cast<int>(strip), static_cast<int>(block % each * warps) };
}

__global__ void __launch_bounds__(LAY_SPLIT_THREADS) prepare(const __grid_constant__ lay_cuda_split_args args)
{
    __shared__ turned<true> room[warps];
    __shared__ board on;
    begin_launch();
    const int left_strips =
        args.left.is_kept ? 0 : static_cast<int>(lay_cuda_split_leaf_lines(args.m) / LAY_SPLIT_LINES);
    const int right_strips =
        args.right.is_kept ? 0 : static_cast<int>(lay_cuda_split_leaf_lines(args.n) / LAY_SPLIT_LINES);
    const int leaves = lay_cuda_split_leaves(args.k), blocks = (leaves + warps - 1) / warps;
    const task own = task_of(left_strips + right_strips, leaves, blockIdx.x);
    const bool is_right = own.strip >= left_strips;
    const lay_cuda_split_operand &of = is_right ? args.right : args.left;
    const int line = (is_right ? own.strip - left_strips : own.strip) * LAY_SPLIT_LINES;
    const int leaf = own.leaf + threadIdx.x / 32;
    if (own.looks) {
        on.clear();
        if (leaf < leaves)
            look_at_leaf(of, args.k, line, leaf, on);
        __syncthreads();
        if (threadIdx.x < 32)
            write_down(of, line, on, blocks);
        return;
    }
    if (threadIdx.x == 0)
        while (load_acquire(&of.lines[line].arrivals) < static_cast<unsigned>(blocks))
            __nanosleep(100);
    __syncthreads();
    if (leaf >= leaves)
        return;
    const lay_cuda_split_line *record = of.lines + line + threadIdx.x % 32;
    const bool is_there = line + static_cast<int>(threadIdx.x % 32) < of.extent;
    make_image<true>(of, args.k, line, leaf, is_there ? __ldcg(&record->greatest) : 0,
                     is_there ? __ldcg(&record->flags) & LAY_SPLIT_STRANGE : 0, room[threadIdx.x / 32]);
}

} // namespace

extern "C" const void *const lay_cuda_split_prepare = reinterpret_cast<const void *>(&prepare);
