/* The textbook's tiled product (docs/kernels.md): tile x tile threads compute as many elements of C, one a thread,
 * and stage tiles of both operands in shared memory, so that each element is fetched once a block:
 *
 *          tile steps       tile                    turn by turn: all fetch, barrier, all add, barrier
 *         +----------+   +-------+
 *    tile |   left   |   | right | tile steps       Three edges, each with its own check: a thread without an
 *         +----------+   +-------+                  element of C may still have to fetch one of left or right.
 *
 * The tiles lie in dynamic shared memory: how large a tile a device has room for is asked at run time, by the planner.
 * Lanes fetch along whichever dimension lies next in memory, and one column more than the tile keeps the transposed
 * tiles free of bank conflicts. */
#include "cuda/element.cuh"

namespace
{

template <typename T, int tile> struct staged {
    T left[tile][tile + 1], right[tile][tile + 1]; /* [row][step], [step][column] */
};

template <typename T, int tile, bool is_left_along, bool is_right_along>
__global__ void __launch_bounds__(tile *tile) multiply(const __grid_constant__ lay_cuda_args args)
{
    extern __shared__ double room[];
    staged<T, tile> &shared = *reinterpret_cast<staged<T, tile> *>(room);
    const int x = threadIdx.x % tile, y = threadIdx.x / tile;
    const int first_i = blockIdx.x / args.tiles_n * tile, first_j = blockIdx.x % args.tiles_n * tile;
    const int left_row = is_left_along ? y : x, left_step = is_left_along ? x : y;
    const int right_column = is_right_along ? y : x, right_step = is_right_along ? x : y;
    const bool is_left_row = first_i + left_row < args.m, is_right_column = first_j + right_column < args.n;
    const T *left = static_cast<const T *>(args.left), *right = static_cast<const T *>(args.right);
    if (is_left_row)
        left += offset_at(args.left_m, first_i + left_row);
    if (is_right_column)
        right += offset_at(args.right_n, first_j + right_column);

    const int i = first_i + y, j = first_j + x;
    const bool is_inside = i < args.m && j < args.n;
    const steps own = steps_of(args, blockIdx.z);
    T sum = args.resume && is_inside ? static_cast<const T *>(args.resume)[static_cast<int64_t>(i) * args.n + j] : T(0);
    for (int p = own.first; own.last - p >= tile; p += tile) {
        shared.left[left_row][left_step] = is_left_row ? left[offset_at(args.left_k, p + left_step)] : T(0);
        shared.right[right_step][right_column] =
            is_right_column ? right[offset_at(args.right_k, p + right_step)] : T(0);
        __syncthreads();
#pragma unroll 8
        for (int s = 0; s < tile; s++)
            sum = fma(shared.left[y][s], shared.right[s][x], sum);
        __syncthreads();
    }
    if (const int rest = (own.last - own.first) % tile) {
        const int p = own.last - rest;
        if (left_step < rest && is_left_row)
            shared.left[left_row][left_step] = left[offset_at(args.left_k, p + left_step)];
        if (right_step < rest && is_right_column)
            shared.right[right_step][right_column] = right[offset_at(args.right_k, p + right_step)];
        __syncthreads();
        if (is_inside) /* steps past the end are left out, not added as zeros: -0 + 0 is +0 */
            for (int s = 0; s < rest; s++)
                sum = fma(shared.left[y][s], shared.right[s][x], sum);
    }
    if (is_inside)
        finish(args, blockIdx.z, i, j, sum);
    if (args.counters && is_last_slice(args) && is_inside)
        add_slices_at<T>(args, i, j);
}

constexpr bool is_along(int way)
{
    return way == LAY_CUDA_ALONG || way == LAY_CUDA_ALONG_VECTOR;
}

template <typename T, int tile> constexpr lay_cuda_kernel row(const char *name, int blocks_per_sm, double rate)
{
    lay_cuda_kernel made = {};
    made.family = "tiled";
    made.name = name;
    made.type = of_type<T>::type;
    made.order = LAY_CUDA_CHAIN;
    made.can_resume = made.can_slice = 1;
    made.bm = made.bn = made.bk = tile;
    made.threads = tile * tile;
    made.shared = sizeof(staged<T, tile>);
    made.blocks_per_sm = blocks_per_sm; /* by 40 to 44 registers a thread, or 32 where that is all there are */
    made.least_sm = 80;
    made.rate = rate;
    made.start = 5000;
    made.crowding = 0.5;
    made.fetch[LAY_CUDA_ALONG_VECTOR] = 2;
    made.fetch[LAY_CUDA_ACROSS] = made.fetch[LAY_CUDA_ALONG] = 4;
    const void *const by_way[2][2] = { { reinterpret_cast<const void *>(&multiply<T, tile, false, false>),
                                         reinterpret_cast<const void *>(&multiply<T, tile, false, true>) },
                                       { reinterpret_cast<const void *>(&multiply<T, tile, true, false>),
                                         reinterpret_cast<const void *>(&multiply<T, tile, true, true>) } };
    for (int left = 0; left < LAY_CUDA_CLASSES; left++)
        for (int right = 0; right < LAY_CUDA_CLASSES; right++)
            made.function[left][right] = by_way[is_along(left)][is_along(right)];
    return made;
}

} // namespace

extern "C" const lay_cuda_kernel lay_cuda_tiled[] = {
    row<float, 8>("gemm_f32_8x8x8_tiled", 25, 10),
    row<float, 16>("gemm_f32_16x16x16_tiled", 6, 19),
    row<float, 32>("gemm_f32_32x32x32_tiled", 2, 22),
    row<double, 8>("gemm_f64_8x8x8_tiled", 23, 10),
    row<double, 16>("gemm_f64_16x16x16_tiled", 8, 15),
    row<double, 32>("gemm_f64_32x32x32_tiled", 2, 16),
    {},
};
