/* A few lines of one operand by all of the other, in chains: a lane has one line of the other and two of the few.
 *
 *                      other: 32 lines, one a lane
 *                  +---------------------------+
 *                  |                           |     turns of 128 steps; copies of three turns are on their way
 *                  |                           |     while one is worked on
 *                  +---------------------------+
 *     few  +-----+ +---------------------------+
 *          | 16  | | warp w: lines w and w + 8 |
 *          +-----+ +---------------------------+
 *
 * The other operand is read once for 16 of the few: it is memory that this is to take its time for. A turn lies in
 * shared memory as its operand does, by lines or by steps. */
#ifndef LAY_KERNELS_CUDA_SPLIT_FEW_CUH
#define LAY_KERNELS_CUDA_SPLIT_FEW_CUH

#include "cuda/async.cuh"
#include "cuda/split/chains.cuh"
#include "cuda/split/group.cuh"
#include "cuda/split/ptx.cuh"
#include "cuda/split/source.cuh"

enum { few_lines = 16, other_lines = 32, few_turn = 128, few_turns = 4 };
/* Of a line whose steps lie together: eight lanes' vectors of others are in all banks; of the few all lanes read one,
 * and all of it is to fit the 99 KiB that a block of 8.6 may have. */
template <int lines> constexpr int pitch_of = lines == few_lines ? few_turn : few_turn + 4;
static_assert(few_turn % LAY_SPLIT_CHUNK == 0 && LAY_SPLIT_CHUNK % 16 == 0, "turns end with chunks");

struct few_room {
    float other[few_turns][other_lines * pitch_of<other_lines>], few[few_turns][few_lines * pitch_of<few_lines>];
    int64_t other_offset[other_lines], few_offset[few_lines];
};
static_assert(sizeof(few_room) == LAY_SPLIT_PATCH_ROOM, "what the launcher gives");

/* Lines of an operand that are patched: those with Inf or NaN first, then, if at all, those that are only wide. */
struct patched_lines {
    int strange, count;

    __device__ __forceinline__ patched_lines(const lay_cuda_split_operand &of, unsigned patched)
        : strange(static_cast<int>(of.summary->strange)),
          count(strange + (patched & LAY_SPLIT_WIDE ? static_cast<int>(of.summary->wide) : 0))
    {
    }
    __device__ __forceinline__ int at(const lay_cuda_split_operand &of, int place) const
    {
        return static_cast<int>(of.lines[place < strange ? place : of.extent - 1 - (place - strange)].listed);
    }
};

/* What a thread copies of `lines` lines, a turn at a time: lanes along what lies together, in vectors where they may.
 */
template <int lines> struct carrier {
    static constexpr int threads = group::threads, most = lines * few_turn / threads;
    const lay_cuda_split_operand &of;
    const int count; /* of the lines, those that are there */
    const bool is_across, is_vector;
    const int64_t *const offset; /* of lines, in shared memory */

    template <int width> __device__ __forceinline__ int line_of(int e) const
    {
        return is_across ? group::thread() % (lines / width) * width
                         : group::thread() / (few_turn / width) + e * (threads * width / few_turn);
    }
    template <int width> __device__ __forceinline__ int step_of(int e) const
    {
        return is_across ? group::thread() / (lines / width) + e * (threads * width / lines)
                         : group::thread() % (few_turn / width) * width;
    }
    __device__ __forceinline__ int place(int line, int step) const
    {
        return is_across ? step * lines + line : line * pitch_of<lines> + step;
    }
    /* line_at(i): which is line i; are_neighbours: those are contiguous where the class says so. Offsets are there
     * behind the next barrier. */
    template <typename At>
    __device__ __forceinline__ carrier(const lay_cuda_split_operand &of, int count, bool are_neighbours, At line_at,
                                       int64_t *offset)
        : of(of), count(count), is_across(goes_across(of)),
          is_vector(of.as == LAY_CUDA_ALONG_VECTOR ||
                    (of.as == LAY_CUDA_ACROSS_VECTOR && are_neighbours && count == lines)),
          offset(offset)
    {
        const int line = group::thread();
        if (line < count)
            offset[line] = offset_at(of.across, line_at(line));
    }
    /* A turn that one stride serves. */
    template <int width> __device__ __forceinline__ void bring_whole(const float *from, float *to) const
    {
        int64_t own[most / width]; /* all before the first copy, which they would wait for */
#pragma unroll
        for (int e = 0; e < most / width; e++)
            own[e] = offset[line_of<width>(e)];
#pragma unroll
        for (int e = 0; e < most / width; e++) {
            const int line = line_of<width>(e), step = step_of<width>(e);
            if (line < count)
                copy_async<4 * width>(to + place(line, step), from + own[e] + step * of.along.stride);
        }
    }
    /* Steps behind k are left as they are. */
    __device__ __forceinline__ void bring(int step, int k, float *to) const
    {
        if (step + few_turn <= k && is_steady(of.along, step, few_turn)) {
            const float *const from = of.from + offset_at(of.along, step);
            if (is_vector)
                bring_whole<4>(from, to);
            else
                bring_whole<1>(from, to);
            return;
        }
#pragma unroll 1
        for (int e = 0; e < most; e++) {
            const int line = line_of<1>(e), own = step_of<1>(e);
            if (line < count && step + own < k)
                copy_async<4>(to + place(line, own), of.from + offset[line] + offset_at(of.along, step + own));
        }
    }
};

