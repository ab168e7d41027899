/* C of 16-bit numbers that is not read and lies in no vectors of 16 bytes, but together along its rows: in words of two
 * neighbours, or one by one where these are no aligned words (lay_narrow_args, c_together). A tile's leave a few a turn
 * while the next tile is multiplied, as vectors do (leaving.cuh); those of a block's one tile by way of the ring
 * (staged.cuh), a row of the tile by lanes side by side. */
#ifndef LAY_KERNELS_CUDA_NARROW_WORDS_CUH
#define LAY_KERNELS_CUDA_NARROW_WORDS_CUH

#include "cuda/narrow/staged.cuh"

template <typename S> struct in_words {
    static constexpr bool may = S::kind != TF32 && !S::is_walked && S::residents == 1;

    static __device__ __forceinline__ bool serves(const lay_narrow_args &args)
    {
        return may && args.c_together > 0;
    }
};

/* Where an index is, of one stride or of blocks: no table is asked. */
__device__ __forceinline__ int64_t place_in_blocks(const lay_cuda_offsets &offsets, int i)
{
    return offsets.base + i * offsets.stride + quotient(i, offsets.run, offsets.inverse) * offsets.jump;
}
__device__ __forceinline__ bool is_in_blocks(const lay_cuda_offsets &offsets)
{
    return !offsets.table || offsets.run > 0;
}

/* A warpgroup's part of a tile: of each 32 columns a lane has four pairs, eight columns apart, in two rows. */
template <typename S> struct leaving_in_words {
    static constexpr int eights = (S::columns + 31) / 32, count = 2 * eights * S::parts;
    unsigned word[count][4];
    int row, column; /* the lane's first */

    __device__ __forceinline__ leaving_in_words() : row(LAY_NARROW_NO_TILE), column(0)
    {
    }

    /* Whether a tile has a turn for each four. */
    static __device__ __forceinline__ bool may_wait(const lay_narrow_args &args)
    {
        return args.k > (count - 1) * S::steps && args.turns == 0 && is_in_blocks(args.result_m) &&
               is_in_blocks(args.result_n);
    }

    __device__ __forceinline__ void take(const lay_narrow_args &args, int i, int j,
                                         const float (&sum)[S::parts][S::columns / 2])
    {
        row = i + threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
        column = j + threadIdx.x % 4 * 2;
#pragma unroll
        for (int number = 0; number < count; number++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const int part = number / (2 * eights), at = number / 2 % eights * 16 + 4 * e + 2 * (number % 2);
                word[number][e] = at < S::columns / 2
                                      ? pair<S::kind>::of(args.alpha * sum[part][at], args.alpha * sum[part][at + 1])
                                      : 0;
            }
    }
    __device__ __forceinline__ void put(const lay_narrow_args &args, int number) const
    {
        const int below = row + number / (2 * eights) * 64 + number % 2 * 8;
        if (below >= args.m)
            return;
        uint16_t *const line = static_cast<uint16_t *>(args.c) + place_in_blocks(args.result_m, below);
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const int own = number / 2 % eights * 32 + 8 * e, at = column + own;
            if (own >= S::columns || at >= args.n)
                continue;
            uint16_t *const to = line + place_in_blocks(args.result_n, at);
            if (args.c_together == 2) {
                *reinterpret_cast<unsigned *>(to) = word[number][e];
            } else {
                *to = static_cast<uint16_t>(word[number][e]);
                if (at + 1 < args.n)
                    line[place_in_blocks(args.result_n, at + 1)] = static_cast<uint16_t>(word[number][e] >> 16);
            }
        }
    }
    __device__ __forceinline__ void put_all(const lay_narrow_args &args)
    {
#pragma unroll
        for (int number = 0; number < count; number++)
            put(args, number);
        row = LAY_NARROW_NO_TILE;
    }
};

/* A tile's rows, from where staged has laid them. Rows are dealt among warps, of which a lane looks up one for all. A
 * tile that there is not fetches the loop's instructions, too. */
template <typename S, typename T>
__device__ __forceinline__ void write_rows(const lay_narrow_args &args, const char *room, int i, int j)
{
    constexpr int warps = S::multipliers / 32, each = sizeof(T) / 2, count = (S::bn / each + 31) / 32, at_once = 4;
    static_assert(S::bm <= 32 * warps, "a warp's lanes");
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int rows = min(S::bm, args.m - i), columns = min(S::bn, args.n - j), own_row = lane * warps + warp;
    const int64_t own = own_row < rows ? offset_now(args.result_m, i + own_row) : 0;
    int64_t across[count];
#pragma unroll
    for (int e = 0; e < count; e++) {
        const int column = (e * 32 + lane) * each;
        across[e] = column < columns ? offset_now(args.result_n, j + column) : nowhere;
    }
    int number = 0;
#pragma unroll 1
    do {
        T word[at_once][count];
#pragma unroll
        for (int r = 0; r < at_once; r++) {
            const int row = (number + r) * warps + warp;
            const char *const from = room + row * staged<S>::next_row + lane * sizeof(T);
#pragma unroll
            for (int e = 0; e < count; e++)
                if (across[e] != nowhere && row < rows)
                    word[r][e] = *reinterpret_cast<const T *>(from + e * 32 * sizeof(T));
        }
#pragma unroll
        for (int r = 0; r < at_once; r++) {
            const int row = (number + r) * warps + warp;
            uint16_t *const line = static_cast<uint16_t *>(args.c) + __shfl_sync(0xffffffff, own, number + r);
#pragma unroll
            for (int e = 0; e < count; e++)
                if (across[e] != nowhere && row < rows)
                    *reinterpret_cast<T *>(line + across[e]) = word[r][e];
        }
        number += at_once;
    } while (number * warps < rows);
}

template <typename S>
__device__ __forceinline__ void write_words(const lay_narrow_args &args, const char *room, int i, int j)
{
    if (args.c_together == 2)
        write_rows<S, unsigned>(args, room, i, j);
    else
        write_rows<S, uint16_t>(args, room, i, j);
}

#endif
