/* Tiles of C: their order, and a warp's sums on their way to C. */
#ifndef LAY_KERNELS_CUDA_DMMA_RESULT_CUH
#define LAY_KERNELS_CUDA_DMMA_RESULT_CUH

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
    int row, column; /* of this lane's first element */

    __device__ __forceinline__ sums(int first_row, int first_column)
        : at{}, row(first_row + threadIdx.x % 32 / 4 * 2), column(first_column + threadIdx.x % 4 * 2)
    {
    }

    /* visit(i, j, first of a row's pair of sums, second) */
    template <class Visit> __device__ __forceinline__ void for_pairs(const lay_cuda_args &args, Visit visit)
    {
#pragma unroll
        for (int i = 0; i < pieces; i++)
#pragma unroll
            for (int r = 0; r < 2; r++)
#pragma unroll
                for (int j = 0; j < columns; j++)
                    if (row + 16 * i + r < args.m && column + 8 * j < args.n)
                        visit(row + 16 * i + r, column + 8 * j, at[i][j][2 * r], at[i][j][2 * r + 1]);
    }

    /* From [m][n]. */
    __device__ __forceinline__ void read(const lay_cuda_args &args, const double *from)
    {
        for_pairs(args, [&](int i, int j, double &a, double &b) {
            const double *there = from + static_cast<int64_t>(i) * args.n + j;
            a = there[0];
            if (j + 1 < args.n)
                b = there[1];
        });
    }

    __device__ __forceinline__ void write_partial(const lay_cuda_args &args, int slice)
    {
        double *to = static_cast<double *>(args.partial) + static_cast<int64_t>(slice) * args.m * args.n;
        for_pairs(args, [&](int i, int j, double &a, double &b) {
            double *there = to + static_cast<int64_t>(i) * args.n + j;
            if (args.n % 2 == 0)
                __stcg(reinterpret_cast<double2 *>(there), make_double2(a, b));
            else {
                __stcg(there, a);
                if (j + 1 < args.n)
                    __stcg(there + 1, b);
            }
        });
    }

    /* The sums of all slices, in ascending order; __ldcg: L1 knows nothing of what others wrote. */
    __device__ __forceinline__ void add_slices(const lay_cuda_args &args)
    {
        for (int slice = 0; slice < args.slices; slice++) {
            const double *from =
                static_cast<const double *>(args.partial) + static_cast<int64_t>(slice) * args.m * args.n;
            int64_t n = args.n;
            asm volatile(""
                         : "+l"(n)); /* else the loop keeps all elements' addresses, in more registers than there are */
            for_pairs(args, [&](int i, int j, double &a, double &b) {
                const double *there = from + i * n + j;
                double2 more = { 0, 0 };
                if (args.n % 2 == 0)
                    more = __ldcg(reinterpret_cast<const double2 *>(there));
                else {
                    more.x = __ldcg(there);
                    if (j + 1 < args.n)
                        more.y = __ldcg(there + 1);
                }
                a = slice ? a + more.x : more.x;
                b = slice ? b + more.y : more.y;
            });
        }
    }

    __device__ __forceinline__ void write(const lay_cuda_args &args)
    {
        const double alpha = args.alpha.f64, beta = args.beta.f64;
        for_pairs(args, [&](int i, int j, double &a, double &b) {
            double *c = static_cast<double *>(args.c) + offset_at(args.result_m, i),
                   *there = c + offset_at(args.result_n, j);
            if (args.is_c_vector && j + 1 < args.n) {
                double2 old = { 0, 0 };
                if (beta != 0)
                    old = *reinterpret_cast<const double2 *>(there);
                *reinterpret_cast<double2 *>(there) =
                    make_double2(blend(alpha, a, beta, &old.x), blend(alpha, b, beta, &old.y));
                return;
            }
            *there = blend(alpha, a, beta, there);
            if (j + 1 < args.n) {
                there = c + offset_at(args.result_n, j + 1);
                *there = blend(alpha, b, beta, there);
            }
        });
    }
};

} // namespace dmma

#endif
