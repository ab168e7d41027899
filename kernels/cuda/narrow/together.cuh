/* The slices of a tile in a cluster, a block each. Each block adds a part of the tile: the others send it their sums of
 * that part, to its own shared memory where the turns were, and it adds them in ascending order.
 *
 *     block 0   block 1   block 2             what a warp of block 1 has then, of its own units:
 *     0 1 2 0   0 1 2 0   0 1 2 0             slice 0  slice 1  slice 2
 *     1 2 0 1   1 2 0 1   1 2 0 1    ->          1        1        1         8 rows x 8 columns, two numbers a lane
 *     2 0 1 2   2 0 1 2   2 0 1 2                1        1        1
 */
#ifndef LAY_KERNELS_CUDA_NARROW_TOGETHER_CUH
#define LAY_KERNELS_CUDA_NARROW_TOGETHER_CUH

#include "cuda/narrow/leaving.cuh"

/* A warp's units are numbered as its sums are, and dealt among the blocks in turn. What a block is sent lies by warps,
 * slices, then units; what a warp sends by blocks, then units, so that it goes to each of them in one copy. */
template <typename S> struct units {
    static constexpr int count = S::parts * S::columns / 4; /* of a warp */
    static constexpr int warps = S::multipliers / 32, size = 32 * 8 /* bytes */;
    static constexpr int most = (count + LAY_NARROW_TOGETHER - 1) * warps * size; /* of all slices */
    static constexpr bool fit = most + count * warps * size <= S::turns * S::turn_size;

    const int slices, rank, warp, lane;

    __device__ __forceinline__ explicit units(const lay_narrow_args &args)
        : slices(args.cluster), rank(cluster_rank()), warp(static_cast<int>(threadIdx.x) / 32),
          lane(static_cast<int>(threadIdx.x) % 32)
    {
    }
    /* Of a block. */
    __device__ __forceinline__ int own(int block) const
    {
        return count / slices + (block < count % slices);
    }
    /* Where units of a slice are that a warp of this number of units has sent to its block. */
    __device__ __forceinline__ int place(int slice, int units_there) const
    {
        return (warp * slices + slice) * units_there * size;
    }
    /* What comes to this block. */
    __device__ __forceinline__ unsigned bytes() const
    {
        return own(rank) * slices * warps * size;
    }
    __device__ __forceinline__ void send(char *room, uint64_t *barrier,
                                         const float (&sum)[S::parts][S::columns / 2]) const
    {
        char *const from = room + most + warp * count * size;
        int to = 0, number = 0, first = 0; /* of the block that the unit goes to */
#pragma unroll
        for (int unit = 0; unit < count; unit++) {
            const int part = unit / (S::columns / 4), at = unit % (S::columns / 4) * 2;
            *reinterpret_cast<float2 *>(from + (first + number) * size + lane * 8) =
                make_float2(sum[part][at], sum[part][at + 1]);
            first += own(to);
            if (++to == slices)
                to = 0, first = 0, number++;
        }
        own_writes_are_made();
        __syncwarp();
        if (lane < slices && own(lane) > 0) {
            const int before = lane * (count / slices) + min(lane, count % slices);
            copy_bulk_to(address_in(room + place(rank, own(lane)), lane), from + before * size, own(lane) * size,
                         address_in(barrier, lane));
        }
    }
};

/* Two columns of a row, side by side in C's memory where it has vectors. */
template <typename T, bool is_walked>
__device__ __forceinline__ void write_two(const lay_narrow_args &args, int64_t down, int j, float2 sum)
{
    T *const line = static_cast<T *>(args.c) + down;
    const int64_t first = column_at<is_walked>(args, j);
    if (first != nowhere)
        write_blended(line + first, args.alpha, sum.x, args.beta);
    const int64_t second = args.is_c_vector && first != nowhere ? first + 1 : column_at<is_walked>(args, j + 1);
    if (j + 1 < args.n && second != nowhere)
        write_blended(line + second, args.alpha, sum.y, args.beta);
}
template <typename T> struct alignas(2 * sizeof(T)) two_of {
    T x, y;
};
template <typename T, bool is_walked>
__device__ __forceinline__ void write_pair(const lay_narrow_args &args, int64_t down, int j, float2 sum)
{
    if (!args.is_c_vector || args.beta != 0 || j + 1 >= args.n)
        return write_two<T, is_walked>(args, down, j, sum);
    const int64_t across = column_at<is_walked>(args, j);
    if (across == nowhere)
        return;
    *reinterpret_cast<two_of<T> *>(static_cast<T *>(args.c) + down + across) = {
        stored<T>::narrow(args.alpha * sum.x), stored<T>::narrow(args.alpha * sum.y)
    };
}

