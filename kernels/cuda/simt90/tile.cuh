/* Shapes of this family: who computes what of a tile, and where things lie in shared memory. */
#ifndef LAY_KERNELS_CUDA_SIMT90_TILE_CUH
#define LAY_KERNELS_CUDA_SIMT90_TILE_CUH

#include "cuda/element.cuh"

/* One warpgroup brings operands, two multiply. */
enum { producers = 128, consumers = 256 };

/* A block's tile of C is bm x bn, in warps_m rows of warps; a lane has 8 x 16 of it, in pieces of 4 x 4:
 *
 *        bn
 *     +--+--+--+--+        4 lanes
 *     |warp of 64 |      +-+-+-+-+     a lane's rows: 4 here, and 4 half a warp below;
 *  bm | x 64      |   8  +-+-+-+-+     its columns: 4 in each quarter of the warp
 *     +--+--+--+--+
 *
 * A turn is bk steps of both operands, [bk][bm + 4] and [bk][bn + 4] in shared memory. */
template <int bm_, int bn_, int bk_, int turns_> struct shape {
    static constexpr int bm = bm_, bn = bn_, bk = bk_, turns = turns_;
    static constexpr bool is_roomy = true; /* there are registers for edges: feed.cuh, result.cuh */
    static constexpr int warps_n = bn / 64;
    static_assert(bm / 64 * warps_n == consumers / 32, "a warp for 64 x 64");
    /* Four more than a multiple of 32: eight steps by four indices fall into 32 banks. */
    static constexpr int pitch_m = bm + 4, pitch_n = bn + 4;
    static constexpr int left_size = bk * pitch_m, turn_size = left_size + bk * pitch_n;
    static_assert(turns * turn_size >= bm * pitch_n, "the tile of C takes the place of the turns");
    static constexpr int shared = turns * (turn_size * 4 + 2 * 8);
};

/* The turns in shared memory, and the barriers of each: full when it may be read, empty when it may be written. */
template <typename S> struct ring {
    float *turn;
    uint64_t *full, *empty;

    __device__ __forceinline__ explicit ring(float *shared)
        : turn(shared), full(reinterpret_cast<uint64_t *>(shared + S::turns * S::turn_size)), empty(full + S::turns)
    {
    }
};

/* Where a user of the ring is: the next turn, and the parity that it waits for there. */
template <typename S> struct position {
    int slot, parity;

    __device__ __forceinline__ void go_on()
    {
        if (++slot == S::turns)
            slot = 0, parity ^= 1;
    }
};

constexpr int band = 8; /* rows of tiles */

struct place {
    int i, j; /* the first row and column of C */
};
template <typename S> __device__ __forceinline__ place place_of(const lay_cuda_args &args)
{
    const tile_index tile = tile_of_block<band>(args);
    return { tile.m * S::bm, tile.n * S::bn };
}

/* What a lane sums, and where its pieces are. */
struct sums {
    enum { m = 8, n = 16 };
    float at[m][n];
    int i0, j0; /* in the tile, of at[0][0] */

    static __device__ __forceinline__ int row(int i)
    {
        return i / 4 * 32 + i % 4;
    }
    static __device__ __forceinline__ int column(int j)
    {
        return j / 4 * 16 + j % 4;
    }

    __device__ __forceinline__ void start(int warps_n)
    {
        const int warp = threadIdx.x / 32 - producers / 32, lane = threadIdx.x % 32;
        i0 = warp / warps_n * 64 + lane / 4 * 4;
        j0 = warp % warps_n * 64 + lane % 4 * 4;
#pragma unroll
        for (int i = 0; i < m; i++)
#pragma unroll
            for (int j = 0; j < n; j++)
                at[i][j] = 0;
    }
};

#endif
