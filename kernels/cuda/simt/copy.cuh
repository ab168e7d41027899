/* Asynchronous copies from global into shared memory, and what else this family has of inline assembly. */
#ifndef LAY_KERNELS_CUDA_SIMT_COPY_CUH
#define LAY_KERNELS_CUDA_SIMT_COPY_CUH

#include <stdint.h>

__device__ __forceinline__ uint32_t shared_address(const void *at)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(at));
}

/* A vector of 4, where wanted. */
__device__ __forceinline__ void copy_vector(uint32_t to, const float *from, bool is_wanted)
{
    asm volatile(
        "{\n .reg .pred p;\n setp.ne.b32 p, %2, 0;\n @p cp.async.cg.shared.global [%0], [%1], 16;\n}" ::"r"(to),
        "l"(from), "r"(static_cast<int>(is_wanted))
        : "memory");
}

/* The first bytes of one, where wanted; behind them are zeros. */
__device__ __forceinline__ void copy_first(uint32_t to, const float *from, int bytes, bool is_wanted)
{
    asm volatile(
        "{\n .reg .pred p;\n setp.ne.b32 p, %2, 0;\n @p cp.async.cg.shared.global [%0], [%1], 16, %3;\n}" ::"r"(to),
        "l"(from), "r"(static_cast<int>(is_wanted)), "r"(bytes)
        : "memory");
}

__device__ __forceinline__ void copy_one(uint32_t to, const float *from, bool is_wanted)
{
    asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, %2, 0;\n @p cp.async.ca.shared.global [%0], [%1], 4;\n}" ::"r"(to),
                 "l"(from), "r"(static_cast<int>(is_wanted))
                 : "memory");
}

__device__ __forceinline__ void copy_long(uint32_t to, const int64_t *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(from) : "memory");
}

__device__ __forceinline__ void store_long(uint32_t to, int64_t value)
{
    asm volatile("st.shared.b64 [%0], %1;" ::"r"(to), "l"(value) : "memory");
}

__device__ __forceinline__ int64_t load_long(uint32_t from)
{
    int64_t value;
    asm volatile("ld.shared.b64 %0, [%1];" : "=l"(value) : "r"(from) : "memory");
    return value;
}

__device__ __forceinline__ void store_one(uint32_t to, float value)
{
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(to), "f"(value) : "memory");
}

/* Where the compiler cannot see that it is global memory. */
__device__ __forceinline__ void store_global(float *to, float value)
{
    asm volatile("st.global.f32 [%0], %1;" ::"l"(to), "f"(value) : "memory");
}
__device__ __forceinline__ void store_global(float2 *to, float2 value)
{
    asm volatile("st.global.v2.f32 [%0], {%1, %2};" ::"l"(to), "f"(value.x), "f"(value.y) : "memory");
}
__device__ __forceinline__ void store_global(float4 *to, float4 value)
{
    asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(value.x), "f"(value.y), "f"(value.z),
                 "f"(value.w)
                 : "memory");
}

/* from + step * times: one instruction. times is less than 2^29, the product any. */
__device__ __forceinline__ const float *element_from(const float *from, int step, int times)
{
    const float *at;
    asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(at) : "r"(step), "r"(times * 4), "l"(from));
    return at;
}

/* The same pointer, as a sum that is not taken apart and made anew from its parts at each use. */
__device__ __forceinline__ const float *settled(const float *at)
{
    asm volatile("" : "+l"(at));
    return at;
}

/* All copies since the last call are one group. */
__device__ __forceinline__ void close_group()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Until at most `open` groups are on their way. */
template <int open> __device__ __forceinline__ void wait_groups()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(open) : "memory");
}

/* Barriers of parts of a block, of so many threads: 0 .. 14. Their numbers are constants. */
template <int threads, int first, int last> __device__ __forceinline__ void meet_one_of(int group)
{
    if constexpr (first == last)
        asm volatile("bar.sync %0, %1;" ::"n"(first + 1), "n"(threads) : "memory");
    else if (group <= (first + last) / 2)
        meet_one_of<threads, first, (first + last) / 2>(group);
    else
        meet_one_of<threads, (first + last) / 2 + 1, last>(group);
}
template <int groups, int threads> __device__ __forceinline__ void meet_group(int group)
{
    if constexpr (groups == 1)
        __syncthreads();
    else if constexpr (threads == 32)
        __syncwarp();
    else
        meet_one_of<threads, 0, groups - 1>(group);
}

#endif
