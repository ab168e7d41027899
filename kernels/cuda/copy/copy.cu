/* Copies between layouts: lines as they are, all else in tiles through shared memory (kernels/cuda_copy.h). */
#include "cuda_copy.h"
#include "cuda/element.cuh"

namespace {

enum { THREADS = LAY_CUDA_COPY_THREADS };

struct offsets {
    int64_t from, to;
};

/* Bytes to index of a list of axes. */
__device__ offsets locate(const lay_cuda_copy_args &args, int first, int count, int64_t index)
{
    offsets sum = { 0, 0 };
    for (int x = first; x < first + count; x++) {
        const lay_cuda_copy_axis &axis = args.axis[x];
        int64_t digit = index, rest = 0;
        if (static_cast<uint64_t>(index) >= static_cast<uint64_t>(axis.extent)) {
            rest = (static_cast<uint64_t>(index) | static_cast<uint64_t>(axis.extent)) >> 32
                       ? index / axis.extent
                       : static_cast<uint32_t>(index) / static_cast<uint32_t>(axis.extent);
            digit = index - rest * axis.extent;
        }
        sum.from += offset_at(axis.from, digit);
        sum.to += offset_at(axis.to, digit);
        index = rest;
    }
    return { sum.from * args.size, sum.to * args.size };
}

template <typename Word> __device__ __forceinline__ const Word *in(const lay_cuda_copy_args &args, int64_t bytes)
{
    return reinterpret_cast<const Word *>(static_cast<const char *>(args.from) + bytes);
}

template <typename Word> __device__ __forceinline__ Word *out(const lay_cuda_copy_args &args, int64_t bytes)
{
    return reinterpret_cast<Word *>(static_cast<char *>(args.to) + bytes);
}

template <typename Word> __global__ void __launch_bounds__(THREADS) lines(const __grid_constant__ lay_cuda_copy_args args)
{
    constexpr int turns = LAY_CUDA_COPY_WORDS / THREADS;
    __shared__ offsets at[LAY_CUDA_COPY_WORDS / 2];
    const int64_t block = args.first_block + blockIdx.x, group = block / args.pieces;
    const int64_t first_line = group * args.lines_per_block, first_word = (block - group * args.pieces) * LAY_CUDA_COPY_WORDS;
    const int count = static_cast<int>(min(static_cast<int64_t>(args.lines_per_block), args.lines - first_line));
    const int words = static_cast<int>(min(static_cast<int64_t>(LAY_CUDA_COPY_WORDS), args.line - first_word));
    for (int each = threadIdx.x; each < count; each += THREADS)
        at[each] = locate(args, 0, args.columns + args.rows + args.outers, first_line + each);
    __syncthreads();

    Word moved[turns];
#pragma unroll
    for (int turn = 0; turn < turns; turn++) {
        const int mine = threadIdx.x + turn * THREADS;
        if (mine < count * words)
            moved[turn] = in<Word>(args, at[mine / words].from)[first_word + mine % words];
    }
#pragma unroll
    for (int turn = 0; turn < turns; turn++) {
        const int mine = threadIdx.x + turn * THREADS;
        if (mine < count * words)
            out<Word>(args, at[mine / words].to)[first_word + mine % words] = moved[turn];
    }
}

template <typename Word> __global__ void __launch_bounds__(THREADS, 4) tiles(const __grid_constant__ lay_cuda_copy_args args)
{
    constexpr int turns = sizeof(Word) == 16 ? 4 : 8; /* of a thread at once: enough on their way */
    extern __shared__ uint4 room[];
    const int across = 1 << args.log_columns, along = 1 << args.log_rows, pitch = along | 1; /* odd: no bank conflicts */
    offsets *const column_at = reinterpret_cast<offsets *>(room), *const row_at = column_at + across;
    Word *const tile = reinterpret_cast<Word *>(row_at + along); /* [column][row] */

    const int64_t block = args.first_block + blockIdx.x, strip = block / args.tiles_across, outer = strip / args.tiles_along;
    const int64_t first_column = (block - strip * args.tiles_across) << args.log_columns;
    const int64_t first_row = (strip - outer * args.tiles_along) << args.log_rows;
    const int columns = static_cast<int>(min(static_cast<int64_t>(across), args.column_count - first_column));
    const int rows = static_cast<int>(min(static_cast<int64_t>(along), args.row_count - first_row));
    for (int each = threadIdx.x; each < columns; each += THREADS)
        column_at[each] = locate(args, 0, args.columns, first_column + each);
    for (int each = threadIdx.x; each < rows; each += THREADS)
        row_at[each] = locate(args, args.columns, args.rows, first_row + each);
    const offsets base = locate(args, args.columns + args.rows, args.outers, outer);
    __syncthreads();

    const int all = across * along;
    for (int first = threadIdx.x; first < all; first += turns * THREADS) {
        Word moved[turns];
#pragma unroll
        for (int turn = 0; turn < turns; turn++) {
            const int row = (first + turn * THREADS) & (along - 1), column = (first + turn * THREADS) >> args.log_rows;
            if (row < rows && column < columns)
                moved[turn] = *in<Word>(args, base.from + row_at[row].from + column_at[column].from);
        }
#pragma unroll
        for (int turn = 0; turn < turns; turn++) {
            const int row = (first + turn * THREADS) & (along - 1), column = (first + turn * THREADS) >> args.log_rows;
            if (row < rows && column < columns)
                tile[column * pitch + row] = moved[turn];
        }
    }
    __syncthreads();
#pragma unroll 4
    for (int mine = threadIdx.x; mine < all; mine += THREADS) {
        const int column = mine & (across - 1), row = mine >> args.log_columns;
        if (row < rows && column < columns)
            *out<Word>(args, base.to + row_at[row].to + column_at[column].to) = tile[column * pitch + row];
    }
}

} // namespace

extern "C" const void *const lay_cuda_copy_lines[] = { reinterpret_cast<const void *>(&lines<uint32_t>),
                                                       reinterpret_cast<const void *>(&lines<uint2>),
                                                       reinterpret_cast<const void *>(&lines<uint4>) };
extern "C" const void *const lay_cuda_copy_tiles[] = { reinterpret_cast<const void *>(&tiles<uint32_t>),
                                                       reinterpret_cast<const void *>(&tiles<uint2>),
                                                       reinterpret_cast<const void *>(&tiles<uint4>) };
