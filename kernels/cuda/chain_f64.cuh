/* The one instruction for doubles that dmma and skinny share. */
#ifndef LAY_KERNELS_CUDA_CHAIN_F64_CUH
#define LAY_KERNELS_CUDA_CHAIN_F64_CUH

/* sum += left right, 16x8 += 16x8 8x8, by one warp. With g = lane / 4, q = lane % 4 a lane holds
 *      sum[2 r + c] at (g + 8 r, 2 q + c), left[2 h + r] at (g + 8 r, q + 4 h), right[h] at (q + 4 h, g).
 * Measured on Hopper (bench/LOG.md): each element is one chain of fused multiply-adds, steps ascending, bit for
 * bit, with subnormals, infinities and signed zeros; this shape runs at full rate and 8x8x4, which is all that
 * sm_80 has, at half. */
__device__ __forceinline__ void multiply_add(double (&sum)[4], const double (&left)[4], const double (&right)[2])
{
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
        : "d"(left[0]), "d"(left[1]), "d"(left[2]), "d"(left[3]), "d"(right[0]), "d"(right[1]));
#else
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
        for (int r = 0; r < 2; r++)
            asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                : "+d"(sum[2 * r]), "+d"(sum[2 * r + 1])
                : "d"(left[2 * h + r]), "d"(right[h]));
#endif
}

/* The same of 16 steps, 8 by 8 of them: the same chain, which reads and writes its sums half as often. */
__device__ __forceinline__ void multiply_add(double (&sum)[4], const double (&left)[2][4], const double (&right)[2][2])
{
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, "
        "{%12,%13,%14,%15}, {%0,%1,%2,%3};"
        : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
        : "d"(left[0][0]), "d"(left[0][1]), "d"(left[0][2]), "d"(left[0][3]), "d"(left[1][0]), "d"(left[1][1]),
          "d"(left[1][2]), "d"(left[1][3]), "d"(right[0][0]), "d"(right[0][1]), "d"(right[1][0]), "d"(right[1][1]));
#else
    multiply_add(sum, left[0], right[0]);
    multiply_add(sum, left[1], right[1]);
#endif
}

#endif
