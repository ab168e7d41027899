/* FP32 products by fused multiply-adds on sm_90: a warpgroup of producers fills a ring of turns in shared memory,
 * whatever the layout, and two of consumers do nothing but read it and multiply. No thread waits for all others
 * between the first step and the last, and every class of layout meets the same consumers: the same bits. */
#include "cuda/simt90/consume.cuh"
#include "cuda/simt90/produce.cuh"
#include "cuda/simt90/result.cuh"

namespace
{

/* Of the 504 registers that a quarter of the multiprocessor has for three warps. */
enum { producer_registers = 104, consumer_registers = (504 - producer_registers) / 16 * 8 };

/* The block that comes last to its tile adds the slices in ascending order. */
template <typename S>
__device__ __forceinline__ void add_slices(const lay_cuda_args &args, place tile, unsigned *counter, int *is_last)
{
    __threadfence();
    meet<consumers>();
    if (threadIdx.x == producers) {
        *is_last = atomicAdd(counter, 1u) == static_cast<unsigned>(args.slices - 1);
        if (*is_last)
            *counter = 0;
        __threadfence();
    }
    meet<consumers>();
    if (!*is_last)
        return;
    const int64_t size = static_cast<int64_t>(args.m) * args.n;
    for_own<S, 1>(args, tile, 0, [&](int, int, int row, int column) {
        const float *partial = static_cast<const float *>(args.partial) + static_cast<int64_t>(row) * args.n + column;
        float sum = __ldcg(partial);
        for (int slice = 1; slice < args.slices; slice++)
            sum += __ldcg(partial + slice * size);
        write_element(args, row, column, sum);
    });
}

template <typename S> __device__ __forceinline__ void multiply_tile(const lay_cuda_args &args, float *shared)
{
    let_next_begin();
    const ring<S> ring(shared);
    const place tile = place_of<S>(args);
    const steps own = steps_of(args, blockIdx.z);
    if (threadIdx.x == 0)
        for (int i = 0; i < S::turns; i++) {
            barrier_init(ring.full + i, producers);
            barrier_init(ring.empty + i, consumers / 32);
        }
    __syncthreads();
    if (threadIdx.x < producers) {
        give_registers<producer_registers>();
        produce<S>(args, ring, tile, own);
        return await_previous();
    }
    take_registers<consumer_registers>();
    sums sums;
    sums.start(S::warps_n);
    if (args.resume)
        resume(args, sums, tile);
    consume<S>(ring, sums, own);
    share<S>(shared, sums);
    if (!args.partial)
        return write_c<S>(args, shared, tile);
    write_partial<S>(args, shared, tile, blockIdx.z);
    if (args.counters)
        add_slices<S>(args, tile, args.counters + blockIdx.x, reinterpret_cast<int *>(shared));
}

template <typename S>
__global__ void __launch_bounds__(producers + consumers, 1) multiply(const __grid_constant__ lay_cuda_args args)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL /* setmaxnreg; the row's least_sm keeps others away */
    extern __shared__ __align__(16) float shared[];
    multiply_tile<S>(args, shared);
#else
    __trap();
#endif
}

template <typename S> constexpr lay_cuda_kernel row(const char *name, double rate, double start)
{
    lay_cuda_kernel made = {};
    made.family = "simt";
    made.name = name;
    made.type = LAY_F32;
    made.order = LAY_CUDA_CHAIN;
    made.can_resume = made.can_slice = 1;
    made.bm = S::bm;
    made.bn = S::bn;
    made.bk = S::bk;
    made.band = band;
    made.threads = producers + consumers;
    made.shared = S::shared;
    made.blocks_per_sm = 1;
    made.least_sm = 90;
    made.can_overlap = 1;
    made.rate = rate;
    made.start = start;
    made.crowding = 0.5;
    made.fetch[LAY_CUDA_ALONG_VECTOR] = 2;
    made.fetch[LAY_CUDA_ACROSS] = made.fetch[LAY_CUDA_ALONG] = 4;
    for (auto &left : made.function)
        for (auto &function : left)
            function = reinterpret_cast<const void *>(&multiply<S>);
    return made;
}

} // namespace

extern "C" const lay_cuda_kernel lay_cuda_simt90[] = {
    row<shape<128, 256, 32, 4>>("gemm_f32_128x256x32_simt90", 216, 12500),
    row<shape<256, 128, 32, 4>>("gemm_f32_256x128x32_simt90", 213, 9000),
    {},
};
