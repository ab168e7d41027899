/* Asynchronous copies into shared memory that fill with zeros what is not there, and loads from there: this family's
 * inline assembly. */
#ifndef LAY_KERNELS_CUDA_BATCH_COPY_CUH
#define LAY_KERNELS_CUDA_BATCH_COPY_CUH

#include <stdint.h>

namespace batch
{

__device__ __forceinline__ uint32_t address_of(const void *shared)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(shared));
}

/* 4, 8 or 16 bytes, of which the first `there` are read and the others zeros. */
template <int bytes> __device__ __forceinline__ void copy(uint32_t to, const void *from, int there)
{
    if constexpr (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(there));
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(bytes), "r"(there));
}

/* At once. */
__device__ __forceinline__ void store(uint32_t to, double value)
{
    asm volatile("st.shared.f64 [%0], %1;" ::"r"(to), "d"(value) : "memory");
}
__device__ __forceinline__ void store(uint32_t to, uint16_t value)
{
    asm volatile("st.shared.u16 [%0], %1;" ::"r"(to), "h"(value) : "memory");
}

__device__ __forceinline__ void load(uint32_t from, float (&to)[4])
{
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
                 : "r"(from));
}
__device__ __forceinline__ void load(uint32_t from, double &to)
{
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(to) : "r"(from));
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

} // namespace batch

#endif
