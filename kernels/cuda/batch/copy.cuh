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

/* A box of a tensor by its copy; coordinates count elements, the first contiguous ones. */
__device__ __forceinline__ void bring_box(uint32_t to, const void *tensor, int x, int y, int z, uint64_t *full)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, "
                 "%4}], [%5];" ::"r"(to),
                 "l"(tensor), "r"(x), "r"(y), "r"(z), "r"(address_of(full))
                 : "memory");
}
__device__ __forceinline__ void bring_box(uint32_t to, const void *tensor, int x, int y, int z, int v, int w,
                                          uint64_t *full)
{
    asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, "
                 "%4, %5, %6}], [%7];" ::"r"(to),
                 "l"(tensor), "r"(x), "r"(y), "r"(z), "r"(v), "r"(w), "r"(address_of(full))
                 : "memory");
}

/* The same to both blocks of a pair (hopper/cluster.cuh), counted by the same barrier of each. */
__device__ __forceinline__ void bring_box_to_both(uint32_t to, const void *tensor, int x, int y, int z, uint64_t *full)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
                 "[%1, {%2, %3, %4}], [%5], %6;" ::"r"(to),
                 "l"(tensor), "r"(x), "r"(y), "r"(z), "r"(address_of(full)), "h"(static_cast<short>(3))
                 : "memory");
}
__device__ __forceinline__ void bring_box_to_both(uint32_t to, const void *tensor, int x, int y, int z, int v, int w,
                                                  uint64_t *full)
{
    asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
                 "[%1, {%2, %3, %4, %5, %6}], [%7], %8;" ::"r"(to),
                 "l"(tensor), "r"(x), "r"(y), "r"(z), "r"(v), "r"(w), "r"(address_of(full)), "h"(static_cast<short>(3))
                 : "memory");
}

/* The same way back: what a thread has begun since it last closed a group is one of its groups. */
__device__ __forceinline__ void leave_box(uint32_t from, const void *tensor, int x, int y, int z)
{
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(tensor),
                 "r"(x), "r"(y), "r"(z), "r"(from)
                 : "memory");
}
__device__ __forceinline__ void leave_box(uint32_t from, const void *tensor, int x, int y, int z, int v, int w)
{
    asm volatile(
        "cp.async.bulk.tensor.5d.global.shared::cta.bulk_group [%0, {%1, %2, %3, %4, %5}], [%6];" ::"l"(tensor), "r"(x),
        "r"(y), "r"(z), "r"(v), "r"(w), "r"(from)
        : "memory");
}
__device__ __forceinline__ void close_leaving()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* Until shared memory may be written that all but `open` of the thread's groups leave from. */
template <int open> __device__ __forceinline__ void await_leaving()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(open) : "memory");
}

/* Four matrices of 8 x 8 16-bit numbers, of which a lane has two neighbours of a row each: lanes 8i to 8i + 7 say where
 * the rows of the i-th go, 16 bytes each. */
__device__ __forceinline__ void store_matrices(uint32_t to, const unsigned (&own)[4])
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(own[0]), "r"(own[1]),
                 "r"(own[2]), "r"(own[3])
                 : "memory");
}

/* At once. */
__device__ __forceinline__ void store(uint32_t to, double value)
{
    asm volatile("st.shared.f64 [%0], %1;" ::"r"(to), "d"(value) : "memory");
}
__device__ __forceinline__ void store(uint32_t to, double x, double y)
{
    asm volatile("st.shared.v2.f64 [%0], {%1, %2};" ::"r"(to), "d"(x), "d"(y) : "memory");
}
__device__ __forceinline__ void store(uint32_t to, uint16_t value)
{
    asm volatile("st.shared.u16 [%0], %1;" ::"r"(to), "h"(value) : "memory");
}

__device__ __forceinline__ void store(uint32_t to, float x, float y, float z, float w)
{
    asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(to), "f"(x), "f"(y), "f"(z), "f"(w) : "memory");
}

__device__ __forceinline__ void load(uint32_t from, float (&to)[4])
{
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
                 : "r"(from));
}
__device__ __forceinline__ void load(uint32_t from, float (&to)[2])
{
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(to[0]), "=f"(to[1]) : "r"(from));
}
__device__ __forceinline__ void load(uint32_t from, float (&to)[1])
{
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(to[0]) : "r"(from));
}
__device__ __forceinline__ void load(uint32_t from, float &to)
{
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(to) : "r"(from));
}
__device__ __forceinline__ void load(uint32_t from, double &to)
{
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(to) : "r"(from));
}

__device__ __forceinline__ void load(uint32_t from, double (&to)[2])
{
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(to[0]), "=d"(to[1]) : "r"(from));
}

/* Among some of a block's warps. */
template <int threads> __device__ __forceinline__ void meet_some()
{
    asm volatile("bar.sync 1, %0;" ::"n"(threads) : "memory");
}

/* A number that the compiler would work out again and again. */
__device__ __forceinline__ void keep(uint32_t &number)
{
    asm volatile("" : "+r"(number));
}

/* The next launch may begin to take its place, and this one waits until the one before has ended, with all that it
 * wrote: what a block does before is hidden behind that. Only where the launcher says so (lay_put_kernel). */
__device__ __forceinline__ void begin_in_turn()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
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
