/* Copies between layouts that convert, scale and add up (kernels/cuda_copy.h): tiles through shared memory, and lines
 * in vectors. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

#include "cuda/copy/locate.cuh"

namespace
{

enum { THREADS = LAY_CUDA_COPY_THREADS };

/* In the order of lay_type. */
template <int number> struct of_number;
template <> struct of_number<LAY_F32> {
    using type = float;
};
template <> struct of_number<LAY_F64> {
    using type = double;
};
template <> struct of_number<LAY_F16> {
    using type = __half;
};
template <> struct of_number<LAY_BF16> {
    using type = __nv_bfloat16;
};

template <typename X, typename Y>
using sum_of = std::conditional_t<std::is_same_v<X, double> || std::is_same_v<Y, double>, double, float>;

/* There and back, rounded once; a float between a 16-bit type and double loses nothing. */
__device__ __forceinline__ void convert(float x, float &to)
{
    to = x;
}
__device__ __forceinline__ void convert(double x, double &to)
{
    to = x;
}
__device__ __forceinline__ void convert(float x, double &to)
{
    to = x;
}
__device__ __forceinline__ void convert(double x, float &to)
{
    to = __double2float_rn(x);
}
template <typename Sum> __device__ __forceinline__ void convert(__half x, Sum &to)
{
    to = __half2float(x);
}
template <typename Sum> __device__ __forceinline__ void convert(__nv_bfloat16 x, Sum &to)
{
    to = __bfloat162float(x);
}
__device__ __forceinline__ void convert(float x, __half &to)
{
    to = __float2half_rn(x);
}
__device__ __forceinline__ void convert(double x, __half &to)
{
    to = __double2half(x);
}
__device__ __forceinline__ void convert(float x, __nv_bfloat16 &to)
{
    to = __float2bfloat16_rn(x);
}
__device__ __forceinline__ void convert(double x, __nv_bfloat16 &to)
{
    to = __double2bfloat16(x);
}

__device__ __forceinline__ float times(float x, float y)
{
    return __fmul_rn(x, y);
}
__device__ __forceinline__ double times(double x, double y)
{
    return __dmul_rn(x, y);
}
__device__ __forceinline__ float plus(float x, float y)
{
    return __fadd_rn(x, y);
}
__device__ __forceinline__ double plus(double x, double y)
{
    return __dadd_rn(x, y);
}
__device__ __forceinline__ void read_scalar(const lay_cuda_scalar &scalar, float &to)
{
    to = scalar.f32;
}
__device__ __forceinline__ void read_scalar(const lay_cuda_scalar &scalar, double &to)
{
    to = scalar.f64;
}

/* What y becomes; y counts where it is read. */
template <typename X, typename Y> __device__ __forceinline__ Y change(const lay_cuda_change_args &args, X x, Y y)
{
    using Sum = sum_of<X, Y>;
    Sum alpha, beta, wide, sum = 0;
    Y out;
    read_scalar(args.alpha, alpha);
    read_scalar(args.beta, beta);
    if (args.reads_from) {
        convert(x, wide);
        sum = times(alpha, wide);
    }
    if (args.reads_to) {
        convert(y, wide);
        const Sum own = times(beta, wide);
        sum = args.reads_from ? plus(sum, own) : own;
    }
    convert(sum, out);
    return out;
}

template <typename Word> __device__ __forceinline__ const Word *in(const lay_cuda_change_args &args, int64_t bytes)
{
    return reinterpret_cast<const Word *>(static_cast<const char *>(args.copy.from) + bytes);
}

template <typename Word> __device__ __forceinline__ Word *out(const lay_cuda_change_args &args, int64_t bytes)
{
    return reinterpret_cast<Word *>(static_cast<char *>(args.copy.to) + bytes);
}

/* As the tiles of plain copies, an element at a time. */
template <typename X, typename Y>
__global__ void __launch_bounds__(THREADS) tiles(const __grid_constant__ lay_cuda_change_args all)
{
    constexpr int turns = 8; /* of a thread, on their way at once */
    extern __shared__ uint4 room[];
    const lay_cuda_copy_args &args = all.copy;
    const int across = 1 << args.log_columns, along = 1 << args.log_rows,
              pitch = along | 1; /* odd: few bank conflicts */
    int64_t *const column_from = reinterpret_cast<int64_t *>(room), *const column_to = column_from + across;
    int64_t *const row_from = column_to + across, *const row_to = row_from + along;
    X *const tile = reinterpret_cast<X *>(row_to + along); /* [column][row] */

    const int64_t block = args.first_block + blockIdx.x, strip = block / args.tiles_across,
                  outer = strip / args.tiles_along;
    const int64_t first_column = (block - strip * args.tiles_across) << args.log_columns;
    const int64_t first_row = (strip - outer * args.tiles_along) << args.log_rows;
    const int columns = static_cast<int>(min(static_cast<int64_t>(across), args.column_count - first_column));
    const int rows = static_cast<int>(min(static_cast<int64_t>(along), args.row_count - first_row));
    const offsets base = locate(args, args.columns + args.rows, args.outers, outer, all.from_size);
    for (int each = threadIdx.x; each < columns; each += THREADS) {
        const offsets found = locate(args, 0, args.columns, first_column + each, all.from_size);
        column_from[each] = base.from + found.from;
        column_to[each] = base.to + found.to;
    }
    for (int each = threadIdx.x; each < rows; each += THREADS) {
        const offsets found = locate(args, args.columns, args.rows, first_row + each, all.from_size);
        row_from[each] = found.from;
        row_to[each] = found.to;
    }
    __syncthreads();

    const int count = across * along;
    for (int first = threadIdx.x; first < count && all.reads_from; first += turns * THREADS) {
        X moved[turns];
#pragma unroll
        for (int turn = 0; turn < turns; turn++) {
            const int mine = first + turn * THREADS, row = mine & (along - 1), column = mine >> args.log_rows;
            if (row < rows && column < columns)
                moved[turn] = *in<X>(all, row_from[row] + column_from[column]);
        }
#pragma unroll
        for (int turn = 0; turn < turns; turn++) {
            const int mine = first + turn * THREADS, row = mine & (along - 1), column = mine >> args.log_rows;
            if (row < rows && column < columns)
                tile[column * pitch + row] = moved[turn];
        }
    }
    __syncthreads();
#pragma unroll 4
    for (int mine = threadIdx.x; mine < count; mine += THREADS) {
        const int column = mine & (across - 1), row = mine >> args.log_columns;
        if (row < rows && column < columns) {
            Y *const to = out<Y>(all, row_to[row] + column_to[column]);
            *to = change(all, tile[column * pitch + row], all.reads_to ? *to : Y());
        }
    }
}

