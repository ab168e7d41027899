/* Matrices in any layout -> images, rounded to 16 bits where that is asked for: a warp takes 256 contiguous elements of
 * the image at a time. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda/element.cuh"
#include "cuda/hopper/ptx.cuh"
#include "cuda_narrow.h"

namespace
{

enum { warps = LAY_NARROW_PACK_THREADS / 32, own = 8, segment = 32 * own, side = 32 };

struct as_it_is {
    template <typename T> __device__ __forceinline__ T operator()(T x) const
    {
        return x;
    }
};
struct to_f16 {
    __device__ __forceinline__ uint16_t operator()(float x) const
    {
        return __half_as_ushort(__float2half_rn(x));
    }
};
struct to_bf16 {
    __device__ __forceinline__ uint16_t operator()(float x) const
    {
        return __bfloat16_as_ushort(__float2bfloat16_rn(x));
    }
};

/* Eight elements in vectors of 16 bytes. */
template <typename T> union eight {
    enum { v = 16 / sizeof(T), vectors = own / v };
    uint4 vector[vectors];
    T element[own];
};

/* The lane's eight of the segment that begins at first, in whole vectors. */
template <typename In>
__device__ __forceinline__ void load_vectors(const lay_narrow_pack_args &args, const In *line, int first, eight<In> &to)
{
    const int at = first + threadIdx.x % 32 * own;
#pragma unroll
    for (int i = 0; i < eight<In>::vectors; i++)
        to.vector[i] = __ldcs(reinterpret_cast<const uint4 *>(line + offset_at(args.near, at + i * eight<In>::v)));
}

/* The same one by one: lanes side by side read elements side by side. */
template <typename In>
__device__ __forceinline__ void load_elements(const lay_narrow_pack_args &args, const In *line, int first, In *room,
                                              eight<In> &to)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < own; i++) {
        const int at = first + i * 32 + lane;
        room[i * 32 + lane] = at < args.nears ? line[offset_at(args.near, at)] : In(0);
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < eight<In>::vectors; i++)
        to.vector[i] = reinterpret_cast<const uint4 *>(room + lane * own)[i];
    __syncwarp();
}

template <typename In, typename Out, typename Convert>
__global__ void __launch_bounds__(LAY_NARROW_PACK_THREADS) pack(const __grid_constant__ lay_narrow_pack_both both)
{
    const lay_narrow_pack_args &args = both.of[blockIdx.z];
    __shared__ __align__(16) In rooms[warps][segment];
    begin_launch();
    const int segments = (args.nears + segment - 1) / segment;
    const int64_t parts = static_cast<int64_t>(segments) * args.fars, apart = static_cast<int64_t>(gridDim.x) * warps;
    for (int64_t part = static_cast<int64_t>(blockIdx.x) * warps + threadIdx.x / 32; part < parts; part += apart) {
        const int far = static_cast<int>(part / segments), first = static_cast<int>(part % segments) * segment;
        const In *const line = static_cast<const In *>(args.from) + offset_at(args.far, far);
        eight<In> in;
        eight<Out> out;
        if (args.is_vector && segment <= args.nears - first)
            load_vectors(args, line, first, in);
        else
            load_elements(args, line, first, rooms[threadIdx.x / 32], in);
#pragma unroll
        for (int i = 0; i < own; i++)
            out.element[i] = Convert()(in.element[i]);
        const int at = first + threadIdx.x % 32 * own;
        Out *const to = static_cast<Out *>(args.to) + far * args.pitch + at;
#pragma unroll
        for (int i = 0; i < eight<Out>::vectors; i++)
            if (at + i * eight<Out>::v < args.pitch)
                reinterpret_cast<uint4 *>(to)[i] = out.vector[i];
    }
}

/* Lanes read along far and write along near, a square at a time. */
__global__ void __launch_bounds__(LAY_NARROW_PACK_THREADS) turn(const __grid_constant__ lay_narrow_pack_both both)
{
    const lay_narrow_pack_args &args = both.of[blockIdx.z];
    __shared__ unsigned square[side][side + 1];
    begin_launch();
    const unsigned *const from = static_cast<const unsigned *>(args.from);
    unsigned *const to = static_cast<unsigned *>(args.to);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, across = (args.nears + side - 1) / side;
    const int64_t squares = static_cast<int64_t>(across) * ((args.fars + side - 1) / side);
    for (int64_t number = blockIdx.x; number < squares; number += gridDim.x) {
        const int near = static_cast<int>(number % across) * side, far = static_cast<int>(number / across) * side;
#pragma unroll
        for (int i = warp; i < side; i += warps)
            if (near + i < args.nears && far + lane < args.fars)
                square[i][lane] = from[offset_at(args.near, near + i) + offset_at(args.far, far + lane)];
        __syncthreads();
#pragma unroll
        for (int i = warp; i < side; i += warps)
            if (near + lane < args.nears && far + i < args.fars)
                to[(far + i) * args.pitch + near + lane] = square[lane][i];
        __syncthreads();
    }
}

constexpr lay_cuda_pass pass(const void *function)
{
    return { "narrow: pack", function, LAY_NARROW_PACK_THREADS, 0 };
}

template <typename In, typename Out, typename Convert> constexpr lay_cuda_pass by()
{
    return pass(reinterpret_cast<const void *>(&pack<In, Out, Convert>));
}

} // namespace

extern "C" const lay_cuda_pass lay_narrow_pack[] = { by<uint16_t, uint16_t, as_it_is>(), by<float, uint16_t, to_f16>(),
                                                     by<float, uint16_t, to_bf16>(), by<unsigned, unsigned, as_it_is>(),
                                                     pass(reinterpret_cast<const void *>(&turn)) };
