/* The inline assembly of sm_90a: barriers in shared memory, copies that count there, registers, matrix units. */
#ifndef LAY_KERNELS_CUDA_HOPPER_PTX_CUH
#define LAY_KERNELS_CUDA_HOPPER_PTX_CUH

#include <stdint.h>

#include "cuda/element.cuh"

__device__ __forceinline__ unsigned shared_address(const void *pointer)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

/* ---- launches one behind the other */

/* Until the launch before has ended, with all that it wrote. */
__device__ __forceinline__ void await_launch_before()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* At the start of a kernel that has nothing to prepare in between. */
__device__ __forceinline__ void begin_launch()
{
    let_next_begin();
    await_launch_before();
}

/* ---- barriers in shared memory */

__device__ __forceinline__ void barrier_init(uint64_t *barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

/* Before it is initialized once more. */
__device__ __forceinline__ void barrier_end(uint64_t *barrier)
{
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/* For copies, before the barrier that all threads meet at. */
__device__ __forceinline__ void barriers_are_made()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
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

/* ---- the first threads of a block meet, so many warps of them */

template <int threads> __device__ __forceinline__ void some_meet()
{
    asm volatile("bar.sync 1, %0;" ::"n"(threads) : "memory");
}

/* The same, and all know whether any of them says so. */
template <int threads> __device__ __forceinline__ bool some_ask(bool own)
{
    unsigned any;
    asm volatile("{\n\t"
                 ".reg .pred own, any;\n\t"
                 "setp.ne.u32 own, %1, 0;\n\t"
                 "bar.red.or.pred any, 1, %2, own;\n\t"
                 "selp.u32 %0, 1, 0, any;\n\t"
                 "}"
                 : "=r"(any)
                 : "r"(static_cast<unsigned>(own)), "n"(threads)
                 : "memory");
    return any;
}

/* ---- blocks that hear of each other by a counter in memory */

/* One more, or zero behind most; what it was. Whatever this thread and those that it met before have written is there
 * for whom it tells so, and what others told it of for itself and those that it meets. */
__device__ __forceinline__ unsigned count_up(unsigned *counter, unsigned most)
{
    unsigned before;
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;" : "=r"(before) : "l"(counter), "r"(most) : "memory");
    return before;
}

/* ---- tensor copies: a box of a tensor, swizzled by 128 bytes. Coordinates count elements, the first contiguous ones.
 */

/* Ahead of the first copy by it. */
__device__ __forceinline__ void expect_tensor(const void *tensor)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(tensor) : "memory");
}

__device__ __forceinline__ void copy_box(void *to, const void *tensor, int x, int y, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
                 "[%4];" ::"r"(shared_address(to)),
                 "l"(tensor), "r"(x), "r"(y), "r"(shared_address(barrier))
                 : "memory");
}
__device__ __forceinline__ void copy_box(void *to, const void *tensor, int x, int y, int z, int w, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, "
                 "%5}], [%6];" ::"r"(shared_address(to)),
                 "l"(tensor), "r"(x), "r"(y), "r"(z), "r"(w), "r"(shared_address(barrier))
                 : "memory");
}
__device__ __forceinline__ void copy_box(void *to, const void *tensor, int x, int y, int z, int w, int v,
                                         uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, "
                 "%5, %6}], [%7];" ::"r"(shared_address(to)),
                 "l"(tensor), "r"(x), "r"(y), "r"(z), "r"(w), "r"(v), "r"(shared_address(barrier))
                 : "memory");
}

/* ---- bulk copies: 16-byte aligned, a multiple of 16 bytes */

