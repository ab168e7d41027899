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
#include "cuda/split/image.cuh"

namespace
{

#if __CUDA_ARCH__ >= 900
enum { blocks_at_once = 6 };
#else
enum { blocks_at_once = 4 }; /* more find no shared memory */
#endif
enum { warps = LAY_SPLIT_THREADS / 32 };
enum { first_ones = 512 }; /* blocks that begin at once: none of them has to ask what is known */

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

/* Of the lane's line, which is sorted. */
__device__ __forceinline__ extremes look(square &here)
{
    finding quick;
    sort_line(here, [&](float4 x) { quick.see(x.x), quick.see(x.y), quick.see(x.z), quick.see(x.w); });
    if (!quick.is_strange())
        return quick.result();
    finding rest;
#pragma unroll 1
    for (int u = 0; u < 8; u++) {
        const float4 x = here.get(threadIdx.x % 32, u);
        rest.see(finite_or_zero(x.x)), rest.see(finite_or_zero(x.y));
        rest.see(finite_or_zero(x.z)), rest.see(finite_or_zero(x.w));
    }
    extremes found = rest.result();
    found.is_strange = true;
    return found;
}

/* Of a block's 32 lines: what it finds, then what all blocks have found. */
struct board {
    unsigned greatest[32], least[32], is_strange[32], zeros;
    unsigned below[32];                         /* as make has it: 0 where no element is tiny */
    unsigned left_over[LAY_SPLIT_MEETING / 32]; /* parts to be made, beside the own one */
    bool is_mine;                               /* the own one */

    __device__ __forceinline__ void clear()
    {
        if (threadIdx.x < 32)
            greatest[threadIdx.x] = least[threadIdx.x] = is_strange[threadIdx.x] = below[threadIdx.x] = zeros = 0;
        if (threadIdx.x < LAY_SPLIT_MEETING / 32)
            left_over[threadIdx.x] = 0;
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
    /* The first part from this one on that is left over, or -1. */
    __device__ __forceinline__ int next(int part) const
    {
        for (int word = part / 32, from = part % 32; word < LAY_SPLIT_MEETING / 32; word++, from = 0)
            if (left_over[word] >> from)
                return word * 32 + from + __ffs(static_cast<int>(left_over[word] >> from)) - 1;
        return -1;
    }
};

/* A warp looks at one leaf. */
__device__ __forceinline__ void look_at_leaf(const lay_cuda_split_operand &of, int k, corner at, square &here,
                                             board &on)
{
    const int lane = threadIdx.x % 32;
    on.tell(lane, look(here));
    int zeros = 0;
#pragma unroll
    for (int i = 0; i < LAY_SPLIT_STEPS; i += LAY_SPLIT_SAMPLED)
        zeros += at.line + lane < of.extent && at.step + i < k && here.get(lane, i / 8).x == 0;
    on.tell_zeros(zeros);
}

/* Where 32 lines' records are, of which one warp takes care: a lane has a line. */
struct strip {
    const lay_cuda_split_operand &of;
    const int line, blocks;

    __device__ __forceinline__ bool is_there() const
    {
        return line + static_cast<int>(threadIdx.x % 32) < of.extent;
    }
    __device__ __forceinline__ lay_cuda_split_line *first() const
    {
        return of.lines + line;
    }
    __device__ __forceinline__ lay_cuda_split_line *own() const
    {
        return first() + threadIdx.x % 32;
    }

    /* One thread of a block; how many were there before. */
    __device__ __forceinline__ unsigned arrive() const
    {
        return atomicAdd(&first()->arrivals, 1u);
    }

    /* A block's lines into their records; whether it is the last that does. */
    __device__ __forceinline__ bool write_down(const board &on) const
    {
        const int lane = threadIdx.x % 32;
        if (is_there() && on.greatest[lane]) {
            atomicMax(&own()->greatest, on.greatest[lane]);
            atomicMax(&own()->least, on.least[lane]);
        }
        if (is_there() && on.is_strange[lane])
            atomicOr(&own()->flags, static_cast<unsigned>(LAY_SPLIT_STRANGE));
        if (lane == 0 && on.zeros)
            atomicAdd(&of.summary->zeros, on.zeros);
        fence_device();
        __syncwarp();
        unsigned before = 0;
        if (lane == 0)
            before = arrive();
        return __shfl_sync(0xffffffff, before, 0) == static_cast<unsigned>(blocks - 1);
    }

    /* By the last: these records into the summary. */
    __device__ __forceinline__ void sum_up() const
    {
        const int lane = threadIdx.x % 32;
        unsigned range = 0;
        bool is_strange = false;
        if (is_there()) {
            const unsigned greatest = __ldcg(&own()->greatest), least = __ldcg(&own()->least);
            range = greatest ? exponent_of(greatest) - exponent_of(0x7fffffff - least) : 0;
            is_strange = __ldcg(&own()->flags) & LAY_SPLIT_STRANGE;
        }
        const unsigned beyond = __ballot_sync(0xffffffff, range > LAY_SPLIT_FP16_RANGE && !is_strange);
        range = __reduce_max_sync(0xffffffff, range);
        const unsigned strange = __ballot_sync(0xffffffff, is_strange);
        unsigned before = 0;
        if (lane == 0) {
            atomicMax(&of.summary->range, range);
            if (beyond)
                atomicAdd(&of.summary->beyond, static_cast<unsigned>(__popc(beyond)));
            if (strange)
                before = atomicAdd(&of.summary->strange, static_cast<unsigned>(__popc(strange)));
        }
        before = __shfl_sync(0xffffffff, before, 0) + __popc(strange & ((1u << lane) - 1));
        if (is_strange)
            of.lines[before].listed = line + lane;
    }

