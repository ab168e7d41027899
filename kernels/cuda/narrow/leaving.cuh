/* C of 16-bit numbers that is not read, in vectors: a tile's leave one by one while the next tile is multiplied, since
 * all multiprocessors end theirs at the same time and memory takes thousands of clocks for them. Until then they wait
 * in registers, rounded. Where a tile has fewer turns than vectors they leave at once. */
#ifndef LAY_KERNELS_CUDA_NARROW_LEAVING_CUH
#define LAY_KERNELS_CUDA_NARROW_LEAVING_CUH

#include <type_traits>

#include "cuda/half.cuh"
#include "cuda/hopper/movmatrix.cuh"
#include "cuda/narrow/walk.cuh"

template <piece_type kind> struct pair;
template <> struct pair<FP16> {
    static __device__ __forceinline__ unsigned of(float x, float y)
    {
        const __half2 both = __floats2half2_rn(x, y);
        return *reinterpret_cast<const unsigned *>(&both);
    }
};
template <> struct pair<BF16> {
    static __device__ __forceinline__ unsigned of(float x, float y)
    {
        const __nv_bfloat162 both = __floats2bfloat162_rn(x, y);
        return *reinterpret_cast<const unsigned *>(&both);
    }
};

/* Four lanes side by side have pairs of columns of four eights: after it each has one eight of its own, word[i] from
 * lane i of them. */
__device__ __forceinline__ void turn_words(unsigned (&word)[4])
{
    const int lane = threadIdx.x % 4;
#pragma unroll
    for (int apart = 1; apart <= 2; apart *= 2)
#pragma unroll
        for (int i = 0; i < 2; i++) {
            unsigned &low = word[apart == 1 ? 2 * i : i], &high = word[apart == 1 ? 2 * i + 1 : i + 2];
            const unsigned other = __shfl_xor_sync(0xffffffff, lane & apart ? low : high, apart);
            if (lane & apart)
                low = other;
            else
                high = other;
        }
}

/* Whether C is such, and not read. */
template <typename S> __device__ __forceinline__ bool is_in_vectors(const lay_narrow_args &args)
{
    return args.c_type == (S::kind == FP16 ? LAY_F16 : LAY_BF16) && (args.is_c_vector || args.is_c_down) &&
           args.beta == 0;
}

