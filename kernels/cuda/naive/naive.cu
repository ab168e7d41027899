/* One thread an element of C, the rows of a block one below the other: the obvious version, and the measure of
 * all others (the first task of the course report; docs/kernels.md). A block takes a piece of one row, so
 * consecutive threads read consecutive columns of the right operand and one element of the left. */
#include "cuda/element.cuh"

namespace
{

template <typename T, int threads>
__global__ void __launch_bounds__(threads) multiply(const __grid_constant__ lay_cuda_args args)
{
    const int i = blockIdx.x / args.tiles_n, j = blockIdx.x % args.tiles_n * threads + threadIdx.x;
    const bool is_inside = j < args.n;
    if (is_inside)
        add_chain<T>(args, blockIdx.z, i, j);
    if (args.counters && is_last_slice(args) && is_inside)
        add_slices_at<T>(args, i, j);
}

template <typename T, int threads> constexpr lay_cuda_kernel row(const char *name)
{
    lay_cuda_kernel made = {};
    made.family = "naive";
    made.name = name;
    made.type = of_type<T>::type;
    made.order = LAY_CUDA_CHAIN;
    made.can_resume = made.can_slice = 1;
    made.bm = 1;
    made.bn = threads;
    made.bk = 1;
    made.threads = threads;
    made.blocks_per_sm = 1536 / threads < 32 ? 1536 / threads : 32; /* by 40 registers a thread */
    made.least_sm = 80;
    made.rate = sizeof(T) == 4 ? 6 : 5; /* bound by loads, not by arithmetic */
    made.start = 6000;
    made.crowding = 0.5;
    made.fetch[LAY_CUDA_ALONG_VECTOR] = 2;
    made.fetch[LAY_CUDA_ACROSS] = made.fetch[LAY_CUDA_ALONG] = 4;
    for (auto &left : made.function)
        for (auto &function : left)
            function = reinterpret_cast<const void *>(&multiply<T, threads>);
    return made;
}

} // namespace

extern "C" const lay_cuda_kernel lay_cuda_naive[] = {
    row<float, 32>("gemm_f32_1x32x1_naive"),
    row<float, 64>("gemm_f32_1x64x1_naive"),
    row<float, 128>("gemm_f32_1x128x1_naive"),
    row<float, 256>("gemm_f32_1x256x1_naive"),
    row<float, 512>("gemm_f32_1x512x1_naive"),
    row<double, 32>("gemm_f64_1x32x1_naive"),
    row<double, 64>("gemm_f64_1x64x1_naive"),
    row<double, 128>("gemm_f64_1x128x1_naive"),
    row<double, 256>("gemm_f64_1x256x1_naive"),
    row<double, 512>("gemm_f64_1x512x1_naive"),
    {},
};
