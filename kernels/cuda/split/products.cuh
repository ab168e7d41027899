/* The loops of multiply: a warpgroup that brings leaves, and the chunks of the two that multiply. */
#ifndef LAY_KERNELS_CUDA_SPLIT_PRODUCTS_CUH
#define LAY_KERNELS_CUDA_SPLIT_PRODUCTS_CUH

#include "cuda/split/tile.cuh"

/* One thread: leaf after leaf of left's lines, and of this block's part of right's, which goes to all of its cluster. */
template <typename S, bool is_fp16> struct producer {
    static constexpr int turns = is_fp16 ? S::fp16_turns : S::bf16_turns;
    static constexpr int turn_size = is_fp16 ? S::fp16_turn : S::bf16_turn;
    static constexpr int share = S::bn / S::cluster; /* of right's lines */
    const lay_cuda_split_args &args;
    const ring<S> &to;
    position<turns> at;

    __device__ __forceinline__ producer(const lay_cuda_split_args &args, const ring<S> &ring)
        : args(args), to(ring), at{ 0, 1 }
    {
    }

    static __device__ __forceinline__ unsigned clip(int64_t lines, int most)
    {
        return static_cast<unsigned>(lines < 0 ? 0 : lines < most ? lines : most);
    }

    /* Lines of one leaf; third pieces lie behind all leaves. */
    __device__ __forceinline__ const char *lines_of(const lay_cuda_split_operand &of, int leaf, int first) const
    {
        return static_cast<const char *>(is_fp16 ? of.fp16 : of.bf16) +
               (lay_cuda_split_leaf_lines(of.extent) * leaf + first) * 128;
    }
    __device__ __forceinline__ const char *third_of(const lay_cuda_split_operand &of, int leaf, int first) const
    {
        const int64_t lines = lay_cuda_split_leaf_lines(of.extent);
        return static_cast<const char *>(of.bf16) + lines * lay_cuda_split_leaves(args.k) * 128 + (lines * leaf + first) * 64;
    }

    __device__ __forceinline__ void copy_right(char *to_lines, const char *from, unsigned bytes, uint64_t *full)
    {
        if (bytes == 0)
            return;
        if (S::cluster == 1)
            copy_bulk(to_lines, from, bytes, full);
        else
            copy_bulk_to_all(to_lines, from, bytes, full, (1 << S::cluster) - 1);
    }

    __device__ __forceinline__ void bring(const work &own)
    {
        const int part = S::cluster > 1 ? block_of_cluster() * share : 0;
        const int64_t left_rest = lay_cuda_split_leaf_lines(args.m) - own.i;
        const int64_t right_rest = lay_cuda_split_leaf_lines(args.n) - own.j;
        const unsigned rows = clip(left_rest, S::bm), all = rows + clip(right_rest, S::bn);
        const unsigned mine = clip(right_rest - part, share);
#pragma unroll 1
        for (int leaf = own.leaf; leaf < own.leaf + own.leaves; leaf++) {
            char *const turn = to.turn + at.slot * turn_size, *const third = turn + (S::bm + S::bn) * 128;
            uint64_t *const full = to.full + at.slot;
            barrier_wait(to.empty + at.slot, at.parity);
            barrier_expect(full, all * (is_fp16 ? 128 : 192));
            if (rows)
                copy_bulk(turn, lines_of(args.left, leaf, own.i), rows * 128, full);
            copy_right(turn + (S::bm + part) * 128, lines_of(args.right, leaf, own.j + part), mine * 128, full);
            if (!is_fp16) {
                if (rows)
                    copy_bulk(third, third_of(args.left, leaf, own.i), rows * 64, full);
                copy_right(third + (S::bm + part) * 64, third_of(args.right, leaf, own.j + part), mine * 64, full);
            }
            at.go_on();
        }
    }
};

/* A leaf of shared memory as a consuming warpgroup's matrix units see it. In units of 16 bytes, a step of 16 is 2
 * further on, the second piece 4. */
template <typename S> struct leaf {
    uint64_t left, right, left_third, right_third;

    __device__ __forceinline__ leaf(const char *turn, int warpgroup)
    {
        const int row = S::warpgroups_m == 2 ? warpgroup * 64 : 0;
        const int column = S::warpgroups_n == 2 ? warpgroup * S::columns : 0;
        const char *third = turn + (S::bm + S::bn) * 128;
        left = describe_128(turn + row * 128);
        right = describe_128(turn + (S::bm + column) * 128);
        left_third = describe_64(third + row * 64);
        right_third = describe_64(third + (S::bm + column) * 64);
    }
};

