/* Loads and copies from global memory that say how: inline assembly has its place here. */
#ifndef LAY_KERNELS_CUDA_ASYNC_CUH
#define LAY_KERNELS_CUDA_ASYNC_CUH

#include <stdint.h>

/* 4, 8 or 16 bytes, both addresses aligned to as many. */
template <int bytes> __device__ __forceinline__ void copy_async(void *shared, const void *global)
{
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    if (bytes == 16) /* past L1 */
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(global), "n"(bytes) : "memory");
}

/* The same, where wanted. */
template <int bytes> __device__ __forceinline__ void copy_async_if(void *shared, const void *global, bool is_wanted)
{
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    if (bytes == 16)
        asm volatile(
            "{\n .reg .pred p;\n setp.ne.b32 p, %2, 0;\n @p cp.async.cg.shared.global [%0], [%1], 16;\n}" ::"r"(to),
            "l"(global), "r"(static_cast<int>(is_wanted))
            : "memory");
    else
        asm volatile(
            "{\n .reg .pred p;\n setp.ne.b32 p, %2, 0;\n @p cp.async.ca.shared.global [%0], [%1], %3;\n}" ::"r"(to),
            "l"(global), "r"(static_cast<int>(is_wanted)), "n"(bytes)
            : "memory");
}

/* 4 or 16 bytes; zeros if nothing is there, and then nothing is read. */
template <int bytes> __device__ __forceinline__ void copy_async_or_zero(void *shared, const void *global, bool is_there)
{
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    const int read = is_there ? bytes : 0;
    if (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global), "r"(read) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(global), "n"(bytes), "r"(read)
                     : "memory");
}

/* 16 bytes, both addresses aligned to as many: the first 0 to 16 are read, behind them are zeros. */
__device__ __forceinline__ void copy_async_first(void *shared, const void *global, int bytes)
{
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global), "r"(bytes) : "memory");
}

/* This thread's copies have arrived; others see them behind a barrier. */
__device__ __forceinline__ void wait_async()
{
    asm volatile("cp.async.wait_all;" ::: "memory");
}

/* In groups: those before this call are one; until all of this thread's groups but the last `more` have arrived. */
__device__ __forceinline__ void end_group_async()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int more> __device__ __forceinline__ void wait_async_but()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(more) : "memory");
}

/* Loads from global memory that stay where they are written, between two __syncwarp. */
__device__ __forceinline__ void load_here(const float *from, float &to)
{
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(to) : "l"(from));
}
__device__ __forceinline__ void load_here(const float2 *from, float2 &to)
{
    asm volatile("ld.global.v2.f32 {%0, %1}, [%2];" : "=f"(to.x), "=f"(to.y) : "l"(from));
}
__device__ __forceinline__ void load_here(const float4 *from, float4 &to)
{
    asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(to.x), "=f"(to.y), "=f"(to.z), "=f"(to.w)
                 : "l"(from));
}
__device__ __forceinline__ void load_here(const double *from, double &to)
{
    asm volatile("ld.global.f64 %0, [%1];" : "=d"(to) : "l"(from));
}
__device__ __forceinline__ void load_here(const double2 *from, double2 &to)
{
    asm volatile("ld.global.v2.f64 {%0, %1}, [%2];" : "=d"(to.x), "=d"(to.y) : "l"(from));
}

#endif
