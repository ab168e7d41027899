/* Tiles of C: their order, and a tile's sums on their way to C. */
#ifndef LAY_KERNELS_CUDA_DMMA_RESULT_CUH
#define LAY_KERNELS_CUDA_DMMA_RESULT_CUH

#include "cuda/dmma/unit.cuh"
#include "cuda/element.cuh"

namespace dmma
{

struct tile_of {
    int i, j; /* of its first element */
};

constexpr int band = 16; /* rows of tiles */

template <class S> __device__ __forceinline__ tile_of tile_at(const lay_cuda_args &args)
{
    const tile_index tile = tile_of_block<band>(args);
    return { tile.m * S::bm, tile.n * S::bn };
}

/* Where an index of left or of C's rows begins, in bytes; and a column of right or of C: of complex numbers every
 * column is a part of one. */
template <class S> __device__ __forceinline__ int64_t element(const lay_cuda_offsets &offsets, int i)
{
    return (S::is_complex ? 16 : 8) * offset_now(offsets, i);
}
template <class S> __device__ __forceinline__ int64_t element_across(const lay_cuda_offsets &offsets, int j)
{
    return S::is_complex ? 16 * offset_now(offsets, j / 2) + j % 2 * 8 : 8 * offset_now(offsets, j);
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

/* A tile's sums in shared memory, [groups][bm][bn]: what is done to C is said once there, not for each register, and
 * 128 bytes of a row are written by 8 lanes. Pairs of every other two rows are stirred: lanes of 2 write at once. */
template <class S> struct result {
    static constexpr int workers = 32 * S::warps, passes = S::bn / 16;
    static constexpr int batch = passes % 4 == 0 ? 4 : passes % 3 == 0 ? 3 : passes; /* of a thread under way at once */
    static_assert(S::groups * S::bm * S::bn <= S::stages * S::stage, "the sums fit the stages");

    const lay_cuda_args &args;
    tile_of tile;
    uint32_t shared;
    int64_t *at; /* [bm + bn], shared: where rows and columns of the result begin, in bytes */
    int worker;

    __device__ __forceinline__ uint32_t place(int row, int column) const
    {
        return shared + 8 * (row * S::bn + (column ^ (row >> 1 & 1) << 3));
    }
    __device__ __forceinline__ void keep_sums(sums<S> &sum, int group) const
    {
        const uint32_t there = 8 * group * S::bm * S::bn;
        sum.for_pairs([&](int row, int column, double a, double b) { store_two(there + place(row, column), a, b); });
    }

    /* Behind each a barrier. */
    __device__ __forceinline__ void look_up_partial() const
    {
#pragma unroll 1
        for (int i = worker; i < S::bm + S::bn; i += workers)
            at[i] = 8 * (i < S::bm ? static_cast<int64_t>(tile.i + i) * args.n : tile.j + i - S::bm);
    }
    __device__ __forceinline__ void look_up_c() const
    {
#pragma unroll 1
        for (int i = worker; i < S::bm + S::bn; i += workers)
            at[i] = i < S::bm ? element<S>(args.result_m, min(tile.i + i, args.m - 1))
                              : element_across<S>(args.result_n, min(tile.j + i - S::bm, args.n - 1));
    }

    /* All of the tile, in vectors of `wide` if they are whole: sum(row, column, values) has those of a row 16 columns
     * apart, in the tile. */
    template <int wide, class Sum>
    __device__ __forceinline__ void write(char *base, double alpha, double beta, Sum sum) const
    {
        constexpr int lanes = 16 / wide;
        const int rows = min(S::bm, args.m - tile.i);
        if constexpr (wide == 1 && !S::is_complex) {
            if (args.down && base == args.c)
                return write_down(base, alpha, beta, rows, sum);
        }
        /* Numbers may lie side by side in a column: two rows have a sector of 32 bytes. */
        const bool are_numbers = wide == 2 && args.down & LAY_CUDA_DOWN_PAIRS && base == args.c;
        const int together = are_numbers ? 2 : 1;
        const int first = worker / (together * lanes) * together + worker % together;
#pragma unroll 1
        for (int row = first; row < rows; row += workers / lanes)
            write_row<wide>(base, alpha, beta, row, worker / together % lanes * wide, sum);
    }

    /* Lanes down columns, which are then 16 apart as above. */
    template <class Sum>
    __device__ __forceinline__ void write_down(char *base, double alpha, double beta, int rows, Sum sum) const
    {
        const lanes_down<S::bm> go(args.down);
#pragma unroll 1
        for (int each = worker; each < 16 * S::bm; each += workers) {
            const int lane = each & ((1 << go.lanes) - 1), beside = each >> go.lanes;
            const int row = go.row(beside / 16 << go.lanes | lane);
            if (row < rows)
                write_row<1>(base, alpha, beta, row, beside % 16, sum);
        }
    }

    /* Of a row, from column j on, each 16th. */
    template <int wide, class Sum>
    __device__ __forceinline__ void write_row(char *base, double alpha, double beta, int row, int j, Sum sum) const
    {
        const int columns = min(S::bn, args.n - tile.j);
#pragma unroll 1
        for (; j < columns; j += 16 * batch) {
            double value[batch][wide], old[batch][wide] = {};
            double *to[batch];
            sum(row, j, value);
#pragma unroll
            for (int b = 0; b < batch; b++)
                to[b] = reinterpret_cast<double *>(base + at[row] + at[S::bm + j + 16 * b]);
            if (beta != 0)
#pragma unroll
                for (int b = 0; b < batch; b++)
#pragma unroll
                    for (int e = 0; e < wide; e++)
                        if (j + 16 * b + e < columns)
                            old[b][e] = to[b][e];
#pragma unroll
            for (int b = 0; b < batch; b++) {
#pragma unroll
                for (int e = 0; e < wide; e++)
                    value[b][e] = blend(alpha, value[b][e], beta, &old[b][e]);
                if (wide == 2 && j + 16 * b + 1 < columns)
                    *reinterpret_cast<double2 *>(to[b]) = make_double2(value[b][0], value[b][wide - 1]);
                else if (j + 16 * b < columns)
                    *to[b] = value[b][0];
            }
        }
    }

    /* The sums kept by so many groups, in ascending order. */
    template <int wide>
    __device__ __forceinline__ void add_groups(int groups, int row, int column, double (&value)[batch][wide]) const
    {
#pragma unroll
        for (int b = 0; b < batch; b++)
            load(place(row, column + 16 * b), value[b]);
#pragma unroll
        for (int group = 1; group < S::groups; group++)
            if (group < groups)
#pragma unroll
                for (int b = 0; b < batch; b++) {
                    double more[wide];
                    load(place(row, column + 16 * b) + 8 * group * S::bm * S::bn, more);
#pragma unroll
                    for (int e = 0; e < wide; e++)
                        value[b][e] += more[e];
                }
    }
    static __device__ __forceinline__ void load(uint32_t from, double (&to)[2])
    {
        load_two(from, to[0], to[1]);
    }
    static __device__ __forceinline__ void load(uint32_t from, double (&to)[1])
    {
        to[0] = load_one(from);
    }

    /* The partial sums of all slices, in ascending order; __ldcg: L1 knows nothing of what others wrote. */
    template <int wide>
    __device__ __forceinline__ void add_slices(int row, int column, double (&value)[batch][wide]) const
    {
        const double *from =
            static_cast<const double *>(args.partial) + static_cast<int64_t>(tile.i + row) * args.n + tile.j + column;
        const int columns = args.n - tile.j - column;
#pragma unroll 2
        for (int slice = 0; slice < args.slices; slice++) {
#pragma unroll
            for (int b = 0; b < batch; b++)
#pragma unroll
                for (int e = 0; e < wide; e++) {
                    const double more = 16 * b + e < columns ? __ldcg(from + 16 * b + e) : 0;
                    value[b][e] = slice ? value[b][e] + more : more;
                }
            from += static_cast<int64_t>(args.m) * args.n;
        }
    }
};

} // namespace dmma

#endif
