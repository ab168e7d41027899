/* What this family asks of the hardware by name: matrix units, copies, barriers, shares of the register file. */
#ifndef LAY_KERNELS_CUDA_DMMA_UNIT_CUH
#define LAY_KERNELS_CUDA_DMMA_UNIT_CUH

#include <stdint.h>

#include "cuda/chain_f64.cuh"

namespace dmma
{

/* A value that stays in its register: the compiler would rather ask special registers anew in each turn, and wait. */
__device__ __forceinline__ uint32_t keep(uint32_t value)
{
    asm volatile("mov.b32 %0, %0;" : "+r"(value));
    return value;
}

__device__ __forceinline__ uint32_t shared_address(const void *pointer)
{
    return keep(static_cast<uint32_t>(__cvta_generic_to_shared(pointer)));
}

__device__ __forceinline__ double load_one(uint32_t from)
{
    double value;
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(value) : "r"(from) : "memory");
    return value;
}
__device__ __forceinline__ void load_two(uint32_t from, double &first, double &second)
{
    asm volatile("ld.shared.v2.f64 {%0,%1}, [%2];" : "=d"(first), "=d"(second) : "r"(from) : "memory");
}
__device__ __forceinline__ void store_two(uint32_t to, double first, double second)
{
    asm volatile("st.shared.v2.f64 [%0], {%1,%2};" ::"r"(to), "d"(first), "d"(second) : "memory");
}

/* Copies that pass no register; a predicate instead of a branch keeps the copies of a thread together. */
__device__ __forceinline__ void copy_one(uint32_t to, const void *from, bool is_wanted)
{
    asm volatile(
        "{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %2, 0;\n\t@p cp.async.ca.shared.global [%0], [%1], 8;\n\t}" ::"r"(to),
        "l"(from), "r"(static_cast<uint32_t>(is_wanted))
        : "memory");
}
__device__ __forceinline__ void copy_two(uint32_t to, const void *from, bool is_wanted)
{
    asm volatile(
        "{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %2, 0;\n\t@p cp.async.cg.shared.global.L2::128B [%0], [%1], 16;\n\t}" ::
            "r"(to),
        "l"(from), "r"(static_cast<uint32_t>(is_wanted))
        : "memory");
}
/* Of what all blocks read: by way of the first cache, where the second would have one place for all. */
__device__ __forceinline__ void copy_two_of_all(uint32_t to, const void *from, bool is_wanted)
{
    asm volatile(
        "{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %2, 0;\n\t@p cp.async.ca.shared.global [%0], [%1], 16;\n\t}" ::"r"(to),
        "l"(from), "r"(static_cast<uint32_t>(is_wanted))
        : "memory");
}
/* Those before this call are a group; until all of this thread's groups but the last `more` are there. */
__device__ __forceinline__ void end_copies()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int more> __device__ __forceinline__ void wait_copies_but()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(more) : "memory");
}
template <int id, int threads> __device__ __forceinline__ void meet()
{
    asm volatile("bar.sync %0, %1;" ::"n"(id), "n"(threads) : "memory");
}

/* The same without waiting: what was written before is there for those that meet. */
template <int id, int threads> __device__ __forceinline__ void announce()
{
    asm volatile("bar.arrive %0, %1;" ::"n"(id), "n"(threads) : "memory");
}

__device__ __forceinline__ void barrier_init(uint32_t barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
__device__ __forceinline__ void barrier_arrive(uint32_t barrier)
{
    asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.shared.b64 state, [%0];\n\t}" ::"r"(barrier) : "memory");
}
/* Arrives when the copies that this thread has started so far are there. */
__device__ __forceinline__ void barrier_arrive_after_copies(uint32_t barrier)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier) : "memory");
}
/* Until the phase of this parity is over; parity 1 of a fresh barrier is. */
__device__ __forceinline__ void barrier_wait(uint32_t barrier, int parity)
{
#if __CUDA_ARCH__ >= 900
#define LAY_WAIT "mbarrier.try_wait.parity"
#else
#define LAY_WAIT "mbarrier.test_wait.parity"
#endif
    asm volatile("{\n\t.reg .pred done;\nagain:\n\t" LAY_WAIT
                 ".shared.b64 done, [%0], %1;\n\t@!done bra again;\n\t}" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
#undef LAY_WAIT
}

/* All threads of a warp group: registers a thread from here on. sm_80 cannot move them. */
template <int count> __device__ __forceinline__ void give_registers()
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    if constexpr (count != 0)
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count));
#endif
}
template <int count> __device__ __forceinline__ void take_registers()
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    if constexpr (count != 0)
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count));
#endif
}

} // namespace dmma

#endif
