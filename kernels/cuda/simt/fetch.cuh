/* An operand's way into shared memory: bk steps a stage, as the image [bk][pitch] whatever its layout.
 *
 * A fetch is made for one block; begin(to, offsets) starts the thread's share of the next stage on its way to shared
 * address to, and end(to) sees it off; offsets is the shared address of the stage's offsets along k. Where
 * is_plain(), which is the same for all threads, begin_plain does what begin does with fewer instructions: all
 * vectors are whole. Indices across that lie past the operand's edge are held at the last one, or not copied at
 * all; steps past the last are not copied. A fetch that holds does so in registers, from begin to end. */
#ifndef LAY_KERNELS_CUDA_SIMT_FETCH_CUH
#define LAY_KERNELS_CUDA_SIMT_FETCH_CUH

#include <type_traits>

#include "cuda/simt/ring.cuh"
#include "cuda/simt/tile.cuh"

/* 16 bytes a copy: 4 indices across. A thread stays with its 4 and has one step in each piece. */
template <int across, int bk, int pitch, int threads> struct fetch_across_vector {
    static constexpr int groups = across / 4, rows = threads / groups, pieces = bk / rows;
    static_assert(threads % groups == 0 && bk % rows == 0 && (rows % 8 == 0 || 8 % rows == 0), "shares are equal");
    static constexpr bool holds = false, uses_ring = true, has_many = false;

    const operand &of;
    const float *column;   /* of the thread's 4 at step 0 */
    int left;              /* steps from the thread's first of the stage to the end */
    int there;             /* how many of the 4 exist, or more than 4 */
    uint32_t slot, offset; /* bytes into the image and into the offsets */

    __device__ __forceinline__ fetch_across_vector(const operand &of, int thread) : of(of)
    {
        const int index = of.first + thread % groups * 4, row = thread / groups;
        there = of.extent - index;
        slot = (image_row(row, pitch) + thread % groups * 4) * 4;
        offset = row * 8;
        left = there > 0 ? of.own.last - of.own.first - row : 0;
        column = settled(of.base + (there > 0 ? offset_now(of.across, index) : 0));
    }

    static __device__ __forceinline__ bool is_plain(const operand &of)
    {
        return of.first + across <= of.extent;
    }

    __device__ __forceinline__ void begin_plain(uint32_t to, uint32_t offsets)
    {
        int64_t along[pieces];
#pragma unroll
        for (int piece = 0; piece < pieces; piece++)
            along[piece] = load_long(offsets + offset + piece * rows * 8);
#pragma unroll
        for (int piece = 0; piece < pieces; piece++)
            copy_vector(to + slot + image_row(piece * rows, pitch) * 4, column + along[piece], piece * rows < left);
        left -= bk;
    }

    __device__ __forceinline__ void begin(uint32_t to, uint32_t offsets)
    {
        if (there >= 4 || there <= 0)
            begin_plain(to, offsets);
        else
            begin_rest(to, offsets);
    }

    /* Fewer than 4 need not lie side by side. */
    __device__ __forceinline__ void begin_rest(uint32_t to, uint32_t offsets)
    {
#pragma unroll 1
        for (int e = 0; e < there; e++) {
            const float *one = of.base + offset_at(of.across, of.extent - there + e);
#pragma unroll
            for (int piece = 0; piece < pieces; piece++)
                copy_one(to + slot + image_row(piece * rows, pitch) * 4 + e * 4,
                         one + load_long(offsets + offset + piece * rows * 8), piece * rows < left);
        }
        left -= bk;
    }

    __device__ __forceinline__ void end(uint32_t)
    {
    }
};

