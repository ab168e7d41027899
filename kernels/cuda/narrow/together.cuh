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

/* Multiplying warpgroups alone. */
template <typename S> __device__ __forceinline__ void multipliers_meet()
{
    asm volatile("bar.sync 1, %0;" ::"n"(S::multipliers) : "memory");
}

/* A warp's units are numbered as its sums are, and dealt among the blocks in turn. */
template <typename S> struct units {
    static constexpr int count = S::parts * S::columns / 4; /* of a warp */
    static constexpr int warps = S::multipliers / 32, size = 32 * 8 /* bytes */;
    static constexpr int most = (count + 7) * warps * size; /* of all slices, eight at most */
    static_assert(most <= S::turns * S::turn_size, "sums of a slice");

    const int slices, rank;

    __device__ __forceinline__ explicit units(const lay_narrow_args &args) : slices(args.cluster), rank(cluster_rank())
    {
    }
    /* Of this block. */
    __device__ __forceinline__ int own() const
    {
        return count / slices + (rank < count % slices);
    }
    /* Where a lane's numbers of a unit are: number counts the units of the block that adds them. */
    __device__ __forceinline__ int place(int number, int slice) const
    {
        return (((number * slices) + slice) * warps + static_cast<int>(threadIdx.x) / 32) * size +
               static_cast<int>(threadIdx.x) % 32 * 8;
    }
    /* What comes to this block. */
    __device__ __forceinline__ unsigned bytes() const
    {
        return own() * slices * warps * size;
    }
    __device__ __forceinline__ void send(const char *room, uint64_t *barrier,
                                         const float (&sum)[S::parts][S::columns / 2]) const
    {
        int number = 0, to = 0;
        unsigned there = address_in(room, 0), barrier_there = address_in(barrier, 0);
        const unsigned apart = address_in(room, 1) - there;
#pragma unroll
        for (int unit = 0; unit < count; unit++) {
            const int part = unit / (S::columns / 4), at = unit % (S::columns / 4) * 2;
            send_pair(there + to * apart + place(number, rank), sum[part][at], sum[part][at + 1],
                      barrier_there + to * apart);
            if (++to == slices)
                to = 0, number++;
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
    const int own = of.own(), i = row + threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
#pragma unroll 1
    for (int number = 0; number < own; number++) {
        const char *const at = room + of.place(number, 0);
        float2 sum = *reinterpret_cast<const float2 *>(at);
#pragma unroll 4
        for (int slice = 1; slice < of.slices; slice++) {
            const float2 more = *reinterpret_cast<const float2 *>(at + slice * of.warps * of.size);
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
