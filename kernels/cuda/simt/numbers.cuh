/* Complex products in FP32 by tiles of which several share a multiprocessor: every thread copies and multiplies, and
 * both operands are complex numbers as they lie (kernels/cuda_complex.h draws the real product that they are).
 *
 * A turn is `deep` numbers of both operands along k, [deep][2 bm + 4] and [deep][bn + 4] parts in shared memory: of
 * left as numbers lie, of right both real parts of two numbers, then both imaginary ones. Two parts of a number of
 * right lie in one bank of registers then, and the sum that both are multiplied into lies in the other one. A turn that
 * the sum ends in is not padded: no product of zeros suits both parts. */
#ifndef LAY_KERNELS_CUDA_SIMT_NUMBERS_CUH
#define LAY_KERNELS_CUDA_SIMT_NUMBERS_CUH

#include "cuda/complex/numbers.cuh"
#include "cuda/simt/numbers_feed.cuh"

namespace simt_numbers
{

constexpr int band = 8; /* rows of tiles */

/* A warp has 32 rows and 32 numbers of the tile, a thread 4 x 8 of them: two rows, or two numbers, in each piece.
 *
 *      row    16 piece + 2 lane_m + 0..1      lane_m 0..7
 *      number 8 piece + 2 lane_n + 0..1       lane_n 0..3
 *
 * Groups of such warps sum slices of k side by side, each with turns of its own; if there are more, in several rounds.
 */
template <int bm_, int bn_, int deep_, int stages_, int groups_, int blocks_> struct shape {
    static constexpr int bm = bm_, bn = bn_, deep = deep_, stages = stages_, groups = groups_, blocks = blocks_;
    static constexpr int m = 4, n = 16;                                       /* of a thread: rows, real columns */
    static constexpr int warps_n = bn / 64, threads = bm / 32 * warps_n * 32; /* of a group */
    /* Four more than a multiple of 32: eight numbers along k by two across fall into 32 banks. */
    static constexpr int pitch_m = 2 * bm + 4, pitch_n = bn + 4;
    static constexpr int left_size = deep * pitch_m, turn_size = left_size + deep * pitch_n;
    static constexpr int group_size = stages * turn_size; /* floats */
    static constexpr int kept = groups * group_size;      /* behind the turns: the slices' sum */
    static constexpr int places = kept + bm * pitch_n, shared = 4 * places + 8 * (bm + bn / 2);
    static_assert(bm % 32 == 0 && bn % 64 == 0, "whole warps");
};

/* What a thread sums, and where its pieces are. */
template <typename S> struct sums {
    float at[S::m][S::n];
    int i0, j0; /* in the tile, of at[0][0] */

    static constexpr __host__ __device__ int row(int i)
    {
        return i / 2 * 16 + i % 2;
    }
    static constexpr __host__ __device__ int column(int j)
    {
        return j / 4 * 16 + j % 4;
    }
    /* Lanes 1 apart read the same of right, lanes 2 apart of left: that halves the wavefronts of both. */
    __device__ __forceinline__ explicit sums(int thread)
    {
        const int warp = thread / 32, lane = thread % 32;
        i0 = warp / S::warps_n * 32 + (lane / 8 * 2 + lane % 2) * 2;
        j0 = warp % S::warps_n * 64 + lane / 2 % 4 * 4;
#pragma unroll
        for (int i = 0; i < S::m; i++)
#pragma unroll
            for (int j = 0; j < S::n; j++)
                at[i][j] = 0;
    }
};

template <typename S> struct fragment {
    float a[2 * S::m], b[S::n];

    __device__ __forceinline__ void load(const float *left, const float *right)
    {
#pragma unroll
        for (int j = 0; j < S::n; j += 4)
            *reinterpret_cast<float4 *>(b + j) = *reinterpret_cast<const float4 *>(right + sums<S>::column(j));
#pragma unroll
        for (int i = 0; i < S::m; i += 2)
            *reinterpret_cast<float4 *>(a + 2 * i) = *reinterpret_cast<const float4 *>(left + 2 * sums<S>::row(i));
    }
};

/* Rows by pairs and part by part of left, which is at hand from the product before; parts of right go to and fro, so
 * that the first of a row is at hand, too (ptxas keeps most of this order: 14 of 256 products wait for a bank). */
template <typename S, unsigned negated> __device__ __forceinline__ void step(sums<S> &sums, const fragment<S> &f)
{
#pragma unroll
    for (int pair = 0; pair < S::m; pair += 2)
#pragma unroll
        for (int s = 0; s < 2; s++)
#pragma unroll
            for (int i = pair; i < pair + 2; i++)
#pragma unroll
                for (int j = 0; j < S::n; j++) {
                    const int part = i == pair ? j : S::n - 1 - j, to = s == 0 ? part : part ^ 2, t = to >> 1 & 1;
                    float &sum = sums.at[i][to];
                    if (s == 0)
                        sum = fmaf(f.a[2 * i], t ? with_sign<negated, 1>(f.b[part]) : with_sign<negated, 0>(f.b[part]),
                                   sum);
                    else
                        sum = fmaf(f.a[2 * i + 1],
                                   t ? with_sign<negated, 3>(f.b[part]) : with_sign<negated, 2>(f.b[part]), sum);
                }
}

/* A group's turns: brought some ahead, then multiplied. room is the group's. */
template <typename S, typename Left, typename Right> struct pipeline {
    Left &left;
    Right &right;
    float *room;
    int group, first, count; /* of the slice, in numbers */

    __device__ __forceinline__ void bring(int turn, float *to) const
    {
        const int done = turn * S::deep;
        if (done < count) {
            left.place(first + done, count - done, to);
            right.place(first + done, count - done, to + S::left_size);
        }
        close_group();
    }

    template <unsigned negated> __device__ __forceinline__ void run(sums<S> &sums) const
    {
        constexpr int in_turn = S::deep / 2;
#pragma unroll 1
        for (int turn = 0; turn < S::stages - 1; turn++)
            bring(turn, room + turn * S::turn_size);
        const float *a = room + 2 * sums.i0, *b = room + S::left_size + sums.j0;
        int turn = 0, until = in_turn, rest = count;
        asm volatile("" : "+r"(rest)); /* counted, not worked out again each time */
        wait_groups<S::stages - 2>();
        meet_group<S::groups, S::threads>(group);
        bring(S::stages - 1, room + (S::stages - 1) * S::turn_size);
        fragment<S> f[2];
        f[0].load(a, b);
#pragma unroll 1
        for (; rest > 0; rest -= 2) { /* by twos; a tail of its own would have other registers, and conflicts */
            f[1].load(a + S::pitch_m, b + S::pitch_n);
            step<S, negated>(sums, f[0]);
            if (rest == 1)
                break;
            a += 2 * S::pitch_m;
            b += 2 * S::pitch_n;
            if (--until == 0) {
                until = in_turn;
                wait_groups<S::stages - 2>();
                meet_group<S::groups, S::threads>(group);
                bring(turn + S::stages, room + turn % S::stages * S::turn_size);
                turn++;
                const float *const from = room + turn % S::stages * S::turn_size;
                a = from + 2 * sums.i0;
                b = from + S::left_size + sums.j0;
            }
            f[0].load(a, b); /* behind the end whatever lies there: it is not multiplied */
            step<S, negated>(sums, f[1]);
        }
        wait_groups<0>();
    }
};

} // namespace simt_numbers

#endif
