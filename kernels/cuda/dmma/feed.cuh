/* An operand's way from any layout to its image in shared memory, bk steps a turn, by 128 threads together. */
#ifndef LAY_KERNELS_CUDA_DMMA_FEED_CUH
#define LAY_KERNELS_CUDA_DMMA_FEED_CUH

#include "cuda/dmma/image.cuh"
#include "cuda/element.cuh"

namespace dmma {

/* Pairs across, pairs along k, or one by one. */
enum way { ACROSS, ALONG, SINGLE };

template <way kind> constexpr image image_of = kind == ALONG ? BY_INDEX : BY_STEP;

constexpr int feeders = 128; /* threads */

/* Where a tile's indices across begin, in bytes: by all threads of the block. Indices past the edge repeat the last. */
template <int across, int threads>
__device__ __forceinline__ void walk_across(int64_t *at, const lay_cuda_walk &over, int first, int extent)
{
    for (int i = threadIdx.x; i < across; i += threads)
        at[i] = 8 * offset_at(over, first + i < extent ? first + i : extent - 1);
}

template <way kind, int across, bool is_left> struct feed {
    static constexpr int wide = kind == ACROSS ? 2 : 1, deep = kind == ALONG ? 2 : 1; /* a copy takes */
    static constexpr int units = across / wide;
    /* A pass takes rows x ways copies. 8 lanes of ALONG have the 128 bytes of one index; SINGLE touches 4 lines
     * a warp whichever way its lanes go, and the stir spreads them over the banks both ways. */
    static constexpr int rows = kind == ACROSS && feeders / units < 8 ? 4 : 8, ways = feeders / rows;
    static constexpr int passes = units / ways, turns = bk / deep / rows;
    static_assert(passes * ways == units && turns * rows * deep == bk && ways % 16 == 0, "whole passes");

    const char *base;
    const int64_t *at; /* [across], shared: bytes from the base to each index, see walk_across */
    lay_cuda_walk over, along;
    int first, extent, last; /* the tile's first index across, how many there are, the end of k */
    int k, a;                /* of this thread's first copy: the next step, the place across */
    int64_t ahead[turns];    /* bytes to the next steps */
    uint32_t to[2];

    /* Lanes go where the steps in memory are short. */
    __device__ __forceinline__ bool goes_along() const
    {
        if (kind != SINGLE)
            return kind == ALONG;
        const int64_t step = extent > 1 ? offset_at(over, 1) - offset_at(over, 0) : INT64_MAX;
        const int64_t step_k = last > 1 ? offset_at(along, 1) - offset_at(along, 0) : INT64_MAX;
        return llabs(step_k) < llabs(step);
    }

    __device__ __forceinline__ void begin(uint32_t shared, steps own)
    {
        const int t = threadIdx.x;
        const bool is_along = goes_along();
        k = (is_along ? t % rows : t / ways) * deep;
        a = (is_along ? t / rows : t % ways) * wide;
#pragma unroll
        for (int i = 0; i < 2; i++)
            to[i] = shared + 8 * place<image_of<kind>, across, is_left>(k + i * rows * deep, a);
        k += own.first;
        last = own.last;
#pragma unroll
        for (int i = 0; i < turns; i++)
            ahead[i] = (k + i * rows * deep) * (8 * along.stride);
        look_ahead();
    }

    /* Tables say where the next turn's steps are; loaded a turn before they are needed. */
    __device__ __forceinline__ void look_ahead()
    {
        if (!along.table)
            return;
#pragma unroll
        for (int i = 0; i < turns; i++) {
            const int p = k + i * rows * deep;
            ahead[i] = 8 * __ldg(along.table + (p < last ? p : last - 1));
        }
    }

    __device__ __forceinline__ void advance()
    {
        k += bk;
#pragma unroll
        for (int i = 0; i < turns; i++)
            ahead[i] += 8 * bk * along.stride;
        look_ahead();
    }

    /* One turn, all of whose steps there are, to the stage offset bytes on. */
    __device__ __forceinline__ void copy(uint32_t offset) const
    {
        constexpr int next = 8 * ways * wide * (image_of<kind> == BY_STEP ? 1 : bk); /* bytes from pass to pass */
        constexpr int some = passes < 4 ? passes : 4; /* at once: each copy would wait for its own; all: registers */
        const int count = extent - first - a;
#pragma unroll
        for (int pass = 0; pass < passes; pass += some) {
            int64_t here[some];
#pragma unroll
            for (int j = 0; j < some; j++)
                here[j] = at[a + (pass + j) * ways * wide];
#pragma unroll
            for (int i = 0; i < turns; i++) {
                const char *from = base + ahead[i];
                const uint32_t there = to[i % 2] + offset + 8 * (i - i % 2) * rows * across + pass * next;
#pragma unroll
                for (int j = 0; j < some; j++) {
                    const int left_over = count - (pass + j) * ways * wide;
                    if (kind == SINGLE)
                        copy_one(there + j * next, from + here[j], left_over > 0);
                    else
                        copy_two(there + j * next, from + here[j], left_over >= wide);
                    if (kind == ACROSS) /* the last of an odd number */
                        copy_one(there + j * next, from + here[j], left_over == 1);
                }
            }
        }
    }

    /* The turn that k ends in. A step behind the last is -0 on the left and +0 on the right: fma(-0, +0, x) is
     * x, bit for bit. */
    __device__ __forceinline__ void copy_rest(uint32_t image, int p) const
    {
#pragma unroll 1
        for (int e = threadIdx.x; e < bk * across; e += feeders) {
            const int i = e / across, j = e % across;
            const uint32_t there = image + 8 * place<image_of<kind>, across, is_left>(i, j);
            if (p + i >= last)
                store_one(there, is_left ? -0.0 : 0.0);
            else if (first + j < extent)
                copy_one(there, base + at[j] + 8 * offset_at(along, p + i), true);
        }
    }
};

} // namespace dmma

#endif
