/* The main loop: threads hold tm x tn sums in registers, operands come through several stages of shared memory,
 * and what the next step needs is in registers before this one begins. */
#ifndef LAY_KERNELS_CUDA_SIMT_PIPELINE_CUH
#define LAY_KERNELS_CUDA_SIMT_PIPELINE_CUH

#include "cuda/simt/fetch.cuh"
#include "cuda/simt/tile.cuh"

/* One step's elements of a thread. */
template <typename shape> struct fragment {
    float left[shape::tm], right[shape::tn];

    __device__ __forceinline__ void load(const float *left_row, const float *right_row)
    {
#pragma unroll
        for (int i = 0; i < shape::tm; i += 4)
            *reinterpret_cast<float4 *>(left + i) = *reinterpret_cast<const float4 *>(left_row + shape::row(i));
#pragma unroll
        for (int j = 0; j < shape::tn; j += 4)
            *reinterpret_cast<float4 *>(right + j) = *reinterpret_cast<const float4 *>(right_row + shape::column(j));
    }

    /* To and fro, so that each product shares an operand with the one before it. The other operand and the sum
     * must then lie in different banks, which are registers of even and of odd number: see swapped_vector. */
    __device__ __forceinline__ void add_product(float (&sums)[shape::tm][shape::tn]) const
    {
#pragma unroll
        for (int i = 0; i < shape::tm; i++)
#pragma unroll
            for (int j = 0; j < shape::tn; j++) {
                const int to_and_fro = i % 2 ? shape::tn - 1 - j : j;
                sums[i][to_and_fro] = fmaf(left[i], right[to_and_fro], sums[i][to_and_fro]);
            }
    }
};

/* How a loop begins its copies: each loop with a way of its own is scheduled best where operands come by
 * asynchronous copies, and one loop that asks at every stage where they come through registers: measured. */
enum begin_by { GENERAL, PLAIN, ASKED };

/* Copies go out in one burst behind the barrier, as the machine takes some time between a read of shared memory
 * and a copy into it. Split: the operand that comes through registers leaves them in the middle of a stage, and
 * there the other one begins; so the registers are free in the other half, or serve both. */
