/* Complex FP32 products by fused multiply-adds on sm_90, the right operand expanded in registers. */
#include "cuda/simt90/numbers_result.cuh"

namespace
{

template <typename S> __device__ __forceinline__ void multiply_tile(const lay_cuda_args &args, float *shared)
{
    let_next_begin();
    const numbers::ring<S> ring(shared);
    const place tile = place_of<S>(args);
    const numbers::share own(args, S::groups > 1 && args.slices > 1 && !args.partial);
    const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0) - producers / 32, group = warp / S::group_warps;
    if (threadIdx.x == 0)
        for (int i = 0; i < S::places; i++) {
            barrier_init(ring.full + i, producers);
            barrier_init(ring.empty + i, S::group_warps);
        }
    __syncthreads();
    if (warp < 0) {
        give_registers<numbers::producer_registers>();
        numbers::produce<S>(args, ring, tile, own);
        return await_previous();
    }
    take_registers<numbers::consumer_registers>();
    numbers::sums<S> sums(warp % S::group_warps);
    const steps of = own.of(args, group);
    numbers::consume_conjugated<S>(args, ring, group, sums, of.last - of.first);
    numbers::put_sums<S>(shared, group, sums);
    if (args.partial)
        numbers::write_partial<S>(args, shared, numbers::writer_of(tile));
    else
        numbers::write_c<S>(args, shared, numbers::writer_of(tile), own.count);
}

template <typename S>
__global__ void __launch_bounds__(producers + consumers, 1) multiply_numbers(const __grid_constant__ lay_cuda_args args)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL /* setmaxnreg; the row's least_sm keeps others away */
    extern __shared__ __align__(16) float shared[];
    multiply_tile<S>(args, shared);
#else
    __trap();
#endif
}

template <typename S> constexpr lay_cuda_kernel row_of_numbers(const char *name, double rate, double start)
{
    lay_cuda_kernel made = row_of_complex<S>(name, rate, start);
    made.bk = S::bk;
    made.band = band;
    made.threads = producers + consumers;
    made.groups = S::groups > 1 ? S::groups : 0;
    made.blocks_per_sm = 1;
    made.least_sm = 90;
    made.crowding = 0.5;
    made.lone = S::groups > 1 ? 1 : 0;
    for (auto &left : made.function)
        for (auto &function : left)
            function = reinterpret_cast<const void *>(&multiply_numbers<S>);
    return made;
}

} // namespace

/*               bm   bn  turns groups n */
extern "C" const lay_cuda_kernel lay_cuda_simt90_numbers[] = {
    row_of_numbers<numbers::shape<128, 256, 6, 1, 16>>("gemm_c32_128x256x32_simt90", 216, 12500),
    row_of_numbers<numbers::shape<128, 128, 4, 2, 16>>("gemm_c32_128x128x32x2_simt90", 214, 9000),
    row_of_numbers<numbers::shape<128, 128, 8, 1, 8>>("gemm_c32_128x128x32_simt90", 190, 7000),
    row_of_numbers<numbers::shape<64, 64, 4, 4, 8>>("gemm_c32_64x64x32x4_simt90", 185, 4000),
    {},
};