/* Eight steps of a warp's chains: the lane's line of the other, and two of the few. */
template <bool few_across, bool other_across, bool has_second> struct eight_steps {
    float x[8], a[8], b[8];

    template <bool is_across, int lines>
    static __device__ __forceinline__ void load(float (&to)[8], const float *turn, int line, int step)
    {
#pragma unroll
        for (int i = 0; i < 8; i += is_across ? 1 : 4)
            if (is_across) {
                to[i] = turn[(step + i) * lines + line];
            } else {
                const float4 four = *reinterpret_cast<const float4 *>(turn + line * pitch_of<lines> + step + i);
                to[i] = four.x, to[i + 1] = four.y, to[i + 2] = four.z, to[i + 3] = four.w;
            }
    }
    __device__ __forceinline__ void load(const float *few, const float *other, int step)
    {
        const int warp = group::warp(), lane = threadIdx.x % 32;
        load<other_across, other_lines>(x, other, lane, step);
        load<few_across, few_lines>(a, few, warp, step);
        if (has_second)
            load<few_across, few_lines>(b, few, warp + few_lines / 2, step);
    }
    __device__ __forceinline__ void add(chains<2> &to) const
    {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            to.chunk[0] = fmaf(a[i], x[i], to.chunk[0]);
            if (has_second)
                to.chunk[1] = fmaf(b[i], x[i], to.chunk[1]);
        }
    }
};

/* The warp's chains over a whole turn: eight steps are loaded while eight are added. */
template <bool few_across, bool other_across, bool has_second>
__device__ __forceinline__ void add_whole(const float *few, const float *other, chains<2> &to)
{
    eight_steps<few_across, other_across, has_second> now, next;
    int p = 0;
    now.load(few, other, 0);
#pragma unroll 1
    for (; p < few_turn - 16; p += 16) {
        next.load(few, other, p + 8);
        now.add(to);
        now.load(few, other, p + 16);
        next.add(to);
        if ((p + 16) % LAY_SPLIT_CHUNK == 0)
            to.end_chunk();
    }
    next.load(few, other, p + 8);
    now.add(to);
    next.add(to);
    to.end_chunk();
}

/* Over a turn of which there are count steps. */
template <bool few_across, bool other_across>
__device__ __forceinline__ void add_turn(const float *few, const float *other, int count, bool has_second,
                                         chains<2> &to)
{
    if (count == few_turn) {
        if (has_second)
            add_whole<few_across, other_across, true>(few, other, to);
        else
            add_whole<few_across, other_across, false>(few, other, to);
        return;
    }
    const int warp = group::warp(), second = warp + few_lines / 2, lane = threadIdx.x % 32;
    for (int p = 0; p < count; p++) {
        const float x = other[other_across ? p * other_lines + lane : lane * pitch_of<other_lines> + p];
        to.chunk[0] = fmaf(few[few_across ? p * few_lines + warp : warp * pitch_of<few_lines> + p], x, to.chunk[0]);
        to.chunk[1] = fmaf(few[few_across ? p * few_lines + second : second * pitch_of<few_lines> + p], x, to.chunk[1]);
        if ((p + 1) % LAY_SPLIT_CHUNK == 0 || p + 1 == count)
            to.end_chunk();
    }
}

/* Sums of the warp's two of the few by the lane's other line, all steps. */
template <bool few_across, bool other_across>
__device__ __forceinline__ void add_few(const carrier<few_lines> &few, const carrier<other_lines> &other, int k,
                                        few_room &room, chains<2> &to)
{
    const int turns = (k + few_turn - 1) / few_turn;
    const int warp = group::warp();
    const bool is_ours = warp < few.count, has_second = warp + few_lines / 2 < few.count;
    group::meet(); /* offsets are there, and the last ones' room is free */
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
        group::meet(); /* all threads' copies of this turn are there, and the last turn's room is free */
        const int ahead = turn + few_turns - 1;
        if (ahead < turns) {
            few.bring(ahead * few_turn, k, room.few[next]);
            other.bring(ahead * few_turn, k, room.other[next]);
        }
        copies_commit();
        if (is_ours)
            add_turn<few_across, other_across>(room.few[slot], room.other[slot],
                                               min(k - turn * few_turn, static_cast<int>(few_turn)), has_second, to);
        slot = slot + 1 == few_turns ? 0 : slot + 1;
        next = next + 1 == few_turns ? 0 : next + 1;
    }
}

#endif
