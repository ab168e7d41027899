/* A few lines of one operand by all of the other, in plain chains: a lane has one line of the other and two of the few.
 *
 *                      other: 32 lines, one a lane
 *                  +---------------------------+
 *                  |                           |     turns of 64 steps, each line's together; copies of five turns
 *                  |                           |     are on their way while one is worked on
 *                  +---------------------------+
 *     few  +-----+ +---------------------------+
 *          | 16  | | warp w: lines w and w + 8 |
 *          +-----+ +---------------------------+
 *
 * The other operand is read once for 16 of the few: it is memory that this takes its time for. */
#ifndef LAY_KERNELS_CUDA_SPLIT_FEW_CUH
#define LAY_KERNELS_CUDA_SPLIT_FEW_CUH

#include "cuda/async.cuh"
#include "cuda/split/ptx.cuh"
#include "cuda/split/source.cuh"

/* pitch: four lanes' vectors apart, so that eight lines' are in all banks. */
enum { few_lines = 16, other_lines = 32, few_turn = 64, few_pitch = few_turn + 4, few_turns = 6 };

struct few_room {
    float other[few_turns][other_lines][few_pitch];
    float few[few_turns][few_lines][few_pitch];
};
static_assert(sizeof(few_room) == LAY_SPLIT_PATCH_SHARED, "what the launcher gives");

/* Lines of an operand that are patched: those with Inf or NaN first, then, if at all, those that are only wide. */
struct patched_lines {
    int strange, count;

    __device__ __forceinline__ patched_lines(const lay_cuda_split_operand &of, unsigned patched)
        : strange(static_cast<int>(of.summary->strange)),
          count(strange + (patched & LAY_SPLIT_WIDE ? static_cast<int>(of.summary->only_wide) : 0))
    {
    }
    __device__ __forceinline__ int at(const lay_cuda_split_operand &of, int place) const
    {
        return static_cast<int>(of.lines[place < strange ? place : of.extent - 1 - (place - strange)].listed);
    }
};

/* What a thread copies of `lines` lines, a turn at a time: lanes along what lies together. */
template <int lines> struct carrier {
    static constexpr int threads = LAY_SPLIT_THREADS, most = lines * few_turn / threads;
    const lay_cuda_split_operand &of;
    const bool is_across;
    int64_t offset[most]; /* of lines; all one where lanes go across */

    __device__ __forceinline__ int line_of(int e) const
    {
        return is_across ? threadIdx.x % lines : threadIdx.x / few_turn + e * (threads / few_turn);
    }
    __device__ __forceinline__ int step_of(int e) const
    {
        return is_across ? threadIdx.x / lines + e * (threads / lines) : threadIdx.x % few_turn;
    }
    /* line_at(i): which is line i. */
    template <typename At>
    __device__ __forceinline__ carrier(const lay_cuda_split_operand &of, At line_at)
        : of(of), is_across(goes_across(of))
    {
#pragma unroll
        for (int e = 0; e < most; e++)
            offset[e] = offset_at(of.across, line_at(line_of(e)));
    }
    /* Steps behind k are left as they are. */
    __device__ __forceinline__ void bring(int step, int k, float (&to)[lines][few_pitch]) const
    {
        if (is_steady(of.along, step, few_turn) && step + few_turn <= k) {
            const float *const from = of.from + offset_at(of.along, step);
#pragma unroll
            for (int e = 0; e < most; e++)
                copy_async<4>(&to[line_of(e)][step_of(e)], from + offset[e] + step_of(e) * of.along.stride);
            return;
        }
#pragma unroll 1
        for (int e = 0; e < most; e++)
            if (step + step_of(e) < k)
                copy_async<4>(&to[line_of(e)][step_of(e)],
                              of.from + offset[e] + offset_at(of.along, step + step_of(e)));
    }
};

__device__ __forceinline__ void add_steps(const float *few, const float *other, int count, float &sum)
{
    for (int p = 0; p < count; p++)
        sum = fmaf(few[p], other[p], sum);
}

/* Two chains over a turn. */
__device__ __forceinline__ void add_turn(const float *first, const float *second, const float *other, int count,
                                         float (&sum)[2])
{
    if (count < few_turn) {
        add_steps(first, other, count, sum[0]);
        add_steps(second, other, count, sum[1]);
        return;
    }
#pragma unroll
    for (int p = 0; p < few_turn; p += 4) {
        const float4 x = *reinterpret_cast<const float4 *>(other + p), a = *reinterpret_cast<const float4 *>(first + p),
                     b = *reinterpret_cast<const float4 *>(second + p);
        sum[0] = fmaf(a.x, x.x, sum[0]);
        sum[1] = fmaf(b.x, x.x, sum[1]);
        sum[0] = fmaf(a.y, x.y, sum[0]);
        sum[1] = fmaf(b.y, x.y, sum[1]);
        sum[0] = fmaf(a.z, x.z, sum[0]);
        sum[1] = fmaf(b.z, x.z, sum[1]);
        sum[0] = fmaf(a.w, x.w, sum[0]);
        sum[1] = fmaf(b.w, x.w, sum[1]);
    }
}

/* Sums of the warp's two of the few by the lane's other line, all steps. */
__device__ __forceinline__ void add_few(const carrier<few_lines> &few, const carrier<other_lines> &other, int k,
                                        bool is_ours, few_room &room, float (&sum)[2])
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, turns = (k + few_turn - 1) / few_turn;
    __syncthreads(); /* the last ones' room is free */
#pragma unroll 1
    for (int turn = 0; turn < few_turns - 1; turn++) {
        if (turn < turns) {
            few.bring(turn * few_turn, k, room.few[turn]);
            other.bring(turn * few_turn, k, room.other[turn]);
        }
        copies_commit();
    }
    int slot = 0, next = few_turns - 1;
#pragma unroll 1
    for (int turn = 0; turn < turns; turn++) {
        copies_wait<few_turns - 2>();
        __syncthreads(); /* all threads' copies of this turn are there, and the last turn's room is free */
        const int ahead = turn + few_turns - 1;
        if (ahead < turns) {
            few.bring(ahead * few_turn, k, room.few[next]);
            other.bring(ahead * few_turn, k, room.other[next]);
        }
        copies_commit();
        if (is_ours)
            add_turn(room.few[slot][warp], room.few[slot][warp + few_lines / 2], room.other[slot][lane],
                     min(k - turn * few_turn, static_cast<int>(few_turn)), sum);
        slot = slot + 1 == few_turns ? 0 : slot + 1;
        next = next + 1 == few_turns ? 0 : next + 1;
    }
}

#endif
