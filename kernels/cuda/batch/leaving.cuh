/* C of 16-bit types by tensor copies: a warp's 16 rows of the tile leave by way of shared memory, 64 columns at a time,
 * whole lines of the second cache but at the ends of rows. The next tile is multiplied meanwhile. */
#ifndef LAY_KERNELS_CUDA_BATCH_LEAVING_CUH
#define LAY_KERNELS_CUDA_BATCH_LEAVING_CUH

#include "cuda/batch/feed.cuh"
#include "cuda/narrow/leaving.cuh"

namespace batch
{

enum { LEAVING_BYTES = LAY_CUDA_BATCH_LEAVING_ROWS * LAY_CUDA_BATCH_LEAVING_COLUMNS * 2 };

/* Which of a tile's rows stands at a place where blocks are stirred (boxed_tiles). */
__device__ __forceinline__ int stirred(int row)
{
    return row ^ row / 8 % 4;
}

/* So many boxes of a warp may be on their way; where none may, C does not leave so. In blocks C lies in a box as it
 * does in memory, blocks of 16 x 16 with the rows in the order that they have in the sums. */
template <piece_type kind, int bn, int boxes_, lay_cuda_boxes tiling> struct leaving_boxes {
    static constexpr int columns = LAY_CUDA_BATCH_LEAVING_COLUMNS, boxes = boxes_;
    static constexpr int size = boxes * LEAVING_BYTES; /* of a warp */
    static_assert(boxes == 0 || bn >= columns, "a box at least");

    /* Sums as a warpgroup has them (units.cuh), by way of shared memory of all warps; i, j: of the warp's first. */
    static __device__ __forceinline__ void leave(const lay_cuda_batch_boxed_args &boxed, uint32_t shared, int product,
                                                 int i, int j, const float (&acc)[bn / 2])
    {
        const lay_cuda_batch_args &args = boxed.of;
        const uint32_t own = shared + __shfl_sync(~0u, threadIdx.x / 32, 0) * size;
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int first = 0; first < bn; first += columns) {
            const int number = first / columns;
            const uint32_t box = own + number % boxes * LEAVING_BYTES;
            if (i >= args.m || j + first >= args.n)
                break;
            if (lane == 0 && number == 0) /* the tile before had any number of boxes, and they left long ago */
                await_leaving<0>();
            if (lane == 0 && number >= boxes)
                await_leaving<boxes - 1>();
            __syncwarp();
#pragma unroll
            for (int eight = 0; eight < columns / 8; eight += 2) {
                unsigned word[4] = {};
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    const int sum = (first / 8 + eight) * 4 + 2 * e;
                    if (sum < bn / 2)
                        word[e] = pair<kind>::of(args.alpha.f32 * acc[sum], args.alpha.f32 * acc[sum + 1]);
                }
                store_matrices(box + place_of(lane % 16, eight + lane / 16), word);
            }
            own_writes_are_made();
            __syncwarp();
            if (lane == 0)
                put(boxed.result, box, product, i, j + first);
        }
    }
    /* Where eight columns of a row go. */
    static __device__ __forceinline__ int place_of(int row, int eight)
    {
        if (tiling == LAY_CUDA_CORES)
            return row / 8 * (columns * 16) + eight * 128 + row % 8 * 16;
        if (tiling != LAY_CUDA_BLOCKS)
            return row * 128 + (eight ^ row % 8) * 16;
        const int own = stirred(threadIdx.x % 128 / 32 * 16 + row) % 16, line = eight / 2 * 4 + own / 4;
        return line * 128 + ((own % 4 * 2 + eight % 2) ^ line % 8) * 16;
    }
    static __device__ __forceinline__ void put(const lay_cuda_batch_box &of, uint32_t box, int product, int i, int j)
    {
        const int z = of.is_shared ? 0 : product;
        if (tiling == LAY_CUDA_CORES) {
            leave_box(box, of.tensor, 0, j / 8, i / 8, z, 0);
        } else if (tiling == LAY_CUDA_BLOCKS) {
            leave_box(box, of.tensor, 0, 0, i / 16, j / 16, z);
        } else if (of.inner_near == INT32_MAX && of.inner_far == INT32_MAX) {
            leave_box(box, of.tensor, j, i, z);
        } else {
            const int of_i = static_cast<int>(quotient(i, of.inner_far, of.far_inverse)),
                      of_j = static_cast<int>(quotient(j, of.inner_near, of.near_inverse));
            leave_box(box, of.tensor, j - of_j * of.inner_near, i - of_i * of.inner_far, of_j, of_i, z);
        }
        close_leaving();
    }
    /* Shared memory is read until then. */
    static __device__ __forceinline__ void end()
    {
        if (threadIdx.x % 32 == 0)
            await_leaving<0>();
    }
};

} // namespace batch

#endif
