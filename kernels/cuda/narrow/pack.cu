/* Matrices in any layout -> images, rounded to 16 bits where that is asked for: a warp takes 256 contiguous elements of
 * the image at a time. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda/element.cuh"
#include "cuda/hopper/ptx.cuh"

/* By a predicate, where a branch would make lanes wait for each other's loads. */
__device__ __forceinline__ uint4 load_if(bool is_wanted, const uint4 *from)
{
    uint4 vector;
    asm volatile("{\n\t"
                 ".reg .pred wanted;\n\t"
                 "setp.ne.u32 wanted, %5, 0;\n\t"
                 "@wanted ld.global.v4.u32 {%0, %1, %2, %3}, [%4];\n\t"
                 "}"
                 : "=r"(vector.x), "=r"(vector.y), "=r"(vector.z), "=r"(vector.w)
                 : "l"(from), "r"(static_cast<unsigned>(is_wanted)));
    return vector;
}
__device__ __forceinline__ void store_if(bool is_wanted, void *to, uint4 vector)
{
    asm volatile("{\n\t"
                 ".reg .pred wanted;\n\t"
                 "setp.ne.u32 wanted, %5, 0;\n\t"
                 "@wanted st.global.v4.u32 [%4], {%0, %1, %2, %3};\n\t"
                 "}" ::"r"(vector.x),
                 "r"(vector.y), "r"(vector.z), "r"(vector.w), "l"(to), "r"(static_cast<unsigned>(is_wanted))
                 : "memory");
}

#include "cuda/narrow/runs.cuh"

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

/* A lane's eight elements of a segment: those that lie together in the image, or as words of elements that lie together
 * in the matrix, each of which lanes side by side have. */
template <typename T> union eight {
    enum { v = 16 / sizeof(T), vectors = own / v };
    uint4 vector[vectors];
    T element[own];
    unsigned word[own * sizeof(T) / 4];
    uint2 pair[own * sizeof(T) / 8];
};

template <typename In, typename Word>
__device__ __forceinline__ void load_words(const lay_narrow_pack_args &args, const In *line, int first, Word *to)
{
    constexpr int together = sizeof(Word) / sizeof(In);
#pragma unroll
    for (int i = 0; i < own / together; i++) {
        const int at = first + (i * 32 + static_cast<int>(threadIdx.x) % 32) * together;
        to[i] = at < args.nears ? *reinterpret_cast<const Word *>(line + offset_now(args.near, at)) : Word();
    }
}

template <typename In, typename Word>
__device__ __forceinline__ void turn_words(const Word *from, In *room, eight<In> &to)
{
    const int lane = threadIdx.x % 32;
    eight<In> turned;
#pragma unroll
    for (int i = 0; i < static_cast<int>(own * sizeof(In) / sizeof(Word)); i++)
        reinterpret_cast<Word *>(room)[i * 32 + lane] = from[i];
    __syncwarp();
#pragma unroll
    for (int i = 0; i < eight<In>::vectors; i++)
        turned.vector[i] = reinterpret_cast<const uint4 *>(room + lane * own)[i];
    __syncwarp();
    to = turned;
}

