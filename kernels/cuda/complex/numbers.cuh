/* What the families of complex FP32 products have in common: signs of conjugated parts, and what their rows promise. */
#ifndef LAY_KERNELS_CUDA_COMPLEX_NUMBERS_CUH
#define LAY_KERNELS_CUDA_COMPLEX_NUMBERS_CUH

#include "cuda_kernel.h"

template <unsigned negated, int bit> __device__ __forceinline__ float with_sign(float x)
{
    return negated >> bit & 1 ? -x : x;
}

/* A row of the table from its shape, as far as all have it. */
template <typename S> constexpr lay_cuda_kernel row_of_complex(const char *name, double rate, double start)
{
    lay_cuda_kernel made = {};
    made.family = "simt";
    made.name = name;
    made.contract = LAY_CUDA_COMPLEX;
    made.type = LAY_F32;
    made.order = LAY_CUDA_CHAIN;
    made.can_slice = 1;
    made.bm = S::bm;
    made.bn = S::bn;
    made.shared = S::shared;
    made.can_overlap = 1;
    made.rate = rate;
    made.start = start;
    return made;
}

#endif