__device__ __forceinline__ void copy_bulk(void *to, const void *from, unsigned bytes, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

/* ---- one thread of a warp */

/* True for one lane, of all that are there: what it alone does is known to be done by one thread, and what it hands to
 * the unit that copies goes there without a loop over lanes. */
__device__ __forceinline__ bool is_elected()
{
    unsigned is_own;
    asm volatile("{\n\t"
                 ".reg .pred own;\n\t"
                 "elect.sync _|own, 0xffffffff;\n\t"
                 "selp.u32 %0, 1, 0, own;\n\t"
                 "}"
                 : "=r"(is_own));
    return is_own;
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

/* What a descriptor says beside the address (in its low half, 16 bytes a unit): two offsets and the kind of swizzle, 1
 * of 128 bytes, 2 of 64, 3 of 32. k contiguous: lines of so many bytes; unused, from eight lines to the next; lines
 * contiguous: 64 of them by 8 steps in 1024 bytes; from 64 lines to the next, from 8 steps to the next */
__device__ __forceinline__ uint64_t describe(const void *at, unsigned leading, unsigned stride, unsigned swizzle)
{
    return static_cast<uint64_t>(swizzle << 30 | stride >> 4) << 32 | leading >> 4 << 16 |
           (shared_address(at) & 0x3ffff) >> 4;
}
__device__ __forceinline__ uint64_t describe_128(const void *at)
{
    return describe(at, 16, 1024, 1);
}
__device__ __forceinline__ uint64_t describe_64(const void *at)
{
    return describe(at, 16, 512, 2);
}
__device__ __forceinline__ uint64_t describe_across(const void *at)
{
    return describe(at, 8192, 1024, 1);
}

/* Lines contiguous in groups of 16, 64 steps of each in 2048 bytes. */
__device__ __forceinline__ uint64_t describe_sectors(const void *at)
{
    return describe(at, 2048, 256, 3);
}

/* What this thread itself has written to shared memory may be read by matrix units and copies, behind a barrier. */
__device__ __forceinline__ void own_writes_are_made()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
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

enum piece_type { FP16, BF16, TF32 };

/* sum += left right, or sum = left right where is_more is 0: 64 x n, 32 bytes of steps, by the warpgroup. Lane l of
 * warp w has in sum[4 j ..] rows 16 w + l / 4 (twice), and 8 more (twice); columns 8 j + l % 4 * 2 and one more. An
 * operand with is_across 1 has its lines contiguous, else its steps. */
template <piece_type type, int n, int is_left_across = 0, int is_right_across = 0> struct products;

#define LAY_IN_8   "%0, %1, %2, %3, %4, %5, %6, %7"
#define LAY_IN_16  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define LAY_IN_24  LAY_IN_16 ", %16, %17, %18, %19, %20, %21, %22, %23"
#define LAY_IN_32  LAY_IN_24 ", %24, %25, %26, %27, %28, %29, %30, %31"
#define LAY_IN_48  LAY_IN_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define LAY_IN_56  LAY_IN_48 ", %48, %49, %50, %51, %52, %53, %54, %55"
#define LAY_IN_64  LAY_IN_48 ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define LAY_IN_72  LAY_IN_64 ", %64, %65, %66, %67, %68, %69, %70, %71"
#define LAY_IN_80  LAY_IN_72 ", %72, %73, %74, %75, %76, %77, %78, %79"
#define LAY_IN_96  LAY_IN_80 ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define LAY_IN_100 LAY_IN_96 ", %96, %97, %98, %99"
#define LAY_IN_104 LAY_IN_96 ", %96, %97, %98, %99, %100, %101, %102, %103"
#define LAY_IN_112 LAY_IN_104 ", %104, %105, %106, %107, %108, %109, %110, %111"
#define LAY_IN_120 LAY_IN_112 ", %112, %113, %114, %115, %116, %117, %118, %119"
#define LAY_IN_128                                                                                                     \
    LAY_IN_112 ", %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define LAY_SUMS_4(i)   "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3])
