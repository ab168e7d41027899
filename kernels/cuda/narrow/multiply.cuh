/* Operands -> C: persistent blocks, a warp that brings boxes by tensor copies and two warpgroups that multiply. */
#ifndef LAY_KERNELS_CUDA_NARROW_MULTIPLY_CUH
#define LAY_KERNELS_CUDA_NARROW_MULTIPLY_CUH

#include <type_traits>

#include "cuda/narrow/consume.cuh"
#include "cuda/narrow/produce.cuh"
#include "cuda/narrow/result.cuh"

namespace
{

/* Of the 504 registers that a quarter of the multiprocessor has for three warps. */
enum { producer_registers = 40, consumer_registers = (504 - producer_registers) / 16 * 8 };

template <typename S, bool leaves>
__device__ __forceinline__ void consume(const lay_narrow_args &args, const ring<S> &ring)
{
    const int warpgroup = threadIdx.x / 128 - 1;
    const int row = S::bm == 64 ? 0 : warpgroup * 64 * S::parts, column = S::bm == 64 ? warpgroup * S::columns : 0;
    const schedule<S> works(args);
    consumer<S> self(ring, row, column);
    std::conditional_t<leaves, leaving<S>, nothing_leaving> out;
#pragma unroll 1
    for (int number = blockIdx.x; number < works.count; number += gridDim.x) {
        float sum[S::parts][S::columns / 2];
        self.multiply(args, works.at(args, number).turns, sum, out);
        asm volatile("" : "+r"(number)); /* worked out again: registers are short in between */
        const work own = works.at(args, number);
        if constexpr (leaves) {
            out.take(args, own.i + row, own.j + column, sum);
        } else {
#pragma unroll
            for (int part = 0; part < S::parts; part++)
                write<S::columns>(args, own.i + row + 64 * part, own.j + column, own.slice, sum[part],
                                  ring.pieces + (threadIdx.x / 32 - producers / 32) * subtile::size);
        }
    }
    out.put_all(args);
}

template <typename S> __device__ __forceinline__ void multiply_tiles(const lay_narrow_args &args, char *shared)
{
    const ring<S> ring(shared);
    if (threadIdx.x == 0) {
        for (int turn = 0; turn < S::turns; turn++) {
            barrier_init(ring.full + turn, 1);
            barrier_init(ring.empty + turn, 2);
        }
        barriers_are_made();
        expect_tensor(args.left.tensor);
        expect_tensor(args.right.tensor);
    }
    begin_launch();
    __syncthreads();
    if (threadIdx.x < producers) {
        give_registers<producer_registers>();
        if (threadIdx.x < 32)
            produce<S>(args, ring);
    } else {
        take_registers<consumer_registers>();
        if (leaving<S>::serves(args))
            consume<S, S::kind != TF32>(args, ring);
        else
            consume<S, false>(args, ring);
    }
}

template <typename S>
__global__ void __launch_bounds__(producers + consumers, 1) multiply(const __grid_constant__ lay_narrow_args args)
{
    extern __shared__ __align__(1024) char shared[];
    multiply_tiles<S>(args, shared);
}

} // namespace

#endif
