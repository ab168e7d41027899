/* A warp's part of C on its way from registers, by itself: no stage is needed, and nobody is waited for. */
#ifndef LAY_KERNELS_CUDA_DMMA_LEAVING_CUH
#define LAY_KERNELS_CUDA_DMMA_LEAVING_CUH

#include "cuda/dmma/alone.cuh"
#include "cuda/dmma/handed.cuh"

namespace dmma
{

constexpr int rows_at_once = 8; /* that lie in a warp's place */

/* What a warp has for itself in shared memory, behind what all share: where its rows and columns of C begin, and room
 * for a few rows of sums. */
template <class S> struct own_place {
    static constexpr int places = S::wm + S::wn, bytes = 8 * (places + rows_at_once * S::wn);
    static_assert(8 * places % 16 == 0, "pairs");
    int64_t *at;
    uint32_t rows;

    __device__ __forceinline__ own_place(int64_t *first, uint32_t first_address, int warp)
        : at(first + warp * (bytes / 8)), rows(first_address + warp * bytes + 8 * places)
    {
    }
};

/* Where C has no vectors, and partial sums, [slices][m][n]: eight rows at a time change hands in the warp's own place,
 * and lanes side by side have a row's elements. Pairs of every other row are stirred: both ways meet in no bank. */
template <class W>
__device__ __forceinline__ void write_rows(sums<W> &sum, const result<W> &to, void *c, double alpha, double beta)
{
    static_assert(W::wn == 32, "a lane for each column");
    const int lane = to.worker, row = lane / 4, column = lane % 4 * 2;
    const int rows = to.args.m - to.tile.i, columns = to.args.n - to.tile.j;
    char *const base = static_cast<char *>(c) + to.at[W::wm + lane];
#pragma unroll
    for (int i = 0; i < W::wm / 16; i++)
#pragma unroll
        for (int r = 0; r < 2; r++) {
            __syncwarp();
#pragma unroll
            for (int j = 0; j < W::wn / 8; j++)
                store_two(to.shared + 8 * (row * W::wn + ((8 * j + column) ^ (row & 1) << 3)), sum.at[i][j][2 * r],
                          sum.at[i][j][2 * r + 1]);
            __syncwarp();
            double one[rows_at_once], old[rows_at_once] = {};
            double *there[rows_at_once];
#pragma unroll
            for (int g = 0; g < rows_at_once; g++) {
                one[g] = load_one(to.shared + 8 * (g * W::wn + (lane ^ (g & 1) << 3)));
                there[g] = reinterpret_cast<double *>(base + to.at[16 * i + 2 * g + r]);
            }
            const int count = lane < columns ? rows - 16 * i - r : 0;
            if (beta != 0)
#pragma unroll
                for (int g = 0; g < rows_at_once; g++)
                    if (2 * g < count)
                        old[g] = *there[g];
#pragma unroll
            for (int g = 0; g < rows_at_once; g++)
                if (2 * g < count)
                    *there[g] = blend(alpha, one[g], beta, &old[g]);
        }
}

template <class W> __device__ __forceinline__ void write_part(sums<W> &sum, const result<W> &to)
{
    const lay_cuda_args &args = to.args;
    const bool is_partial = args.partial && !args.counters;
    double *const partial = static_cast<double *>(args.partial) + blockIdx.z * static_cast<int64_t>(args.m) * args.n;
    if (is_partial)
        to.look_up_partial();
    else
        to.look_up_c();
    __syncwarp();
    if (args.is_c_vector && !is_partial)
        write_sums(sum, to);
    else if (args.down && (args.down >> 4 & 15) == 0 && !is_partial)
        write_sums_down(sum, to);
    else
        write_rows(sum, to, is_partial ? partial : args.c, is_partial ? 1 : args.alpha.f64,
                   is_partial ? 0 : args.beta.f64);
}

} // namespace dmma

#endif
