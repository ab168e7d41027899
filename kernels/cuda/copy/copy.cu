/* Copies between layouts: lines as they are, all else in tiles through shared memory (kernels/cuda_copy.h). */
#include "cuda/copy/locate.cuh"

namespace
{

enum { THREADS = LAY_CUDA_COPY_THREADS };

template <typename Word> __device__ __forceinline__ const Word *in(const lay_cuda_copy_args &args, int64_t bytes)
{
    return reinterpret_cast<const Word *>(static_cast<const char *>(args.from) + bytes);
}

template <typename Word> __device__ __forceinline__ Word *out(const lay_cuda_copy_args &args, int64_t bytes)
{
    return reinterpret_cast<Word *>(static_cast<char *>(args.to) + bytes);
}

template <typename Word>
__global__ void __launch_bounds__(THREADS) lines(const __grid_constant__ lay_cuda_copy_args args)
{
    constexpr int room = LAY_CUDA_COPY_BYTES / sizeof(Word), turns = room / THREADS;
    __shared__ offsets at[LAY_CUDA_COPY_LINES];
    const int64_t block = args.first_block + blockIdx.x, group = block / args.pieces;
    const int64_t first_line = group * args.lines_per_block, first_word = (block - group * args.pieces) * room;
    const int count = static_cast<int>(min(static_cast<int64_t>(args.lines_per_block), args.lines - first_line));
    const int words = static_cast<int>(min(static_cast<int64_t>(room), args.line - first_word));
    for (int each = threadIdx.x; each < count; each += THREADS)
        at[each] = locate(args, 0, args.columns + args.rows + args.outers, first_line + each, args.size);
    __syncthreads();

    /* Word mine of the block is the line's mine % words: by a product with 2^32 / words, rounded up. */
    const uint32_t inverse = static_cast<uint32_t>(((1ull << 32) + words - 1) / words);
    Word moved[turns];
#pragma unroll
    for (int turn = 0; turn < turns; turn++) {
        const int mine = threadIdx.x + turn * THREADS, line = words > 1 ? __umulhi(mine, inverse) : mine;
        if (mine < count * words)
            moved[turn] = in<Word>(args, at[line].from)[first_word + mine - line * words];
    }
#pragma unroll
    for (int turn = 0; turn < turns; turn++) {
        const int mine = threadIdx.x + turn * THREADS, line = words > 1 ? __umulhi(mine, inverse) : mine;
        if (mine < count * words)
            out<Word>(args, at[line].to)[first_word + mine - line * words] = moved[turn];
    }
}

/* Large blocks of few words a thread: measured against other shapes, and hints (bench/LOG.md). */
__global__ void __launch_bounds__(LAY_CUDA_COPY_FLAT) flat(const __grid_constant__ lay_cuda_copy_args args)
{
    constexpr int words = LAY_CUDA_COPY_FLAT_WORDS, side = LAY_CUDA_COPY_FLAT;
    const int64_t first = (args.first_block + blockIdx.x) * (words * side) + threadIdx.x;
    uint4 moved[words];
#pragma unroll
    for (int i = 0; i < words; i++)
        if (first + i * side < args.line)
            moved[i] = in<uint4>(args, 0)[first + i * side];
#pragma unroll
    for (int i = 0; i < words; i++)
        if (first + i * side < args.line)
            out<uint4>(args, 0)[first + i * side] = moved[i];
}

/* Several words that are moved by one instruction. */
template <typename Word, int v> struct alignas(sizeof(Word) * v) several {
    Word word[v];
};

template <typename Word, int v>
__global__ void __launch_bounds__(THREADS, sizeof(Word) * v >= 16 && v > 1 ? 5 : 4)
    tiles(const __grid_constant__ lay_cuda_copy_args args)
{
    using vector = several<Word, v>;
    constexpr int turns = 64 / sizeof(vector) < 8 ? 64 / sizeof(vector) : 8; /* of a thread, on their way at once */
    extern __shared__ uint4 room[];
    const int across = 1 << args.log_columns, along = 1 << args.log_rows,
              pitch = along | 1; /* odd: few bank conflicts */
    int64_t *const column_from = reinterpret_cast<int64_t *>(room), *const column_to = column_from + across;
    int64_t *const row_from = column_to + across, *const row_to = row_from + along;
    Word *const tile = reinterpret_cast<Word *>(row_to + along); /* [column][row] */

    const int64_t block = args.first_block + blockIdx.x, strip = block / args.tiles_across,
                  outer = strip / args.tiles_along;
    const int64_t first_column = (block - strip * args.tiles_across) << args.log_columns;
    const int64_t first_row = (strip - outer * args.tiles_along) << args.log_rows;
    const int columns = static_cast<int>(min(static_cast<int64_t>(across), args.column_count - first_column));
    const int rows = static_cast<int>(min(static_cast<int64_t>(along), args.row_count - first_row));
    const offsets base = locate(args, args.columns + args.rows, args.outers, outer, args.size);
    for (int each = threadIdx.x; each < columns; each += THREADS) {
        const offsets found = locate(args, 0, args.columns, first_column + each, args.size);
        column_from[each] = base.from + found.from;
        column_to[each] = base.to + found.to;
    }
    for (int each = threadIdx.x; each < rows; each += THREADS) {
        const offsets found = locate(args, args.columns, args.rows, first_row + each, args.size);
        row_from[each] = found.from;
        row_to[each] = found.to;
    }
    __syncthreads();

    const int all = across * along / v;
    for (int first = threadIdx.x; first < all; first += turns * THREADS) {
        vector moved[turns];
#pragma unroll
        for (int turn = 0; turn < turns; turn++) {
            const int row = (first + turn * THREADS) * v & (along - 1),
                      column = (first + turn * THREADS) * v >> args.log_rows;
            if (row < rows && column < columns)
                moved[turn] = *in<vector>(args, row_from[row] + column_from[column]);
        }
#pragma unroll
        for (int turn = 0; turn < turns; turn++) {
            const int row = (first + turn * THREADS) * v & (along - 1),
                      column = (first + turn * THREADS) * v >> args.log_rows;
            if (row < rows && column < columns)
#pragma unroll
                for (int e = 0; e < v; e++)
                    tile[column * pitch + row + e] = moved[turn].word[e];
        }
    }
    __syncthreads();
#pragma unroll 4
    for (int mine = threadIdx.x; mine < all; mine += THREADS) {
        const int column = mine * v & (across - 1), row = mine * v >> args.log_columns;
        if (row < rows && column < columns) {
            vector moved;
#pragma unroll
            for (int e = 0; e < v; e++)
                moved.word[e] = tile[(column + e) * pitch + row];
            *out<vector>(args, row_to[row] + column_to[column]) = moved;
        }
    }
}

template <typename Word> constexpr const void *by_lines()
{
    return reinterpret_cast<const void *>(&lines<Word>);
}

template <typename Word, int v> constexpr const void *by_tiles()
{
    return reinterpret_cast<const void *>(&tiles<Word, v>);
}

} // namespace

extern "C" const void *const lay_cuda_copy_flat = reinterpret_cast<const void *>(&flat);
extern "C" const void *const lay_cuda_copy_lines[] = { by_lines<uint16_t>(), by_lines<uint32_t>(), by_lines<uint2>(),
                                                       by_lines<uint4>() };
extern "C" const void *const lay_cuda_copy_tiles[] = { by_tiles<uint16_t, 1>(), by_tiles<uint32_t, 1>(),
                                                       by_tiles<uint2, 1>(), by_tiles<uint4, 1>() };
extern "C" const void *const lay_cuda_copy_tiles_by_vectors[4][3] = {
    { by_tiles<uint16_t, 2>(), by_tiles<uint16_t, 4>(), by_tiles<uint16_t, 8>() },
    { by_tiles<uint32_t, 2>(), by_tiles<uint32_t, 4>(), nullptr },
    { by_tiles<uint2, 2>(), nullptr, nullptr },
    { nullptr, nullptr, nullptr },
};
