/* Tiles of C: their order, and a tile's sums on their way to C. */
#ifndef LAY_KERNELS_CUDA_DMMA_RESULT_CUH
#define LAY_KERNELS_CUDA_DMMA_RESULT_CUH

#include "cuda/dmma/unit.cuh"
#include "cuda/element.cuh"

namespace dmma {

struct tile_of {
    int i, j; /* of its first element */
};

/* Tiles that run together read the same rows and columns: bands of 16 tiles down, then right. */
template <class S> __device__ __forceinline__ tile_of tile_at(const lay_cuda_args &args, int block)
{
    constexpr int high = 16;
    const int band = block / (high * args.tiles_n), in = block - band * high * args.tiles_n;
    const int rest = args.tiles_m - band * high, rows = rest < high ? rest : high;
    return { (band * high + in % rows) * S::bm, in / rows * S::bn };
}

/* The sums of a warp. Lane 4 g + q has rows 16 i + 2 g + r and columns 8 j + 2 q + c at [i][j][2 r + c]. */
template <class S> struct sums {
    static constexpr int pieces = S::wm / 16, columns = S::wn / 8;
    double at[pieces][columns][4];
    int row, column; /* in the tile, of this lane's first element */

    __device__ __forceinline__ sums(int first_row, int first_column)
        : at{}, row(first_row + threadIdx.x % 32 / 4 * 2), column(first_column + threadIdx.x % 4 * 2)
    {
    }

    /* visit(row, column, first of a row's pair of sums, second) */
    template <class Visit> __device__ __forceinline__ void for_pairs(Visit visit)
    {
#pragma unroll
        for (int i = 0; i < pieces; i++)
#pragma unroll
            for (int r = 0; r < 2; r++)
#pragma unroll
                for (int j = 0; j < columns; j++)
                    visit(row + 16 * i + r, column + 8 * j, at[i][j][2 * r], at[i][j][2 * r + 1]);
    }

    /* From [m][n]. */
    __device__ __forceinline__ void resume(const lay_cuda_args &args, tile_of tile)
    {
        const double *from = static_cast<const double *>(args.resume);
        for_pairs([&](int i, int j, double &a, double &b) {
            i += tile.i, j += tile.j;
            const double *there = from + static_cast<int64_t>(i) * args.n + j;
            a = i < args.m && j < args.n ? there[0] : 0;
            b = i < args.m && j + 1 < args.n ? there[1] : 0;
        });
    }
};

/* A tile's sums in shared memory, [bm][bn]: what is done to C is said once there, not for each register, and rows of
 * C are written as wholes. Pairs of every other two rows are stirred: lanes of 2 rows write at once. */
template <class S> struct result {
    static constexpr int units = S::bn / 2, workers = 32 * S::warps, high = workers / units, passes = S::bm / high;
    static constexpr int group = passes < 8 ? passes : 8; /* rows under way at once */
    static_assert(high * units == workers && passes % group == 0, "whole passes");
    static_assert(S::bm * S::bn <= S::stages * S::stage, "the sums fit the stages");

    const lay_cuda_args &args;
    tile_of tile;
    uint32_t shared;
    int i, j; /* of this thread's first pair, in the tile */

    __device__ __forceinline__ result(const lay_cuda_args &args_, tile_of tile_, uint32_t shared_, int worker)
        : args(args_), tile(tile_), shared(shared_), i(worker / units), j(worker % units * 2)
    {
    }
    __device__ __forceinline__ uint32_t place(int row, int column) const
    {
        return shared + 8 * (row * S::bn + (column ^ (row >> 1 & 1) << 3));
    }
    __device__ __forceinline__ void keep_sums(sums<S> &sum) const
    {
        sum.for_pairs([&](int row, int column, double a, double b) { store_two(place(row, column), a, b); });
    }

    /* act(its first row in the tile, pairs of group rows, high apart) */
    template <class Act> __device__ __forceinline__ void for_groups(Act act) const
    {
#pragma unroll 1
        for (int row = i; row < S::bm; row += high * group) {
            double2 pair[group];
#pragma unroll
            for (int g = 0; g < group; g++)
                load_two(place(row + high * g, j), pair[g].x, pair[g].y);
            act(tile.i + row, pair);
        }
    }

    __device__ __forceinline__ void write_partial(int slice) const
    {
        if (tile.j + j >= args.n)
            return;
        double *to = static_cast<double *>(args.partial) + static_cast<int64_t>(slice) * args.m * args.n + tile.j + j;
        for_groups([&](int row, const double2(&pair)[group]) {
#pragma unroll
            for (int g = 0; g < group; g++) {
                double *there = to + static_cast<int64_t>(row + high * g) * args.n;
                if (row + high * g >= args.m)
                    break;
                if (args.n % 2 == 0) {
                    __stcg(reinterpret_cast<double2 *>(there), pair[g]);
                    continue;
                }
                __stcg(there, pair[g].x);
                if (tile.j + j + 1 < args.n)
                    __stcg(there + 1, pair[g].y);
            }
        });
    }

    /* The sums of all slices, in ascending order; __ldcg: L1 knows nothing of what others wrote. */
    __device__ __forceinline__ void add_slices(int row, double2 (&pair)[group]) const
    {
        for (int slice = 0; slice < args.slices; slice++) {
            const double *from = static_cast<const double *>(args.partial) +
                                 (static_cast<int64_t>(slice) * args.m + row) * args.n + tile.j + j;
#pragma unroll
            for (int g = 0; g < group; g++) {
                const double *there = from + static_cast<int64_t>(high * g) * args.n;
                double2 more = { 0, 0 };
                if (row + high * g < args.m && args.n % 2 == 0) {
                    more = __ldcg(reinterpret_cast<const double2 *>(there));
                } else if (row + high * g < args.m) {
                    more.x = __ldcg(there);
                    more.y = tile.j + j + 1 < args.n ? __ldcg(there + 1) : 0;
                }
                pair[g].x = slice ? pair[g].x + more.x : more.x;
                pair[g].y = slice ? pair[g].y + more.y : more.y;
            }
        }
    }

    __device__ __forceinline__ void write(bool is_sliced) const
    {
        const bool has_two = tile.j + j + 1 < args.n, is_vector = args.is_c_vector && has_two;
        if (tile.j + j >= args.n)
            return;
        const double alpha = args.alpha.f64, beta = args.beta.f64;
        double *c = static_cast<double *>(args.c) + offset_at(args.result_n, tile.j + j);
        const int64_t second =
            has_two ? offset_at(args.result_n, tile.j + j + 1) - offset_at(args.result_n, tile.j + j) : 0;
        for_groups([&](int row, double2(&pair)[group]) {
            if (is_sliced)
                add_slices(row, pair);
            double *to[group];
            double2 old[group] = {};
#pragma unroll
            for (int g = 0; g < group; g++) {
                to[g] = c + offset_at(args.result_m, row + high * g < args.m ? row + high * g : args.m - 1);
                if (beta == 0 || row + high * g >= args.m)
                    continue;
                if (is_vector) {
                    old[g] = *reinterpret_cast<const double2 *>(to[g]);
                } else {
                    old[g].x = to[g][0];
                    old[g].y = to[g][second];
                }
            }
#pragma unroll
            for (int g = 0; g < group; g++) {
                const double2 now = { blend(alpha, pair[g].x, beta, &old[g].x),
                                      blend(alpha, pair[g].y, beta, &old[g].y) };
                if (row + high * g >= args.m)
                    break;
                if (is_vector) {
                    *reinterpret_cast<double2 *>(to[g]) = now;
                } else {
                    to[g][0] = now.x;
                    if (has_two)
                        to[g][second] = now.y;
                }
            }
        });
    }
};

} // namespace dmma

#endif