/* 256 elements of a line of the image, on their way; segments of all lines are numbered on. */
template <typename In, typename Out, typename Convert> struct segment_of {
    eight<In> in;
    int far, number, first;
    bool is_whole; /* in vectors */

    __device__ __forceinline__ segment_of(int64_t part, int segments)
        : far(static_cast<int>(part / segments)), number(static_cast<int>(part % segments))
    {
    }
    /* So many lines and segments. */
    __device__ __forceinline__ void go_on(int lines, int numbers, int segments)
    {
        number += numbers;
        const bool is_over = number >= segments;
        number -= is_over ? segments : 0;
        far += lines + is_over;
    }
    __device__ __forceinline__ void load(const lay_narrow_pack_args &args)
    {
        first = number * segment;
        is_whole = args.is_vector && segment <= args.nears - first;
        const In *const line = static_cast<const In *>(args.from) + offset_now(args.far, far);
        if (is_whole) {
#pragma unroll
            for (int i = 0; i < eight<In>::vectors; i++)
                in.vector[i] = __ldcs(reinterpret_cast<const uint4 *>(
                    line + offset_now(args.near, first + threadIdx.x % 32 * own + i * eight<In>::v)));
        } else if (sizeof(In) < 4 && args.together == 4) {
            load_words(args, line, first, in.pair);
        } else if (sizeof(In) < 4 && args.together == 2) {
            load_words(args, line, first, in.word);
        } else {
            load_words(args, line, first, in.element);
        }
    }
    __device__ __forceinline__ void store(const lay_narrow_pack_args &args, In *room)
    {
        if (!is_whole) {
            if (sizeof(In) < 4 && args.together == 4)
                turn_words(in.pair, room, in);
            else if (sizeof(In) < 4 && args.together == 2)
                turn_words(in.word, room, in);
            else
                turn_words(in.element, room, in);
        }
        eight<Out> out;
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
};

/* Two segments at a time, so that memory has enough to do. */
template <typename In, typename Out, typename Convert>
__global__ void __launch_bounds__(LAY_NARROW_PACK_THREADS) pack(const __grid_constant__ lay_narrow_pack_both both)
{
    const lay_narrow_pack_args &args = both.of[blockIdx.z];
    __shared__ __align__(16) In rooms[warps][segment];
    begin_launch();
    const int segments = (args.nears + segment - 1) / segment;
    const int apart = static_cast<int>(gridDim.x) * warps, lines = 2 * apart / segments, numbers = 2 * apart % segments;
    const int64_t part = static_cast<int64_t>(blockIdx.x) * warps + threadIdx.x / 32;
    In *const room = rooms[threadIdx.x / 32];
    segment_of<In, Out, Convert> one(part, segments), other(part + apart, segments);
    while (one.far < args.fars) {
        one.load(args);
        if (other.far < args.fars)
            other.load(args);
        one.store(args, room);
        if (other.far < args.fars)
            other.store(args, room);
        one.go_on(lines, numbers, segments);
        other.go_on(lines, numbers, segments);
    }
}

/* Elements that lie together in runs: a lane has eight of each of some lines, on their way at a time. */
__global__ void __launch_bounds__(LAY_NARROW_PACK_THREADS, 3)
    pack_runs(const __grid_constant__ lay_narrow_pack_both both)
{
    constexpr int lines = LAY_NARROW_PACK_LINES, at_once = 4;
    const lay_narrow_pack_args &args = both.of[blockIdx.z];
    begin_launch();
    const int lane = threadIdx.x % 32;
    const uint16_t *const from = static_cast<const uint16_t *>(args.from);
    const unsigned segments = (args.nears + segment - 1u) / segment;
    unsigned part = blockIdx.x * warps + threadIdx.x / 32;
#pragma unroll 1
    for (unsigned group; (group = part / segments) * lines < static_cast<unsigned>(args.fars);
         part += gridDim.x * warps) {
        const int far = static_cast<int>(group) * lines, last = min(args.fars - far, lines);
        const near_eight near(args, static_cast<int>(part - group * segments) * segment + lane * own);
        const int64_t own_line = lane < last ? offset_now(args.far, far + lane) : 0; /* for all lanes */
        uint16_t *to = static_cast<uint16_t *>(args.to) + far * args.pitch + near.first;
        const bool has_others = __any_sync(0xffffffff, near.is_there && !near.is_within);
#pragma unroll 1
        for (int line = 0; line < last; line += at_once, to += at_once * args.pitch) {
            vectors_around eight[at_once];
#pragma unroll
            for (int i = 0; i < at_once; i++)
                eight[i].load(from + near.offset + __shfl_sync(0xffffffff, own_line, line + i), near.is_within);
#pragma unroll
            for (int i = 0; i < at_once; i++)
                store_if(near.is_within && line + i < last, to + i * args.pitch, eight[i].get());
            if (!has_others)
                continue;
#pragma unroll 1
            for (int i = 0; i < at_once; i++) {
                const uint16_t *const other = from + __shfl_sync(0xffffffff, own_line, line + i);
                if (near.is_there && !near.is_within && line + i < last)
                    store_if(true, to + i * args.pitch, near.load_elements(args, other));
            }
        }
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

extern "C" const lay_cuda_pass lay_narrow_pack[] = { by<uint16_t, uint16_t, as_it_is>(),
                                                     by<float, uint16_t, to_f16>(),
                                                     by<float, uint16_t, to_bf16>(),
                                                     by<unsigned, unsigned, as_it_is>(),
                                                     pass(reinterpret_cast<const void *>(&turn)),
                                                     pass(reinterpret_cast<const void *>(&pack_runs)) };
