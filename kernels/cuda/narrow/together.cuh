/* The slices of a tile in a cluster, a block each: sums go to the block's own shared memory, where the turns were, and
 * each block adds its part of the tile from all of them, in ascending order. */
#ifndef LAY_KERNELS_CUDA_NARROW_TOGETHER_CUH
#define LAY_KERNELS_CUDA_NARROW_TOGETHER_CUH

#include "cuda/half.cuh"
#include "cuda/narrow/walk.cuh"

/* Multiplying warpgroups alone. */
template <typename S> __device__ __forceinline__ void multipliers_meet()
{
    asm volatile("bar.sync 1, %0;" ::"n"(S::multipliers) : "memory");
}

/* row, column: of the warpgroup's part of the tile. */
template <typename S>
__device__ __forceinline__ void keep_sums(float *room, int row, int column,
                                          const float (&sum)[S::parts][S::columns / 2])
{
    float *const own =
        room + (row + threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4) * S::pitch + column + threadIdx.x % 4 * 2;
#pragma unroll
    for (int part = 0; part < S::parts; part++)
#pragma unroll
        for (int j = 0; j < S::columns / 8; j++) {
            float *const to = own + part * 64 * S::pitch + 8 * j;
            *reinterpret_cast<float2 *>(to) = make_float2(sum[part][4 * j], sum[part][4 * j + 1]);
            *reinterpret_cast<float2 *>(to + 8 * S::pitch) = make_float2(sum[part][4 * j + 2], sum[part][4 * j + 3]);
        }
}

/* Four columns of a row. */
template <typename T, bool is_walked>
__device__ __forceinline__ void write_four(const lay_narrow_args &args, int i, int j, float4 sum)
{
    const float four[] = { sum.x, sum.y, sum.z, sum.w };
    const int64_t down = row_at<is_walked>(args, i);
    if (is_walked && down == nowhere)
        return;
    T *const line = static_cast<T *>(args.c) + down;
    if (!args.is_c_vector || j + 4 > args.n) {
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const int64_t across = column_at<is_walked>(args, j + e);
            if (across != nowhere)
                write_blended(line + across, args.alpha, four[e], args.beta);
        }
        return;
    }
    const int64_t across = column_at<is_walked>(args, j);
    if (is_walked && across == nowhere)
        return;
    struct alignas(4 * sizeof(T)) vector {
        T element[4];
    };
    vector *const to = reinterpret_cast<vector *>(line + across);
    vector made = {};
    if (args.beta != 0)
        made = *to;
#pragma unroll
    for (int e = 0; e < 4; e++) {
        const float old = stored<T>::widen(made.element[e]);
        made.element[e] = stored<T>::narrow(blend(args.alpha, four[e], args.beta, &old));
    }
    *to = made;
}

/* tile: where it begins in C. The block's part are vectors of four columns, dealt among the blocks. */
template <typename S>
__device__ __forceinline__ void add_slices_of(const lay_narrow_args &args, const float *room, work tile)
{
    const int slices = args.cluster, rank = cluster_rank();
    const unsigned first = address_in(room, 0), apart = address_in(room, 1) - first;
    for (int vector = rank * S::multipliers + threadIdx.x; vector < S::bm * S::bn / 4;
         vector += slices * S::multipliers) {
        const int row = vector / (S::bn / 4), column = vector % (S::bn / 4) * 4;
        const unsigned at = first + (row * S::pitch + column) * 4;
        float4 sum = load_from(at);
#pragma unroll 4
        for (int slice = 1; slice < slices; slice++) {
            const float4 more = load_from(at + slice * apart);
            sum = make_float4(sum.x + more.x, sum.y + more.y, sum.z + more.z, sum.w + more.w);
        }
        if (tile.i + row >= args.m || tile.j + column >= args.n)
            continue;
        if (args.c_type == LAY_F32)
            write_four<float, S::is_walked>(args, tile.i + row, tile.j + column, sum);
        else if (args.c_type == LAY_F16)
            write_four<__half, S::is_walked>(args, tile.i + row, tile.j + column, sum);
        else
            write_four<__nv_bfloat16, S::is_walked>(args, tile.i + row, tile.j + column, sum);
    }
}

#endif
