/* The inline assembly of this family: matrix units fed from shared memory, bulk copies, barriers, registers. */
#ifndef LAY_KERNELS_CUDA_SPLIT_PTX_CUH
#define LAY_KERNELS_CUDA_SPLIT_PTX_CUH

#include <stdint.h>

__device__ __forceinline__ unsigned shared_address(const void *pointer)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

/* ---- launches one behind the other */

/* At the start of every kernel: the next launch may begin to take its place, and this one waits until the one before has
 * ended, with all that it wrote. Without the launch attribute neither does anything. */
__device__ __forceinline__ void begin_launch()
{
    asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

/* ---- barriers in shared memory, as in simt90/barrier.cuh */

__device__ __forceinline__ void barrier_init(uint64_t *barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

/* For bulk copies, before the barrier that all threads meet at. */
__device__ __forceinline__ void barriers_are_made()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void barrier_arrive(uint64_t *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/* Arrives, and holds the phase until so many bytes have been copied. */
__device__ __forceinline__ void barrier_expect(uint64_t *barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
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

/* Of one of two warpgroups. */
__device__ __forceinline__ void meet(int warpgroup)
{
    if (warpgroup == 0)
        asm volatile("bar.sync 1, 128;" ::: "memory");
    else
        asm volatile("bar.sync 2, 128;" ::: "memory");
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

/* ---- bulk copies: 16-byte aligned, a multiple of 16 bytes */

__device__ __forceinline__ void copy_bulk(void *to, const void *from, unsigned bytes, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
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

/* ---- registers */

/* For a whole warpgroup: its threads go on with count registers each. */
template <int count> __device__ __forceinline__ void give_registers()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count));
}
template <int count> __device__ __forceinline__ void take_registers()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count));
}

/* ---- matrix units */

/* What a descriptor says beside the address (in its low half, 16 bytes a unit): leading offset, which swizzled operands
 * with k contiguous do not use; offset from eight lines to the next eight; kind of swizzle. */
__device__ __forceinline__ uint64_t describe(const void *at, unsigned eight_lines, unsigned swizzle)
{
    return static_cast<uint64_t>(swizzle << 30 | eight_lines >> 4) << 32 | 1u << 16 |
           (shared_address(at) & 0x3ffff) >> 4;
}
/* Lines of 128 bytes, or of 64, swizzled as the header draws them. */
__device__ __forceinline__ uint64_t describe_128(const void *at)
{
    return describe(at, 1024, 1);
}
__device__ __forceinline__ uint64_t describe_64(const void *at)
{
    return describe(at, 512, 2);
}

/* Before the first product, and after sums were touched by other instructions. */
__device__ __forceinline__ void products_begin()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
/* The products issued since are one group. */
__device__ __forceinline__ void products_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/* Until at most so many groups are still at work. */
template <int groups> __device__ __forceinline__ void products_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory");
}

enum piece_type { FP16, BF16 };

/* sum += left right, or sum = left right where is_more is 0: 64 x n, 16 steps, by the warpgroup. Lane l of warp w has
 * in sum[4 j ..] rows 16 w + l / 4 (twice), and 8 more (twice); columns 8 j + l % 4 * 2 and one more. */
template <piece_type type, int n> struct products;

#define LAY_IN_16      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define LAY_IN_24      LAY_IN_16 ", %16, %17, %18, %19, %20, %21, %22, %23"
#define LAY_IN_32      LAY_IN_24 ", %24, %25, %26, %27, %28, %29, %30, %31"
#define LAY_IN_48      LAY_IN_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define LAY_IN_64      LAY_IN_48 ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define LAY_SUMS_4(i)  "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3])
#define LAY_SUMS_16(i) LAY_SUMS_4(i), LAY_SUMS_4(i + 4), LAY_SUMS_4(i + 8), LAY_SUMS_4(i + 12)
#define LAY_SUMS_8(i)  LAY_SUMS_4(i), LAY_SUMS_4(i + 4)
#define LAY_SUMS_OF_16 LAY_SUMS_16(0)
#define LAY_SUMS_OF_24 LAY_SUMS_16(0), LAY_SUMS_8(16)
#define LAY_SUMS_OF_32 LAY_SUMS_16(0), LAY_SUMS_16(16)
#define LAY_SUMS_OF_48 LAY_SUMS_OF_32, LAY_SUMS_16(32)
#define LAY_SUMS_OF_64 LAY_SUMS_OF_48, LAY_SUMS_16(48)

#define LAY_PRODUCTS(type, ptx, n, count, left_at, right_at, more_at)                                                  \
    template <> struct products<type, n> {                                                                             \
        static __device__ __forceinline__ void add(float (&sum)[count], uint64_t left, uint64_t right, int is_more)    \
        {                                                                                                              \
            asm volatile("{\n\t"                                                                                       \
                         ".reg .pred more;\n\t"                                                                        \
                         "setp.ne.b32 more, %" #more_at ", 0;\n\t"                                                     \
                         "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." #ptx "." #ptx " {" LAY_IN_##count           \
                         "}, "                                                                                         \
                         "%" #left_at ", %" #right_at ", more, 1, 1, 0, 0;\n\t"                                        \
                         "}"                                                                                           \
                         : LAY_SUMS_OF_##count                                                                         \
                         : "l"(left), "l"(right), "r"(is_more));                                                       \
        }                                                                                                              \
    };
#define LAY_PRODUCTS_OF(type, ptx)                                                                                     \
    LAY_PRODUCTS(type, ptx, 32, 16, 16, 17, 18)                                                                        \
    LAY_PRODUCTS(type, ptx, 48, 24, 24, 25, 26)                                                                        \
    LAY_PRODUCTS(type, ptx, 64, 32, 32, 33, 34)                                                                        \
    LAY_PRODUCTS(type, ptx, 96, 48, 48, 49, 50)                                                                        \
    LAY_PRODUCTS(type, ptx, 128, 64, 64, 65, 66)
LAY_PRODUCTS_OF(FP16, f16)
LAY_PRODUCTS_OF(BF16, bf16)

#endif
