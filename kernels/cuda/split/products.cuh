/* The loops of multiply: a warpgroup that brings leaves, and the chunks of the two that multiply. */
#ifndef LAY_KERNELS_CUDA_SPLIT_PRODUCTS_CUH
#define LAY_KERNELS_CUDA_SPLIT_PRODUCTS_CUH

#include "cuda/split/tile.cuh"

/* One thread: leaf after leaf of the tile's lines. */
template <typename S, bool is_fp16> struct producer {
    static constexpr int turns = is_fp16 ? S::fp16_turns : S::bf16_turns;
    static constexpr int turn_size = is_fp16 ? S::fp16_turn : S::bf16_turn;
    const lay_cuda_split_args &args;
    const ring<S> &to;
    position<turns> at;

    __device__ __forceinline__ producer(const lay_cuda_split_args &args, const ring<S> &ring)
        : args(args), to(ring), at{ 0, 1 }
    {
    }

    /* Lines of one leaf; third limbs lie behind all leaves. */
    __device__ __forceinline__ const char *lines_of(const lay_cuda_split_operand &of, int leaf, int first) const
    {
        return static_cast<const char *>(is_fp16 ? of.fp16 : of.bf16) +
               (lay_cuda_split_leaf_lines(of.extent) * leaf + first) * 128;
    }
    __device__ __forceinline__ const char *third_of(const lay_cuda_split_operand &of, int leaf, int first) const
    {
        const int64_t lines = lay_cuda_split_leaf_lines(of.extent);
        return static_cast<const char *>(of.bf16) + lines * lay_cuda_split_leaves(args.k) * 128 +
               (lines * leaf + first) * 64;
    }
    /* Of count lines those that a leaf has. */
    static __device__ __forceinline__ unsigned there(int extent, int first, int count)
    {
        const int64_t rest = lay_cuda_split_leaf_lines(extent) - first;
        return static_cast<unsigned>(rest < 0 ? 0 : rest < count ? rest : count);
    }

    __device__ __forceinline__ void bring(const work &own)
    {
        const unsigned rows = there(args.m, own.i, S::bm), columns = there(args.n, own.j, S::bn / own.parts);
#pragma unroll 1
        for (int leaf = own.leaf; leaf < own.leaf + own.leaves; leaf++) {
            char *const turn = to.turn + at.slot * turn_size, *const third = turn + (S::bm + S::bn) * 128;
            uint64_t *const full = to.full + at.slot;
            barrier_wait(to.empty + at.slot, at.parity);
            barrier_expect(full, (rows + columns) * (is_fp16 ? 128 : 192));
            copy_bulk(turn, lines_of(args.left, leaf, own.i), rows * 128, full);
            if (columns)
                copy_bulk(turn + S::bm * 128, lines_of(args.right, leaf, own.j), columns * 128, full);
            if (!is_fp16) {
                copy_bulk(third, third_of(args.left, leaf, own.i), rows * 64, full);
                if (columns)
                    copy_bulk(third + S::bm * 64, third_of(args.right, leaf, own.j), columns * 64, full);
            }
            at.go_on();
        }
    }
};

/* A leaf of shared memory as a consuming warpgroup's matrix units see it. In units of 16 bytes, a step of 16 is 2
 * further on, the second limb 4. row, column: in the tile. */
struct leaf {
    uint64_t left, right, left_third, right_third;

    __device__ __forceinline__ leaf(const char *turn, int bm, int bn, int row, int column)
    {
        const char *third = turn + (bm + bn) * 128;
        left = describe_128(turn + row * 128);
        right = describe_128(turn + (bm + column) * 128);
        left_third = describe_64(third + row * 64);
        right_third = describe_64(third + (bm + column) * 64);
    }
};

/* A consuming warpgroup's way around the ring. */
template <typename S, bool is_fp16> struct reader {
    static constexpr int turns = is_fp16 ? S::fp16_turns : S::bf16_turns;
    static constexpr int turn_size = is_fp16 ? S::fp16_turn : S::bf16_turn;
    const ring<S> &from;
    position<turns> at;   /* of the next leaf */
    position<turns> back; /* of the first that is not released */

    __device__ __forceinline__ explicit reader(const ring<S> &ring) : from(ring), at{ 0, 0 }, back{ 0, 0 }
    {
    }

    __device__ __forceinline__ leaf await(int row, int column)
    {
        barrier_wait(from.full + at.slot, at.parity);
        const leaf next(from.turn + at.slot * turn_size, S::bm, S::bn, row, column);
        at.go_on();
        return next;
    }
    /* The warpgroup has read so many turns. */
    __device__ __forceinline__ void release(int count)
    {
        for (int e = 0; e < count; e++) {
            if (threadIdx.x % 128 == 0)
                barrier_arrive(from.empty + back.slot);
            back.go_on();
        }
    }
};

