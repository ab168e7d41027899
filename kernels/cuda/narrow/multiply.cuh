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

/* A unit of which the warpgroup has so many columns. */
template <typename S, int columns, typename Out>
__device__ __forceinline__ void consume_unit(const lay_narrow_args &args, const schedule<S> &works, int number,
                                             consumer<S> &self, Out &out)
{
    float sum[columns / 2];
    self.template multiply<columns>(args, works.at(args, number).turns, sum, out);
    asm volatile("" : "+r"(number)); /* worked out again: registers are short in between */
    const work own = works.at(args, number);
    const int i = own.i + self.row(), j = own.j + self.column(columns);
    if constexpr (Out::count > 0 && columns == S::columns)
        out.take(args, i, j, sum);
    else
        write<columns>(args, i, j, own.slice, sum,
                       self.from.pieces + (threadIdx.x / 32 - producers / 32) * piece::size);
}

template <typename S, typename Out>
__device__ __forceinline__ void consume(const lay_narrow_args &args, const ring<S> &ring)
{
    const schedule<S> works(args);
    consumer<S> self(ring, threadIdx.x / 128 - 1);
    Out out;
    int number = blockIdx.x;
    const int last = works.parts == 1 ? works.count : works.whole;
#pragma unroll 1
    for (; number < last; number += gridDim.x)
        consume_unit<S, S::columns>(args, works, number, self, out);
    out.put_all(args);
    if constexpr (S::most_parts > 1) {
        nothing_leaving none;
        if (number < works.count && works.parts == 2) /* at most one part is ours */
            consume_unit<S, S::columns / 2>(args, works, number, self, none);
        else if (number < works.count)
            consume_unit<S, S::columns / 4>(args, works, number, self, none);
    }
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
            consume<S, std::conditional_t<S::kind != TF32, leaving<S>, nothing_leaving>>(args, ring);
        else
            consume<S, nothing_leaving>(args, ring);
    }
}

template <typename S>
__global__ void __launch_bounds__(producers + consumers, 1) multiply(const __grid_constant__ lay_narrow_args args)
{
    extern __shared__ __align__(1024) char shared[];
    multiply_tiles<S>(args, shared);
}

template <piece_type kind, int bm, int bn> constexpr lay_narrow_row row(const char *name, double rate, double start)
{
    using S = shape<kind, bm, bn, false, false>;
    constexpr bool turns = kind != TF32; /* TF32 has its steps contiguous */
    lay_narrow_row made = {};
    made.name = name;
    made.bm = bm;
    made.bn = bn;
    made.threads = producers + consumers;
    made.shared = S::shared;
    made.rate = rate;
    made.start = start;
    made.multiply[0][0] = reinterpret_cast<const void *>(&multiply<S>);
    if constexpr (turns) {
        made.multiply[0][1] = reinterpret_cast<const void *>(&multiply<shape<kind, bm, bn, false, true>>);
        made.multiply[1][0] = reinterpret_cast<const void *>(&multiply<shape<kind, bm, bn, true, false>>);
        made.multiply[1][1] = reinterpret_cast<const void *>(&multiply<shape<kind, bm, bn, true, true>>);
    }
    return made;
}

} // namespace

#endif
