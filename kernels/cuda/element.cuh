/* Elements of operands on the device: walks, scalars by type, and how C is written. */
#ifndef LAY_KERNELS_CUDA_ELEMENT_CUH
#define LAY_KERNELS_CUDA_ELEMENT_CUH

#include "cuda_kernel.h"

__device__ __forceinline__ int64_t offset_at(const lay_cuda_walk &walk, int64_t i)
{
    return walk.table ? __ldg(walk.table + i) : i * walk.stride;
}

template <typename T> struct of_type;
template <> struct of_type<float> {
    static constexpr lay_type type = LAY_F32;
    static constexpr int vector = 4;
    static __device__ __forceinline__ float read(const lay_cuda_scalar &scalar) { return scalar.f32; }
};
template <> struct of_type<double> {
    static constexpr lay_type type = LAY_F64;
    static constexpr int vector = 2;
    static __device__ __forceinline__ double read(const lay_cuda_scalar &scalar) { return scalar.f64; }
};

/* What C's element becomes. */
template <typename T> __device__ __forceinline__ T blend(T alpha, T sum, T beta, const T *c)
{
    return beta == T(0) ? alpha * sum : fma(alpha, sum, beta * *c);
}

/* The steps of block slice: first and one behind the last. */
struct steps {
    int first, last;
};
__device__ __forceinline__ steps steps_of(const lay_cuda_args &args, int slice)
{
    const int first = slice * args.slice_k; /* fits: at most k */
    return { first, args.slice_k < args.k - first ? first + args.slice_k : args.k };
}

/* Element (i, j) of sums over one slice: to the partial sums, or to C. */
template <typename T> __device__ __forceinline__ void finish(const lay_cuda_args &args, int slice, int i, int j, T sum)
{
    if (args.partial) {
        static_cast<T *>(args.partial)[(static_cast<int64_t>(slice) * args.m + i) * args.n + j] = sum;
        return;
    }
    T *c = static_cast<T *>(args.c) + offset_at(args.result_m, i) + offset_at(args.result_n, j);
    *c = blend(of_type<T>::read(args.alpha), sum, of_type<T>::read(args.beta), c);
}

#endif
