/* An operand's way from any layout to its image in shared memory, bk steps a turn, by 128 threads together. */
#ifndef LAY_KERNELS_CUDA_DMMA_FEED_CUH
#define LAY_KERNELS_CUDA_DMMA_FEED_CUH

#include "cuda/dmma/image.cuh"
#include "cuda/element.cuh"

namespace dmma
{

/* Pairs across, pairs along k, or one by one; complex numbers, as they are or expanded (expanded.cuh). */
enum way { ACROSS, ALONG, SINGLE, NUMBERS, NUMBERS_ACROSS, EXPANDED, EXPANDED_ALONG };

template <way kind>
constexpr image image_of = kind == EXPANDED || kind == NUMBERS_ACROSS ? BY_NUMBER
                           : kind == EXPANDED_ALONG                   ? BY_LINE
                           : kind == ALONG || kind == NUMBERS         ? BY_INDEX
                                                                      : BY_STEP;

constexpr int feeders = 128; /* threads */

/* What steps behind the end are: fma(-0, +0, x) is x, bit for bit. Two of the left, two of the right. */
alignas(16) __device__ const double nothing[4] = { -0.0, -0.0, 0.0, 0.0 };

/* Where the coming steps of both operands lie, in bytes: 128 of them at a time, one by each feeder, under way while
 * those before are in use. So no copy waits for a table, and strides go the same way. Groups share the 128. A complex
 * step is two: of the second one the offset is that of the first. */
template <int groups, bool is_complex = false> struct steps_ahead {
    static constexpr int chunk = feeders / groups, turns = chunk / bk; /* of a group */
    static constexpr int size = 2 * 2 * feeders;                       /* [chunks][left, right][groups][chunk] */

    const lay_cuda_args &args;
    int64_t *room;
    int next, last; /* this thread's step, the end of its slice */
    int64_t left, right;

    __device__ __forceinline__ steps_ahead(const lay_cuda_args &args_, int64_t *room_, const steps &own)
        : args(args_), room(room_)
    {
        next = own.first + threadIdx.x % chunk;
        last = own.last;
        look();
        put(0);
    }
    __device__ __forceinline__ void look()
    {
        const int step = next < last ? next : last - 1;
        left = (is_complex ? 16 : 8) * offset_at(args.left_k, is_complex ? step / 2 : step);
        right = (is_complex ? 16 : 8) * offset_at(args.right_k, is_complex ? step / 2 : step);
        next += chunk;
    }
    /* Behind it a barrier. Two chunks: that before may still be read. */
    __device__ __forceinline__ void put(int turn) const
    {
        int64_t *to = room + turn / turns % 2 * (2 * feeders) + threadIdx.x;
        to[0] = left;
        to[feeders] = right;
    }
    __device__ __forceinline__ const int64_t *of(int turn, int group) const
    {
        return room + turn / turns % 2 * (2 * feeders) + group * chunk + turn % turns * bk;
    }
};

/* Lanes side by side have a step's pairs side by side, or the pairs along k of one index. SINGLE touches 4 lines a warp
 * whichever way its lanes go, and the stir spreads them over the banks both ways. */
template <way kind, int across, bool is_left> struct feed {
    static constexpr int wide = kind == ACROSS ? 2 : 1, deep = kind == ALONG ? 2 : 1; /* a copy takes */
    static constexpr int pairs = across / 2;
    static constexpr int ways = kind != ACROSS ? 16 : pairs % 32 == 0 ? 32 : pairs % 16 == 0 ? 16 : 8;
    static constexpr int rows = feeders / ways;                                   /* a pass has rows x ways copies, */
    static constexpr int passes = across / wide / ways, parts = bk / deep / rows; /* a turn passes x parts of them */
    static constexpr int next = 8 * ways * wide * (image_of<kind> == BY_STEP ? 1 : bk); /* from pass to pass */
    static constexpr int stirs = rows * deep % 8 == 0 ? 1 : 2;                          /* the stir has a period of 8 */
    static constexpr bool are_held = passes <= 4; /* where the passes' indices begin: registers have room */
    static_assert(passes * ways * wide == across && parts * rows * deep == bk, "whole passes");

    const char *base;
    const int64_t *at;                   /* [across], shared: bytes from the base to each index */
    int64_t held[are_held ? passes : 2]; /* or the first, and the way to the next where all are the same, else 0 */
    int k, a;                            /* of this thread's first copy, in the turn and in the tile */
    int count;                           /* indices from there to the edge */
    bool has_half;                       /* the edge cuts a pair */
    uint32_t to[stirs];                  /* its place in the first stage */

    __device__ __forceinline__ feed(const void *operand, const int64_t *at_, const lay_cuda_offsets &offsets, int there,
                                    bool goes_along, uint32_t image)
        : base(static_cast<const char *>(operand)), at(at_),
          has_half(kind == ACROSS && there < across && there % 2 == 1)
    {
        const int t = threadIdx.x;
        const bool is_along = kind == ALONG || (kind == SINGLE && goes_along);
        k = (is_along ? t % rows : t / ways) * deep;
        a = (is_along ? t / rows : t % ways) * wide;
        count = there - a;
#pragma unroll
        for (int i = 0; i < stirs; i++)
            to[i] = image + 8 * place<image_of<kind>, across, is_left>(k + i * rows * deep, a);
        if (!are_held)
            held[1] = offsets.table ? 0 : 8 * ways * wide * offsets.stride;
    }
    /* Once `at` is there. */
    __device__ __forceinline__ void begin()
    {
#pragma unroll
        for (int pass = 0; pass < (are_held ? passes : 1); pass++)
            held[pass] = at[a + pass * ways * wide];
    }

    /* Where a turn's steps are; along: [bk], shared. */
    struct source {
        const char *from[parts];
    };
    __device__ __forceinline__ source look(const int64_t *along) const
    {
        source in;
#pragma unroll
        for (int i = 0; i < parts; i++)
            in.from[i] = base + along[k + i * rows * deep];
        return in;
    }
    /* The same where steps lie so many bytes apart, from the turn's first on. */
    __device__ __forceinline__ source look(const char *first, int64_t apart) const
    {
        source in;
#pragma unroll
        for (int i = 0; i < parts; i++)
            in.from[i] = first + (k + i * rows * deep) * apart;
        return in;
    }
    __device__ __forceinline__ uint32_t place_of(uint32_t offset, int part, int pass) const
    {
        return to[part % stirs] + offset + 8 * (part - part % stirs) * rows * across + pass * next;
    }
    __device__ __forceinline__ void copy_one_or_two(uint32_t there, const char *from, int left_over) const
    {
        if (kind == SINGLE)
            copy_one(there, from, left_over > 0);
        else
            copy_two(there, from, left_over >= wide);
    }

    /* A turn, all of whose steps there are, offset bytes on; whole pairs. */
    __device__ __forceinline__ void copy(uint32_t offset, const source &in) const
    {
#pragma unroll
        for (int i = 0; i < parts; i++)
            if (are_held || (kind != SINGLE && held[1] != 0)) {
                int64_t here = held[0];
#pragma unroll
                for (int pass = 0; pass < passes; pass++) {
                    copy_one_or_two(place_of(offset, i, pass), in.from[i] + (are_held ? held[pass % 4] : here),
                                    count - pass * ways * wide);
                    here += are_held ? 0 : held[1];
                }
            } else {
                constexpr int some = passes % 4 == 0 ? 4 : 3; /* at once: each copy would wait for its own */
#pragma unroll
                for (int pass = 0; pass < passes; pass += some) {
                    int64_t here[some];
#pragma unroll
                    for (int j = 0; j < some; j++)
                        here[j] = at[a + (pass + j) * ways * wide];
#pragma unroll
                    for (int j = 0; j < some; j++)
                        copy_one_or_two(place_of(offset, i, pass + j), in.from[i] + here[j],
                                        count - (pass + j) * ways * wide);
                }
            }
    }

    /* Of such a turn the first of the pair that the edge cuts. */
    __device__ __forceinline__ void copy_half(uint32_t offset, const source &in) const
    {
#pragma unroll
        for (int i = 0; i < parts && has_half; i++)
#pragma unroll 1
            for (int pass = 0; pass < passes; pass++)
                copy_one(place_of(offset, i, pass), in.from[i] + at[a + pass * ways * wide],
                         count - pass * ways * wide == 1);
    }

    /* The turn that a slice ends in, behind `rest` steps, where these end no pair early. */
    __device__ __forceinline__ void copy_rest_of_pairs(uint32_t offset, const source &in, int rest) const
    {
#pragma unroll
        for (int i = 0; i < parts; i++) {
            const bool is_there = k + i * rows * deep < rest;
#pragma unroll
            for (int pass = 0; pass < passes; pass++) {
                const char *from = in.from[i] + at[a + pass * ways * wide];
                copy_two(place_of(offset, i, pass),
                         is_there ? from : reinterpret_cast<const char *>(nothing + 2 * !is_left),
                         count - pass * ways * wide >= wide);
            }
        }
    }

    /* The same element by element. */
    __device__ __forceinline__ void copy_rest(uint32_t offset, const source &in, int rest) const
    {
        if (kind == ACROSS ? !has_half : kind == ALONG && rest % 2 == 0)
            return copy_rest_of_pairs(offset, in, rest);
#pragma unroll
        for (int i = 0; i < parts; i++)
#pragma unroll
            for (int e = 0; e < wide * deep; e++) {
                const bool is_there = k + i * rows * deep + (kind == ALONG ? e : 0) < rest;
#pragma unroll 1
                for (int pass = 0; pass < passes; pass++) {
                    const char *from = in.from[i] + at[a + pass * ways * wide] + 8 * e;
                    copy_one(place_of(offset, i, pass) + 8 * e,
                             is_there ? from : reinterpret_cast<const char *>(nothing + 2 * !is_left),
                             count - pass * ways * wide > (kind == ACROSS ? e : 0));
                }
            }
    }
};

} // namespace dmma

#endif
