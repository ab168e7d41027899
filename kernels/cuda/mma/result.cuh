/* Sums of a warp's tile -> C or partial sums, 16 rows at a time through shared memory, so that lanes write what lies
 * side by side. */
#ifndef LAY_KERNELS_CUDA_MMA_RESULT_CUH
#define LAY_KERNELS_CUDA_MMA_RESULT_CUH

#include "cuda/half.cuh"
#include "cuda/mma/ptx.cuh"
#include "cuda/mma/strip.cuh"
#include "cuda_mma.h"

namespace
{

/* The place of a strip in C, and how many of its rows and columns are there. */
struct corner_of_c {
    int i, j, rows, columns;
};

template <typename T> union vector_of {
    uint4 all;
    T element[16 / sizeof(T)];
};

/* Vectors of C side by side in a row. */
template <typename T, int columns>
__device__ __forceinline__ void write_vectors(const lay_mma_args &args, const strip<columns> &from, corner_of_c at)
{
    constexpr int v = 16 / sizeof(T), across = columns / v, rows = 32 / across;
    const int lane = threadIdx.x % 32, column = lane % across * v;
    if (column >= at.columns)
        return;
    T *const c = static_cast<T *>(args.c) + offset_at(args.result_n, at.j + column);
#pragma unroll 2
    for (int row = lane / across; row < min(16, at.rows); row += rows) {
        vector_of<T> *const to = reinterpret_cast<vector_of<T> *>(c + offset_at(args.result_m, at.i + row));
        vector_of<T> mixed;
        if (args.beta != 0)
            mixed.all = to->all;
#pragma unroll
        for (int e = 0; e < v; e++)
            write_blended(&mixed.element[e], args.alpha, from.sum[row][column + e], args.beta);
        to->all = mixed.all;
    }
}

/* Element by element: lanes go down columns where these are contiguous, else along rows. */
template <typename T, int columns>
__device__ __forceinline__ void write_elements(const lay_mma_args &args, const strip<columns> &from, corner_of_c at)
{
    const bool is_down = !args.result_m.table && args.result_m.stride == 1;
    for (int e = threadIdx.x % 32; e < 16 * columns; e += 32) {
        const int row = is_down ? e % 16 : e / columns, column = is_down ? e / 16 : e % columns;
        if (row < at.rows && column < at.columns)
            write_blended(static_cast<T *>(args.c) + offset_at(args.result_m, at.i + row) +
                              offset_at(args.result_n, at.j + column),
                          args.alpha, from.sum[row][column], args.beta);
    }
}

template <typename T, int columns>
__device__ __forceinline__ void write_as(const lay_mma_args &args, const strip<columns> &from, corner_of_c at)
{
    if (args.is_c_vector)
        write_vectors<T>(args, from, at);
    else
        write_elements<T>(args, from, at);
}

/* type: of elements as they are multiplied; C of FP32 ones is FP32. */
template <piece_type type, int columns>
__device__ __forceinline__ void write_strip(const lay_mma_args &args, const strip<columns> &from, corner_of_c at)
{
    if (args.partial)
        write_partial<false>(args.partial, args.m, args.n, from, blockIdx.z, at.i, at.j);
    else if (type == TF32 || args.c_type == LAY_F32)
        write_as<float>(args, from, at);
    else if (args.c_type == LAY_F16)
        write_as<__half>(args, from, at);
    else
        write_as<__nv_bfloat16>(args, from, at);
}

} // namespace

#endif
