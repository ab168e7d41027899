/* Images -> C: persistent blocks, a warpgroup that brings leaves by bulk copies and two that multiply on the matrix
 * units and promote each chunk's sum to FP32 registers. Both paths are in one kernel; the summaries say which. */
#ifndef LAY_KERNELS_CUDA_SPLIT_MULTIPLY_CUH
#define LAY_KERNELS_CUDA_SPLIT_MULTIPLY_CUH

#include "cuda/split/products.cuh"
#include "cuda/split/result.cuh"

namespace
{

/* Of the 504 registers that a quarter of the multiprocessor has for three warps. */
enum { producer_registers = 40, consumer_registers = (504 - producer_registers) / 16 * 8 };

template <typename S, bool is_fp16>
__device__ __forceinline__ void bring(const lay_cuda_split_args &args, const ring<S> &ring)
{
    const plan<S> units(args);
    producer<S, is_fp16> self(args, ring);
    for (int number = blockIdx.x; number < units.count; number += gridDim.x)
        self.bring(units.at(args, number));
}

template <typename S, bool is_fp16, bool is_transposed, int columns>
__device__ __forceinline__ void consume_unit(const lay_cuda_split_args &args, int number, reader<S, is_fp16> &from,
                                             int warpgroup)
{
    const int row = S::warpgroups_m == 2 ? warpgroup * 64 : 0, column = S::warpgroups_n == 2 ? warpgroup * columns : 0;
    float sum[columns / 2];
    scales<columns> of_lines;
    int leaves;
    {
        const work own = plan<S>(args).at(args, number);
        leaves = own.leaves;
        of_lines.fetch(args, own.i + row, own.j + column, is_fp16);
    }
    consumer<S, is_fp16, is_transposed, columns>{ from, row, column }.multiply(leaves, sum);
    asm volatile("" : "+r"(number)); /* worked out again: registers are short in between */
    const work own = plan<S>(args).at(args, number);
    int *const own_scales = from.from.scales + warpgroup * (S::rows + S::columns);
    of_lines.lay(own_scales, warpgroup);
    write<columns>(args, own.i + row, own.j + column, own.slice, sum, own_scales,
                   from.from.pieces + (threadIdx.x / 32 - producers / 32) * subtile::size);
}

template <typename S, bool is_fp16, bool is_transposed>
__device__ __forceinline__ void consume(const lay_cuda_split_args &args, const ring<S> &ring, int warpgroup)
{
    reader<S, is_fp16> from(ring);
    const int whole = plan<S>(args).whole;
    int number = blockIdx.x;
#pragma unroll 1
    for (; number < whole; number += gridDim.x)
        consume_unit<S, is_fp16, is_transposed, S::columns>(args, number, from, warpgroup);
    const plan<S> units(args); /* at most one of the rest is ours */
    if (number >= units.count)
        return;
    if (units.parts == 1)
        consume_unit<S, is_fp16, is_transposed, S::columns>(args, number, from, warpgroup);
    else if (units.parts == 2)
        consume_unit<S, is_fp16, is_transposed, S::columns / 2>(args, number, from, warpgroup);
    else
        consume_unit<S, is_fp16, is_transposed, S::columns / S::most_parts>(args, number, from, warpgroup);
}

template <typename S, bool is_transposed>
__device__ __forceinline__ void multiply_tiles(const lay_cuda_split_args &args, char *shared)
{
    begin_launch();
    const lay_cuda_split_path_kind path = path_of(args);
    if (path == LAY_SPLIT_STRICT)
        return;
    const ring<S> ring(shared);
    if (threadIdx.x == 0) {
        for (int turn = 0; turn < S::most_turns; turn++) {
            barrier_init(ring.full + turn, 1);
            barrier_init(ring.empty + turn, 2);
        }
        barriers_are_made();
    }
    __syncthreads();
    if (threadIdx.x < producers) {
        give_registers<producer_registers>();
        if (threadIdx.x == 0) {
            if (path == LAY_SPLIT_FP16X3)
                bring<S, true>(args, ring);
            else
                bring<S, false>(args, ring);
        }
        return;
    }
    take_registers<consumer_registers>();
    const int warpgroup = threadIdx.x / 128 - 1;
    if (path == LAY_SPLIT_FP16X3)
        consume<S, true, is_transposed>(args, ring, warpgroup);
    else
        consume<S, false, is_transposed>(args, ring, warpgroup);
}

template <typename S, bool is_transposed>
__global__ void __launch_bounds__(producers + consumers, 1) multiply(const __grid_constant__ lay_cuda_split_args args)
{
    extern __shared__ __align__(1024) char shared[];
    multiply_tiles<S, is_transposed>(args, shared);
}

} // namespace

#endif