/* A warpgroup's part of a tile: of each 32 columns a lane has eight, in two rows that are eight apart. */
template <typename S> struct leaving {
    static constexpr int eights = (S::columns + 31) / 32, count = 2 * eights * S::parts;
    uint4 vector[count];
    uint16_t *first;   /* where the lane's first is in C */
    int rows, columns; /* from there on; 0: there is nothing */

    __device__ __forceinline__ leaving() : first(nullptr), rows(0), columns(0)
    {
    }

    /* Whether C is such. */
    static __device__ __forceinline__ bool serves(const lay_narrow_args &args)
    {
        return S::leave_in_eights && args.is_c_vector && is_in_vectors<S>(args) && args.slices == 1;
    }

    /* Whether a tile has a turn for each of them, and each is a few instructions: of two strides. */
    static __device__ __forceinline__ bool may_wait(const lay_narrow_args &args)
    {
        return S::residents == 1 && !S::is_walked && args.k > (count - 1) * S::steps && !args.result_m.table &&
               !args.result_n.table;
    }

    /* i, j: where the warpgroup's part begins. */
    __device__ __forceinline__ void begin(const lay_narrow_args &args, int i, int j)
    {
        const int row = i + threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4, column = j + threadIdx.x % 4 * 8;
        first = static_cast<uint16_t *>(args.c) + row * args.result_m.stride + column;
        rows = args.m - row;
        columns = args.n - column;
    }
    /* Numbers are known when this is compiled. */
    static __device__ __forceinline__ uint4 round(const lay_narrow_args &args, int number,
                                                  const float (&sum)[S::parts][S::columns / 2])
    {
        const int part = number / (2 * eights), eight = number / 2 % eights, half = number % 2;
        unsigned word[4];
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const int at = eight * 16 + 4 * e + 2 * half;
            word[e] = pair<S::kind>::of(args.alpha * sum[part][at], args.alpha * sum[part][at + 1]);
        }
        turn_words(word);
        return make_uint4(word[0], word[1], word[2], word[3]);
    }
    __device__ __forceinline__ void take(const lay_narrow_args &args, int i, int j,
                                         const float (&sum)[S::parts][S::columns / 2])
    {
        begin(args, i, j);
#pragma unroll
        for (int number = 0; number < count; number++)
            vector[number] = round(args, number, sum);
    }
    /* Of so many columns that are there, if any. */
    static __device__ __forceinline__ void put_at(uint16_t *to, uint4 eight, int there)
    {
        if (there >= 8) {
            *reinterpret_cast<uint4 *>(to) = eight;
            return;
        }
        const unsigned word[4] = { eight.x, eight.y, eight.z, eight.w };
#pragma unroll
        for (int e = 0; e < 7; e++)
            if (e < there)
                to[e] = static_cast<uint16_t>(word[e / 2] >> e % 2 * 16);
    }
    /* Of columns that are contiguous, and whole vectors of them. */
    __device__ __forceinline__ void put(const lay_narrow_args &args, int number) const
    {
        const int below = number / (2 * eights) * 64 + number % 2 * 8, across = number / 2 % eights * 32;
        if (below < rows && across < columns)
            *reinterpret_cast<uint4 *>(first + below * args.result_m.stride + across) = vector[number];
    }
    /* Without a wait: no vector is kept. A lane looks up one of the tile's eights and one of the warp's rows for all:
     * where they are in tables each answer takes hundreds of clocks, where they are walked tens of instructions. */
    __device__ __forceinline__ void pass(const lay_narrow_args &args, int i, int j,
                                         const float (&sum)[S::parts][S::columns / 2])
    {
        const int lane = threadIdx.x % 32, first = i + threadIdx.x % 128 / 32 * 16;
        if (first >= args.m && i < LAY_NARROW_NO_TILE)
            return;
        const int64_t own_column = column_at<S::is_walked>(args, j + lane * 8);
        const int64_t own_row = row_at<S::is_walked>(args, first + lane / 16 * 64 + lane % 16);
        int64_t down[2 * S::parts];
#pragma unroll
        for (int e = 0; e < 2 * S::parts; e++)
            down[e] = __shfl_sync(0xffffffff, own_row, e / 2 * 16 + e % 2 * 8 + lane / 4);
#pragma unroll
        for (int eight = 0; eight < eights; eight++) {
            const int64_t across = __shfl_sync(0xffffffff, own_column, eight * 4 + lane % 4);
#pragma unroll
            for (int e = 0; e < 2 * S::parts; e++) {
                const uint4 vector = round(args, e / 2 * 2 * eights + eight * 2 + e % 2, sum);
                if (down[e] != nowhere && across != nowhere && !S::is_walked)
                    *reinterpret_cast<uint4 *>(static_cast<uint16_t *>(args.c) + down[e] + across) = vector;
                else if (down[e] != nowhere && across != nowhere)
                    put_at(static_cast<uint16_t *>(args.c) + down[e] + across, vector,
                           args.n - j - eight * 32 - lane % 4 * 8);
            }
        }
    }
    __device__ __forceinline__ void put_all(const lay_narrow_args &args)
    {
#pragma unroll
        for (int number = 0; number < count; number++)
            put(args, number);
        rows = 0;
    }
};

/* The same by sixteens of columns, which any tile has. C has rows contiguous or columns: of each 16 x 16 a lane has
 * eight that lie together, two lanes a sector of memory. Tiles of an odd number of sixteens leave so, and sums that are
 * gathered, and where C's rows are contiguous. */
