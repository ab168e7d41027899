/* The inline assembly of this family beside that of its matrix units: single instructions, groups of copies. */
#ifndef LAY_KERNELS_CUDA_SPLIT_PTX_CUH
#define LAY_KERNELS_CUDA_SPLIT_PTX_CUH

#include "cuda/hopper/ptx.cuh"

/* Of one of two warpgroups. */
__device__ __forceinline__ void meet(int warpgroup)
{
    if (warpgroup == 0)
        asm volatile("bar.sync 1, 128;" ::: "memory");
    else
        asm volatile("bar.sync 2, 128;" ::: "memory");
}

/* Of so many threads, by a barrier that no others use meanwhile. */
template <int barrier, int threads> __device__ __forceinline__ void meet_numbered()
{
    asm volatile("bar.sync %0, %1;" ::"n"(barrier), "n"(threads) : "memory");
}

/* ---- single instructions */

/* NaN if either is. */
__device__ __forceinline__ float greatest_or_nan(float x, float y)
{
    float z;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y));
    return z;
}

/* Behind it, what others wrote before they released the value. */
__device__ __forceinline__ unsigned load_acquire(const unsigned *from)
{
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
}

/* Between what a thread wrote and its atomic that says so; between an atomic that hears of it and what is read then. */
__device__ __forceinline__ void fence_device()
{
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

/* ---- copies by threads (cuda/async.cuh), in groups */

__device__ __forceinline__ void copies_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
/* Until at most so many groups of this thread's are on their way. */
template <int groups> __device__ __forceinline__ void copies_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
}

/* ---- copies out of shared memory, by a warp: 16-byte aligned, a multiple of 16 bytes */

/* By its lanes, below 9.0. */
__device__ __forceinline__ void send_by_lanes(void *to, const void *from, int bytes)
{
    for (int i = threadIdx.x % 32 * 16; i < bytes; i += 32 * 16)
        *reinterpret_cast<uint4 *>(static_cast<char *>(to) + i) =
            *reinterpret_cast<const uint4 *>(static_cast<const char *>(from) + i);
}

/* ---- in bulk, by one thread, when own_writes_are_made by all */

__device__ __forceinline__ void send_bulk(void *to, const void *from, unsigned bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)),
                 "r"(bytes)
                 : "memory");
}
/* Until what this thread sends has been read, and may be written over. */
__device__ __forceinline__ void sent_is_read()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

#endif
