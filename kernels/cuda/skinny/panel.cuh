/* The skinny product between direct.cuh and product.cuh: left comes straight into registers, and right, which many rows
 * use, through shared memory, in panels of some steps. Blocks hide each other's waiting: fetching a panel ahead costs
 * registers, so blocks, and was slower (8.8 us against 11.6 for f32 65536x16x16 on the H200). */
#ifndef LAY_KERNELS_CUDA_SKINNY_PANEL_CUH
#define LAY_KERNELS_CUDA_SKINNY_PANEL_CUH

#include "cuda/skinny/direct.cuh"

namespace skinny
{

template <typename S> struct panel {
    using T = typename S::T;
    static constexpr int v = S::v, steps = S::ahead * S::turn;
    static constexpr int pitch = S::bn + v; /* chunks aligned, steps spread over the banks */
    static constexpr int size = steps * pitch;

    /* Steps p to p + steps, zeros from last on. Threads side by side go where right is contiguous. */
    static __device__ __forceinline__ void fetch(const lay_cuda_args &args, T *to, int first_n, int p, int last)
    {
        const T *base = static_cast<const T *>(args.right);
        const bool along = !args.right_k.table && args.right_k.stride == 1;
#pragma unroll
        for (int e = threadIdx.x; e < steps * S::bn; e += S::threads) {
            const int step = along ? e % steps : e / S::bn, j = along ? e / steps : e % S::bn;
            const T some = __ldg(base + offset_at(args.right_k, min(p + step, last - 1)) +
                                 offset_at(args.right_n, min(first_n + j, args.n - 1)));
            to[step * pitch + j] = p + step < last ? some : T(0);
        }
    }
};

template <typename S, bool along, bool is_vector>
__global__ void __launch_bounds__(S::threads, S::blocks_per_sm)
    multiply_panels(const __grid_constant__ lay_cuda_args args)
{
    using T = typename S::T;
    constexpr int v = S::v;
    extern __shared__ unsigned char shared[] __attribute__((aligned(16)));
    T *const memory = reinterpret_cast<T *>(shared); /* two panels, then [lanes][bn][bm] sums */

    const tile<S> at(args);
    const int lane = along ? threadIdx.x % S::lanes : threadIdx.x / S::threads_m;
    const int thread = along ? threadIdx.x / S::lanes : threadIdx.x % S::threads_m;
    const steps own = steps_of(args, blockIdx.z);
    const rows<S, along> left(args, thread, at.first_m, is_vector);
    T sum[S::tm][S::bn] = {};
    T *now = memory, *other = memory + panel<S>::size;
#pragma unroll 1
    for (int p = own.first; p < own.last; p += panel<S>::steps) {
        T a[S::ahead][S::tm][v];
        if (is_vector && left.is_wide && p + panel<S>::steps <= own.last)
#pragma unroll
            for (int stage = 0; stage < S::ahead; stage++)
                left.read_wide(a[stage], p + stage * S::turn + lane * v);
        else
#pragma unroll
            for (int stage = 0; stage < S::ahead; stage++)
                left.read_elements(a[stage], p + stage * S::turn + lane * v, own.last);
        panel<S>::fetch(args, now, at.first_n, p, own.last);
        __syncthreads(); /* and the other panel is free */
#pragma unroll
        for (int stage = 0; stage < S::ahead; stage++)
#pragma unroll
            for (int step = 0; step < v; step++)
#pragma unroll
                for (int j = 0; j < S::bn; j += v) {
                    const auto b = *reinterpret_cast<const chunk<T> *>(
                        now + (stage * S::turn + lane * v + step) * panel<S>::pitch + j);
#pragma unroll
                    for (int e = 0; e < v; e++)
#pragma unroll
                        for (int i = 0; i < S::tm; i++)
                            sum[i][j + e] = fma(a[stage][i][step], b.element[e], sum[i][j + e]);
                }
        T *const swapped = now;
        now = other;
        other = swapped;
    }
    __syncthreads();
    finish_lanes<S>(args, left, sum, memory, lane, thread);
}

template <typename S> constexpr lay_cuda_kernel panel_row(const char *name, int max_n, double rate, double start)
{
    return with_functions<S>(row_of<S>(name, max_n, rate, start),
                             reinterpret_cast<const void *>(&multiply_panels<S, false, true>),
                             reinterpret_cast<const void *>(&multiply_panels<S, true, true>),
                             reinterpret_cast<const void *>(&multiply_panels<S, false, false>),
                             reinterpret_cast<const void *>(&multiply_panels<S, true, false>));
}

} // namespace skinny

#endif
