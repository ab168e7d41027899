/* An operand's way into shared memory: bk steps a stage, as the image [bk][pitch] whatever its layout.
 *
 * A fetch is made for one block; begin(to) starts the thread's share of the next stage on its way to shared
 * address to, and end(to) sees it off. Indices across that lie past the operand's edge are held at the last one,
 * or not copied at all; steps past the last are not copied. Offsets that come from a table are loaded a stage
 * before they are used. */
#ifndef LAY_KERNELS_CUDA_SIMT_FETCH_CUH
#define LAY_KERNELS_CUDA_SIMT_FETCH_CUH

#include "cuda/element.cuh"
#include "cuda/simt/copy.cuh"

/* What a block needs of an operand. */
struct operand {
    const float *base;
    const lay_cuda_walk &across, &along;
    int first, extent; /* across: of the tile, and all */
    steps own;
};

/* The way along k of what one thread fetches at one step of every stage. */
struct stepper {
    int64_t bytes; /* of this stage's step */
    int64_t ahead; /* where there is a table: elements, of the next stage's */

    __device__ __forceinline__ void start(const operand &of, int step, int bk)
    {
        bytes = step < of.own.last ? offset_at(of.along, step) * 4 : 0;
        ahead = of.along.table && step + bk < of.own.last ? __ldg(of.along.table + step + bk) : 0;
    }
    /* left: steps from this stage's to the end. */
    __device__ __forceinline__ void advance(const operand &of, int left, int bk)
    {
        if (of.along.table) {
            bytes = ahead * 4;
            if (2 * bk < left)
                ahead = __ldg(of.along.table + (of.own.last - left + 2 * bk));
        } else {
            bytes += bk * of.along.stride * 4;
        }
    }
};

__device__ __forceinline__ const float *past(const float *at, int64_t bytes)
{
    return reinterpret_cast<const float *>(reinterpret_cast<const char *>(at) + bytes);
}

/* 16 bytes a copy: 4 indices across. A thread stays with its 4 and has one step in each piece. */
template <int across, int bk, int pitch, int threads> struct fetch_across_vector {
    static constexpr int groups = across / 4, rows = threads / groups, pieces = bk / rows;
    static_assert(threads % groups == 0 && bk % rows == 0, "shares are equal");

    const operand &of;
    const float *column;     /* of the thread's 4 at step 0 */
    const float *at[pieces]; /* of this stage */
    int64_t ahead[pieces];   /* where there is a table: elements along k, of the next stage */
    int left;                /* steps from the thread's first of the stage to the end */
    int there;               /* how many of the 4 exist, or more than 4 */
    uint32_t slot;           /* bytes into the image */

    __device__ __forceinline__ fetch_across_vector(const operand &of, int thread) : of(of)
    {
        const int index = of.first + thread % groups * 4, row = thread / groups;
        there = of.extent - index;
        slot = (row * pitch + thread % groups * 4) * 4;
        left = there > 0 ? of.own.last - of.own.first - row : 0;
        column = of.base + (there > 0 ? offset_at(of.across, index) : 0);
#pragma unroll
        for (int piece = 0; piece < pieces; piece++) {
            const int step = of.own.first + row + piece * rows;
            at[piece] = column + (step < of.own.last ? offset_at(of.along, step) : 0);
            ahead[piece] = of.along.table && step + bk < of.own.last ? __ldg(of.along.table + step + bk) : 0;
        }
    }

    __device__ __forceinline__ void begin(uint32_t to)
    {
        if (there >= 4) {
#pragma unroll
            for (int piece = 0; piece < pieces; piece++)
                copy_vector(to + slot + piece * rows * pitch * 4, at[piece], piece * rows < left);
        } else {
            copy_rest(to + slot);
        }
        if (of.along.table) {
            const int64_t *after_next = of.along.table + (of.own.last - left + 2 * bk);
#pragma unroll
            for (int piece = 0; piece < pieces; piece++) {
                at[piece] = column + ahead[piece];
                if (2 * bk + piece * rows < left)
                    ahead[piece] = __ldg(after_next + piece * rows);
            }
        } else {
#pragma unroll
            for (int piece = 0; piece < pieces; piece++)
                at[piece] += bk * of.along.stride;
        }
        left -= bk;
    }

    __device__ __forceinline__ void end(uint32_t) {}

    /* Fewer than 4 need not lie side by side. */
    __device__ __forceinline__ void copy_rest(uint32_t to)
    {
        const int index = of.extent - there;
#pragma unroll 1
        for (int e = 0; e < there; e++) {
            const int64_t aside = offset_at(of.across, index + e) - offset_at(of.across, index);
#pragma unroll
            for (int piece = 0; piece < pieces; piece++)
                copy_one(to + piece * rows * pitch * 4 + e * 4, at[piece] + aside, piece * rows < left);
        }
    }
};

