/* The product: threads hold tm x tn sums in registers, operands come through several stages of shared memory
 * by asynchronous copies, and what the next step needs is in registers before this one begins. */
#ifndef LAY_KERNELS_CUDA_SIMT_MULTIPLY_CUH
#define LAY_KERNELS_CUDA_SIMT_MULTIPLY_CUH

#include "cuda/simt/fetch.cuh"
#include "cuda/simt/result.cuh"

/* Tiles in bands of 8 rows, each band column by column, so that the blocks that run at once share what they
 * read; the last band has what rows are left. */
struct tile_index {
    int m, n;
};
__device__ __forceinline__ tile_index banded(const lay_cuda_args &args, int block)
{
    const int band = 8, whole = band * args.tiles_n, first = block / whole * band;
    const int rows = min(band, args.tiles_m - first), within = block % whole;
    return { first + within % rows, within / rows };
}

/* One step's elements of a thread, and its sums. */
template <typename shape> struct fragment {
    float left[shape::tm], right[shape::tn];

    __device__ __forceinline__ void load(const float *left_row, const float *right_row)
    {
#pragma unroll
        for (int i = 0; i < shape::tm; i += 4)
            *reinterpret_cast<float4 *>(left + i) = *reinterpret_cast<const float4 *>(left_row + shape::row(i));
#pragma unroll
        for (int j = 0; j < shape::tn; j += 4)
            *reinterpret_cast<float4 *>(right + j) = *reinterpret_cast<const float4 *>(right_row + shape::column(j));
    }

    /* To and fro, so that each product shares an operand with the one before it. */
    __device__ __forceinline__ void add_product(float (&sums)[shape::tm][shape::tn]) const
    {
#pragma unroll
        for (int i = 0; i < shape::tm; i++)
#pragma unroll
            for (int j = 0; j < shape::tn; j++) {
                const int to_and_fro = i % 2 ? shape::tn - 1 - j : j;
                sums[i][to_and_fro] = fmaf(left[i], right[to_and_fro], sums[i][to_and_fro]);
            }
    }
};

/* The main loop. A stage's last step waits for the next stage and has its first fragment loaded already, so
 * that multiplications never wait for shared memory; its first steps fill the stage that was read before it. */
/* Neighbours change places on their way between sums and shared memory. */
__device__ __forceinline__ float4 swapped(float4 of) { return make_float4(of.y, of.x, of.w, of.z); }
__device__ __forceinline__ float4 swapped_vector(const float *sums) { return make_float4(sums[1], sums[0], sums[3], sums[2]); }
__device__ __forceinline__ void take_vector(float *sums, float4 from)
{
    sums[0] = from.y;
    sums[1] = from.x;
    sums[2] = from.w;
    sums[3] = from.z;
}

template <typename shape, typename Left, typename Right> struct pipeline {
    static constexpr int bk = shape::bk;
    static constexpr int right_image = bk * shape::left_pitch;

    float (&sums)[shape::tm][shape::tn];
    Left &left;
    Right &right;
    const float *shared;                  /* all stages */
    const float *left_read, *right_read;  /* the stage that is read, from the thread's own first elements */
    int read_stage, write_stage;
    fragment<shape> fragments[2];

    __device__ __forceinline__ uint32_t write_address() const
    {
        return shared_address(shared) + write_stage * shape::stage * 4;
    }
    static __device__ __forceinline__ int after(int stage) { return stage == shape::stages - 1 ? 0 : stage + 1; }

    template <int step> __device__ __forceinline__ void run_steps()
    {
        if constexpr (step < bk) {
            if constexpr (step == bk - 1) {
                left.end(write_address());
                right.end(write_address() + right_image * 4);
                write_stage = after(write_stage);
                wait_groups<shape::stages - 2>();
                __syncthreads();
                const int by = (read_stage == shape::stages - 1 ? 1 - shape::stages : 1) * shape::stage;
                left_read += by;
                right_read += by;
                read_stage = after(read_stage);
                fragments[0].load(left_read, right_read);
            } else {
                fragments[(step + 1) % 2].load(left_read + (step + 1) * shape::left_pitch,
                                               right_read + (step + 1) * shape::right_pitch);
            }
            if constexpr (step == 0)
                left.begin(write_address());
            if constexpr (step == (shape::spread ? bk / 2 : 0)) {
                right.begin(write_address() + right_image * 4);
                close_group();
            }
            fragments[step % 2].add_product(sums);
            run_steps<step + 1>();
        }
    }

    __device__ __forceinline__ void run(int steps_all, int own_left, int own_right)
    {
#pragma unroll 1
        for (write_stage = 0; write_stage < shape::stages - 1; write_stage++) {
            left.begin(write_address());
            right.begin(write_address() + right_image * 4);
            left.end(write_address());
            right.end(write_address() + right_image * 4);
            close_group();
        }
        read_stage = 0;
        left_read = shared + own_left;
        right_read = shared + right_image + own_right;
        wait_groups<shape::stages - 2>();
        __syncthreads();
        fragments[0].load(left_read, right_read);
#pragma unroll 1
        for (int turns = steps_all / bk; turns > 0; turns--)
            run_steps<0>();
        /* A last stage that is not full is not padded: a product 0 * 0 too many could turn a sum of -0 into +0. */
#pragma unroll 1
        for (int step = 0; step < steps_all % bk; step++) {
            fragments[0].load(left_read + step * shape::left_pitch, right_read + step * shape::right_pitch);
            fragments[0].add_product(sums);
        }
        wait_groups<0>();
    }
};

