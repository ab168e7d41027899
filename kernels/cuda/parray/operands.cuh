/* How the paper's kernel fetches: the tile of A into shared memory, two columns of B into registers. */
#ifndef LAY_KERNELS_CUDA_PARRAY_OPERANDS_CUH
#define LAY_KERNELS_CUDA_PARRAY_OPERANDS_CUH

#include "cuda/async.cuh"
#include "cuda/element.cuh"

namespace
{

enum {
    ROWS = 16,
    COLUMNS = 256,
    STEPS = 32, /* of a turn: a tile of A */
    THREADS = 128,
    GROUP = 4,               /* steps of B that are fetched at once; mostly one stride leads through all */
    AHEAD = THREADS / STEPS, /* turns whose steps are looked up at once, one by each thread */
    SLOTS = 4 * AHEAD        /* turns whose steps are known or on their way */
};

/* How the two columns of B are fetched. */
enum right_way {
    PAIR,  /* one load for both, a step */
    DOWN,  /* a vector of steps for each */
    SINGLE /* one load for each, a step */
};

template <typename T> struct shared_tiles {
    static constexpr int width = ROWS + of_type<T>::vector; /* aligned for vectors, and no bank conflicts */
    T left[2][STEPS][width];                                /* A's tile, transposed: this turn's and the next one's */
    const T *row[ROWS];                                     /* of A */
    int64_t left_step[SLOTS][STEPS], right_step[SLOTS][STEPS]; /* elements to the steps of a turn */
    int64_t stride[SLOTS];                                     /* from step to step of B within a group: */
    int is_even[SLOTS];                                        /* the same in all groups of this turn */
};

__device__ __forceinline__ void send_step(const lay_cuda_offsets &offsets, int p, int64_t *to)
{
    if (offsets.table)
        copy_async<8>(to, offsets.table + p);
    else
        *to = p * offsets.stride;
}

/* Where the steps of AHEAD turns lie; behind the last step, where the last one lies. */
template <typename T>
__device__ __forceinline__ void send_steps(const lay_cuda_args &args, int turn, steps own, shared_tiles<T> &shared)
{
    const int p = min(own.first + turn * STEPS + static_cast<int>(threadIdx.x), own.last - 1);
    send_step(args.left_k, p, &shared.left_step[turn % SLOTS][threadIdx.x]); /* on into the turns behind it */
    send_step(args.right_k, p, &shared.right_step[turn % SLOTS][threadIdx.x]);
}

/* Whether AHEAD turns, whose steps have arrived, are even: a warp each. */
template <typename T> __device__ __forceinline__ void settle_steps(int turn, shared_tiles<T> &shared)
{
    const int lane = threadIdx.x % STEPS, slot = (turn + threadIdx.x / STEPS) % SLOTS;
    const int64_t *step = shared.right_step[slot];
    const int64_t stride = step[1] - step[0];
    const int is_even = __all_sync(~0u, lane % GROUP == GROUP - 1 || step[lane + 1] - step[lane] == stride);
    if (lane == 0) {
        shared.stride[slot] = stride;
        shared.is_even[slot] = is_even;
    }
}

/* One turn's tile of A. Rows and steps past the edge are those at the edge once more: no sum that is kept has
 * them in it. */
template <typename T, lay_cuda_class way>
__device__ __forceinline__ void send_left(bool is_whole, int turn, shared_tiles<T> &shared)
{
    const int64_t *step = shared.left_step[turn % SLOTS];
    auto &tile = shared.left[turn % 2];
    constexpr int v = of_type<T>::vector;
    if (way == LAY_CUDA_ACROSS_VECTOR && is_whole) {
        const int r = threadIdx.x % (ROWS / v) * v;
#pragma unroll
        for (int s = threadIdx.x / (ROWS / v); s < STEPS; s += THREADS / (ROWS / v))
            copy_async<16>(&tile[s][r], shared.row[r] + step[s]);
    } else if (way == LAY_CUDA_ALONG) {
        /* Eight lanes along a row fill sectors of memory and, four such rows at once, all banks of shared memory. All
         * addresses come first: a copy that follows a read of shared memory waits for it. */
        const int s = threadIdx.x / 32 * 8 + threadIdx.x % 8, r = threadIdx.x % 32 / 8;
        const int64_t at = step[s];
        const T *from[ROWS / 4];
#pragma unroll
        for (int q = 0; q < ROWS / 4; q++)
            from[q] = shared.row[r + q * 4] + at;
#pragma unroll
        for (int q = 0; q < ROWS / 4; q++)
            copy_async<sizeof(T)>(&tile[s][r + q * 4], from[q]);
    } else {
        const int r = threadIdx.x % ROWS;
        const T *row = shared.row[r];
#pragma unroll
        for (int s = threadIdx.x / ROWS; s < STEPS; s += THREADS / ROWS)
            copy_async<sizeof(T)>(&tile[s][r], row + step[s]);
    }
}

/* A thread's two columns of B; past the edge the last one once more. */
template <typename T, right_way way> struct right_columns {
    using pair = typename of_type<T>::pair;
    using vec = typename of_type<T>::vec;
    const T *column[2];
    int64_t stride; /* of the even turn whose groups are fetched */

    __device__ __forceinline__ void start(const lay_cuda_args &args, int j)
    {
#pragma unroll
        for (int x = 0; x < 2; x++) {
            column[x] = static_cast<const T *>(args.right) + offset_at(args.right_n, min(j + x, args.n - 1));
            asm("" : "+l"(column[x])); /* an address: else the compiler keeps an offset, adds and scales each step */
        }
    }
    __device__ __forceinline__ void load_step(int64_t step, T (&to)[2]) const
    {
        if constexpr (way == PAIR) {
            pair both;
            load_here(reinterpret_cast<const pair *>(column[0] + step), both);
            to[0] = both.x;
            to[1] = both.y;
        } else {
            load_here(column[0] + step, to[0]);
            load_here(column[1] + step, to[1]);
        }
    }
    /* The group of an even turn whose first step lies at at. */
    __device__ __forceinline__ void load_group(int64_t at, T (&to)[GROUP][2]) const
    {
        if constexpr (way == DOWN) {
            constexpr int v = of_type<T>::vector;
#pragma unroll
            for (int s = 0; s < GROUP; s += v, at += v)
#pragma unroll
                for (int x = 0; x < 2; x++) {
                    vec some;
                    load_here(reinterpret_cast<const vec *>(column[x] + at), some);
#pragma unroll
                    for (int e = 0; e < v; e++)
                        to[s + e][x] = reinterpret_cast<const T *>(&some)[e];
                }
        } else {
#pragma unroll
            for (int s = 0; s < GROUP; s++, at += stride)
                load_step(at, to[s]);
        }
    }
};

} // namespace

#endif
