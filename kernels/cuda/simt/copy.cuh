/* Asynchronous copies from global into shared memory: all inline assembly of this family. */
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
    asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, %2, 0;\n @p cp.async.cg.shared.global [%0], [%1], 16;\n}"
                 :: "r"(to), "l"(from), "r"(static_cast<int>(is_wanted)) : "memory");
}

__device__ __forceinline__ void copy_one(uint32_t to, const float *from, bool is_wanted)
{
    asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, %2, 0;\n @p cp.async.ca.shared.global [%0], [%1], 4;\n}"
                 :: "r"(to), "l"(from), "r"(static_cast<int>(is_wanted)) : "memory");
}

__device__ __forceinline__ void store_one(uint32_t to, float value)
{
    asm volatile("st.shared.f32 [%0], %1;" :: "r"(to), "f"(value) : "memory");
}

/* All copies since the last call are one group. */
__device__ __forceinline__ void close_group()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Until at most `open` groups are on their way. */
template <int open> __device__ __forceinline__ void wait_groups()
{
    asm volatile("cp.async.wait_group %0;" :: "n"(open) : "memory");
}

#endif