template <typename S> struct leaving_in_sectors {
    static constexpr int each = S::columns / 16, count = each * S::parts;
    uint4 vector[count];
    uint16_t *first; /* as above */
    int rows, columns;

    __device__ __forceinline__ leaving_in_sectors() : first(nullptr), rows(0), columns(0)
    {
    }

    /* Whether C is such, when all slices are added. */
    static __device__ __forceinline__ bool may(const lay_narrow_args &args)
    {
        return is_in_vectors<S>(args) && !args.result_m.table && !args.result_n.table;
    }
    static __device__ __forceinline__ bool serves(const lay_narrow_args &args)
    {
        return may(args) && args.slices == 1;
    }
    static __device__ __forceinline__ bool may_wait(const lay_narrow_args &args)
    {
        return args.k > (count - 1) * S::steps;
    }
    static __device__ __forceinline__ uint4 round(const lay_narrow_args &args, int number,
                                                  const float (&sum)[S::parts][S::columns / 2])
    {
        unsigned word[4]; /* of rows 0 and 8, each of columns 0 and 8 */
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const int part = number / each, at = number % each * 8 + e % 2 * 4 + e / 2 * 2;
            const unsigned across = pair<S::kind>::of(args.alpha * sum[part][at], args.alpha * sum[part][at + 1]);
            const unsigned down = transpose_eight(across); /* not asked: a branch around it is longer */
            word[e] = args.is_c_down ? down : across;
        }
        turn_words(word);
        return make_uint4(word[0], word[1], word[2], word[3]);
    }
    __device__ __forceinline__ void begin(const lay_narrow_args &args, int i, int j)
    {
        const int lane = threadIdx.x % 32, own = args.is_c_down ? 0 : lane / 4, beside = args.is_c_down ? lane / 4 : 0;
        const int row = i + threadIdx.x % 128 / 32 * 16 + lane % 4 / 2 * 8 + own, column = j + lane % 2 * 8 + beside;
        first = static_cast<uint16_t *>(args.c) + row * args.result_m.stride + column * args.result_n.stride;
        rows = args.m - row;
        columns = args.n - column;
    }
    __device__ __forceinline__ void take(const lay_narrow_args &args, int i, int j,
                                         const float (&sum)[S::parts][S::columns / 2])
    {
        begin(args, i, j);
#pragma unroll
        for (int number = 0; number < count; number++)
            vector[number] = round(args, number, sum);
    }
    __device__ __forceinline__ void put_one(const lay_narrow_args &args, int number, uint4 eight) const
    {
        const int below = number / each * 64, across = number % each * 16;
        if (below < rows && across < columns)
            __stcg(reinterpret_cast<uint4 *>(first + below * args.result_m.stride + across * args.result_n.stride),
                   eight); /* one instruction, whose registers lie side by side */
    }
    __device__ __forceinline__ void put(const lay_narrow_args &args, int number) const
    {
        put_one(args, number, vector[number]);
    }
    __device__ __forceinline__ void put_all(const lay_narrow_args &args)
    {
#pragma unroll
        for (int number = 0; number < count; number++)
            put(args, number);
        rows = 0;
    }
    /* Without a wait: no vector is kept. */
    __device__ __forceinline__ void pass(const lay_narrow_args &args, int i, int j,
                                         const float (&sum)[S::parts][S::columns / 2])
    {
        begin(args, i, j);
#pragma unroll
        for (int number = 0; number < count; number++)
            put_one(args, number, round(args, number, sum));
    }
};

template <typename S> using leaving_of = std::conditional_t<S::leave_in_sectors, leaving_in_sectors<S>, leaving<S>>;

/* Where nothing waits. */
struct nothing_leaving {
    static constexpr int count = 0;

    __device__ __forceinline__ void put(const lay_narrow_args &, int) const
    {
    }
    __device__ __forceinline__ void put_all(const lay_narrow_args &)
    {
    }
};

#endif
