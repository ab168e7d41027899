/* What the lines of both operands are like: the greatest and the least nonzero element, and whether all are finite.
 * Only maxima, sums of ones and ors: the order of blocks does not show. */
#include "cuda/split/source.cuh"

namespace {

/* Of elements of one line. */
struct extremes {
    unsigned greatest, least; /* as in the line's record */
    bool is_strange;

    __device__ __forceinline__ void see(float x)
    {
        const unsigned bits = __float_as_uint(x) & 0x7fffffff;
        const bool is_in = is_finite(bits);
        is_strange |= !is_in;
        if (is_in) {
            greatest = max(greatest, bits);
            least = max(least, bits ? 0x7fffffff - bits : 0);
        }
    }
    __device__ __forceinline__ void tell(lay_cuda_split_line *line) const
    {
        if (greatest) {
            atomicMax(&line->greatest, greatest);
            atomicMax(&line->least, least);
        }
        if (is_strange)
            atomicOr(&line->is_strange, 1u);
    }
};

struct piece {
    int line, lines; /* the block's, up to LAY_SPLIT_SCAN_LINES */
    int step, last;  /* and one behind its last */
};

/* A warp has 32 lines and every second 32 of the steps; lanes go across. */
__device__ __forceinline__ void scan_across(const lay_cuda_split_operand &of, const piece &own)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, first = own.line + warp % 4 * 32;
    const offsets lines(of.across, first, of.extent);
    extremes seen = {};
#pragma unroll 1
    for (int step = own.step + warp / 4 * 32; step < own.last; step += 64) {
        float value[32];
        load_square(of.from, lines, offsets(of.along, step, own.last), value);
#pragma unroll
        for (int i = 0; i < 32; i++)
            seen.see(value[i]);
    }
    if (lane < lines.count)
        seen.tell(of.lines + first + lane);
}

/* A warp has 16 lines, all steps of one after the other; lanes go along. */
__device__ __forceinline__ void scan_along(const lay_cuda_split_operand &of, int k, const piece &own)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int end = min(own.line + own.lines, own.line + warp * 16 + 16);
#pragma unroll 1
    for (int line = own.line + warp * 16; line < end; line += 2) {
        const bool is_second = line + 1 < end;
        const float *const from = of.from + offset_at(of.across, line);
        const float *const next = of.from + offset_at(of.across, line + is_second);
        extremes seen[2] = {};
#pragma unroll 8
        for (int step = own.step + lane; step < own.last; step += 32) {
            const int64_t offset = offset_at(of.along, step);
            seen[0].see(__ldg(from + offset));
            seen[1].see(__ldg(next + offset));
        }
#pragma unroll
        for (int e = 0; e < 2; e++) {
            seen[e].greatest = __reduce_max_sync(0xffffffff, seen[e].greatest);
            seen[e].least = __reduce_max_sync(0xffffffff, seen[e].least);
            seen[e].is_strange = __any_sync(0xffffffff, seen[e].is_strange);
            if (lane == 0 && (e == 0 || is_second))
                seen[e].tell(of.lines + line + e);
        }
    }
}

/* The block that comes last to its lines sums them up. */
__device__ __forceinline__ void sum_up(const lay_cuda_split_operand &of, const piece &own, unsigned blocks)
{
    __shared__ bool is_last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicAdd(&of.lines[own.line].arrivals, 1u) == blocks - 1;
    __syncthreads();
    if (!is_last || threadIdx.x >= LAY_SPLIT_SCAN_LINES)
        return;
    __threadfence();
    unsigned range = 0, is_strange = 0;
    if (static_cast<int>(threadIdx.x) < own.lines) {
        const lay_cuda_split_line *line = of.lines + own.line + threadIdx.x;
        const unsigned greatest = __ldcg(&line->greatest), least = __ldcg(&line->least);
        is_strange = __ldcg(&line->is_strange);
        range = greatest ? exponent_of(greatest) - exponent_of(0x7fffffff - least) : 0;
    }
    range = __reduce_max_sync(0xffffffff, range);
    const unsigned strange = __popc(__ballot_sync(0xffffffff, is_strange));
    if (threadIdx.x % 32)
        return;
    atomicMax(&of.summary->range, range);
    if (strange)
        atomicAdd(&of.summary->strange, strange);
    if (threadIdx.x == 0)
        atomicAdd(&of.summary->lines, static_cast<unsigned>(own.lines));
}

/* Blocks by lines, then by steps: those of the same lines are far apart. */
__global__ void __launch_bounds__(LAY_SPLIT_THREADS) scan(const __grid_constant__ lay_cuda_split_args args)
{
    const unsigned left_blocks = static_cast<unsigned>(lay_cuda_split_scan_blocks(&args.left, args.k, args.scan_steps));
    const bool is_right = blockIdx.x >= left_blocks;
    const lay_cuda_split_operand &of = is_right ? args.right : args.left;
    const unsigned block = is_right ? blockIdx.x - left_blocks : blockIdx.x;
    const unsigned strips = static_cast<unsigned>(lay_cuda_split_up(of.extent, LAY_SPLIT_SCAN_LINES) / LAY_SPLIT_SCAN_LINES);
    const int line = static_cast<int>(block % strips) * LAY_SPLIT_SCAN_LINES;
    const int step = static_cast<int>(block / strips) * args.scan_steps;
    const piece own = { line, min(of.extent - line, LAY_SPLIT_SCAN_LINES), step, min(args.k - step, args.scan_steps) + step };
    if (goes_across(of))
        scan_across(of, own);
    else
        scan_along(of, args.k, own);
    sum_up(of, own, (args.k + args.scan_steps - 1) / args.scan_steps);
}

} // namespace

extern "C" const void *const lay_cuda_split_scan = reinterpret_cast<const void *>(&scan);
