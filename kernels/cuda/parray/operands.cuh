/* How the paper's kernel fetches: the tile of A into shared memory, two columns of B into registers. */
#ifndef LAY_KERNELS_CUDA_PARRAY_OPERANDS_CUH
#define LAY_KERNELS_CUDA_PARRAY_OPERANDS_CUH

#include "cuda/async.cuh"
#include "cuda/element.cuh"

namespace {

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
    T left[2][STEPS][width];                                   /* A's tile, turned: this turn's and the next one's */
    const T *row[ROWS];                                        /* of A */
    int has_rows;                                              /* all of them */
    int64_t left_step[SLOTS][STEPS], right_step[SLOTS][STEPS]; /* elements to the steps of a turn */
    int stride[SLOTS];     /* from step to step of B within a group: */
    int is_even[SLOTS];    /* the same in all groups of this turn */
};

/* threadIdx.x and blockIdx.x, read anew: what is made of them would take registers through the loop over k, which has
 * none to spare. */
__device__ __forceinline__ int read_thread()
{
    int thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return thread;
}
__device__ __forceinline__ int read_block()
{
    int block;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));
    return block;
}

__device__ __forceinline__ void send_step(const lay_cuda_walk &walk, int p, int64_t *to)
{
    if (walk.table)
        copy_async<8>(to, walk.table + p);
    else
        *to = p * walk.stride;
}

/* Where the steps of AHEAD turns lie, from a multiple of AHEAD on; from last on, where the one before lies. */
template <typename T>
__device__ __forceinline__ void send_steps(const lay_cuda_args &args, int turn, int last, shared_tiles<T> &shared)
{
    const int thread = read_thread(), p = min(turn * STEPS + thread, last - 1);
    send_step(args.left_k, p, &shared.left_step[turn % SLOTS][thread]); /* on into the turns behind it */
    send_step(args.right_k, p, &shared.right_step[turn % SLOTS][thread]);
}

/* Whether AHEAD turns, whose steps have arrived, are even: a warp each. */
template <typename T> __device__ __forceinline__ void judge_steps(int turn, shared_tiles<T> &shared)
{
    const int thread = read_thread(), lane = thread % STEPS, slot = (turn + thread / STEPS) % SLOTS;
    const int64_t *step = shared.right_step[slot];
    const int64_t first = step[1] - step[0], own = lane % GROUP == GROUP - 1 ? first : step[lane + 1] - step[lane];
    const int stride = static_cast<int>(first);
    const int is_even = __all_sync(~0u, own == stride);
    if (lane == 0) {
        shared.stride[slot] = stride;
        shared.is_even[slot] = is_even;
    }
}

/* One turn's tile of A. Rows and steps past the edge are those at the edge once more: no sum that is kept has
 * them in it. */
template <typename T, lay_cuda_class way>
__device__ __forceinline__ void send_left(int turn, shared_tiles<T> &shared)
{
    const int thread = read_thread();
    const int64_t *step = shared.left_step[turn % SLOTS];
    auto &tile = shared.left[turn % 2];
    constexpr int v = of_type<T>::vector;
    if (way == LAY_CUDA_ACROSS_VECTOR && shared.has_rows) {
        const int r = thread % (ROWS / v) * v;
#pragma unroll
        for (int s = thread / (ROWS / v); s < STEPS; s += THREADS / (ROWS / v))
            copy_async<16>(&tile[s][r], shared.row[r] + step[s]);
    } else if (way == LAY_CUDA_ALONG) {
        /* Eight lanes along a row fill sectors of memory and, four such rows at once, all banks of shared memory. */
        const int s = thread / 32 * 8 + thread % 8;
        const int64_t at = step[s];
#pragma unroll
        for (int r = thread % 32 / 8; r < ROWS; r += 4)
            copy_async<sizeof(T)>(&tile[s][r], shared.row[r] + at);
    } else {
        const int r = thread % ROWS;
        const T *row = shared.row[r];
#pragma unroll
        for (int s = thread / ROWS; s < STEPS; s += THREADS / ROWS)
            copy_async<sizeof(T)>(&tile[s][r], row + step[s]);
    }
}

/* A thread's two columns of B; past the edge the last one once more. */
template <typename T, right_way way> struct right_columns {
    using pair = typename of_type<T>::pair;
    using vec = typename of_type<T>::vec;
    const T *column[2];

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
            load_pair(column[0] + step, to);
        } else {
            load_here(column[0] + step, to[0]);
            load_here(column[1] + step, to[1]);
        }
    }
    /* A group of an even turn, and from step to step. */
    __device__ __forceinline__ void load_group(int64_t first, int stride, T (&to)[GROUP][2]) const
    {
        if constexpr (way == PAIR) {
            const T *from = column[0] + first;
#pragma unroll
            for (int s = 0; s < GROUP; s++, from += stride)
                load_pair(from, to[s]);
        } else {
#pragma unroll
            for (int x = 0; x < 2; x++) {
                constexpr int v = way == DOWN ? of_type<T>::vector : 1;
                const T *from = column[x] + first;
#pragma unroll
                for (int s = 0; s < GROUP; s += v, from += way == DOWN ? v : stride)
                    load_down<v>(from, to + s, x);
            }
        }
    }

  private:
    static __device__ __forceinline__ void load_pair(const T *from, T (&to)[2])
    {
        pair both;
        load_here(reinterpret_cast<const pair *>(from), both);
        to[0] = both.x;
        to[1] = both.y;
    }
    template <int v> static __device__ __forceinline__ void load_down(const T *from, T (*to)[2], int x)
    {
        if constexpr (v == 1) {
            load_here(from, to[0][x]);
        } else {
            vec some;
            load_here(reinterpret_cast<const vec *>(from), some);
#pragma unroll
            for (int e = 0; e < v; e++)
                to[e][x] = reinterpret_cast<const T *>(&some)[e];
        }
    }
};

} // namespace

#endif
