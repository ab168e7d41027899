/* Complex products on the matrix units: what product.cuh multiplies when the operands' elements are complex numbers
 * (kernels/cuda_complex.h draws the real product that they are).
 *
 * Of both operands a number (16 bytes) is copied as it lies, two steps of the left one. The right one is half as much
 * in shared memory as the real product's would be: number (l, j) serves steps 2 l and 2 l + 1 of columns 2 j and 2 j +
 * 1,
 *
 *                                         step 2 l      re        im
 *                                         step 2 l + 1  im, neg.  re           (which are negated: lay_cuda_args)
 *
 * so the fragment of a lane, which has one parity of steps and one of columns, is an element whose place and sign are
 * the lane's own. Each operand has the image that its layout fills by whole lines of 128 bytes, eight numbers:
 *
 *      left along k      BY_INDEX   [across][bk]             left across     BY_NUMBER  [bk / 2][across]
 *      right along k     BY_LINE    [across / 2][bk / 2]     right across    BY_NUMBER  [bk / 2][across / 2]
 *
 * Numbers are stirred within 128 bytes, so that the fragments' loads do not meet in a bank either: a line that is
 * spread over the rows of an image costs its copies twice the time (bench/LOG.md, 106). */
#ifndef LAY_KERNELS_CUDA_DMMA_EXPANDED_CUH
#define LAY_KERNELS_CUDA_DMMA_EXPANDED_CUH

#include "cuda/dmma/shape.cuh"

namespace dmma
{

constexpr int numbers_deep = bk / 2;

/* A shape whose operands are complex: the right one takes half the room. */
template <class S, int stages_ = S::stages, int deep_ = 16> struct of_numbers : S {
    static constexpr bool is_complex = true;
    static constexpr int deep = deep_;
    static constexpr int stages = stages_, barriers = 2 * stages;
    static constexpr int part = bk * S::bm + numbers_deep * S::bn, stage = S::groups * part;
    static constexpr int shared = 8 * (stages * stage + barriers + S::offsets + steps_ahead<S::groups>::size);
};

/* Elements in doubles: (l, n) of the right operand, and number l of row a of the left one. */
template <int across> __host__ __device__ __forceinline__ int place_of_number(int l, int n)
{
    const int stir = (l & 1) << 2 | (l & 2);
    return l * across + ((n / 2 ^ stir) << 1 | (n & 1));
}
__host__ __device__ __forceinline__ int place_in_line(int l, int n)
{
    const int stir = (n / 2 & 3) << 1;
    return n / 2 * bk + ((l ^ stir) << 1 | (n & 1));
}
template <int across> __host__ __device__ __forceinline__ int place_of_left(int l, int a)
{
    return (l * across + (a ^ (l & 1))) * 2;
}

/* Two rows of a fragment, 2 g and 2 g + 1, lie side by side, but in which order the lane's step says. */
template <int across> struct reader<BY_NUMBER, across, true> {
    uint32_t at[2]; /* of piece 0: [row] */

    __device__ __forceinline__ reader(uint32_t image, int first, const expansion & = {})
    {
        const int g = threadIdx.x % 32 / 4, q = threadIdx.x % 4;
#pragma unroll
        for (int r = 0; r < 2; r++)
            at[r] = keep(image + 8 * (place_of_left<across>(q / 2, first + 2 * g + r) + q % 2));
    }
    __device__ __forceinline__ void move(int bytes)
    {
        at[0] += bytes;
        at[1] += bytes;
    }
    __device__ __forceinline__ void left(double (&to)[4], int i, int s) const
    {
#pragma unroll
        for (int v = 0; v < 4; v++)
            to[v] = load_one(at[v % 2] + 16 * ((2 * (v / 2) + 4 * s) * across + 16 * i));
    }
};

/* Of the right operand's elements as they are loaded: which are negated. A step behind the end is +0 whatever the
 * lane's sign: its partner is -0, and fma(-0, +0, x) is x, bit for bit. */
struct signs {
    unsigned negation;   /* of the lane's elements: the sign's bit */
    unsigned of_four[4]; /* of its numbers of this turn, 0 behind the end */
    int left;            /* numbers from the lane's first of the turn to the end */

