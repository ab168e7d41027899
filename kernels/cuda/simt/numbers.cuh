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
#include "cuda/complex/result.cuh"
#include "cuda/simt/numbers_feed.cuh"

namespace simt_numbers
{

constexpr int band = 8; /* rows of tiles */

/* A warp has 32 rows and 32 numbers of the tile, a thread 4 x 8 of them: two rows, or two numbers, in each piece.
 *
 *      row    16 piece + 2 lane_m + 0..1      lane_m 0..7
 *      number 8 piece + 2 lane_n + 0..1       lane_n 0..3
 *
 * For tiles of 24 numbers and their like it has 24 of them, a thread 4 x 6. Groups of such warps sum slices of k side
 * by side, each with turns of its own; if there are more, in several rounds. A group by itself goes on from slice to
 * slice.
 */
template <int bm_, int bn_, int deep_, int stages_, int groups_, int blocks_, int n_ = 16> struct shape {
    static constexpr int bm = bm_, bn = bn_, deep = deep_, stages = stages_, groups = groups_, blocks = blocks_;
    static constexpr int m = 4, n = n_;                                            /* of a thread: rows, real columns */
    static constexpr int warps_n = bn / (4 * n), threads = bm / 32 * warps_n * 32; /* of a group */
    /* An odd multiple of four: eight numbers along k by two across fall into 32 banks. */
    static constexpr int pitch_m = 2 * bm + 4, pitch_n = bn + 4;
    static constexpr int left_size = deep * pitch_m, turn_size = left_size + deep * pitch_n;
    static constexpr int group_size = stages * turn_size;                   /* floats */
    static constexpr int kept = groups * group_size;                        /* behind the turns: the slices' sum */
    static constexpr int places = kept + bm * pitch_n, width = bm + bn / 2; /* of the operands, and of C */
    static constexpr int shared = 4 * places + 2 * 8 * width;
    static_assert(bm % 32 == 0 && bn % (4 * n) == 0, "whole warps");
    static_assert(pitch_m % 8 == 4 && pitch_n % 8 == 4, "banks");
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
        j0 = warp % S::warps_n * 4 * S::n + lane / 2 % 4 * 4;
        clear();
    }
    __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (int i = 0; i < S::m; i++)
#pragma unroll
            for (int j = 0; j < S::n; j++)
                at[i][j] = 0;
    }
    /* To the sum of the slices before. */
    __device__ __forceinline__ void keep(float *kept, bool is_first) const
    {
#pragma unroll
        for (int i = 0; i < S::m; i++)
#pragma unroll
            for (int j = 0; j < S::n; j += 4)
                numbers::put_two(kept + (i0 + row(i)) * S::pitch_n + j0 + column(j),
                                 { at[i][j], at[i][j + 1], at[i][j + 2], at[i][j + 3] }, is_first);
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

/* A group's turns: brought some ahead, then multiplied, each while the copies of another one are told. room is the
 * group's, kept the block's. */
template <typename S, typename Left, typename Right> struct pipeline {
    Left &left;
    Right &right;
    float *room, *kept;
    int group, first, count; /* in numbers */
    int each;                /* of a slice: the same, or whole turns; all but the last are kept */

    /* What is there of a turn, in any layout. */
    __device__ __forceinline__ void bring(int turn, float *to) const
    {
        const int done = turn * S::deep;
        if (done < count) {
            left.place(first + done, count - done, to);
            right.place(first + done, count - done, to + S::left_size);
        }
    }
    /* Some of the copies that all even turns have, by three steps; places first, as each change from loads to copies
     * costs. */
    __device__ __forceinline__ void bring_some(int step, float *to, bool is_wanted) const
    {
        constexpr int lefts = Left::copies, all = lefts + Right::copies, shares = 3, most = (all + shares - 1) / shares;
        const int first = step / 2 * all / shares, count = (step / 2 + 1) * all / shares - first;
        const char *at[most];
        if (step % 2 || step / 2 >= shares)
            return;
#pragma unroll
        for (int i = 0; i < most; i++)
            if (i < count)
                at[i] = first + i < lefts ? left.find(first + i) : right.find(first + i - lefts);
#pragma unroll
        for (int i = 0; i < most; i++)
            if (i >= count)
                continue;
            else if (first + i < lefts)
                left.put(first + i, to, at[i], is_wanted);
            else
                right.put(first + i - lefts, to + S::left_size, at[i], is_wanted);
    }
    __device__ __forceinline__ void load(fragment<S> &f, const sums<S> &sums, const float *turn, int step) const
    {
        f.load(turn + 2 * sums.i0 + step * S::pitch_m, turn + S::left_size + sums.j0 + step * S::pitch_n);
    }

    template <unsigned negated> __device__ __forceinline__ void run(sums<S> &sums) const
    {
        const int even = left.is_even() && right.is_even() ? count / S::deep : 0; /* turns */
#pragma unroll 1
        for (int turn = 0; turn < S::stages - 1; turn++) {
            bring(turn, room + turn * S::turn_size);
            close_group();
        }
        float *now = room, *done = room + (S::stages - 1) * S::turn_size;
        wait_groups<S::stages - 2>();
        meet_group<S::groups, S::threads>(group);
        fragment<S> f[2];
        load(f[0], sums, now, 0);
        int rest = count, of_slice = each;
        /* What is rare stands outside the loop that multiplies: its instructions follow each other (bench/LOG.md, 133).
         */
#pragma unroll 1
        for (int ahead = S::stages - 1; rest >= S::deep;) {
            const bool is_even = ahead < even;
            if (!is_even)
                bring(ahead, done);
            const int whole = (S::groups == 1 ? min(rest, of_slice) : rest) / S::deep;
            const int turns = is_even ? min(whole, even - ahead) : 1;
#pragma unroll 1
            for (int turn = 0; turn < turns; turn++) {
#pragma unroll
                for (int p = 0; p < S::deep - 1; p++) {
                    load(f[(p + 1) % 2], sums, now, p + 1);
                    bring_some(p, done, is_even);
                    step<S, negated>(sums, f[p % 2]);
                }
                left.go_on(is_even);
                right.go_on(is_even);
                close_group();
                wait_groups<S::stages - 2>();
                meet_group<S::groups, S::threads>(group);
                done = now;
                now = now == room + (S::stages - 1) * S::turn_size ? room : now + S::turn_size;
                load(f[0], sums, now, 0); /* behind the end whatever lies there: it is not multiplied */
                step<S, negated>(sums, f[(S::deep - 1) % 2]);
            }
            ahead += turns;
            rest -= turns * S::deep;
            of_slice -= turns * S::deep;
            if (S::groups == 1 && of_slice == 0 && rest > 0) {
                sums.keep(kept, rest + each == count);
                sums.clear();
                of_slice = each;
            }
        }
#pragma unroll 1
        for (int p = 1; p <= rest; p++) {
            step<S, negated>(sums, f[0]);
            load(f[0], sums, now, p);
        }
        wait_groups<0>();
    }
};

} // namespace simt_numbers

#endif
