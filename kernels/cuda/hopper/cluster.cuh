/* The inline assembly of clusters: blocks of neighbouring multiprocessors that reach each other's shared memory. */
#ifndef LAY_KERNELS_CUDA_HOPPER_CLUSTER_CUH
#define LAY_KERNELS_CUDA_HOPPER_CLUSTER_CUH

#include "cuda/hopper/ptx.cuh"

/* Of the block in its cluster; blocks of one cluster are neighbours in the grid. */
__device__ __forceinline__ int cluster_rank()
{
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return static_cast<int>(rank);
}

/* Which cluster it is, of how many; without clusters each block is one. */
__device__ __forceinline__ int cluster_number()
{
    unsigned number;
    asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(number));
    return static_cast<int>(number);
}
__device__ __forceinline__ int cluster_count()
{
    unsigned count;
    asm volatile("mov.u32 %0, %%nclusterid.x;" : "=r"(count));
    return static_cast<int>(count);
}

/* All threads of all blocks meet, who only want to know that the others are there, or done: nothing is awaited but
 * threads. */
__device__ __forceinline__ void cluster_meet()
{
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\n\t"
                 "barrier.cluster.wait.aligned;" ::
                     : "memory");
}

/* The same in two halves: what a thread does in between nobody waits for. */
__device__ __forceinline__ void cluster_arrive()
{
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
__device__ __forceinline__ void cluster_await()
{
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

/* Where something of one's own shared memory is in that of another block. */
__device__ __forceinline__ unsigned address_in(const void *own, int rank)
{
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(own)), "r"(rank));
    return there;
}

/* What was read is read; what was written to memory on the way is not awaited. there: of address_in. */
__device__ __forceinline__ void barrier_arrive_at(unsigned there)
{
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
}

/* From shared memory to another block's, counted there by its barrier: so neither block waits for what else it has
 * written, as a release at the scope of a cluster does. 16-byte aligned, a multiple of 16 bytes; of what other threads
 * wrote, too, if they said own_writes_are_made() before they met. It must stay there until the other block has it. */
__device__ __forceinline__ void copy_bulk_to(unsigned there, const void *from, unsigned bytes, unsigned barrier_there)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(there),
        "r"(shared_address(from)), "r"(bytes), "r"(barrier_there)
        : "memory");
}

/* Until the phase of this parity is over, and what other blocks sent is seen. */
__device__ __forceinline__ void barrier_wait_for_others(uint64_t *barrier, int parity)
{
    asm volatile("{\n\t"
                 ".reg .pred done;\n"
                 "again:\n\t"
                 "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n\t"
                 "@!done bra again;\n\t"
                 "}" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

/* copy_box for several blocks at a time, those whose bits are in blocks: to the same place in each, and counted by the
 * same barrier of each. */
__device__ __forceinline__ void copy_box_to(int blocks, void *to, const void *tensor, int x, int y, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
                 "[%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
                 "l"(tensor), "r"(x), "r"(y), "r"(shared_address(barrier)), "h"(static_cast<short>(blocks))
                 : "memory");
}
__device__ __forceinline__ void copy_box_to(int blocks, void *to, const void *tensor, int x, int y, int z, int w,
                                            uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
                 "[%1, {%2, %3, %4, %5}], [%6], %7;" ::"r"(shared_address(to)),
                 "l"(tensor), "r"(x), "r"(y), "r"(z), "r"(w), "r"(shared_address(barrier)),
                 "h"(static_cast<short>(blocks))
                 : "memory");
}
__device__ __forceinline__ void copy_box_to(int blocks, void *to, const void *tensor, int x, int y, int z, int w, int v,
                                            uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
                 "[%1, {%2, %3, %4, %5, %6}], [%7], %8;" ::"r"(shared_address(to)),
                 "l"(tensor), "r"(x), "r"(y), "r"(z), "r"(w), "r"(v), "r"(shared_address(barrier)),
                 "h"(static_cast<short>(blocks))
                 : "memory");
}

#endif
