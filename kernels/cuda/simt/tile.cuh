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
 * A stage holds bk steps of both operands, [bk][bm + 4] and [bk][bn + 4]: the 4 put lanes that go along k into
 * different banks. */
template <int bm_, int bn_, int bk_, int tm_, int tn_, int stages_, int blocks_, int spread_ = 1> struct tile {
    static constexpr int bm = bm_, bn = bn_, bk = bk_, tm = tm_, tn = tn_, stages = stages_, blocks = blocks_, spread = spread_;
    static constexpr int threads = bm / tm * (bn / tn);
    static constexpr int lanes_m = 8, lanes_n = 4;
    static constexpr int warps_n = bn / (lanes_n * tn);
    static constexpr int left_pitch = bm + 4, right_pitch = bn + 4;
    static constexpr int stage = bk * (left_pitch + right_pitch);
    static constexpr int shared = stages * stage * 4;
    static_assert(tm % 4 == 0 && tn % 4 == 0 && bm % (lanes_m * tm) == 0 && bn % (lanes_n * tn) == 0, "pieces");
    static_assert(bk % 8 == 0, "fragments alternate between two buffers, lanes along k come by 8");

    struct place {
        int m, n; /* of the thread's first element in the tile */
    };
    static __device__ __forceinline__ place of_thread(int thread)
    {
        const int warp = thread / 32, lane = thread % 32;
        return { warp / warps_n * lanes_m * tm + lane / lanes_n * 4, warp % warps_n * lanes_n * tn + lane % lanes_n * 4 };
    }
    static constexpr __host__ __device__ int row(int i) { return i / 4 * 4 * lanes_m + i % 4; }
    static constexpr __host__ __device__ int column(int j) { return j / 4 * 4 * lanes_n + j % 4; }
};

#endif
