/* C of 16-bit numbers that is not read, of blocks that have one tile: by way of the ring, which nobody needs any more,
 * so that C leaves in whole runs of a tile's rows, or of its columns where C's rows are contiguous. That is little
 * code, a loop but for what is known of registers alone: what runs once has to be fetched first (bench/LOG.md, 126). */
#ifndef LAY_KERNELS_CUDA_NARROW_STAGED_CUH
#define LAY_KERNELS_CUDA_NARROW_STAGED_CUH

#include "cuda/narrow/leaving.cuh"
#include "cuda/narrow/together.cuh"

/* Four matrices of 8 x 8, of which a lane has two neighbours of a row each, to rows at the lanes' addresses; or to
 * columns. */
__device__ __forceinline__ void store_eights(unsigned to, const unsigned (&word)[4], bool is_down, bool is_there)
{
    asm volatile("{\n\t"
                 ".reg .pred rows, columns;\n\t"
                 "setp.eq.u32 rows, %5, 1;\n\t"
                 "setp.eq.u32 columns, %5, 2;\n\t"
                 "@rows stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};\n\t"
                 "@columns stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};\n\t"
                 "}" ::"r"(to),
                 "r"(word[0]), "r"(word[1]), "r"(word[2]), "r"(word[3]), "r"(is_there ? 1 + is_down : 0)
                 : "memory");
}

template <typename S> struct staged {
    /* Small tiles are slower so: 264 3.65 us for 3.37 (bench/LOG.md, 143). */
    static constexpr bool serves_any = S::kind != TF32 && !S::is_walked && S::residents == 1;
    static constexpr int next_row = S::bn * 2 + 16, next_column = S::bm * 2 + 16; /* bytes: rows fall into all banks */
    static constexpr int vector = 8, at_once = 4, longest = S::bm > S::bn ? S::bm : S::bn;
    static_assert(S::bm * next_row <= S::turns * S::turn_size && S::bn * next_column <= S::turns * S::turn_size,
                  "room");
    static_assert(longest / vector <= 32 && longest <= S::multipliers, "a warp's lanes");

    static __device__ __forceinline__ bool serves(const lay_narrow_args &args)
    {
        return serves_any && is_in_vectors<S>(args) && args.slices == 1;
    }

    /* row, column: of the warpgroup's part of the tile. */
    static __device__ __forceinline__ void lay(const lay_narrow_args &args, char *room, int row, int column,
                                               const float (&sum)[S::parts][S::columns / 2], bool is_there)
    {
        const int lane = threadIdx.x % 32, down = row + threadIdx.x % 128 / 32 * 16;
        const bool is_down = args.is_c_down;
        const int apart = is_down ? 16 * next_column : 32; /* of sixteen columns */
        const int below = is_down ? 128 : 64 * next_row;
        const unsigned first =
            shared_address(room) +
            (is_down ? (column + lane / 16 * 8 + lane % 8) * next_column + (down + lane / 8 % 2 * 8) * 2
                     : (down + lane % 16) * next_row + (column + lane / 16 * 8) * 2);
#pragma unroll
        for (int part = 0; part < S::parts; part++)
#pragma unroll
            for (int e = 0; e < S::columns / 16; e++) {
                unsigned word[4];
#pragma unroll
                for (int w = 0; w < 4; w++) {
                    const int at = 8 * e + 2 * w;
                    word[w] = pair<S::kind>::of(args.alpha * sum[part][at], args.alpha * sum[part][at + 1]);
                }
                store_eights(first + part * below + e * apart, word, is_down, is_there);
            }
    }

    /* Runs are dealt among warps, or parts of them. A lane looks up where one of its warp's runs is in C. What a tile
     * that there is not fetches is the loop, too. */
    static __device__ __forceinline__ void write(const lay_narrow_args &args, const char *room, int i, int j)
    {
        constexpr int warps = S::multipliers / 32;
        const bool is_down = args.is_c_down;
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        const int length = (is_down ? S::bm : S::bn) / vector, log_lanes = 32 - __clz(length - 1);
        const int own = lane & ((1 << log_lanes) - 1), part = lane >> log_lanes, parts = 32 >> log_lanes;
        const int lines = is_down ? min(S::bn, args.n - j) : min(S::bm, args.m - i);
        const int next = is_down ? next_column : next_row;
        const lay_cuda_offsets &down = is_down ? args.result_n : args.result_m,
                               &across = is_down ? args.result_m : args.result_n;
        const int at = is_down ? row_of<S>(args, i, own * vector) : column_of<S>(args, j, own * vector);
        const int line_at = lane * warps + warp;
        const int run_at = is_down ? column_of<S>(args, j, line_at) : row_of<S>(args, i, line_at);
        const bool is_there = own < length && at >= 0;
        const int64_t run = line_at < lines && run_at >= 0 ? offset_now(down, run_at) : nowhere;
        uint16_t *const to = static_cast<uint16_t *>(args.c) + (is_there ? offset_now(across, at) : 0);
        int number = 0;
#pragma unroll 1
        do {
            uint4 eight[at_once];
#pragma unroll
            for (int e = 0; e < at_once; e++) {
                const int line = (number + e * parts + part) * warps + warp;
                if (is_there && line < lines)
                    eight[e] = *reinterpret_cast<const uint4 *>(room + line * next + own * 16);
            }
#pragma unroll
            for (int e = 0; e < at_once; e++) {
                const int which = number + e * parts + part;
                const int64_t offset = __shfl_sync(0xffffffff, run, which);
                if (is_there && which * warps + warp < lines && offset != nowhere)
                    *reinterpret_cast<uint4 *>(to + offset) = eight[e];
            }
            number += at_once * parts;
        } while (number * warps < lines);
    }
};

#endif
