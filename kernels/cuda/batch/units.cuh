/* 16-bit types: the matrix units of 9.0, which read their operands in shared memory. Sums are FP32's, in the order of
 * cuda_narrow.h; k is not cut. */
#ifndef LAY_KERNELS_CUDA_BATCH_UNITS_CUH
#define LAY_KERNELS_CUDA_BATCH_UNITS_CUH

#include "cuda/batch/image.cuh"
#include "cuda/batch/multiply.cuh"
#include "cuda/half.cuh"
#include "cuda/narrow/leaving.cuh"

namespace batch
{

/* Lines of shared memory from `line` on as the matrix units see them, which may begin in the middle of 64 contiguous
 * ones, and how far 32 bytes of steps are, in units of 16 bytes. */
template <bool is_across> struct view {
    static constexpr int next = is_across ? 128 : 2;

    static __device__ __forceinline__ uint64_t of(const char *lines, int line)
    {
        return is_across ? describe_across(lines + line / 64 * 8192 + line % 64 * 2)
                         : describe_128(lines + line * LAY_NARROW_LINE);
    }
};

template <piece_type kind> struct element_of;
template <> struct element_of<FP16> {
    using type = __half;
    static constexpr lay_type name = LAY_F16;
};
template <> struct element_of<BF16> {
    using type = __nv_bfloat16;
    static constexpr lay_type name = LAY_BF16;
};

/* Of a warpgroup's 64. */
struct rows_of_lane {
    int first, second;
};

/* A warpgroup has 64 rows of the tile. */
template <piece_type kind_, int warpgroups, int bn_, bool is_left_across, bool is_right_across, int ahead_, int lag_,
          int blocks_>
struct units {
    using T = typename element_of<kind_>::type;
    static constexpr piece_type kind = kind_;
    static constexpr int bm = 64 * warpgroups, bn = bn_, bk = 64, threads = 128 * warpgroups;
    static constexpr int ahead = ahead_, lag = lag_, slots = ahead + 1 + lag, blocks = blocks_, alignment = 1024;
    static constexpr bool is_asynchronous = true;
    using left_image = swizzled<T, bm, is_left_across>;
    using right_image = swizzled<T, bn, is_right_across>;
    static constexpr int left_size = left_image::bytes, turn_size = left_size + right_image::bytes;

    static __device__ __forceinline__ void publish()
    {
        own_writes_are_made();
    }

    struct sums {
        float acc[bn / 2];
        int row; /* of the warpgroup's part */

        __device__ __forceinline__ explicit sums(const lay_cuda_batch_args &)
            : row(__shfl_sync(~0u, threadIdx.x / 128, 0) * 64)
        {
        }
        __device__ __forceinline__ void clear()
        {
#pragma unroll
            for (int i = 0; i < bn / 2; i++)
                acc[i] = 0;
        }
        __device__ __forceinline__ void add(uint32_t slot, int, bool is_first)
        {
            using on = products<kind, bn, is_left_across, is_right_across>;
            using left_view = view<is_left_across>;
            using right_view = view<is_right_across>;
            const char *const lines = static_cast<const char *>(__cvta_shared_to_generic(slot));
            const uint64_t left = left_view::of(lines, row), right = right_view::of(lines + left_size, 0);
            products_begin();
#pragma unroll
            for (int step = 0; step < 4; step++)
                on::add(acc, left + step * left_view::next, right + step * right_view::next, step ? 1 : !is_first);
            products_commit();
        }
        /* But for those of so many turns. */
        __device__ __forceinline__ void await() const
        {
            products_wait<lag>();
        }
        __device__ __forceinline__ void finish() const
        {
            products_wait<0>();
        }
        __device__ __forceinline__ void fold(bool) const
        {
        }

        __device__ __forceinline__ void write(const lay_cuda_batch_args &args, const result_offsets &at,
                                              place tile) const
        {
            const int first = threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
            write_rows(args, at, tile, { first, first + 8 });
        }
        /* To such rows of the warpgroup's. */
        __device__ __forceinline__ void write_rows(const lay_cuda_batch_args &args, const result_offsets &at,
                                                   place tile, rows_of_lane of) const
        {
            char *const c = static_cast<char *>(args.c) + 2 * offset_at(args.result_batch, tile.product);
            const int m[2] = { tile.i + row + of.first, tile.i + row + of.second };
            if (args.c_bytes == 16 && args.beta.f32 == 0 && args.k > 0) {
                write_eights(args, at, c, m, tile.j);
                write_pairs<bn / 32 * 32>(args, at, c, m, tile.j);
            } else {
                write_pairs<0>(args, at, c, m, tile.j);
            }
        }
        /* Of each 32 columns a lane has eight, in two rows that are eight apart. */
        __device__ __forceinline__ void write_eights(const lay_cuda_batch_args &args, const result_offsets &at, char *c,
                                                     const int (&m)[2], int first) const
        {
#pragma unroll
            for (int number = 0; number < bn / 32 * 2; number++) {
                const int i = m[number % 2], j = first + number / 2 * 32 + threadIdx.x % 4 * 8;
                unsigned word[4];
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    const int own = number / 2 * 16 + 4 * e + 2 * (number % 2);
                    word[e] = pair<kind>::of(args.alpha.f32 * acc[own], args.alpha.f32 * acc[own + 1]);
                }
                turn_words(word);
                if (i >= args.m || j >= args.n)
                    continue;
                char *const line = c + at.result_m[i];
                if (j + 8 <= args.n) {
                    /* Nobody reads it soon: operands that wait for another tile are to stay in the second cache. */
                    __stcs(reinterpret_cast<uint4 *>(line + at.result_n[j]),
                           make_uint4(word[0], word[1], word[2], word[3]));
                    continue;
                }
#pragma unroll
                for (int e = 0; e < 7; e++)
                    if (j + e < args.n)
                        *reinterpret_cast<uint16_t *>(line + at.result_n[j + e]) =
                            static_cast<uint16_t>(word[e / 2] >> e % 2 * 16);
            }
        }
        /* Columns of the tile from `begin` on. */
        template <int begin>
        __device__ __forceinline__ void write_pairs(const lay_cuda_batch_args &args, const result_offsets &at, char *c,
                                                    const int (&m)[2], int first) const
        {
#pragma unroll
            for (int number = begin / 4; number < bn / 4; number++) {
                const int i = m[number % 2], j = first + number / 2 * 8 + threadIdx.x % 4 * 2;
                if (i >= args.m || j >= args.n)
                    continue;
                char *const line = c + at.result_m[i];
                if (args.c_bytes >= 4 && args.beta.f32 == 0 && args.k > 0 && j + 1 < args.n) {
                    *reinterpret_cast<unsigned *>(line + at.result_n[j]) =
                        pair<kind>::of(args.alpha.f32 * acc[2 * number], args.alpha.f32 * acc[2 * number + 1]);
                    continue;
                }
#pragma unroll
                for (int e = 0; e < 2; e++)
                    if (j + e < args.n) {
                        T *const to = reinterpret_cast<T *>(line + at.result_n[j + e]);
                        const float old = args.beta.f32 == 0 ? 0.0f : stored<T>::widen(*to);
                        *to = stored<T>::narrow(result_of(args, acc[2 * number + e], &old));
                    }
            }
        }
    };
};

} // namespace batch

#endif
