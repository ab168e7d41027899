/* FP32 products by limbs of 16 bits, on the matrix units of compute capability 8.0 and newer: the row, whose contract
 * is cuda_split.h's. Which products are computed is known on the device alone, so both paths are in one kernel. */
#include "cuda/mma/limbs.cuh"
#include "cuda/mma/limbs_result.cuh"

extern "C" const lay_cuda_pass lay_cuda_split_clear, lay_cuda_split_prepare, lay_cuda_split_widen, lay_cuda_split_add,
    lay_cuda_split_patch_any;

namespace
{

template <bool is_fp16, class Asked> __device__ __forceinline__ void multiply_all(const Asked &of, char *room)
{
    const int count = of.args.tiles_m * of.args.tiles_n * of.args.slices;
    static_assert(sizeof(strip<warp_columns>) * warps <= ring_size, "strips lie where the ring was");
#pragma unroll 1
    for (int number = blockIdx.x; number < count; number += gridDim.x) {
        sums_of_limbs made;
        sum_work<is_fp16>(of, work_at(of, number), to_shared(room), made);
        const int warp = static_cast<int>(again(threadIdx.x)) / 32;
        const work own = work_at(of, static_cast<int>(again(static_cast<unsigned>(number))));
        write_sums<tiles_16, warp_columns>(
            of, own.i + warp % (side / warp_rows) * warp_rows, own.j + warp / (side / warp_rows) * warp_columns,
            own.slice, undoing_of<is_fp16>(), made.sum, reinterpret_cast<strip<warp_columns> *>(room)[warp]);
        __syncthreads();
    }
}

template <bool is_transposed>
__global__ void __launch_bounds__(threads, 1) multiply(const __grid_constant__ lay_cuda_split_args args)
{
    extern __shared__ __align__(1024) char room[];
    begin_launch();
    const lay_cuda_split_path_kind path = path_of(args);
    if (path == LAY_SPLIT_STRICT)
        return;
    if (path == LAY_SPLIT_FP16X3)
        multiply_all<true>(as_asked<is_transposed>{ args }, room);
    else
        multiply_all<false>(as_asked<is_transposed>{ args }, room);
}

/* As enum lay_cuda_split_pass. */
constexpr const lay_cuda_pass *passes[] = { &lay_cuda_split_clear, &lay_cuda_split_prepare,   &lay_cuda_split_widen,
                                            &lay_cuda_split_add,   &lay_cuda_split_patch_any, nullptr };

/* rate: of FP16X3; BF16X6 has half of it. */
template <int tile> constexpr lay_cuda_kernel row(const char *name, double rate, double start)
{
    lay_cuda_kernel made = {};
    made.family = "split_mma";
    made.name = name;
    made.contract = LAY_CUDA_SPLIT_MMA;
    made.type = LAY_F32;
    made.least_sm = 80;
    made.bm = made.bn = tile;
    made.bk = LAY_SPLIT_CHUNK;
    made.threads = threads;
    made.shared = ring_size;
    made.blocks_per_sm = 1;
    made.can_slice = 1;
    made.rate = rate;
    made.start = start;
    made.passes = passes;
    made.function[0][0] = reinterpret_cast<const void *>(&multiply<false>);
    made.function[1][0] = reinterpret_cast<const void *>(&multiply<true>);
    return made;
}

} // namespace

extern "C" const lay_cuda_kernel lay_cuda_split_mma[] = {
    row<side>("split_mma_f32_128x128", 480, 8000),
    {},
};