/* Several elements that are moved by one instruction. */
template <typename T, int v> struct alignas(sizeof(T) * v) several {
    T element[v];
};

/* As the lines of plain copies. */
template <typename X, typename Y>
__global__ void __launch_bounds__(THREADS) lines(const __grid_constant__ lay_cuda_change_args all)
{
    constexpr int v = LAY_CUDA_CHANGE_BYTES / (sizeof(X) > sizeof(Y) ? sizeof(X) : sizeof(Y));
    constexpr int space = LAY_CUDA_CHANGE_VECTORS, turns = space / THREADS;
    using from_vector = several<X, v>;
    using to_vector = several<Y, v>;
    __shared__ offsets at[LAY_CUDA_COPY_LINES];
    const lay_cuda_copy_args &args = all.copy;
    const int64_t block = args.first_block + blockIdx.x, group = block / args.pieces;
    const int64_t first_line = group * args.lines_per_block, first_word = (block - group * args.pieces) * space;
    const int count = static_cast<int>(min(static_cast<int64_t>(args.lines_per_block), args.lines - first_line));
    const int words = static_cast<int>(min(static_cast<int64_t>(space), args.line - first_word));
    for (int each = threadIdx.x; each < count; each += THREADS)
        at[each] = locate(args, 0, args.columns + args.rows + args.outers, first_line + each, all.from_size);
    __syncthreads();

    /* Word mine of the block is the line's mine % words: by a product with 2^32 / words, rounded up. */
    const uint32_t inverse = static_cast<uint32_t>(((1ull << 32) + words - 1) / words);
    from_vector moved[turns];
    to_vector old[turns];
#pragma unroll
    for (int turn = 0; turn < turns; turn++) {
        const int mine = threadIdx.x + turn * THREADS, line = words > 1 ? __umulhi(mine, inverse) : mine;
        if (mine >= count * words)
            continue;
        if (all.reads_from)
            moved[turn] = in<from_vector>(all, at[line].from)[first_word + mine - line * words];
        if (all.reads_to)
            old[turn] = out<to_vector>(all, at[line].to)[first_word + mine - line * words];
    }
#pragma unroll
    for (int turn = 0; turn < turns; turn++) {
        const int mine = threadIdx.x + turn * THREADS, line = words > 1 ? __umulhi(mine, inverse) : mine;
        if (mine >= count * words)
            continue;
        to_vector changed;
#pragma unroll
        for (int e = 0; e < v; e++)
            changed.element[e] = change(all, moved[turn].element[e], old[turn].element[e]);
        out<to_vector>(all, at[line].to)[first_word + mine - line * words] = changed;
    }
}

template <int x, int y> constexpr const void *by_tiles()
{
    return reinterpret_cast<const void *>(&tiles<typename of_number<x>::type, typename of_number<y>::type>);
}

template <int x, int y> constexpr const void *by_lines()
{
    return reinterpret_cast<const void *>(&lines<typename of_number<x>::type, typename of_number<y>::type>);
}

} // namespace

#define TO_EACH(way, x)                                                                                                \
    {                                                                                                                  \
        way<x, LAY_F32>(), way<x, LAY_F64>(), way<x, LAY_F16>(), way<x, LAY_BF16>()                                    \
    }
#define FROM_EACH(way)                                                                                                 \
    {                                                                                                                  \
        TO_EACH(way, LAY_F32), TO_EACH(way, LAY_F64), TO_EACH(way, LAY_F16), TO_EACH(way, LAY_BF16)                    \
    }
extern "C" const void *const lay_cuda_change_tiles[LAY_CUDA_CHANGE_TYPES][LAY_CUDA_CHANGE_TYPES] = FROM_EACH(by_tiles);
extern "C" const void *const lay_cuda_change_lines[LAY_CUDA_CHANGE_TYPES][LAY_CUDA_CHANGE_TYPES] = FROM_EACH(by_lines);
