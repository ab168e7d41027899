/* Images -> C: persistent blocks, a warpgroup that brings leaves by bulk copies and two that multiply on the matrix
 * units and promote each chunk's sum to FP32 registers. Both paths are in one kernel; the summaries say which. */
#include "cuda/split/products.cuh"
#include "cuda/split/result.cuh"

namespace {

/* Of the 504 registers that a quarter of the multiprocessor has for three warps. */
enum { producer_registers = 56, consumer_registers = (504 - producer_registers) / 16 * 8 };

template <typename S, bool is_fp16> __device__ __forceinline__ void bring(const lay_cuda_split_args &args, const ring<S> &ring)
{
    producer<S, is_fp16> self(args, ring);
    for (int number = first_work<S>(); number < work_count<S>(args); number += work_apart<S>())
        self.bring(work_of<S>(args, number));
}

template <typename S, bool is_fp16>
__device__ __forceinline__ void consume(const lay_cuda_split_args &args, const ring<S> &ring, int warpgroup)
{
    consumer<S, is_fp16> self(ring, warpgroup);
    int *const own_scales = ring.scales + warpgroup * scales<S>::lines;
    float sum[S::count];
#pragma unroll 1
    for (int number = first_work<S>(); number < work_count<S>(args); number += work_apart<S>()) {
        const work own = work_of<S>(args, number);
        const int i = own.i + (S::warpgroups_m == 2 ? warpgroup * S::rows : 0);
        const int j = own.j + (S::warpgroups_n == 2 ? warpgroup * S::columns : 0);
        scales<S> of_lines;
        of_lines.fetch(args, i, j, is_fp16 ? fp16_top : bf16_top);
        self.multiply(own, sum);
        of_lines.lay(own_scales, warpgroup);
        write<S>(args, i, j, own.slice, sum, own_scales);
    }
}

template <typename S> __device__ __forceinline__ void multiply_tiles(const lay_cuda_split_args &args, char *shared)
{
    const lay_cuda_split_path_kind path = path_of(args);
    if (path == LAY_SPLIT_STRICT)
        return;
    const ring<S> ring(shared);
    if (threadIdx.x == 0) {
        for (int turn = 0; turn < S::most_turns; turn++) {
            barrier_init(ring.full + turn, 1);
            barrier_init(ring.empty + turn, 2 * S::cluster);
        }
        barriers_are_made();
    }
    __syncthreads();
    if (S::cluster > 1)
        cluster_meets();
    if (threadIdx.x < producers) {
        give_registers<producer_registers>();
        if (threadIdx.x == 0) {
            if (path == LAY_SPLIT_FP16X3)
                bring<S, true>(args, ring);
            else
                bring<S, false>(args, ring);
        }
    } else {
        take_registers<consumer_registers>();
        const int warpgroup = threadIdx.x / 128 - 1;
        if (path == LAY_SPLIT_FP16X3)
            consume<S, true>(args, ring, warpgroup);
        else
            consume<S, false>(args, ring, warpgroup);
    }
    if (S::cluster > 1)
        cluster_meets(); /* others may still arrive at this block's barriers */
}

template <typename S>
__global__ void __launch_bounds__(producers + consumers, 1) __cluster_dims__(S::cluster, 1, 1)
    multiply(const __grid_constant__ lay_cuda_split_args args)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL /* only sm_90a has these matrix units */
    extern __shared__ __align__(1024) char shared[];
    multiply_tiles<S>(args, shared);
#else
    __trap();
#endif
}

template <typename S> constexpr lay_cuda_split_row row(const char *name, double fp16_rate, double bf16_rate, double start)
{
    lay_cuda_split_row made = {};
    made.name = name;
    made.bm = S::bm;
    made.bn = S::bn;
    made.stages = S::fp16_turns;
    made.threads = producers + consumers;
    made.shared = S::shared;
    made.cluster = S::cluster;
    made.rate[LAY_SPLIT_FP16X3] = fp16_rate;
    made.rate[LAY_SPLIT_BF16X6] = bf16_rate;
    made.start[LAY_SPLIT_FP16X3] = made.start[LAY_SPLIT_BF16X6] = start;
    made.multiply = reinterpret_cast<const void *>(&multiply<S>);
    return made;
}

} // namespace

extern "C" const lay_cuda_split_row lay_cuda_split_rows[] = {
    row<shape<128, 128, 1>>("split_f32_128x128", 1000, 500, 6000),
    row<shape<128, 128, 2>>("split_f32_128x128_pair", 1000, 500, 6000),
    row<shape<64, 256, 1>>("split_f32_64x256", 1000, 500, 6000),
    row<shape<128, 96, 1>>("split_f32_128x96", 900, 450, 5000),
    row<shape<128, 64, 1>>("split_f32_128x64", 700, 350, 4000),
    row<shape<64, 128, 1>>("split_f32_64x128", 700, 350, 4000),
    {},
};