/* 16 bytes a load: 4 steps of one index across. They turn in registers, which hold them for most of a stage. */
template <int across, int bk, int pitch, int threads> struct fetch_along_vector {
    static constexpr int lanes = bk / 4, apart = threads / lanes, columns = across / apart;
    static_assert(across % apart == 0, "shares are equal");

    const operand &of;
    const float *column[columns];
    float4 held[columns];
    stepper at;
    int left;
    uint32_t slot;

    __device__ __forceinline__ fetch_along_vector(const operand &of, int thread) : of(of)
    {
        /* Two lanes along k, the more significant bits behind 16 across: each store meets 32 banks. */
        const int row = (thread % 2 + thread / 32 % (lanes / 2) * 2) * 4;
        const int index = thread % 32 / 2 + thread / (16 * lanes) * 16;
        slot = (row * pitch + index) * 4;
        left = of.own.last - of.own.first - row;
#pragma unroll
        for (int i = 0; i < columns; i++)
            column[i] = of.base + offset_at(of.across, min(of.first + index + i * apart, of.extent - 1));
        at.start(of, of.own.first + row, bk);
    }

    __device__ __forceinline__ void begin(uint32_t)
    {
        if (left >= 4) {
#pragma unroll
            for (int i = 0; i < columns; i++)
                held[i] = __ldg(reinterpret_cast<const float4 *>(past(column[i], at.bytes)));
        } else if (left > 0) {
            load_rest();
        }
        at.advance(of, left, bk);
        left -= bk;
    }

    __device__ __forceinline__ void end(uint32_t to) const
    {
#pragma unroll
        for (int i = 0; i < columns; i++) {
            const uint32_t into = to + slot + i * apart * 4;
            store_one(into, held[i].x);
            store_one(into + pitch * 4, held[i].y);
            store_one(into + 2 * pitch * 4, held[i].z);
            store_one(into + 3 * pitch * 4, held[i].w);
        }
    }

    /* Fewer than 4 need not lie side by side. */
    __device__ __forceinline__ void load_rest()
    {
        const int step = of.own.last - left;
        const int64_t second = left > 1 ? offset_at(of.along, step + 1) : 0;
        const int64_t third = left > 2 ? offset_at(of.along, step + 2) : 0, first = offset_at(of.along, step);
#pragma unroll
        for (int i = 0; i < columns; i++) {
            held[i].x = column[i][first];
            held[i].y = left > 1 ? column[i][second] : 0;
            held[i].z = left > 2 ? column[i][third] : 0;
        }
    }
};

/* 4 bytes a copy. A thread has the same 1 of every 8 steps and of every `apart` indices across; lanes go the way
 * on which neighbours lie closer together. */
template <int across, int bk, int pitch, int threads> struct fetch_ones {
    static constexpr int apart = threads / 8, rows = bk / 8, columns = across / apart;
    static_assert(threads % 8 == 0 && across % apart == 0, "shares are equal");

    const operand &of;
    const float *column[columns];
    stepper at[rows];
    int left;
    uint32_t slot;

    __device__ __forceinline__ fetch_ones(const operand &of, int thread) : of(of)
    {
        const bool is_along = apart_on(of.along, of.own.last) <= apart_on(of.across, of.extent);
        const int row = is_along ? thread % 8 : thread / apart, index = is_along ? thread / 8 : thread % apart;
        slot = (row * pitch + index) * 4;
        left = of.own.last - of.own.first - row;
#pragma unroll
        for (int i = 0; i < columns; i++)
            column[i] = of.base + offset_at(of.across, min(of.first + index + i * apart, of.extent - 1));
#pragma unroll
        for (int r = 0; r < rows; r++)
            at[r].start(of, of.own.first + row + r * 8, bk);
    }

    static __device__ __forceinline__ int64_t apart_on(const lay_cuda_walk &walk, int extent)
    {
        return extent == 1 ? INT64_MAX : llabs(offset_at(walk, 1) - offset_at(walk, 0));
    }

    __device__ __forceinline__ void begin(uint32_t to)
    {
#pragma unroll
        for (int r = 0; r < rows; r++) {
#pragma unroll
            for (int i = 0; i < columns; i++)
                copy_one(to + slot + (r * 8 * pitch + i * apart) * 4, past(column[i], at[r].bytes), r * 8 < left);
            at[r].advance(of, left - r * 8, bk);
        }
        left -= bk;
    }

    __device__ __forceinline__ void end(uint32_t) {}
};

template <lay_cuda_class way, int across, int bk, int pitch, int threads> struct choose_fetch {
    using type = fetch_ones<across, bk, pitch, threads>;
};
template <int across, int bk, int pitch, int threads>
struct choose_fetch<LAY_CUDA_ACROSS_VECTOR, across, bk, pitch, threads> {
    using type = fetch_across_vector<across, bk, pitch, threads>;
};
template <int across, int bk, int pitch, int threads>
struct choose_fetch<LAY_CUDA_ALONG_VECTOR, across, bk, pitch, threads> {
    using type = fetch_along_vector<across, bk, pitch, threads>;
};

#endif