/* What a warpgroup sums, and how. The leading products of a chunk and the corrections are summed apart, both in the
 * matrix units: a chunk's sum goes to FP32 registers while its corrections are at work, so that the units are never
 * without; the corrections, which are small, go there once in a stretch of chunks. */
template <typename S, bool is_fp16> struct consumer {
    static constexpr int turns = is_fp16 ? S::fp16_turns : S::bf16_turns;
    static constexpr int turn_size = is_fp16 ? S::fp16_turn : S::bf16_turn;
    static constexpr int chunk_leaves = is_fp16 ? 2 : 1, stretch_leaves = is_fp16 ? fp16_stretch : bf16_stretch;
    using on = products<is_fp16 ? FP16 : BF16, S::columns>;
    const ring<S> &from;
    const int warpgroup;
    position<turns> at;   /* of the next leaf */
    position<turns> back; /* of the first that is not released */

    __device__ __forceinline__ consumer(const ring<S> &ring, int warpgroup)
        : from(ring), warpgroup(warpgroup), at{ 0, 0 }, back{ 0, 0 }
    {
    }

    __device__ __forceinline__ leaf<S> await()
    {
        barrier_wait(from.full + at.slot, at.parity);
        const leaf<S> next(from.turn + at.slot * turn_size, warpgroup);
        at.go_on();
        return next;
    }

    /* The warpgroup has read a chunk's turns: to all blocks that write them. */
    __device__ __forceinline__ void release()
    {
#pragma unroll
        for (int e = 0; e < chunk_leaves; e++) {
            if (S::cluster == 1) {
                if (threadIdx.x % 128 == 0)
                    barrier_arrive(from.empty + back.slot);
            } else if (threadIdx.x % 128 < S::cluster) {
                barrier_arrive_at(from.empty + back.slot, threadIdx.x % 128);
            }
            back.go_on();
        }
    }

    static __device__ __forceinline__ void lead(float (&sum)[S::count], const leaf<S> &of, int is_more)
    {
        on::add(sum, of.left, of.right, is_more);
        on::add(sum, of.left + 2, of.right + 2, 1);
    }

    static __device__ __forceinline__ void correct(float (&sum)[S::count], const leaf<S> &of, int is_more)
    {
        if (!is_fp16) {
#pragma unroll
            for (int step = 0; step < 4; step += 2) {
                on::add(sum, of.left_third + step, of.right + step, step ? 1 : is_more);
                on::add(sum, of.left + step + 4, of.right + step + 4, 1);
                on::add(sum, of.left + step, of.right_third + step, 1);
            }
        }
#pragma unroll
        for (int step = 0; step < 4; step += 2) {
            on::add(sum, of.left + step, of.right + step + 4, is_fp16 && step == 0 ? is_more : 1);
            on::add(sum, of.left + step + 4, of.right + step, 1);
        }
    }

    /* One chunk: leading products, then corrections. Behind it the last chunk's turns are free. */
    __device__ __forceinline__ void chunk(float (&sum)[S::count], float (&leading)[S::count], float (&small)[S::count],
                                          int is_first)
    {
        const leaf<S> first = await();
        leaf<S> second = first;
        products_begin();
        lead(leading, first, 0);
        if (is_fp16) {
            second = await();
            lead(leading, second, 1);
        }
        products_commit();
        correct(small, first, !is_first);
        if (is_fp16)
            correct(small, second, 1);
        products_commit();
        products_wait<1>();
        if (!is_first)
            release();
#pragma unroll
        for (int e = 0; e < S::count; e++)
            sum[e] += leading[e];
    }

    __device__ __forceinline__ void multiply(const work &own, float (&sum)[S::count])
    {
        float leading[S::count], small[S::count];
#pragma unroll
        for (int e = 0; e < S::count; e++)
            sum[e] = 0;
        int rest = own.leaves;
#pragma unroll 1
        while (rest > 0) {
            const int end = max(rest - stretch_leaves, 0);
            chunk(sum, leading, small, 1);
            rest -= chunk_leaves;
#pragma unroll 1
            for (; rest > end; rest -= chunk_leaves)
                chunk(sum, leading, small, 0);
            products_wait<0>();
            release();
#pragma unroll
            for (int e = 0; e < S::count; e++)
                sum[e] = is_fp16 ? fmaf(small[e], 1 / fp16_gap, sum[e]) : sum[e] + small[e];
        }
    }
};

#endif