#define LAY_SUMS_16(i)  LAY_SUMS_4(i), LAY_SUMS_4(i + 4), LAY_SUMS_4(i + 8), LAY_SUMS_4(i + 12)
#define LAY_SUMS_8(i)   LAY_SUMS_4(i), LAY_SUMS_4(i + 4)
#define LAY_SUMS_OF_8   LAY_SUMS_8(0)
#define LAY_SUMS_OF_16  LAY_SUMS_16(0)
#define LAY_SUMS_OF_24  LAY_SUMS_16(0), LAY_SUMS_8(16)
#define LAY_SUMS_OF_32  LAY_SUMS_16(0), LAY_SUMS_16(16)
#define LAY_SUMS_OF_48  LAY_SUMS_OF_32, LAY_SUMS_16(32)
#define LAY_SUMS_OF_56  LAY_SUMS_OF_48, LAY_SUMS_8(48)
#define LAY_SUMS_OF_64  LAY_SUMS_OF_48, LAY_SUMS_16(48)
#define LAY_SUMS_OF_80  LAY_SUMS_OF_64, LAY_SUMS_16(64)
#define LAY_SUMS_OF_96  LAY_SUMS_OF_64, LAY_SUMS_16(64), LAY_SUMS_16(80)
#define LAY_SUMS_OF_100 LAY_SUMS_OF_96, LAY_SUMS_4(96)
#define LAY_SUMS_OF_112 LAY_SUMS_OF_96, LAY_SUMS_16(96)
#define LAY_SUMS_OF_120 LAY_SUMS_OF_112, LAY_SUMS_8(112)
#define LAY_SUMS_OF_128 LAY_SUMS_OF_96, LAY_SUMS_16(96), LAY_SUMS_16(112)

/* left_at ..: the numbers of what follows the sums. */
#define LAY_PRODUCTS(type, ptx, n, count, left_at, right_at, more_at, left_across_at, right_across_at)                 \
    template <int is_left_across, int is_right_across> struct products<type, n, is_left_across, is_right_across> {     \
        static __device__ __forceinline__ void add(float (&sum)[count], uint64_t left, uint64_t right, int is_more)    \
        {                                                                                                              \
            asm volatile("{\n\t"                                                                                       \
                         ".reg .pred more;\n\t"                                                                        \
                         "setp.ne.b32 more, %" #more_at ", 0;\n\t"                                                     \
                         "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." #ptx "." #ptx " {" LAY_IN_##count           \
                         "}, "                                                                                         \
                         "%" #left_at ", %" #right_at ", more, 1, 1, %" #left_across_at ", %" #right_across_at ";\n\t" \
                         "}"                                                                                           \
                         : LAY_SUMS_OF_##count                                                                         \
                         : "l"(left), "l"(right), "r"(is_more), "n"(is_left_across), "n"(is_right_across));            \
        }                                                                                                              \
    };
#define LAY_PRODUCTS_OF(type, ptx)                                                                                     \
    LAY_PRODUCTS(type, ptx, 16, 8, 8, 9, 10, 11, 12)                                                                   \
    LAY_PRODUCTS(type, ptx, 32, 16, 16, 17, 18, 19, 20)                                                                \
    LAY_PRODUCTS(type, ptx, 48, 24, 24, 25, 26, 27, 28)                                                                \
    LAY_PRODUCTS(type, ptx, 64, 32, 32, 33, 34, 35, 36)                                                                \
    LAY_PRODUCTS(type, ptx, 96, 48, 48, 49, 50, 51, 52)                                                                \
    LAY_PRODUCTS(type, ptx, 112, 56, 56, 57, 58, 59, 60)                                                               \
    LAY_PRODUCTS(type, ptx, 128, 64, 64, 65, 66, 67, 68)                                                               \
    LAY_PRODUCTS(type, ptx, 160, 80, 80, 81, 82, 83, 84)                                                               \
    LAY_PRODUCTS(type, ptx, 192, 96, 96, 97, 98, 99, 100)                                                              \
    LAY_PRODUCTS(type, ptx, 200, 100, 100, 101, 102, 103, 104)                                                         \
    LAY_PRODUCTS(type, ptx, 224, 112, 112, 113, 114, 115, 116)                                                         \
    LAY_PRODUCTS(type, ptx, 240, 120, 120, 121, 122, 123, 124)                                                         \
    LAY_PRODUCTS(type, ptx, 256, 128, 128, 129, 130, 131, 132)
