/* C whose rows are contiguous, those of walked rows of the table: neighbours by eights, below each other in a tile or,
 * crossed, a group apart, leave as vectors of 16 bytes by way of shared memory (cuda_narrow.h). */
#ifndef LAY_KERNELS_CUDA_NARROW_CROSSED_CUH
#define LAY_KERNELS_CUDA_NARROW_CROSSED_CUH

#include "cuda/narrow/result.cuh"
#include "cuda/narrow/together.cuh"

/* One vector, from numbers so far apart. */
template <typename T>
__device__ __forceinline__ void write_eight(const lay_narrow_args &args, const float *from, int apart, int64_t offset)
{
    union {
        uint4 bits;
        T element[LAY_NARROW_CROSSED];
    } whole = {};
    uint4 *const to = reinterpret_cast<uint4 *>(static_cast<T *>(args.c) + offset);
    if (args.beta != 0)
        whole.bits = *to;
#pragma unroll
    for (int e = 0; e < LAY_NARROW_CROSSED; e++) {
        const float old = stored<T>::widen(whole.element[e]);
        whole.element[e] = stored<T>::narrow(blend(args.alpha, from[e * apart], args.beta, &old));
    }
    *to = whole.bits;
}

/* 32 columns of the tile at a time, [128][pitch] in room: a lane has a column, a warp some of 16 vectors. */
template <typename S>
__device__ __forceinline__ void write_eights_down(const lay_narrow_args &args, work tile,
                                                  const float (&sum)[S::parts][S::columns / 2], float *room)
{
    using piece = subtile<32>;
    static_assert(S::bm == LAY_NARROW_SECTOR * LAY_NARROW_CROSSED && S::groups_down * 64 == S::bm && S::parts == 1 &&
                      S::piece_size == piece::size,
                  "a warpgroup has 64 rows, and all columns");
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int first = args.rows.is_crossed ? 1 : LAY_NARROW_CROSSED,
              apart = args.rows.is_crossed ? LAY_NARROW_SECTOR : 1;
    const piece own = { room + warp * piece::size };
#pragma unroll 1
    for (int which = 0; which * piece::columns < min(S::columns, args.n - tile.j); which++) {
        own.lay(sum[0], which);
        some_meet<S::multipliers>();
        const int64_t column = column_at<true>(args, tile.j + which * piece::columns + lane);
#pragma unroll
        for (int vector = warp; vector < S::bm / LAY_NARROW_CROSSED; vector += S::multipliers / 32) {
            const int64_t row = row_at<true>(args, tile.i + vector * first);
            const float *const from = room + vector * first * piece::pitch + lane;
            if (row == nowhere || column == nowhere)
                continue;
            if (args.c_type == LAY_F16)
                write_eight<__half>(args, from, apart * piece::pitch, row + column);
            else
                write_eight<__nv_bfloat16>(args, from, apart * piece::pitch, row + column);
        }
        some_meet<S::multipliers>();
    }
}

#endif
