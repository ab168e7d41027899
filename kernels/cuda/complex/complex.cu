/* Complex numbers: their images in real ones, C = beta C, and C from slices of real sums (kernels/cuda_complex.h). */
#include "cuda/element.cuh"
#include "cuda_complex.h"

namespace
{

enum { THREADS = LAY_CUDA_ADD_THREADS, EACH = LAY_CUDA_COMPLEX_EACH };

template <typename T> struct alignas(2 * sizeof(T)) number {
    T re, im;
};

template <typename T> __device__ __forceinline__ T negated(T x, int is_so)
{
    return is_so ? -x : x;
}

/* Never fused into the sum of two, as on the CPU: which of the two multiplies numbers depends on where operands lie,
 * and bits must not. */
__device__ __forceinline__ float product_of(float x, float y)
{
    return __fmul_rn(x, y);
}
__device__ __forceinline__ double product_of(double x, double y)
{
    return __dmul_rn(x, y);
}

/* at / by: a short division is some times faster. */
__device__ __forceinline__ int64_t quotient_of(int64_t at, int64_t by)
{
    return (at | by) <= UINT32_MAX ? static_cast<uint32_t>(at) / static_cast<uint32_t>(by) : at / by;
}

template <typename T>
__global__ void __launch_bounds__(THREADS) expand(const __grid_constant__ lay_cuda_expand_args args)
{
    const int64_t first = static_cast<int64_t>(blockIdx.x) * EACH * THREADS + threadIdx.x;
    number<T> x[EACH], *at[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int64_t own = first + e * THREADS, segment = quotient_of(own, args.length);
        at[e] = nullptr;
        if (segment < args.segments) {
            at[e] = reinterpret_cast<number<T> *>(static_cast<T *>(args.image) + 2 * segment * args.pitch) + own -
                    segment * args.length;
            x[e] = *at[e];
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        if (!at[e])
            continue;
        T re = x[e].re, im = negated(x[e].im, args.is_conjugated);
        if (args.has_factor) {
            const T u = static_cast<T>(args.factor[0]), v = static_cast<T>(args.factor[1]), old = re;
            re = product_of(u, old) - product_of(v, im);
            im = product_of(u, im) + product_of(v, old);
        }
        *at[e] = { negated(re, args.first_negated[0]), negated(im, args.first_negated[1]) };
        *reinterpret_cast<number<T> *>(reinterpret_cast<T *>(at[e]) + args.pitch) = {
            negated(im, args.second_negated[0]), negated(re, args.second_negated[1])
        };
    }
}

template <typename T>
__global__ void __launch_bounds__(THREADS) scale(const __grid_constant__ lay_cuda_complex_scale_args of)
{
    const lay_cuda_args &args = of.args;
    const T u = static_cast<T>(of.beta[0]), v = static_cast<T>(of.beta[1]);
    for (int e = 0; e < EACH; e++) {
        const int64_t at = (static_cast<int64_t>(blockIdx.x) * EACH + e) * THREADS + threadIdx.x;
        if (at >= static_cast<int64_t>(args.m) * args.n)
            return;
        const int64_t i = quotient_of(at, args.n);
        T *const c =
            static_cast<T *>(args.c) + 2 * (offset_at(args.result_m, i) + offset_at(args.result_n, at - i * args.n));
        if (u == T(0) && v == T(0)) {
            c[0] = c[1] = T(0);
            continue;
        }
        const T re = c[0], im = c[1];
        c[0] = v == T(0) ? u * re : product_of(u, re) - product_of(v, im);
        c[1] = v == T(0) ? u * im : product_of(u, im) + product_of(v, re);
    }
}

template <typename T> __global__ void __launch_bounds__(THREADS) add(const __grid_constant__ lay_cuda_args args)
{
    const int64_t columns = args.n / 2, all = args.m * columns;
    const T alpha = of_type<T>::read(args.alpha), beta = of_type<T>::read(args.beta);
#pragma unroll 1
    for (int e = 0; e < EACH; e++) {
        const int64_t at = (static_cast<int64_t>(blockIdx.x) * EACH + e) * THREADS + threadIdx.x;
        if (at >= all)
            return;
        const int64_t i = quotient_of(at, columns);
        T *const c =
            static_cast<T *>(args.c) + 2 * (offset_at(args.result_m, i) + offset_at(args.result_n, at - i * columns));
        const number<T> *partial = static_cast<const number<T> *>(args.partial) + at;
        number<T> sum = *partial;
        for (int slice = 1; slice < args.slices; slice++) {
            const number<T> more = *(partial += all);
            sum.re += more.re;
            sum.im += more.im;
        }
        c[0] = blend(alpha, sum.re, beta, &c[0]);
        c[1] = blend(alpha, sum.im, beta, &c[1]);
    }
}

} // namespace

extern "C" const void *const lay_cuda_expand[] = { reinterpret_cast<const void *>(&expand<float>),
                                                   reinterpret_cast<const void *>(&expand<double>) };
extern "C" const void *const lay_cuda_complex_scale[] = { reinterpret_cast<const void *>(&scale<float>),
                                                          reinterpret_cast<const void *>(&scale<double>) };
extern "C" const void *const lay_cuda_complex_add[] = { reinterpret_cast<const void *>(&add<float>),
                                                        reinterpret_cast<const void *>(&add<double>) };