LAY_PRODUCTS_OF(FP16, f16)
LAY_PRODUCTS_OF(BF16, bf16)

/* TF32 has 8 steps in 32 bytes, and k contiguous alone. */
#define LAY_PRODUCTS_TF32(n, count, left_at, right_at, more_at)                                                        \
    template <> struct products<TF32, n> {                                                                             \
        static __device__ __forceinline__ void add(float (&sum)[count], uint64_t left, uint64_t right, int is_more)    \
        {                                                                                                              \
            asm volatile("{\n\t"                                                                                       \
                         ".reg .pred more;\n\t"                                                                        \
                         "setp.ne.b32 more, %" #more_at ", 0;\n\t"                                                     \
                         "wgmma.mma_async.sync.aligned.m64n" #n "k8.f32.tf32.tf32 {" LAY_IN_##count                    \
                         "}, "                                                                                         \
                         "%" #left_at ", %" #right_at ", more, 1, 1;\n\t"                                              \
                         "}"                                                                                           \
                         : LAY_SUMS_OF_##count                                                                         \
                         : "l"(left), "l"(right), "r"(is_more));                                                       \
        }                                                                                                              \
    };
LAY_PRODUCTS_TF32(16, 8, 8, 9, 10)
LAY_PRODUCTS_TF32(32, 16, 16, 17, 18)
LAY_PRODUCTS_TF32(64, 32, 32, 33, 34)
LAY_PRODUCTS_TF32(96, 48, 48, 49, 50)
LAY_PRODUCTS_TF32(128, 64, 64, 65, 66)
LAY_PRODUCTS_TF32(160, 80, 80, 81, 82)
LAY_PRODUCTS_TF32(192, 96, 96, 97, 98)
LAY_PRODUCTS_TF32(256, 128, 128, 129, 130)

/* The same with left in registers, which may lie in any way before: left[0] is the lane's of row 16 w + l / 4 and step
 * l % 4, left[1] eight rows below, left[2] and left[3] four steps on. They stay until the products have been awaited.
 */
template <int n> struct products_of_registers;
#define LAY_PRODUCTS_OF_REGISTERS(n, count, a, b, c, d, right_at, more_at)                                             \
    template <> struct products_of_registers<n> {                                                                      \
        static __device__ __forceinline__ void add(float (&sum)[count], const unsigned (&left)[4], uint64_t right,     \
                                                   int is_more)                                                        \
        {                                                                                                              \
            asm volatile("{\n\t"                                                                                       \
                         ".reg .pred more;\n\t"                                                                        \
                         "setp.ne.b32 more, %" #more_at ", 0;\n\t"                                                     \
                         "wgmma.mma_async.sync.aligned.m64n" #n "k8.f32.tf32.tf32 {" LAY_IN_##count                    \
                         "}, "                                                                                         \
                         "{%" #a ", %" #b ", %" #c ", %" #d "}, %" #right_at ", more, 1, 1;\n\t"                       \
                         "}"                                                                                           \
                         : LAY_SUMS_OF_##count                                                                         \
                         : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "l"(right), "r"(is_more));          \
        }                                                                                                              \
    };
LAY_PRODUCTS_OF_REGISTERS(16, 8, 8, 9, 10, 11, 12, 13)
LAY_PRODUCTS_OF_REGISTERS(32, 16, 16, 17, 18, 19, 20, 21)
LAY_PRODUCTS_OF_REGISTERS(64, 32, 32, 33, 34, 35, 36, 37)
LAY_PRODUCTS_OF_REGISTERS(96, 48, 48, 49, 50, 51, 52, 53)
LAY_PRODUCTS_OF_REGISTERS(128, 64, 64, 65, 66, 67, 68, 69)
LAY_PRODUCTS_OF_REGISTERS(192, 96, 96, 97, 98, 99, 100, 101)
LAY_PRODUCTS_OF_REGISTERS(256, 128, 128, 129, 130, 131, 132, 133)

#endif
