/* How the paper's kernel fetches: the tile of A into shared memory, two columns of B into registers. */
#ifndef LAY_KERNELS_CUDA_PARRAY_OPERANDS_CUH
#define LAY_KERNELS_CUDA_PARRAY_OPERANDS_CUH

#include "cuda/async.cuh"
#include "cuda/element.cuh"

namespace {

enum {
    ROWS = 16,
    COLUMNS = 256,
    STEPS = 32, /* of a turn */
    THREADS = 128,
    EVEN = 4,  /* steps that have one stride from one to the next, mostly */
    SLOTS = 4  /* turns that are known: the one before, this one and two to come */
};

/* How the two columns of B are fetched. */
enum right_way {
    PAIR,  /* one load for both, a step */
    DOWN,  /* a vector of steps for each */
    SINGLE /* one load for each, a step */
};

/* Steps of B that a thread fetches at once: four blocks of f32 fit a multiprocessor then, three of f64. */
template <typename T> constexpr int group = 32 / sizeof(T);

template <typename T> struct shared_tiles {
    static constexpr int width = ROWS + of_type<T>::vector; /* aligned for vectors, and no bank conflicts */
    T left[2][STEPS][width];                                 /* A's tile, turned: this turn's and the next one's */
    int64_t row[ROWS];                                       /* elements to the rows of A, in the end to those of C */
    int64_t left_step[SLOTS][STEPS], right_step[SLOTS][STEPS]; /* elements to the steps of a turn */
    int64_t stride[SLOTS]; /* from step to step of B where no multiple of EVEN is between: */
    int is_even[SLOTS];    /* the same throughout this turn */
};

/* Where one turn's steps lie; behind the last step, where the last one lies. */
template <typename T>
__device__ __forceinline__ void send_steps(const lay_cuda_args &args, int turn, steps own, shared_tiles<T> &shared)
{
    const int lane = threadIdx.x % STEPS;
    if (threadIdx.x >= 2 * STEPS)
        return;
    const lay_cuda_walk &walk = threadIdx.x < STEPS ? args.right_k : args.left_k;
    int64_t *to = (threadIdx.x < STEPS ? shared.right_step : shared.left_step)[turn % SLOTS] + lane;
    const int p = min(own.first + turn * STEPS + lane, own.last - 1);
    if (walk.table)
        copy_async<8>(to, walk.table + p);
    else
        *to = p * walk.stride;
}

/* Whether a turn whose steps have arrived is even, by one warp. */
template <typename T> __device__ __forceinline__ void judge_steps(int turn, shared_tiles<T> &shared)
{
    if (threadIdx.x >= STEPS)
        return;
    const int lane = threadIdx.x;
    const int64_t *step = shared.right_step[turn % SLOTS];
    const int64_t stride = step[1] - step[0];
    const int is_even = __all_sync(~0u, lane % EVEN == EVEN - 1 || step[lane + 1] - step[lane] == stride);
    if (lane == 0) {
        shared.stride[turn % SLOTS] = stride;
        shared.is_even[turn % SLOTS] = is_even;
    }
}

/* One turn's tile of A. Rows and steps past the edge are those at the edge once more: no sum that is kept has
 * them in it. */
template <typename T, lay_cuda_class way>
__device__ __forceinline__ void send_left(const lay_cuda_args &args, int i, int turn, shared_tiles<T> &shared)
{
    const T *left = static_cast<const T *>(args.left);
    const int64_t *step = shared.left_step[turn % SLOTS];
    auto &tile = shared.left[turn % 2];
    constexpr int v = of_type<T>::vector;
    if (way == LAY_CUDA_ACROSS_VECTOR && i + ROWS <= args.m) {
        const int r = threadIdx.x % (ROWS / v) * v;
#pragma unroll
        for (int s = threadIdx.x / (ROWS / v); s < STEPS; s += THREADS / (ROWS / v))
            copy_async<16>(&tile[s][r], left + shared.row[r] + step[s]);
    } else if (way == LAY_CUDA_ALONG) {
        /* Eight lanes along a row fill sectors of memory and, four such rows at once, all banks of shared memory. */
        const int s = threadIdx.x / 32 * 8 + threadIdx.x % 8;
        left += step[s];
#pragma unroll
        for (int r = threadIdx.x % 32 / 8; r < ROWS; r += 4)
            copy_async<sizeof(T)>(&tile[s][r], left + shared.row[r]);
    } else {
        const int r = threadIdx.x % ROWS;
        left += shared.row[r];
#pragma unroll
        for (int s = threadIdx.x / ROWS; s < STEPS; s += THREADS / ROWS)
            copy_async<sizeof(T)>(&tile[s][r], left + step[s]);
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
            asm("" : "+l"(column[x])); /* an address: else the compiler keeps an offset, and adds and scales each step */
        }
    }
    __device__ __forceinline__ void load_step(int64_t step, T (&to)[2]) const
    {
        if constexpr (way == PAIR) {
            const pair both = *reinterpret_cast<const pair *>(column[0] + step);
            to[0] = both.x;
            to[1] = both.y;
        } else {
            to[0] = column[0][step];
            to[1] = column[1][step];
        }
    }
    /* A group of an even turn. */
    __device__ __forceinline__ void load_group(const int64_t step[], T (&to)[group<T>][2]) const
    {
        constexpr int v = of_type<T>::vector;
#pragma unroll
        for (int s = 0; s < group<T>; s += EVEN) {
            int64_t at = step[s];
            if constexpr (way == DOWN) {
#pragma unroll
                for (int t = s; t < s + EVEN; t += v, at += v)
#pragma unroll
                    for (int x = 0; x < 2; x++) {
                        const vec some = *reinterpret_cast<const vec *>(column[x] + at);
#pragma unroll
                        for (int e = 0; e < v; e++)
                            to[t + e][x] = reinterpret_cast<const T *>(&some)[e];
                    }
            } else {
#pragma unroll
                for (int t = s; t < s + EVEN; t++, at += stride)
                    load_step(at, to[t]);
            }
        }
    }
};

} // namespace

#endif
