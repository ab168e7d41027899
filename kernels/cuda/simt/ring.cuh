/* Where the steps of coming stages lie along k: offsets in shared memory, so that a stage is fetched in the same way
 * with a table and without, and no thread waits for a table. */
#ifndef LAY_KERNELS_CUDA_SIMT_RING_CUH
#define LAY_KERNELS_CUDA_SIMT_RING_CUH

#include "cuda/element.cuh"
#include "cuda/simt/copy.cuh"

/* What a block needs of an operand. */
struct operand {
    const float *base;
    const lay_cuda_offsets &across, &along;
    int first, extent; /* across: of the tile, and all */
    steps own;
    bool is_along;          /* neighbours lie closer together along k */
    int until;              /* along k: steps from the first to where a segment ends, if it is fetched by those */
    uint32_t room;          /* shared address, for fetches that keep offsets across there */
    bool straddles = false; /* the tile has parts of several segments across */
};

/* [2 * stages][2][bk] elements: of left and of right. Thread t < 2 * bk keeps one column of it. With the copies of
 * stage s go the offsets of stage s + stages, which have come when that one is fetched. */
template <int bk, int stages, int threads> struct offset_ring {
    static constexpr int slots = 2 * stages, slot = 2 * bk * 8, bytes = slots * slot;
    static_assert(2 * bk <= threads, "one turn");

    const int64_t *table; /* of the next stage's step, or NULL: */
    int64_t offset, by;   /* its offset, and from stage to stage */
    int left;             /* steps from there to the end; 0 or fewer: nothing to do */
    uint32_t first, own;  /* shared addresses: of the ring, of the thread's place in the next slot */
    uint32_t read;        /* of the slot to be fetched from */

    __device__ __forceinline__ offset_ring(const operand &one, const operand &other, uint32_t room, int thread)
    {
        const lay_cuda_offsets &offsets = thread < bk ? one.along : other.along;
        const int step = one.own.first + thread % bk;
        first = read = room;
        own = room + thread * 8;
        left = thread < 2 * bk ? one.own.last - step : 0;
        table = offsets.table ? offsets.table + step : nullptr;
        offset = step * offsets.stride;
        by = bk * offsets.stride;
    }
    /* Nothing for threads that keep no column, and once the end is reached. */
    __device__ __forceinline__ void fill()
    {
        if (left > 0) {
            if (table)
                copy_long(own, table);
            else
                store_long(own, offset);
            next();
        }
    }
    /* At once, for the stages that are fetched before anything is waited for. */
    __device__ __forceinline__ void fill_now()
    {
        if (left > 0) {
            store_long(own, table ? __ldg(table) : offset);
            next();
        }
    }
    __device__ __forceinline__ void next()
    {
        if (table)
            table += bk;
        offset += by;
        left -= bk;
        own = own + slot >= first + bytes ? own - (slots - 1) * slot : own + slot;
    }
    __device__ __forceinline__ void read_next()
    {
        read = read + slot == first + bytes ? first : read + slot;
    }
};

/* For fetches that know where steps lie. */
struct no_ring {
    static constexpr uint32_t read = 0;
    __device__ __forceinline__ no_ring(const operand &, const operand &, uint32_t, int)
    {
    }
    __device__ __forceinline__ void fill()
    {
    }
    __device__ __forceinline__ void fill_now()
    {
    }
    __device__ __forceinline__ void read_next()
    {
    }
};

#endif