template <typename shape, typename Left, typename Right, typename Ring> struct pipeline {
    static constexpr int bk = shape::bk;
    static constexpr bool is_split = shape::split && (Left::holds || Right::holds);
    static constexpr bool is_left_first = Left::holds;
    /* So many that fragments would wait behind them: each step of a stage begins its part of the next one's. */
    static constexpr bool is_spread = shape::bm * shape::bn > 64 * 48 && Left::has_many &&Right::has_many;

    float (&sums)[shape::tm][shape::tn];
    Left &left;
    Right &right;
    Ring &ring;
    const float *shared; /* all stages of the group */
    int group;
    bool is_plain;
    const float *left_read, *right_read; /* the stage that is read, from the thread's own first elements */
    int turn;                            /* which stage that is */
    uint32_t write;                      /* the stage that is filled */
    fragment<shape> fragments[2];

    template <bool is_left, bool plain> __device__ __forceinline__ void begin_one()
    {
        const uint32_t to = is_left ? write : write + shape::right_image * 4;
        const uint32_t offsets = is_left ? ring.read : ring.read + bk * 8;
        if constexpr (is_left && plain)
            left.begin_plain(to, offsets);
        else if constexpr (is_left)
            left.begin(to, offsets);
        else if constexpr (plain)
            right.begin_plain(to, offsets);
        else
            right.begin(to, offsets);
    }
    template <begin_by how, bool has_left, bool has_right> __device__ __forceinline__ void begin()
    {
        if (how == PLAIN || (how == ASKED && is_plain)) {
            if constexpr (has_left)
                begin_one<true, true>();
            if constexpr (has_right)
                begin_one<false, true>();
        } else {
            if constexpr (has_left)
                begin_one<true, false>();
            if constexpr (has_right)
                begin_one<false, false>();
        }
    }
    template <begin_by how> __device__ __forceinline__ void begin_first()
    {
        begin<how, is_left_first, !is_left_first>();
    }
    template <begin_by how> __device__ __forceinline__ void begin_second()
    {
        begin<how, !is_left_first, is_left_first>();
        finish_begin();
    }
    template <begin_by how> __device__ __forceinline__ void begin_all()
    {
        begin<how, true, true>();
        finish_begin();
    }
    template <int part> __device__ __forceinline__ void begin_part()
    {
        left.template begin_part<part, bk>(write);
        right.template begin_part<part, bk>(write + shape::right_image * 4);
        if constexpr (part == bk - 1)
            finish_begin();
    }
    __device__ __forceinline__ void finish_begin()
    {
        ring.read_next();
        ring.fill();
        close_group();
    }
    template <bool is_left> __device__ __forceinline__ void end()
    {
        if constexpr (is_left)
            left.end(write);
        else
            right.end(write + shape::right_image * 4);
    }
    __device__ __forceinline__ void write_next()
    {
        const uint32_t first = shared_address(shared), last = first + (shape::stages - 1) * shape::stage * 4;
        write = write == last ? first : write + shape::stage * 4;
    }

    /* Every thread has its last fragment of this stage: the next one may be read, and this one be filled again. */
    template <begin_by how> __device__ __forceinline__ void next_stage()
    {
        if constexpr (!is_split)
            end<is_left_first>();
        end<!is_left_first>();
        write_next();
        wait_groups<shape::stages - 2>();
        meet_group<shape::groups, shape::threads>(group);
        if constexpr (is_split)
            begin_first<how>();
        else if constexpr (!is_spread)
            begin_all<how>();
        const int by = (turn == shape::stages - 1 ? 1 - shape::stages : 1) * shape::stage;
        turn = turn == shape::stages - 1 ? 0 : turn + 1;
        left_read += by;
        right_read += by;
    }

    __device__ __forceinline__ void load(fragment<shape> &to, unsigned step)
    {
        to.load(left_read + image_row(step, shape::left_pitch), right_read + image_row(step, shape::right_pitch));
    }

    /* The steps of a stage from `step` on. */
    template <begin_by how, int step> __device__ __forceinline__ void run_steps()
    {
        if constexpr (step < bk) {
            if constexpr (step == bk - 1)
                next_stage<how>();
            constexpr int next = (step + 1) % bk;
            load(fragments[next % 2], next);
            if constexpr (is_spread)
                begin_part<next>();
            if constexpr (is_split && step == bk / 2) {
                end<is_left_first>();
                begin_second<how>();
            }
            fragments[step % 2].add_product(sums);
            run_steps<how, step + 1>();
        }
    }

    /* The first stages where operands come through registers: these hold the last of them when the loop begins. */
    template <begin_by how> __device__ __forceinline__ void start_held()
    {
#pragma unroll 1
        for (int stage = 0; stage < shape::stages - 1; stage++) {
            begin_all<how>();
            end<true>();
            end<false>();
            write_next();
        }
        if constexpr (is_split)
            begin_first<how>();
        else
            begin_all<how>();
    }

    /* The same where they are copied. Spread: the last of them is begun when the loop begins. */
    template <begin_by how> __device__ __forceinline__ void start()
    {
#pragma unroll 1
        for (int stage = 0; stage < shape::stages - is_spread; stage++) {
            begin_all<how>();
            if (is_spread || stage < shape::stages - 1)
                write_next();
        }
        if constexpr (is_spread)
            begin_part<0>();
    }

    template <begin_by how> __device__ __forceinline__ void run(int count, int own_m, int own_n)
    {
        if constexpr (Left::uses_ring) {
#pragma unroll 1
            for (int stage = 0; stage < shape::stages; stage++)
                ring.fill_now();
            meet_group<shape::groups, shape::threads>(group);
        }
        write = shared_address(shared);
        if constexpr (Left::holds || Right::holds)
            start_held<how>();
        else
            start<how>();
        turn = 0;
        left_read = shared + own_m;
        right_read = shared + shape::right_image + own_n;
        wait_groups<is_split || is_spread ? shape::stages - 2 : shape::stages - 1>();
        meet_group<shape::groups, shape::threads>(group);
        load(fragments[0], 0);
#pragma unroll 1
        for (int turns = count / bk; turns > 0; turns--)
            run_steps<how, 0>();
        /* A last stage that is not full is not padded: a product 0 * 0 too many could turn a sum of -0 into +0. */
        const unsigned rest = static_cast<unsigned>(count) % bk;
#pragma unroll 1
        for (unsigned step = 0; step < rest; step += 2) {
            load(fragments[1], min(step + 1, bk - 1u));
            fragments[0].add_product(sums);
            if (step + 1 == rest)
                break;
            load(fragments[0], min(step + 2, bk - 1u));
            fragments[1].add_product(sums);
        }
        wait_groups<0>();
    }
};

#endif
