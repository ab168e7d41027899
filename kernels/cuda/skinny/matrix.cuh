/* A lane's sums by the f64 matrix units: each warp has wm x wn of them. An element is one chain of fused
 * multiply-adds there too, steps ascending (measured on Hopper, bench/LOG.md), so these sums are bit for bit
 * those of simt.cuh in groups of eight. */
#ifndef LAY_KERNELS_CUDA_SKINNY_MATRIX_CUH
#define LAY_KERNELS_CUDA_SKINNY_MATRIX_CUH

#include "cuda/chain_f64.cuh"
#include "cuda/skinny/feed.cuh"

namespace skinny
{

template <int block_m, int block_n, int wm, int wn> struct matrix {
    using T = double;
    static constexpr int group = 8;
    static constexpr int bm = block_m, bn = block_n, warps_m = bm / wm, threads = 32 * warps_m * (bn / wn);
    static constexpr int pieces_m = wm / 16, pieces_n = wn / 8;

    /* Chunks, pairs here, stirred within 128 bytes so that fragments meet no bank twice: those of left take rows 2g and
     * 2g + 1 at steps q and q + 4, those of right column g. */
    template <int extent_, int bk_, bool along, bool is_left> struct image {
        using T = double;
        static constexpr int extent = extent_, bk = bk_;
        static constexpr bool is_along = along;
        static_assert(!along || bk % 16 == 0, "room for the exclusive or");
        static __device__ __forceinline__ int place(int x, int p)
        {
            if (along)
                return x * bk + ((p / 2 ^ ((is_left ? x / 2 : x) % 4) * 2) * 2 | p % 2);
            return p * extent + ((x / 2 ^ (extent < 16 ? 0 : p % 4 * 2 + p / 4 % 2)) * 2 | x % 2);
        }
    };

    double sum[pieces_m][pieces_n][4]; /* [2 r + c] at row 2 g + r, column 2 q + c of a piece of 16 x 8 */
    int m, n;                          /* the thread's first element */
    int g, q;

    __device__ __forceinline__ explicit matrix(int thread)
        : sum{}, m(thread / 32 % warps_m * wm), n(thread / 32 / warps_m * wn), g(thread % 32 / 4), q(thread % 4)
    {
    }

    template <typename Left, typename Right> __device__ __forceinline__ void add(const T *left, const T *right, int p)
    {
        double a[pieces_m][4], b[pieces_n][2];
#pragma unroll
        for (int h = 0; h < 2; h++) {
#pragma unroll
            for (int i = 0; i < pieces_m; i++) {
                const int x = m + 16 * i + 2 * g, step = p + q + 4 * h;
                if constexpr (Left::is_along) {
                    a[i][2 * h] = left[Left::place(x, step)];
                    a[i][2 * h + 1] = left[Left::place(x + 1, step)];
                } else
                    *reinterpret_cast<chunk<double> *>(&a[i][2 * h]) =
                        *reinterpret_cast<const chunk<double> *>(left + Left::place(x, step));
            }
#pragma unroll
            for (int j = 0; j < pieces_n; j++)
                b[j][h] = right[Right::place(n + 8 * j + g, p + q + 4 * h)];
        }
#pragma unroll
        for (int i = 0; i < pieces_m; i++)
#pragma unroll
            for (int j = 0; j < pieces_n; j++)
                multiply_add(sum[i][j], a[i], b[j]);
    }

    /* what(x, j, sums (x, j) and (x, j + 1)) */
    template <typename What> __device__ __forceinline__ void for_chunks(What what) const
    {
#pragma unroll
        for (int i = 0; i < pieces_m; i++)
#pragma unroll
            for (int r = 0; r < 2; r++)
#pragma unroll
                for (int j = 0; j < pieces_n; j++)
                    what(m + 16 * i + 2 * g + r, n + 8 * j + 2 * q,
                         *reinterpret_cast<const chunk<double> *>(&sum[i][j][2 * r]));
    }
};

} // namespace skinny

#endif
