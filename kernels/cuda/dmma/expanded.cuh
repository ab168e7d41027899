/* Complex products on the matrix units: what product.cuh multiplies when the operands' elements are complex numbers
 * (kernels/cuda_complex.h draws the real product that they are).
 *
 * The left operand is read as it lies, two steps a number, and lies BY_INDEX in shared memory. The right one is half as
 * much there as the real product's would be: number (l, j) serves steps 2 l and 2 l + 1 of columns 2 j and 2 j + 1,
 *
 *      BY_NUMBER  [bk / 2][across]:       step 2 l      re        im
 *                                         step 2 l + 1  im, neg.  re           (which are negated: lay_cuda_args)
 *
 * so the fragment of a lane, which has one parity of steps and one of columns, is an element whose place and sign are
 * the lane's own. Numbers (16 bytes) are stirred within 128 bytes: four steps by two numbers are written at once, and
 * two steps by four numbers are read, each by two lanes. */
#ifndef LAY_KERNELS_CUDA_DMMA_EXPANDED_CUH
#define LAY_KERNELS_CUDA_DMMA_EXPANDED_CUH

#include "cuda/dmma/shape.cuh"

namespace dmma
{

constexpr int numbers_deep = bk / 2;

/* A shape whose operands are complex: the right one takes half the room. */
template <class S, int stages_ = S::stages> struct of_numbers : S {
    static constexpr bool is_complex = true;
    static constexpr int stages = stages_, barriers = 2 * stages;
    static constexpr int part = bk * S::bm + numbers_deep * S::bn, stage = S::groups * part;
    static constexpr int shared = 8 * (stages * stage + barriers + S::offsets + steps_ahead<S::groups>::size);
};

/* Element (l, n) of the right operand, in doubles. */
template <int across> __host__ __device__ __forceinline__ int place_of_number(int l, int n)
{
    const int stir = (l & 1) << 2 | (l & 2);
    return l * across + ((n / 2 ^ stir) << 1 | (n & 1));
}

template <int across> struct reader<BY_NUMBER, across, false> {
    uint32_t at[4];    /* of piece 0: [h][i odd] */
    unsigned negation; /* of the lane's elements: the sign's bit */
    int left;          /* numbers from the lane's first of the turn to the end */

    __device__ __forceinline__ reader(uint32_t image, int first, const expansion &as)
    {
        const int g = threadIdx.x % 32 / 4, q = threadIdx.x % 4, second = q % 2;
#pragma unroll
        for (int v = 0; v < 4; v++)
            at[v] = keep(image + 8 * place_of_number<across>(2 * (v / 2) + q / 2, (first + 8 * (v % 2) + g) ^ second));
        negation = keep((as.negated >> (2 * second + g % 2) & 1) << 31);
        left = as.steps / 2 - q / 2;
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
    /* A step behind the end is +0 whatever the lane's sign: its partner is -0, and fma(-0, +0, x) is x, bit for bit. */
    __device__ __forceinline__ void expand(double (&of)[2], int s) const
    {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const int high = __double2hiint(of[h]) ^ negation;
            of[h] = __hiloint2double(4 * s + 2 * h < left ? high : 0, __double2loint(of[h]));
        }
    }
    __device__ __forceinline__ void pass_turn()
    {
        left -= numbers_deep;
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

/* Lanes side by side have four steps of eight numbers: 64 bytes or 128 lie together, whichever way these lie. */
template <int across> struct feed<EXPANDED, across, false> {
    static constexpr int numbers = across / 2;
    static constexpr int ways = numbers % 32 == 0 ? 32 : numbers % 16 == 0 ? 16 : 8;
    static constexpr int rows = feeders / ways; /* a pass has rows x ways copies, a turn passes x parts of them */
    static constexpr int passes = numbers / ways, parts = rows < numbers_deep ? numbers_deep / rows : 1;
    static constexpr bool has_half = false;
    static_assert(passes * ways == numbers && rows % 4 == 0, "whole passes");

    const char *base;
    const int64_t *at; /* [across], shared: bytes from the base to each index */
    int64_t held[passes];
    int k, a;    /* of this thread's first copy: the number's step, its column in the tile */
    int count;   /* columns from there to the edge; 0: there are more threads than numbers */
    uint32_t to; /* its place in the first stage */

    __device__ __forceinline__ feed(const void *operand, const int64_t *at_, const lay_cuda_offsets &, int there, bool,
                                    uint32_t image)
        : base(static_cast<const char *>(operand)), at(at_)
    {
        const int t = threadIdx.x, step = t % 4 + t / (4 * ways) * 4;
        k = step % numbers_deep;
        a = t / 4 % ways * 2;
        count = step < numbers_deep ? there - a : 0;
        to = image + 8 * place_of_number<across>(k, a);
    }
    __device__ __forceinline__ void begin()
    {
#pragma unroll
        for (int pass = 0; pass < passes; pass++)
            held[pass] = at[a + 2 * pass * ways];
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
    __device__ __forceinline__ uint32_t place_of(uint32_t offset, int part, int pass) const
    {
        return to + offset + 8 * (part * rows * across + 2 * pass * ways);
    }
    __device__ __forceinline__ void copy(uint32_t offset, const source &in) const
    {
#pragma unroll
        for (int i = 0; i < parts; i++)
#pragma unroll
            for (int pass = 0; pass < passes; pass++)
                copy_two(place_of(offset, i, pass), in.from[i] + held[pass], count > 2 * pass * ways);
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
            for (int e = 0; e < 2; e++) {
                const bool is_there = 2 * (k + i * rows) < rest;
#pragma unroll 1
                for (int pass = 0; pass < passes; pass++) {
                    const char *from = in.from[i] + at[a + 2 * pass * ways] + 8 * e;
                    copy_one(place_of(offset, i, pass) + 8 * e,
                             is_there ? from : reinterpret_cast<const char *>(nothing + 1), count > 2 * pass * ways);
                }
            }
    }
};

} // namespace dmma

#endif
