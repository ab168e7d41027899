/* The inline assembly of the family mma: matrix units by warps, and what brings them fragments. */
#ifndef LAY_KERNELS_CUDA_MMA_PTX_CUH
#define LAY_KERNELS_CUDA_MMA_PTX_CUH

#include "cuda/hopper/ptx.cuh" /* piece_type, begin_launch: what is not of 9.0 alone */

/* ---- registers */

/* A number that is worked out again behind this: registers are short in between. */
__device__ __forceinline__ unsigned again(unsigned number)
{
    asm volatile("" : "+r"(number));
    return number;
}

/* ---- copies to shared memory, in groups */

__device__ __forceinline__ unsigned to_shared(const void *pointer)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

/* 16 bytes, or zeros if none are there. */
__device__ __forceinline__ void bring(unsigned to, const void *from, bool is_there)
{
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(is_there ? 16 : 0)
                 : "memory");
}
__device__ __forceinline__ void bring(unsigned to, const void *from)
{
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
__device__ __forceinline__ void close_group()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
/* Until at most so many groups of this thread's are on their way. */
template <int groups> __device__ __forceinline__ void await_groups()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
}

/* ---- fragments: four squares of 8 lines of 16 bytes, lane l having said where line l % 8 of square l / 8 is */

__device__ __forceinline__ void load_squares(uint32_t (&to)[4], unsigned at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(at)
                 : "memory");
}
/* Transposed, of 16-bit elements. */
__device__ __forceinline__ void load_turned_squares(uint32_t (&to)[4], unsigned at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(at)
                 : "memory");
}
__device__ __forceinline__ uint32_t load_word(unsigned at)
{
    uint32_t word;
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"(at) : "memory");
    return word;
}

/* ---- matrix units: sum(16 x 8) += left(16 x 32 bytes) right(32 bytes x 8) */

template <piece_type type>
__device__ __forceinline__ void multiply_add(float (&sum)[4], const uint32_t (&left)[4], uint32_t right_0,
                                             uint32_t right_1)
{
    if (type == FP16)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                     "{%0, %1, %2, %3};"
                     : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                     : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right_0), "r"(right_1));
    else if (type == BF16)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9},"
                     " {%0, %1, %2, %3};"
                     : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                     : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right_0), "r"(right_1));
    else
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                     "{%0, %1, %2, %3};"
                     : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                     : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right_0), "r"(right_1));
}

#endif
