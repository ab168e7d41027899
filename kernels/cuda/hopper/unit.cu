/* What kernels/cuda_unit.h promises: one warpgroup, operands put into shared memory as tensor copies would. */
#include "cuda/half.cuh"
#include "cuda/hopper/ptx.cuh"
#include "cuda_unit.h"

namespace
{

constexpr int lines = LAY_CUDA_UNIT_LINES, line_bytes = 128;

template <piece_type type> struct element;
template <> struct element<FP16> {
    using stored = __half;
    static __device__ stored of(float x)
    {
        return __float2half_rn(x);
    }
};
template <> struct element<BF16> {
    using stored = __nv_bfloat16;
    static __device__ stored of(float x)
    {
        return __float2bfloat16_rn(x);
    }
};
template <> struct element<TF32> {
    using stored = float;
    static __device__ stored of(float x)
    {
        return x;
    }
};

/* [lines][steps] as lines of 128 bytes, swizzled. */
template <piece_type type, int steps> __device__ void put(char *to, const float *from)
{
    using stored = typename element<type>::stored;
    for (int i = threadIdx.x; i < lines * steps; i += LAY_CUDA_UNIT_THREADS) {
        const int line = i / steps, byte = i % steps * static_cast<int>(sizeof(stored));
        char *at = to + line * line_bytes + (byte / 16 ^ line % 8) * 16 + byte % 16;
        *reinterpret_cast<stored *>(at) = element<type>::of(from[i]);
    }
}

template <piece_type type, int instructions>
__global__ void __launch_bounds__(LAY_CUDA_UNIT_THREADS) add_products(const __grid_constant__ lay_cuda_unit_args args)
{
    constexpr int steps = (type == TF32 ? 8 : 16) * instructions, square = lines * lines;
    __shared__ __align__(1024) char left[lines * line_bytes], right[lines * line_bytes];
    const int64_t tile = blockIdx.x;
    put<type, steps>(left, args.left + tile * lines * steps);
    put<type, steps>(right, args.right + tile * lines * steps);
    own_writes_are_made();
    __syncthreads();

    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4, column = lane % 4 * 2;
    const int64_t first = tile * square + row * lines + column;
    float sum[32]; /* two neighbours, and the same 8 rows below */
#pragma unroll
    for (int i = 0; i < 32; i++)
        sum[i] = args.c[first + i / 4 * 8 + i % 2 + i / 2 % 2 * 8 * lines];
    products_begin();
#pragma unroll
    for (int i = 0; i < instructions; i++)
        products<type, 64>::add(sum, describe_128(left) + 2 * i, describe_128(right) + 2 * i, 1);
    products_commit();
    products_wait<0>();
#pragma unroll
    for (int i = 0; i < 32; i++)
        args.d[first + i / 4 * 8 + i % 2 + i / 2 % 2 * 8 * lines] = sum[i];
}

template <piece_type type, int instructions> constexpr const void *function_of()
{
    return reinterpret_cast<const void *>(&add_products<type, instructions>);
}

} // namespace

extern "C" const void *const lay_cuda_unit[LAY_CUDA_UNIT_KINDS][2] = {
    { function_of<FP16, 1>(), function_of<FP16, LAY_CUDA_UNIT_CHAIN>() },
    { function_of<BF16, 1>(), function_of<BF16, LAY_CUDA_UNIT_CHAIN>() },
    { function_of<TF32, 1>(), function_of<TF32, LAY_CUDA_UNIT_CHAIN>() },
};
