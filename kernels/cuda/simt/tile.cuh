/* The shape of a block's work: what of C it computes, how threads share it, and the images in shared memory. */
#ifndef LAY_KERNELS_CUDA_SIMT_TILE_CUH
#define LAY_KERNELS_CUDA_SIMT_TILE_CUH

/*               bn
 *      +-----+-----+-----+       A thread has tm x tn elements of its warp's part, in pieces of 4 x 4 that lie
 *      | warp| ... |     |       lanes apart, so that lanes side by side read and write vectors side by side:
 *   bm +-----+-----+-----+
 *      |     |     |     |       row    4 (lane_m + lanes_m * piece) + 0..3
 *      +-----+-----+-----+       column 4 (lane_n + lanes_n * piece) + 0..3
 *
 * A stage holds bk steps of both operands, [bk][bm + 4] and [bk][bn + 4] with 8 more after every 8 rows: lanes
 * that go along k store into different banks. */
constexpr int band = 8; /* rows of tiles */

constexpr __host__ __device__ int image_row(unsigned step, unsigned pitch)
{
    return step * pitch + step / 8 * 8;
}

/* Where a tile alone gives a multiprocessor too little to do, a block has several groups of such threads: each
 * sums a slice of k with stages of its own, and together they add the slices. */
template <int bm_, int bn_, int bk_, int tm_, int tn_, int stages_, int blocks_, bool split_ = true, int groups_ = 1>
struct tile {
    static constexpr int bm = bm_, bn = bn_, bk = bk_, tm = tm_, tn = tn_, stages = stages_, blocks = blocks_;
    static constexpr bool split = split_; /* copies through registers in two halves: pipeline.cuh */
    static constexpr bool is_small =
        groups_ > 1 || bm *bn < 128 * 128; /* few steps of k between a block's first and last deed */
    static constexpr int groups = groups_, threads = bm / tm * (bn / tn); /* of a group */
    static constexpr int lanes_m = 8, lanes_n = 4;
    static constexpr int warps_n = bn / (lanes_n * tn);
    static constexpr int left_pitch = bm + 4, right_pitch = bn + 4;
    static constexpr int right_image = image_row(bk, left_pitch), stage = right_image + image_row(bk, right_pitch);
    static constexpr int sums = bm * right_pitch; /* of one slice in shared memory */
    static constexpr int stages_bytes = stages * stage * 4, ring_bytes = 2 * stages * 2 * bk * 8;
    static constexpr bool is_wide = tm * tn > 128; /* sums and fragments leave no registers for offsets across */
    /* A block goes by what the launcher tells of operands: where time is latency. Larger tiles have no register left.
     */
    static constexpr bool is_told = threads == 32 && tm * tn < 128;
    static constexpr int least_sm = is_wide ? 90 : 80; /* as ptxas has it for 8.0 they spill */
    static constexpr int across_bytes = is_wide ? (bm + bn) * 8 : 0;
    static constexpr int group_bytes = stages_bytes + ring_bytes + across_bytes;
    /* What of the sums lies in shared memory at a time, on their way out: rows of a thread. */
    static constexpr int rows_at_once = groups > 1 || sums * 4 <= group_bytes ? tm : 4;
    static constexpr int sums_bytes = sums / tm * rows_at_once * 4;
    static constexpr int shared = groups * (group_bytes < sums_bytes ? sums_bytes : group_bytes);
    static_assert(tm % 4 == 0 && tn % 4 == 0 && bm % (lanes_m * tm) == 0 && bn % (lanes_n * tn) == 0, "pieces");
    static_assert(bk % 8 == 0, "fragments alternate between two buffers, lanes along k come by 8");

    struct place {
        int m, n; /* of the thread's first element in the tile */
    };
    static __device__ __forceinline__ place of_thread(int thread)
    {
        const int warp = thread / 32, lane = thread % 32;
        /* So that lanes 1 or 2 apart read the same, which halves the wavefronts of both operands' reads; 128x256 is
         * bound by something else, and 3 % faster as its registers fall without (bench/LOG.md). */
        const bool is_paired = is_small || bm * bn <= 128 * 128;
        const int lane_m = is_paired ? lane / 8 * 2 + lane % 2 : lane / 4, lane_n = is_paired ? lane / 2 % 4 : lane % 4;
        return { warp / warps_n * lanes_m * tm + lane_m * 4, warp % warps_n * lanes_n * tn + lane_n * 4 };
    }
    static constexpr __host__ __device__ int row(int i)
    {
        return i / 4 * 4 * lanes_m + i % 4;
    }
    static constexpr __host__ __device__ int column(int j)
    {
        return j / 4 * 4 * lanes_n + j % 4;
    }
};

#endif
