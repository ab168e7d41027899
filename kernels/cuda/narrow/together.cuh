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

#include "cuda/half.cuh"
#include "cuda/narrow/walk.cuh"

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

/* row, column: where the warpgroup's part of the tile begins in C. */
template <typename S>
__device__ __forceinline__ void add_slices_of(const lay_narrow_args &args, const char *room, int row, int column)
{
    const units<S> of(args);
    const int own = of.own(of.rank), i = row + threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
    const char *const first = room + of.place(0, own) + of.lane * 8;
#pragma unroll 1
    for (int number = 0; number < own; number++) {
        const char *const at = first + number * of.size;
        float2 sum = *reinterpret_cast<const float2 *>(at);
#pragma unroll 4
        for (int slice = 1; slice < of.slices; slice++) {
            const float2 more = *reinterpret_cast<const float2 *>(at + slice * own * of.size);
            sum = make_float2(sum.x + more.x, sum.y + more.y);
        }
        const int unit = number * of.slices + of.rank, part = unit / (S::columns / 4), rest = unit % (S::columns / 4);
        const int j = column + rest / 2 * 8 + threadIdx.x % 4 * 2;
        const int64_t down = row_at<S::is_walked>(args, i + part * 64 + rest % 2 * 8);
        if (down == nowhere || j >= args.n)
            continue;
        if (args.c_type == LAY_F32)
            write_pair<float, S::is_walked>(args, down, j, sum);
        else if (args.c_type == LAY_F16)
            write_pair<__half, S::is_walked>(args, down, j, sum);
        else
            write_pair<__nv_bfloat16, S::is_walked>(args, down, j, sum);
    }
}

#endif