template <typename shape, lay_cuda_class left_class, lay_cuda_class right_class>
__global__ void __launch_bounds__(shape::threads, shape::blocks) multiply(const __grid_constant__ lay_cuda_args args)
{
    extern __shared__ float4 room[];
    float *shared = reinterpret_cast<float *>(room);
    const tile_index index = banded(args, blockIdx.x);
    const int m = index.m * shape::bm, n = index.n * shape::bn;
    const typename shape::place own = shape::of_thread(threadIdx.x);
    const steps range = steps_of(args, blockIdx.z);

    float sums[shape::tm][shape::tn];
#pragma unroll
    for (int i = 0; i < shape::tm; i++)
#pragma unroll
        for (int j = 0; j < shape::tn; j++)
            sums[i][j] = 0;
    if (args.resume) {
        through_shared<shape>(
            shared, m, n, [](int, float *) {},
            [&](int i, int j, float4 *at) { *at = swapped(read_dense(args, static_cast<const float *>(args.resume), i, j)); },
            [&](int row, float *mine) {
#pragma unroll
                for (int i = 0; i < shape::tm; i++)
                    if (i == row)
#pragma unroll
                        for (int j = 0; j < shape::tn; j += 4)
                            take_vector(&sums[i][j], *reinterpret_cast<float4 *>(mine + shape::column(j)));
            });
        __syncthreads();
    }

    using Left = typename choose_fetch<left_class, shape::bm, shape::bk, shape::left_pitch, shape::threads>::type;
    using Right = typename choose_fetch<right_class, shape::bn, shape::bk, shape::right_pitch, shape::threads>::type;
    const operand left_operand = { static_cast<const float *>(args.left), args.left_m, args.left_k, m, args.m, range };
    const operand right_operand = { static_cast<const float *>(args.right), args.right_n, args.right_k, n, args.n, range };
    Left left(left_operand, threadIdx.x);
    Right right(right_operand, threadIdx.x);
    pipeline<shape, Left, Right> line = { sums, left, right, shared };
    line.run(range.last - range.first, own.m, own.n);

    float *dense = args.partial ? static_cast<float *>(args.partial) + static_cast<int64_t>(blockIdx.z) * args.m * args.n : nullptr;
    const bool is_whole = m + shape::bm <= args.m && n + shape::bn <= args.n;
    if (is_whole && (dense ? args.n % 4 == 0 : args.is_c_vector)) {
        const float alpha = dense ? 1 : args.alpha.f32, beta = dense ? 0 : args.beta.f32;
#pragma unroll
        for (int i = 0; i < shape::tm; i++) {
            const int row = m + own.m + shape::row(i);
            float *c_row = dense ? dense + static_cast<int64_t>(row) * args.n
                                 : static_cast<float *>(args.c) + offset_at(args.result_m, row);
#pragma unroll
            for (int j = 0; j < shape::tn; j += 4) {
                const int column = n + own.n + shape::column(j);
                float *c = c_row + (dense ? column : offset_at(args.result_n, column));
                const float4 sum = make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
                *reinterpret_cast<float4 *>(c) = blend4(alpha, sum, beta, c);
            }
        }
    } else {
        through_shared<shape>(
            shared, m, n,
            [&](int row, float *mine) {
#pragma unroll
                for (int i = 0; i < shape::tm; i++)
                    if (i == row)
#pragma unroll
                        for (int j = 0; j < shape::tn; j += 4)
                            *reinterpret_cast<float4 *>(mine + shape::column(j)) = swapped_vector(&sums[i][j]);
            },
            [&](int i, int j, const float4 *at) {
                if (dense)
                    write_dense(args, dense, i, j, swapped(*at));
                else
                    write_c(args, i, j, swapped(*at));
            },
            [](int, float *) {});
    }
    if (args.counters && is_last_slice(args))
        add_slices<shape>(args, m, n);
}

#endif
