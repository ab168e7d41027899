/* The kernel: which tile, its sums by the main loop, and their way to C or to the partial sums. */
#ifndef LAY_KERNELS_CUDA_SIMT_MULTIPLY_CUH
#define LAY_KERNELS_CUDA_SIMT_MULTIPLY_CUH

#include <type_traits>

#include "cuda/simt/lines.cuh"
#include "cuda/simt/pipeline.cuh"
#include "cuda/simt/result.cuh"

/* Tiles in bands of 8 rows, each band column by column, so that the blocks that run at once share what they
 * read; the last band has what rows are left. */
struct tile_index {
    int m, n;
};
__device__ __forceinline__ tile_index banded(const lay_cuda_args &args, unsigned block)
{
    const unsigned band = 8, whole = band * args.tiles_n, which = args.tiles_m <= band ? 0 : block / whole;
    const unsigned rows = min(band, args.tiles_m - which * band), within = block - which * whole;
    const unsigned n = rows == band ? within / band : within / rows; /* a shift, mostly */
    return { static_cast<int>(which * band + within - n * rows), static_cast<int>(n) };
}

__host__ __device__ constexpr bool goes_along(lay_cuda_class way)
{
    return way == LAY_CUDA_ALONG || way == LAY_CUDA_ALONG_VECTOR;
}

template <lay_cuda_class way, int across, int bk, int pitch, int threads> struct choose_lines {
    static constexpr int wide = way == LAY_CUDA_ACROSS_VECTOR ? 4 : 1;
    using type = std::conditional_t<goes_along(way), fetch_lines_along<across, bk, pitch, threads>,
                                    fetch_lines_across<wide, across, bk, pitch, threads>>;
};

/* The sums over the group's steps, fetched so. */
template <typename shape, typename Left, typename Right>
__device__ __forceinline__ void sum_up_by(float (&sums)[shape::tm][shape::tn], float *shared, int group,
                                          const operand &left_operand, const operand &right_operand)
{
    using Ring =
        std::conditional_t<Left::uses_ring, offset_ring<shape::bk, shape::stages, shape::threads>, no_ring>;
    const int thread = threadIdx.x % shape::threads, count = left_operand.own.last - left_operand.own.first;
    Left left(left_operand, thread);
    Right right(right_operand, thread);
    const bool is_plain = Left::is_plain(left_operand) && Right::is_plain(right_operand);
    Ring ring(left_operand, right_operand, shared_address(shared) + shape::stages_bytes, thread);
    pipeline<shape, Left, Right, Ring> line = { sums, left, right, ring, shared, group, is_plain };
    const typename shape::place place = shape::of_thread(thread);
    if constexpr (Left::holds && Right::holds && !shape::split)
        line.template run<ASKED>(count, place.m, place.n);
    else if (is_plain)
        line.template run<PLAIN>(count, place.m, place.n);
    else
        line.template run<GENERAL>(count, place.m, place.n);
}

/* In small tiles by lines, where both operands lie so. */
template <typename shape, lay_cuda_class left_class, lay_cuda_class right_class>
__device__ __forceinline__ void sum_up(const lay_cuda_args &args, float (&sums)[shape::tm][shape::tn], float *shared,
                                       int m, int n, int group, steps own)
{
    const operand left = { static_cast<const float *>(args.left), args.left_m, args.left_k, m, args.m, own,
                           goes_along(args.left_class) };
    const operand right = { static_cast<const float *>(args.right), args.right_n, args.right_k, n, args.n, own,
                            goes_along(args.right_class) };
    if constexpr (shape::is_small) {
        if (lies_in_lines(left, goes_along(left_class)) && lies_in_lines(right, goes_along(right_class))) {
            using Left =
                typename choose_lines<left_class, shape::bm, shape::bk, shape::left_pitch, shape::threads>::type;
            using Right =
                typename choose_lines<right_class, shape::bn, shape::bk, shape::right_pitch, shape::threads>::type;
            sum_up_by<shape, Left, Right>(sums, shared, group, left, right);
            return;
        }
    }
    using Left = typename choose_fetch<left_class, shape::bm, shape::bk, shape::left_pitch, shape::threads>::type;
    using Right = typename choose_fetch<right_class, shape::bn, shape::bk, shape::right_pitch, shape::threads>::type;
    sum_up_by<shape, Left, Right>(sums, shared, group, left, right);
}

template <typename shape, lay_cuda_class left_class, lay_cuda_class right_class>
__global__ void __launch_bounds__(shape::threads *shape::groups, shape::blocks)
    multiply(const __grid_constant__ lay_cuda_args args)
{
    extern __shared__ float4 room[];
    float *shared = reinterpret_cast<float *>(room);
    const tile_index index = banded(args, blockIdx.x);
    const int m = index.m * shape::bm, n = index.n * shape::bn;
    float sums[shape::tm][shape::tn] = {};

    /* Several groups work only where the block is to take all slices; else the first is the block. */
    const bool is_together = shape::groups > 1 && args.slices > 1 && !args.partial;
    const int group = threadIdx.x / shape::threads, slice = is_together ? group : blockIdx.z;
    if (shape::groups > 1 && !is_together && group > 0)
        return;
    if (args.resume)
        resume_sums<shape>(args, sums, shared, m, n);
    if (slice < args.slices)
        sum_up<shape, left_class, right_class>(args, sums, shared + group * (shape::group_bytes / 4), m, n, group,
                                               steps_of(args, slice));
    if (is_together) {
        __syncthreads();
        passage<shape>::put(sums, shared + group * shape::sums, 0);
        __syncthreads();
        write_part<shape, shape::threads * shape::groups>(args, aim_at_c(args), shared, 0, args.slices, m, n);
        return;
    }
    const aim to = aim_of(args);
    if (is_whole<shape>(args, m, n) && to.is_vector && !to.m.table && !to.n.table)
        write_whole<shape>(to, sums, m, n);
    else
        write_parts<shape>(args, to, sums, shared, m, n);
    if (args.counters && is_last_slice(args))
        add_slices<shape>(args, m, n);
}

#endif