    __device__ __forceinline__ explicit signs(const expansion &as)
    {
        const int g = threadIdx.x % 32 / 4, q = threadIdx.x % 4;
        negation = keep((as.negated >> (2 * (q % 2) + g % 2) & 1) << 31);
        left = as.steps / 2 - q / 2;
        end_signs();
    }
    __device__ __forceinline__ void end_signs()
    {
#pragma unroll
        for (int i = 0; i < 4; i++)
            of_four[i] = 2 * i < left ? negation : 0;
    }
    __device__ __forceinline__ void expand(double (&of)[2], int s) const
    {
#pragma unroll
        for (int h = 0; h < 2; h++)
            of[h] = __hiloint2double(__double2hiint(of[h]) ^ of_four[2 * s + h], __double2loint(of[h]));
    }
    __device__ __forceinline__ void pass_turn()
    {
        left -= numbers_deep;
        end_signs();
    }
};

template <int across> struct reader<BY_NUMBER, across, false> : signs {
    uint32_t at[4]; /* of piece 0: [h][i odd] */

    __device__ __forceinline__ reader(uint32_t image, int first, const expansion &as) : signs(as)
    {
        const int g = threadIdx.x % 32 / 4, q = threadIdx.x % 4, second = q % 2;
#pragma unroll
        for (int v = 0; v < 4; v++)
            at[v] = keep(image + 8 * place_of_number<across>(2 * (v / 2) + q / 2, (first + 8 * (v % 2) + g) ^ second));
    }
    __device__ __forceinline__ void move(int bytes)
    {
#pragma unroll
        for (uint32_t &address : at)
            address += bytes;
    }
    __device__ __forceinline__ void right(double (&to)[2], int i, int s) const
    {
#pragma unroll
        for (int h = 0; h < 2; h++)
            to[h] = load_one(at[2 * h + i % 2] + 8 * (4 * s * across + 16 * (i / 2)));
    }
};

template <int across> struct reader<BY_LINE, across, false> : signs {
    uint32_t at[4]; /* of piece 0: [s][h] */

    __device__ __forceinline__ reader(uint32_t image, int first, const expansion &as) : signs(as)
    {
        const int g = threadIdx.x % 32 / 4, q = threadIdx.x % 4, second = q % 2;
#pragma unroll
        for (int v = 0; v < 4; v++)
            at[v] = keep(image + 8 * place_in_line(2 * v + q / 2, (first + g) ^ second));
    }
    __device__ __forceinline__ void move(int bytes)
    {
#pragma unroll
        for (uint32_t &address : at)
            address += bytes;
    }
    __device__ __forceinline__ void right(double (&to)[2], int i, int s) const
    {
#pragma unroll
        for (int h = 0; h < 2; h++)
            to[h] = load_one(at[2 * s + h] + 8 * (4 * i * bk));
    }
};

/* The left operand's numbers are pairs along k, the offsets numbers. */
template <int across> struct feed<NUMBERS, across, true> : feed<ALONG, across, true> {
    __device__ __forceinline__ feed(const void *operand, const int64_t *at_, const lay_cuda_offsets &offsets, int there,
                                    bool, uint32_t image)
        : feed<ALONG, across, true>(operand, at_, offsets, there, false, image)
    {
        if (!this->are_held)
            this->held[1] *= 2;
    }
};

/* Number by number where they do not lie along k in the left operand: lanes side by side go the way that numbers lie.
 */
template <way kind, int across, bool is_left> struct number_feed {
    static constexpr bool is_along = kind == EXPANDED_ALONG, has_half = false;
    static constexpr int each = is_left ? 1 : 2, numbers = across / each; /* indices of a number */
    static constexpr int ways = is_along ? feeders / numbers_deep : numbers % 32 == 0 ? 32 : numbers % 16 == 0 ? 16 : 8;
    static constexpr int rows = feeders / ways; /* a pass has rows x ways copies, a turn passes x parts of them */
    static constexpr int passes = (numbers + ways - 1) / ways, parts = rows < numbers_deep ? numbers_deep / rows : 1;
    static constexpr int next = 8 * ways * (is_along ? bk : 2); /* bytes from pass to pass */
    static constexpr int further = 8 * rows * numbers * 2;      /* and from part to part */
    static_assert(is_along || passes * ways == numbers, "whole passes");
    static_assert(parts == 1 || rows % 4 == 0, "the stir has a period of 4");

    const char *base;
    const int64_t *at; /* [across], shared: bytes from the base to each index */
    int64_t held[passes];
    int k, a;    /* of this thread's first copy: the number's step, its first index in the tile */
    int count;   /* indices from there to the edge; 0: there are more threads than numbers */
    uint32_t to; /* its place in the first stage */

    __device__ __forceinline__ number_feed(const void *operand, const int64_t *at_, const lay_cuda_offsets &, int there,
                                           bool, uint32_t image)
        : base(static_cast<const char *>(operand)), at(at_)
    {
        const int t = threadIdx.x, step = is_along ? t % numbers_deep : t / ways;
        k = step % numbers_deep;
        a = (is_along ? t / numbers_deep : t % ways) * each;
        count = step < numbers_deep ? min(there, across) - a : 0;
        to = image + 8 * (is_left    ? place_of_left<across>(k, a)
                          : is_along ? place_in_line(k, a)
                                     : place_of_number<across>(k, a));
    }
    __device__ __forceinline__ int index_of(int pass) const
    {
        return min(a + each * pass * ways, across - each);
    }
    __device__ __forceinline__ void begin()
    {
#pragma unroll
        for (int pass = 0; pass < passes; pass++)
            held[pass] = at[index_of(pass)];
    }
    struct source {
        const char *from[parts];
    };
    __device__ __forceinline__ source look(const int64_t *along) const
    {
        source in;
#pragma unroll
        for (int i = 0; i < parts; i++)
            in.from[i] = base + along[2 * (k + i * rows)];
        return in;
    }
    __device__ __forceinline__ bool is_there(int pass) const
    {
        return count > each * pass * ways;
    }
    __device__ __forceinline__ void copy(uint32_t offset, const source &in) const
    {
#pragma unroll
        for (int i = 0; i < parts; i++)
#pragma unroll
            for (int pass = 0; pass < passes; pass++)
                copy_two(to + offset + i * further + pass * next, in.from[i] + held[pass], is_there(pass));
    }
    __device__ __forceinline__ void copy_half(uint32_t, const source &) const
    {
    }
    /* The turn that a slice ends in, behind `rest` steps, all of which belong to whole numbers. */
    __device__ __forceinline__ void copy_rest(uint32_t offset, const source &in, int rest) const
    {
#pragma unroll
        for (int i = 0; i < parts; i++)
#pragma unroll
            for (int e = 0; e < 2; e++)
#pragma unroll 1
                for (int pass = 0; pass < passes; pass++)
                    copy_one(to + offset + i * further + pass * next + 8 * e,
                             2 * (k + i * rows) < rest ? in.from[i] + at[index_of(pass)] + 8 * e
                                                       : reinterpret_cast<const char *>(nothing + 2 * !is_left),
                             is_there(pass));
    }
};

template <int across> struct feed<NUMBERS_ACROSS, across, true> : number_feed<NUMBERS_ACROSS, across, true> {
    using number_feed<NUMBERS_ACROSS, across, true>::number_feed;
};
template <int across> struct feed<EXPANDED, across, false> : number_feed<EXPANDED, across, false> {
    using number_feed<EXPANDED, across, false>::number_feed;
};
template <int across> struct feed<EXPANDED_ALONG, across, false> : number_feed<EXPANDED_ALONG, across, false> {
    using number_feed<EXPANDED_ALONG, across, false>::number_feed;
};

} // namespace dmma

#endif
