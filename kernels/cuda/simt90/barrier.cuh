/* Barriers in shared memory and register budgets: the inline assembly of this family. */
#ifndef LAY_KERNELS_CUDA_SIMT90_BARRIER_CUH
#define LAY_KERNELS_CUDA_SIMT90_BARRIER_CUH

#include <stdint.h>

__device__ __forceinline__ unsigned shared_address(const void *pointer)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ void barrier_init(uint64_t *barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

__device__ __forceinline__ void barrier_arrive(uint64_t *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/* Arrives when the asynchronous copies that this thread has started are there. */
__device__ __forceinline__ void barrier_arrive_after_copies(uint64_t *barrier)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/* Until the phase of this parity is over; that of parity 1 is over from the start. */
__device__ __forceinline__ void barrier_wait(uint64_t *barrier, int parity)
{
    asm volatile("{\n\t"
                 ".reg .pred done;\n"
                 "again:\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
                 "@!done bra again;\n\t"
                 "}" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

/* Whether it is, now or soon. */
__device__ __forceinline__ bool barrier_is_over(uint64_t *barrier, int parity)
{
    unsigned is_over;
    asm volatile("{\n\t"
                 ".reg .pred done;\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n\t"
                 "selp.u32 %0, 1, 0, done;\n\t"
                 "}"
                 : "=r"(is_over)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
    return is_over;
}

/* For a whole warpgroup: its threads go on with count registers each. */
template <int count> __device__ __forceinline__ void give_registers()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count));
}
template <int count> __device__ __forceinline__ void take_registers()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count));
}

/* Of a part of the block's warps. */
template <int threads> __device__ __forceinline__ void meet()
{
    asm volatile("bar.sync 1, %0;" ::"n"(threads) : "memory");
}

#endif