/* 16 bytes a load: 4 steps of one index across. They turn in registers. */
template <int across, int bk, int pitch, int threads> struct fetch_along_vector {
    static constexpr int lanes = bk / 4, apart = threads / lanes, columns = across / apart;
    static_assert(across % apart == 0 && lanes <= 4, "shares are equal, lanes meet all banks");
    static constexpr bool holds = true, uses_ring = true, has_many = false;

    const operand &of;
    const float *column[columns];
    float4 held[columns];
    int left;
    uint32_t slot, offset;

    __device__ __forceinline__ fetch_along_vector(const operand &of, int thread) : of(of)
    {
        const int row = thread % lanes * 4, index = thread / lanes;
        slot = (image_row(row, pitch) + index) * 4;
        offset = row * 8;
        left = of.own.last - of.own.first - row;
#pragma unroll
        for (int i = 0; i < columns; i++)
            column[i] = settled(of.base + offset_now(of.across, min(of.first + index + i * apart, of.extent - 1)));
    }

    static __device__ __forceinline__ bool is_plain(const operand &of)
    {
        return (of.own.last - of.own.first) % 4 == 0;
    }

    __device__ __forceinline__ void begin_plain(uint32_t, uint32_t offsets)
    {
        const int64_t along = load_long(offsets + offset);
        if (left > 0)
#pragma unroll
            for (int i = 0; i < columns; i++)
                held[i] = __ldg(reinterpret_cast<const float4 *>(column[i] + along));
        left -= bk;
    }

    __device__ __forceinline__ void begin(uint32_t to, uint32_t offsets)
    {
        if (left >= 4 || left <= 0)
            begin_plain(to, offsets);
        else
            begin_rest(offsets);
    }

    /* Fewer than 4 need not lie side by side. */
    __device__ __forceinline__ void begin_rest(uint32_t offsets)
    {
        const int64_t first = load_long(offsets + offset), second = load_long(offsets + offset + 8);
        const int64_t third = load_long(offsets + offset + 16);
#pragma unroll
        for (int i = 0; i < columns; i++) {
            held[i].x = column[i][first];
            held[i].y = left > 1 ? column[i][second] : 0;
            held[i].z = left > 2 ? column[i][third] : 0;
        }
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
};

/* 4 bytes a copy. A thread has the same 1 of every 8 steps and of every `apart` indices across; lanes go
 * the way that the class says. */
template <int across, int bk, int pitch, int threads> struct fetch_ones {
    static constexpr int apart = threads / 8, rows = bk / 8, columns = across / apart;
    static_assert(threads % 8 == 0 && across % apart == 0, "shares are equal");
    static constexpr bool holds = false, uses_ring = true, has_many = false;

    const float *column[columns];
    int left;
    uint32_t slot, offset;

    __device__ __forceinline__ fetch_ones(const operand &of, int thread)
    {
        const int row = of.is_along ? thread % 8 : thread / apart;
        const int index = of.is_along ? thread / 8 : thread % apart;
        slot = (image_row(row, pitch) + index) * 4;
        offset = row * 8;
        left = of.own.last - of.own.first - row;
#pragma unroll
        for (int i = 0; i < columns; i++)
            column[i] = settled(of.base + offset_now(of.across, min(of.first + index + i * apart, of.extent - 1)));
    }

    static __device__ __forceinline__ bool is_plain(const operand &)
    {
        return true;
    }

    __device__ __forceinline__ void begin_plain(uint32_t to, uint32_t offsets)
    {
#pragma unroll
        for (int r = 0; r < rows; r++) {
            const int64_t along = load_long(offsets + offset + r * 8 * 8);
#pragma unroll
            for (int i = 0; i < columns; i++)
                copy_one(to + slot + (image_row(r * 8, pitch) + i * apart) * 4, column[i] + along, r * 8 < left);
        }
        left -= bk;
    }
    __device__ __forceinline__ void begin(uint32_t to, uint32_t offsets)
    {
        begin_plain(to, offsets);
    }
    __device__ __forceinline__ void end(uint32_t)
    {
    }
};

/* The same where a thread has no registers for its indices: their offsets lie in shared memory. */
template <int across, int bk, int pitch, int threads> struct fetch_looked_up {
    static constexpr int apart = threads / 8, rows = bk / 8, columns = across / apart;
    static_assert(threads % 8 == 0 && across % apart == 0, "shares are equal");
    static constexpr bool holds = false, uses_ring = true, has_many = false;

    const float *base;
    int left;
    uint32_t slot, offset, room;

    /* Threads meet before the first copy, as the ring is filled, too. */
    __device__ __forceinline__ fetch_looked_up(const operand &of, int thread) : base(of.base)
    {
        const int row = of.is_along ? thread % 8 : thread / apart;
        const int index = of.is_along ? thread / 8 : thread % apart;
        slot = (image_row(row, pitch) + index) * 4;
        offset = row * 8;
        room = of.room + index * 8;
        left = of.own.last - of.own.first - row;
#pragma unroll 1
        for (int i = thread; i < across; i += threads)
            store_long(of.room + i * 8, offset_at(of.across, min(of.first + i, of.extent - 1)));
    }

    static __device__ __forceinline__ bool is_plain(const operand &)
    {
        return true;
    }

    __device__ __forceinline__ void begin_plain(uint32_t to, uint32_t offsets)
    {
#pragma unroll
        for (int r = 0; r < rows; r++) {
            const float *from = base + load_long(offsets + offset + r * 8 * 8);
#pragma unroll
            for (int i = 0; i < columns; i++)
                copy_one(to + slot + (image_row(r * 8, pitch) + i * apart) * 4, from + load_long(room + i * apart * 8),
                         r * 8 < left);
        }
        left -= bk;
    }
    __device__ __forceinline__ void begin(uint32_t to, uint32_t offsets)
    {
        begin_plain(to, offsets);
    }
    __device__ __forceinline__ void end(uint32_t)
    {
    }
};

template <lay_cuda_class way, int across, int bk, int pitch, int threads> struct choose_fetch {
    using type = fetch_ones<across, bk, pitch, threads>;
};
/* Where a tile's vectors cannot be shared out evenly, its threads copy single elements. */
template <int across, int bk, int pitch, int threads>
struct choose_fetch<LAY_CUDA_ACROSS_VECTOR, across, bk, pitch, threads> {
    static constexpr bool is_even = threads % (across / 4) == 0 && bk % (threads / (across / 4)) == 0;
    using type = std::conditional_t<is_even, fetch_across_vector<across, bk, pitch, threads>,
                                    fetch_ones<across, bk, pitch, threads>>;
};
template <int across, int bk, int pitch, int threads>
struct choose_fetch<LAY_CUDA_ALONG_VECTOR, across, bk, pitch, threads> {
    static constexpr bool is_even = across % (threads / (bk / 4)) == 0;
    using type = std::conditional_t<is_even, fetch_along_vector<across, bk, pitch, threads>,
                                    fetch_ones<across, bk, pitch, threads>>;
};

#endif
