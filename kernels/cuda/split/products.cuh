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
 * further on, the second piece 4; 64 lines of left are 512. */
template <typename S> struct leaf {
    uint64_t left, right, left_third, right_third;

    __device__ __forceinline__ leaf(const char *turn, int warpgroup)
    {
        const int row = S::warpgroups_m == 2 ? warpgroup * S::rows : 0;
        const int column = S::warpgroups_n == 2 ? warpgroup * S::columns : 0;
        const char *third = turn + (S::bm + S::bn) * 128;
        left = describe_128(turn + row * 128);
        right = describe_128(turn + (S::bm + column) * 128);
        left_third = describe_64(third + row * 64);
        right_third = describe_64(third + (S::bm + column) * 64);
    }
};

template <typename S, bool is_fp16> struct consumer {
    static constexpr int turns = is_fp16 ? S::fp16_turns : S::bf16_turns;
    static constexpr int turn_size = is_fp16 ? S::fp16_turn : S::bf16_turn;
    using on = products<is_fp16 ? FP16 : BF16, S::columns>;
    const ring<S> &from;
    const int warpgroup;
    position<turns> at;

    __device__ __forceinline__ consumer(const ring<S> &ring, int warpgroup)
        : from(ring), warpgroup(warpgroup), at{ 0, 0 }
    {
    }

    __device__ __forceinline__ leaf<S> await() const
    {
        barrier_wait(from.full + at.slot, at.parity);
        return leaf<S>(from.turn + at.slot * turn_size, warpgroup);
    }

    /* The warpgroup has read a turn: to all blocks that write it. */
    __device__ __forceinline__ void release(int slot) const
    {
        if (S::cluster == 1) {
            if (threadIdx.x % 128 == 0)
                barrier_arrive(from.empty + slot);
        } else if (threadIdx.x % 128 < S::cluster) {
            barrier_arrive_at(from.empty + slot, threadIdx.x % 128);
        }
    }

    static __device__ __forceinline__ void add(float (&sum)[S::count], const float (&more)[S::count])
    {
#pragma unroll
        for (int e = 0; e < S::count; e++)
            sum[e] += more[e];
    }

    /* 64 steps: two leaves. Corrections first: what they lose by being aligned to the sum so far is least then. */
    __device__ __forceinline__ void fp16_chunk(float (&sum)[S::halves][S::count])
    {
        const int slot = at.slot;
        const leaf<S> first = await();
        at.go_on();
        const int next = at.slot;
        leaf<S> second = first;
#pragma unroll
        for (int half = 0; half < S::halves; half++) {
            float chunk[S::count];
            const uint64_t down = half * 512;
            products_begin();
            on::add(chunk, first.left + down, first.right + 4, 0);
            on::add(chunk, first.left + down + 4, first.right, 1);
            on::add(chunk, first.left + down + 2, first.right + 6, 1);
            on::add(chunk, first.left + down + 6, first.right + 2, 1);
            if (half == 0)
                second = await();
            on::add(chunk, second.left + down, second.right + 4, 1);
            on::add(chunk, second.left + down + 4, second.right, 1);
            on::add(chunk, second.left + down + 2, second.right + 6, 1);
            on::add(chunk, second.left + down + 6, second.right + 2, 1);
#ifndef LAY_SPLIT_LEVEL_A
            products_commit();
            products_wait<0>();
#pragma unroll
            for (int e = 0; e < S::count; e++)
                chunk[e] *= 1 / fp16_gap;
            products_begin();
#endif
            on::add(chunk, first.left + down, first.right, 1);
            on::add(chunk, first.left + down + 2, first.right + 2, 1);
            on::add(chunk, second.left + down, second.right, 1);
            on::add(chunk, second.left + down + 2, second.right + 2, 1);
            products_commit();
            products_wait<0>();
            if (half == S::halves - 1) {
                release(slot);
                release(next);
            }
            add(sum[half], chunk);
        }
        at.go_on();
    }

    /* 32 steps: one leaf. */
    __device__ __forceinline__ void bf16_chunk(float (&sum)[S::halves][S::count])
    {
        const leaf<S> own = await();
#pragma unroll
        for (int half = 0; half < S::halves; half++) {
            float chunk[S::count];
            const uint64_t down = half * 512, third_down = half * 256;
            products_begin();
#pragma unroll
            for (int step = 0; step < 4; step += 2) {
                on::add(chunk, own.left_third + third_down + step, own.right + step, step);
                on::add(chunk, own.left + down + step + 4, own.right + step + 4, 1);
                on::add(chunk, own.left + down + step, own.right_third + step, 1);
            }
#pragma unroll
            for (int step = 0; step < 4; step += 2) {
                on::add(chunk, own.left + down + step + 4, own.right + step, 1);
                on::add(chunk, own.left + down + step, own.right + step + 4, 1);
            }
#pragma unroll
            for (int step = 0; step < 4; step += 2)
                on::add(chunk, own.left + down + step, own.right + step, 1);
            products_commit();
            products_wait<0>();
            if (half == S::halves - 1)
                release(at.slot);
            add(sum[half], chunk);
        }
        at.go_on();
    }

    __device__ __forceinline__ void multiply(const work &own, float (&sum)[S::halves][S::count])
    {
#pragma unroll
        for (int half = 0; half < S::halves; half++)
#pragma unroll
            for (int e = 0; e < S::count; e++)
                sum[half][e] = 0;
#pragma unroll 1
        for (int leaf = 0; leaf < own.leaves; leaf += is_fp16 ? 2 : 1) {
            if (is_fp16)
                fp16_chunk(sum);
            else
                bf16_chunk(sum);
        }
    }
};

#endif