    /* The lane's line has tiny elements: bits say which, from this step on. */
    __device__ __forceinline__ void list_tiny(unsigned which, int step) const
    {
        const int number = line + static_cast<int>(threadIdx.x % 32);
        const unsigned count = __popc(which), before = atomicAdd(&own()->tiny, count);
        if (before == 0)
            of.lines[atomicAdd(&of.summary->tailed, 1u)].mended = number;
        if (before <= LAY_SPLIT_TINY && before + count > LAY_SPLIT_TINY) {
            atomicOr(&own()->flags, static_cast<unsigned>(LAY_SPLIT_WIDE));
            of.lines[of.extent - 1 - atomicAdd(&of.summary->wide, 1u)].listed = number;
        }
        const float *const from = of.from + offset_at(of.across, number);
        lay_cuda_split_tiny *const to = of.tiny + static_cast<int64_t>(number) * LAY_SPLIT_TINY;
#pragma unroll 1
        for (unsigned place = before; which && place < LAY_SPLIT_TINY; place++, which &= which - 1) {
            const int at = step + __ffs(static_cast<int>(which)) - 1;
            to[place] = { at, from[offset_at(of.along, at)] };
        }
    }

    /* By the last: the parts that others have left to it. From now on nobody leaves one. */
    __device__ __forceinline__ void take_over(board &on) const
    {
        const int lane = threadIdx.x % 32;
        if (lane < LAY_SPLIT_MEETING / 32)
            on.left_over[lane] = atomicExch(first()->left_over + lane, 0xffffffff);
    }

    /* One thread: until all blocks have told, if that is soon enough; whether the part is its own then. */
    __device__ __forceinline__ bool await(int part, int patience) const
    {
        const clock_t start = clock();
        while (load_acquire(&first()->arrivals) < static_cast<unsigned>(blocks)) {
            if (blocks <= LAY_SPLIT_MEETING && static_cast<int>(clock() - start) > patience) {
                const unsigned before = atomicOr(first()->left_over + part / 32, 1u << part % 32);
                fence_device();
                return before >> part % 32 & 1; /* the last has told meanwhile */
            }
            __nanosleep(32);
        }
        return true;
    }

    __device__ __forceinline__ void read(board &on) const
    {
        const int lane = threadIdx.x % 32;
        if (is_there()) {
            const unsigned greatest = __ldcg(&own()->greatest), least = 0x7fffffff - __ldcg(&own()->least);
            const bool is_strange = __ldcg(&own()->flags) & LAY_SPLIT_STRANGE;
            const unsigned below = greatest && !is_strange ? tiny_below(greatest) : 0;
            on.greatest[lane] = greatest;
            on.is_strange[lane] = is_strange;
            on.below[lane] = least < below ? below : 0;
        }
    }
};

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

/* What other blocks have found by now. Asking takes a while: the answer is not needed at once. */
struct known {
    lay_cuda_split_summary left, right;
    bool is_passing;

    static __device__ __forceinline__ lay_cuda_split_summary now(const lay_cuda_split_summary *of)
    {
        const uint4 found = __ldcg(reinterpret_cast<const uint4 *>(of));
        const uint2 rest = __ldcg(reinterpret_cast<const uint2 *>(&of->zeros));
        lay_cuda_split_summary copy = {};
        copy.range = found.x, copy.strange = found.y, copy.wide = found.z;
        copy.zeros = rest.x, copy.beyond = rest.y;
        return copy;
    }
    static __device__ __forceinline__ bool passes(const lay_cuda_split_operand &of)
    {
        return of.is_kept == LAY_SPLIT_KEPT_NONE && of.fp16 == of.bf16;
    }
    __device__ __forceinline__ explicit known(const lay_cuda_split_args &args)
        : left(), right(), is_passing(passes(args.left) && passes(args.right))
    {
        if (is_passing)
            left = now(args.left.summary), right = now(args.right.summary);
    }
    /* The first path that this leaves; of an operand that is to be kept all is made. */
    __device__ __forceinline__ lay_cuda_split_path_kind path_at_best(const lay_cuda_split_args &args) const
    {
        return is_passing ? lay_cuda_split_path_at_best(&args, left, right) : LAY_SPLIT_FP16X3;
    }
};

/* Many lines of 32 are beyond FP16X3's range, or strange. */
__device__ __forceinline__ bool is_doubtful(const board &on)
{
    const int lane = threadIdx.x % 32;
    return __popc(__ballot_sync(0xffffffff, on.below[lane] || on.is_strange[lane])) > LAY_SPLIT_LINES / 4;
}

/* Then those of other strips may be, too, which is known soon where all have begun at once; to list what is tiny in
 * such lines takes longer than to ask some times more. A call: registers are short. */
__device__ __noinline__ bool are_wanted_still(const lay_cuda_split_args &args)
{
    bool are_wanted = true;
#pragma unroll 1
    for (int i = 0; i < LAY_SPLIT_DOUBTS && are_wanted; i++)
        are_wanted = known(args).path_at_best(args) == LAY_SPLIT_FP16X3;
    return are_wanted;
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
        __syncwarp();
        if (is_mine && is_doubtful(on))
            is_mine = are_wanted_still(args);
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
