/* The inline assembly of matrices that a warp turns in registers. */
#ifndef LAY_KERNELS_CUDA_HOPPER_MOVMATRIX_CUH
#define LAY_KERNELS_CUDA_HOPPER_MOVMATRIX_CUH

/* 8 x 8 of 16 bits, of which a lane has two neighbours of a row: then it has two of a column, below each other. */
__device__ __forceinline__ unsigned transpose_eight(unsigned word)
{
    unsigned turned;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(turned) : "r"(word));
    return turned;
}

#endif