/* Of a warp's units those of this block, and where they are in C. row, column: of the warpgroup's part of the tile. */
template <typename S> struct own_units {
    const units<S> of;
    const int own, i, j; /* own: how many; i, j: of the warp's first unit */
    const char *const first;

    __device__ __forceinline__ own_units(const lay_narrow_args &args, const char *room, int row, int column)
        : of(args), own(of.own(of.rank)), i(row + threadIdx.x % 128 / 32 * 16), j(column),
          first(room + of.place(0, own) + of.lane * 8)
    {
    }
    /* The sums of all slices of so many units, from number on; of the last one again where there are no more. */
    template <int count> __device__ __forceinline__ void add(int number, float2 (&sum)[count]) const
    {
        const char *at[count];
#pragma unroll
        for (int e = 0; e < count; e++) {
            at[e] = first + min(number + e, own - 1) * of.size;
            sum[e] = *reinterpret_cast<const float2 *>(at[e]);
        }
#pragma unroll count == 1 ? 4 : 1
        for (int slice = 1; slice < of.slices; slice++)
#pragma unroll
            for (int e = 0; e < count; e++) {
                at[e] += own * of.size;
                const float2 more = *reinterpret_cast<const float2 *>(at[e]);
                sum[e] = make_float2(sum[e].x + more.x, sum[e].y + more.y);
            }
    }
    /* Of eight rows, eight columns. */
    __device__ __forceinline__ int row_of(int number) const
    {
        const int unit = number * of.slices + of.rank;
        return i + unit / (S::columns / 4) * 64 + unit % 2 * 8;
    }
    __device__ __forceinline__ int column_of(int number) const
    {
        return j + (number * of.slices + of.rank) % (S::columns / 4) / 2 * 8;
    }
};

/* C in vectors: four units at a time, of which a lane then has one's row, or column. */
template <typename S>
__device__ __forceinline__ void leave_in_units(const lay_narrow_args &args, const own_units<S> &units)
{
    constexpr int at_once = 4;
    const int lane = threadIdx.x % 32, below = args.is_c_down ? 0 : lane / 4, beside = args.is_c_down ? lane / 4 : 0;
#pragma unroll 1
    for (int number = 0; number < units.own; number += at_once) {
        float2 sum[at_once];
        unsigned word[at_once];
        units.add(number, sum);
#pragma unroll
        for (int e = 0; e < at_once; e++) {
            const unsigned across = pair<S::kind>::of(args.alpha * sum[e].x, args.alpha * sum[e].y);
            const unsigned down = transpose_eight(across);
            word[e] = args.is_c_down ? down : across;
        }
        turn_words(word);
        const int own = number + lane % at_once;
        const int64_t down = row_at<false>(args, units.row_of(own) + below);
        const int64_t across = column_at<false>(args, units.column_of(own) + beside);
        if (own < units.own && down != nowhere && across != nowhere)
            __stcg(reinterpret_cast<uint4 *>(static_cast<uint16_t *>(args.c) + down + across),
                   make_uint4(word[0], word[1], word[2], word[3]));
    }
}

/* row, column: where the warpgroup's part of the tile begins in C. */
template <typename S>
__device__ __forceinline__ void add_slices_of(const lay_narrow_args &args, const char *room, int row, int column)
{
    const own_units<S> units(args, room, row, column);
    if constexpr (S::kind != TF32 && !S::is_walked)
        if (is_in_vectors<S>(args))
            return leave_in_units<S>(args, units);
#pragma unroll 1
    for (int number = 0; number < units.own; number++) {
        float2 sum[1];
        units.add(number, sum);
        const int j = units.column_of(number) + threadIdx.x % 4 * 2;
        const int64_t down = row_at<S::is_walked>(args, units.row_of(number) + threadIdx.x % 32 / 4);
        if (down == nowhere || j >= args.n)
            continue;
        if (args.c_type == LAY_F32)
            write_pair<float, S::is_walked>(args, down, j, sum[0]);
        else if (args.c_type == LAY_F16)
            write_pair<__half, S::is_walked>(args, down, j, sum[0]);
        else
            write_pair<__nv_bfloat16, S::is_walked>(args, down, j, sum[0]);
    }
}

#endif
