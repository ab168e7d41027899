/* Operands -> records of their lines, and images of FP16 pieces. A cluster has 32 lines: its blocks look at all
 * steps, tell each other what they found, and read again, mostly from the L2 cache, what they then know the scale of:
 * memory is read once. Whether the pieces will do is known when all clusters have finished. */
#include "cuda/split/ptx.cuh"
#include "cuda/split/square.cuh"

namespace {

enum { warps = LAY_SPLIT_THREADS / 32 };

/* Of elements of one line, as in its record. */
struct extremes {
    unsigned greatest, least, is_strange;

    __device__ __forceinline__ void see(float x)
    {
        const unsigned bits = __float_as_uint(x) & 0x7fffffff;
        const bool is_in = is_finite(bits);
        is_strange |= !is_in;
        greatest = max(greatest, is_in ? bits : 0);
        least = max(least, is_in && bits ? 0x7fffffff - bits : 0);
    }
    __device__ __forceinline__ void see(const extremes &other)
    {
        greatest = max(greatest, other.greatest);
        least = max(least, other.least);
        is_strange |= other.is_strange;
    }
};

/* What blocks tell each other, of 32 lines. */
struct finding {
    unsigned greatest[32], least[32], is_strange[32];

    __device__ __forceinline__ void clear()
    {
        if (threadIdx.x < 32)
            greatest[threadIdx.x] = least[threadIdx.x] = is_strange[threadIdx.x] = 0;
    }
    __device__ __forceinline__ void tell(int line, const extremes &of)
    {
        atomicMax(greatest + line, of.greatest);
        atomicMax(least + line, of.least);
        atomicOr(is_strange + line, of.is_strange);
    }
    __device__ __forceinline__ extremes ask(unsigned block, int line) const
    {
        return { load_from_block(greatest + line, block), load_from_block(least + line, block),
                 load_from_block(is_strange + line, block) };
    }
};

struct part {
    int line;       /* the cluster's first */
    int leaf, last; /* the block's leaves, and one behind the last */
};

/* Lanes have a line each, warps every eighth leaf. */
__device__ __forceinline__ void look_across(const lay_cuda_split_operand &of, int k, const part &own, finding &found)
{
    const offsets lines(of.across, own.line, of.extent);
    extremes seen = {};
#pragma unroll 1
    for (int leaf = own.leaf + threadIdx.x / 32; leaf < own.last; leaf += warps) {
        float value[32];
        load_square(of.from, lines, offsets(of.along, leaf * LAY_SPLIT_STEPS, k), value);
#pragma unroll
        for (int i = 0; i < 32; i++)
            seen.see(value[i]);
    }
    found.tell(threadIdx.x % 32, seen);
}

/* Warps have four lines each, and all steps of the block. */
__device__ __forceinline__ void look_along(const lay_cuda_split_operand &of, int k, const part &own, finding &found)
{
    constexpr int lines = 32 / warps;
    const int first = threadIdx.x / 32 * lines, last = min(own.last * LAY_SPLIT_STEPS, k);
    const float *from[lines];
    extremes seen[lines] = {};
#pragma unroll
    for (int e = 0; e < lines; e++)
        from[e] = of.from + offset_at(of.across, min(own.line + first + e, of.extent - 1));
#pragma unroll 8
    for (int step = own.leaf * LAY_SPLIT_STEPS + threadIdx.x % 32; step < last; step += 32) {
        const int64_t offset = offset_at(of.along, step);
#pragma unroll
        for (int e = 0; e < lines; e++)
            seen[e].see(__ldg(from[e] + offset));
    }
#pragma unroll
    for (int e = 0; e < lines; e++) {
        const extremes all = { __reduce_max_sync(0xffffffff, seen[e].greatest), __reduce_max_sync(0xffffffff, seen[e].least),
                               __reduce_or_sync(0xffffffff, seen[e].is_strange) };
        if (threadIdx.x % 32 == 0)
            found.tell(first + e, all);
    }
}

/* A lane has a line: its record, and the operand's summary. */
__device__ __forceinline__ void write_down(const lay_cuda_split_operand &of, int line, const extremes &seen)
{
    const bool is_there = line < of.extent;
    const int between = seen.greatest ? exponent_of(seen.greatest) - exponent_of(0x7fffffff - seen.least) : 0;
    if (is_there)
        of.lines[line] = { seen.greatest, seen.least, seen.is_strange, 0 };
    const unsigned range = __reduce_max_sync(0xffffffff, is_there ? static_cast<unsigned>(between) : 0);
    const int strange = __popc(__ballot_sync(0xffffffff, is_there && seen.is_strange));
    if (threadIdx.x % 32 != 0)
        return;
    atomicMax(&of.summary->range, range);
    if (strange)
        atomicAdd(&of.summary->strange, static_cast<unsigned>(strange));
}

__device__ __forceinline__ void prepare_lines(const lay_cuda_split_operand &of, int k, int strip, unsigned block,
                                              finding &found, square (&squares)[warps])
{
    const int leaves = lay_cuda_split_leaves(k), share = (leaves + LAY_SPLIT_CLUSTER - 1) / LAY_SPLIT_CLUSTER;
    const part own = { strip * LAY_SPLIT_LINES, min(static_cast<int>(block) * share, leaves),
                       min(static_cast<int>(block + 1) * share, leaves) };
    found.clear();
    __syncthreads();
    if (goes_across(of))
        look_across(of, k, own, found);
    else
        look_along(of, k, own, found);
    cluster_meets();
    extremes seen = {};
#pragma unroll
    for (unsigned other = 0; other < LAY_SPLIT_CLUSTER; other++)
        seen.see(found.ask(other, threadIdx.x % 32));
    if (block == 0 && threadIdx.x < 32)
        write_down(of, own.line + threadIdx.x, seen);
    const int64_t leaf_lines = lay_cuda_split_leaf_lines(of.extent);
    square &turned = squares[threadIdx.x / 32];
#pragma unroll 1
    for (int leaf = own.leaf + threadIdx.x / 32; leaf < own.last; leaf += warps) {
        fetch_square(of, k, own.line, leaf, turned);
        __syncwarp();
        write_square<true>(turned, seen.greatest, place(of.fp16, leaf_lines, leaves, leaf, own.line));
        __syncwarp();
    }
    cluster_meets(); /* nobody leaves while others ask */
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__global__ void __launch_bounds__(LAY_SPLIT_THREADS) __cluster_dims__(LAY_SPLIT_CLUSTER, 1, 1)
    prepare(const __grid_constant__ lay_cuda_split_args args)
{
    __shared__ square squares[warps];
    __shared__ finding found;
    const int strip = static_cast<int>(blockIdx.x / LAY_SPLIT_CLUSTER);
    const int left_strips = args.left.is_kept ? 0 : static_cast<int>(lay_cuda_split_leaf_lines(args.m) / LAY_SPLIT_LINES);
    const bool is_right = strip >= left_strips;
    prepare_lines(is_right ? args.right : args.left, args.k, is_right ? strip - left_strips : strip, block_of_cluster(),
                  found, squares);
}
#else
__global__ void prepare(const __grid_constant__ lay_cuda_split_args args) { __trap(); }
#endif

} // namespace

extern "C" const void *const lay_cuda_split_prepare = reinterpret_cast<const void *>(&prepare);