/* What a warpgroup sums, and how. The leading products of a chunk and the corrections are summed apart, both in the
 * matrix units: a chunk's sum goes to FP32 registers while its corrections are at work, so that the units are never
 * without; the corrections, which are small, go there once in a segment of chunks.
 *
 * columns: of the warpgroup's part of the tile, which begins at row and column. */
template <typename S, bool is_fp16, bool is_transposed, int columns> struct consumer {
    static constexpr int count = columns / 2; /* sums of a thread */
    static constexpr int chunk_leaves = is_fp16 ? S::fp16_chunk / LAY_SPLIT_STEPS : 1,
                         segment_leaves = is_fp16 ? fp16_segment : bf16_segment;
    static constexpr int group_leaves = chunk_leaves < 2 ? chunk_leaves : 2; /* released together */
    using on = products<is_fp16 ? FP16 : BF16, columns>;
    reader<S, is_fp16> &from;
    const int row, column;

    static __device__ __forceinline__ void lead(float (&sum)[count], const leaf &of, int is_more)
    {
        on::add(sum, of.left, of.right, is_more);
        on::add(sum, of.left + 2, of.right + 2, 1);
    }

    static __device__ __forceinline__ void correct(float (&sum)[count], const leaf &of, int is_more)
    {
        if (!is_fp16) {
            const uint64_t first_left = is_transposed ? of.left : of.left_third,
                           last_left = is_transposed ? of.left_third : of.left;
            const uint64_t first_right = is_transposed ? of.right_third : of.right,
                           last_right = is_transposed ? of.right : of.right_third;
#pragma unroll
            for (int step = 0; step < 4; step += 2) {
                on::add(sum, first_left + step, first_right + step, step ? 1 : is_more);
                on::add(sum, of.left + step + 4, of.right + step + 4, 1);
                on::add(sum, last_left + step, last_right + step, 1);
            }
        }
        constexpr int first = is_transposed ? 4 : 0; /* which limb of left comes first */
#pragma unroll
        for (int step = 0; step < 4; step += 2) {
            on::add(sum, of.left + (step + first), of.right + (step + 4 - first), is_fp16 && step == 0 ? is_more : 1);
            on::add(sum, of.left + (step + 4 - first), of.right + (step + first), 1);
        }
    }

    /* One group: leading products, then corrections. Behind it the last group's turns are free. is_first: of a
     * segment. */
    __device__ __forceinline__ void group(float (&leading)[count], float (&small)[count], int is_more, int is_first)
    {
        const leaf first = from.await(row, column);
        leaf second = first;
        products_begin();
        lead(leading, first, is_more);
        if (group_leaves == 2) {
            second = from.await(row, column);
            lead(leading, second, 1);
        }
        products_commit();
        correct(small, first, !is_first);
        if (group_leaves == 2)
            correct(small, second, 1);
        products_commit();
        products_wait<1>();
        if (!is_first)
            from.release(group_leaves);
    }

    /* One chunk, whose leading sum is promoted: mostly a group. */
    __device__ __forceinline__ void chunk(float (&sum)[count], float (&leading)[count], float (&small)[count],
                                          int is_first)
    {
#pragma unroll
        for (int at = 0; at < chunk_leaves / group_leaves; at++)
            group(leading, small, at > 0, is_first && at == 0);
#pragma unroll
        for (int e = 0; e < count; e++)
            sum[e] += leading[e];
    }

    __device__ __forceinline__ void multiply(int leaves, float (&sum)[count])
    {
        float leading[count], small[count];
#pragma unroll
        for (int e = 0; e < count; e++)
            sum[e] = 0;
        int rest = leaves;
#pragma unroll 1
        while (rest > 0) {
            const int end = max(rest - segment_leaves, 0);
            chunk(sum, leading, small, 1);
            rest -= chunk_leaves;
#pragma unroll 1
            for (; rest > end; rest -= chunk_leaves)
                chunk(sum, leading, small, 0);
            products_wait<0>();
            from.release(group_leaves);
#pragma unroll
            for (int e = 0; e < count; e++)
                sum[e] = is_fp16 ? fmaf(small[e], 1 / fp16_gap, sum[e]) : sum[e] + small[e];
        }
    }
};

#endif
