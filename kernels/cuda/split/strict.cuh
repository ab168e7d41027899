/* Path STRICT: all of C as gemm_f32_128x256x32_simt90 has it, bit for bit, by that row's own text. Blocks stay, and
 * take every grid'th unit: a tile's sum over one slice. Several slices are added by strict_sums.cuh. */
#ifndef LAY_KERNELS_CUDA_SPLIT_STRICT_CUH
#define LAY_KERNELS_CUDA_SPLIT_STRICT_CUH

#include "cuda/simt90/consume.cuh"
#include "cuda/simt90/produce.cuh"
#include "cuda/simt90/result.cuh"
#include "cuda/split/ptx.cuh"
#include "cuda_split.h"

namespace strict
{

/* Of the 504 registers that a quarter of the multiprocessor has for three warps. */
enum { producer_registers = 104, consumer_registers = (504 - producer_registers) / 16 * 8 };
enum { busy = producers + consumers };

using S = shape<128, 256, 32, 4>;
static_assert(S::shared == LAY_SPLIT_STRICT_SHARED, "what the launcher gives");

/* The product as simt90 has its arguments. */
__device__ __forceinline__ lay_cuda_args plain(const lay_cuda_split_args &of)
{
    lay_cuda_args args = {};
    args.m = of.m, args.n = of.n, args.k = of.k;
    args.left = of.left.from, args.right = of.right.from, args.c = of.c;
    args.left_m = of.left.across, args.left_k = of.left.along;
    args.right_k = of.right.along, args.right_n = of.right.across;
    args.result_m = of.result_m, args.result_n = of.result_n;
    args.alpha.f32 = of.alpha, args.beta.f32 = of.beta;
    args.is_c_vector = of.is_c_vector;
    args.left_class = of.left.as, args.right_class = of.right.as;
    args.slices = of.strict_slices, args.slice_k = of.strict_slice_k;
    args.partial = of.strict_slices > 1 ? of.strict_partial : nullptr;
    return args;
}

/* Slice by slice; tiles go down bands, as those of simt90. An int counts them, as it does multiply's: cuda_split.h,
 * tiles_m. */
struct unit_of_work {
    int slice;
    place at;

    static __device__ __forceinline__ int high(const lay_cuda_args &args)
    {
        return (args.m + S::bm - 1) / S::bm;
    }
    static __device__ __forceinline__ int wide(const lay_cuda_args &args)
    {
        return (args.n + S::bn - 1) / S::bn;
    }
    static __device__ __forceinline__ int count(const lay_cuda_args &args)
    {
        return high(args) * wide(args) * args.slices;
    }
    __device__ __forceinline__ unit_of_work(const lay_cuda_args &args, int number)
    {
        const int all = high(args) * wide(args), in_band = band * wide(args);
        const int tile = number % all;
        slice = number / all;
        const int first = tile / in_band * band, rows = min(static_cast<int>(band), high(args) - first);
        const int rest = tile % in_band;
        at = { (first + rest % rows) * S::bm, rest / rows * S::bn };
    }
};

/* Each unit has a ring of its own, for its users begin at the first turn. */
__device__ __forceinline__ void begin_ring(const ring<S> &ring, bool is_first)
{
    if (threadIdx.x == 0)
        for (int i = 0; i < S::turns; i++) {
            if (!is_first)
                barrier_end(ring.full + i), barrier_end(ring.empty + i);
            barrier_init(ring.full + i, producers);
            barrier_init(ring.empty + i, consumers / 32);
        }
}

__device__ __forceinline__ void meet_all()
{
    meet_numbered<2, busy>();
}

/* Producers and consumers go over units in loops of their own, for they have registers of their own. */
__device__ __forceinline__ void produce_all(const lay_cuda_args &args, const ring<S> &ring)
{
#pragma unroll 1
    for (int number = blockIdx.x; number < unit_of_work::count(args); number += gridDim.x) {
        const unit_of_work own(args, number);
        begin_ring(ring, number == static_cast<int>(blockIdx.x));
        meet_all();
        produce<S>(args, ring, own.at, steps_of(args, own.slice));
        meet_all();
    }
}

/* A slice's sums are a product of their own, where C is [m][n]. */
__device__ __forceinline__ lay_cuda_args written_to(lay_cuda_args args, int slice)
{
    if (!args.partial)
        return args;
    args.c = static_cast<float *>(args.partial) + static_cast<int64_t>(slice) * args.m * args.n;
    args.result_m = {}, args.result_n = {};
    args.result_m.stride = args.n, args.result_n.stride = 1;
    args.alpha.f32 = 1, args.beta.f32 = 0;
    args.is_c_vector = args.n % 4 == 0;
    return args;
}

__device__ __forceinline__ void consume_all(const lay_cuda_args &args, const ring<S> &ring, float *shared)
{
#pragma unroll 1
    for (int number = blockIdx.x; number < unit_of_work::count(args); number += gridDim.x) {
        const unit_of_work own(args, number);
        sums sums;
        sums.start(S::warps_n);
        meet_all();
        consume<S>(ring, sums, steps_of(args, own.slice));
        share<S>(shared, sums);
        write_c<S>(written_to(args, own.slice), shared, own.at);
        meet_all();
    }
}

/* All of C, or of its slices' sums, by all threads of the grid. */
__device__ __forceinline__ void compute_all(const lay_cuda_split_args &of, float *shared)
{
    const lay_cuda_args args = plain(of);
    const ring<S> ring(shared);
    if (threadIdx.x < producers) {
        give_registers<producer_registers>();
        produce_all(args, ring);
    } else {
        take_registers<consumer_registers>();
        consume_all(args, ring, shared);
    }
}

} // namespace strict

#endif
