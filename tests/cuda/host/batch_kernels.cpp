/* Kernels of batches by their own text on the host, threads as fibers: every product has the bits of its sum as the
 * contract names it, whatever the layouts, slices and blocks; nothing is read outside of the operands, and nothing
 * before its copies have arrived. */
#include "batch_as_host.h"

namespace batch
{

template <int bytes> void copy(uint32_t to, const void *from, int there)
{
    thread &own = self();
    int &count = own.copies[(own.first_group + own.groups) % MOST_GROUPS];
    assert_true(count < MOST_COPIES && to % bytes == 0 && to + bytes <= MOST_SHARED && there <= bytes);
    assert_true(there == 0 || reinterpret_cast<uintptr_t>(from) % bytes == 0);
    own.group[(own.first_group + own.groups) % MOST_GROUPS][count++] = { to, from, bytes, there };
}
void close_group()
{
    thread &own = self();
    own.groups++;
    assert_true(own.groups < MOST_GROUPS);
    own.copies[(own.first_group + own.groups) % MOST_GROUPS] = 0;
}
/* Copies arrive as late as they may. */
template <int open> void wait_groups()
{
    thread &own = self();
    for (; own.groups > open; own.groups--, own.first_group = (own.first_group + 1) % MOST_GROUPS)
        for (int i = 0; i < own.copies[own.first_group]; i++) {
            const copying &one = own.group[own.first_group][i];
            const char *from = static_cast<const char *>(one.from);
            assert_true(one.there == 0 || (from >= readable[0] && from + one.there <= readable_end[0]) ||
                        (from >= readable[1] && from + one.there <= readable_end[1]));
            memset(shared_memory + one.to, 0, static_cast<size_t>(one.bytes));
            memcpy(shared_memory + one.to, from, static_cast<size_t>(one.there));
        }
}

} // namespace batch

#include "cuda/batch/dmma.cuh"
#include "cuda/batch/simt.cuh"

template <class S> static void multiply(const void *args, char *shared)
{
    batch::multiply_units<S>(*static_cast<const lay_cuda_batch_args *>(args), shared);
}

template <class S> static void run(const lay_cuda_batch_args &args, int blocks)
{
    assert_true(S::slots * S::turn_size + 32 + 16 * 1024 <= MOST_SHARED);
    run_grid(multiply<S>, &args, S::threads, blocks);
}

/* ---- batches ---------------------------------------------------------------------------------- */

enum { MOST_EXTENT = 150, MOST_COUNT = 7, MOST_MEMORY = 1 << 19, UNIT = 16 };

struct line {
    int extent;
    int64_t at[MOST_EXTENT];
    lay_cuda_offsets offsets;
};

static void make_even(line *of, int64_t stride)
{
    for (int i = 0; i < of->extent; i++)
        of->at[i] = i * stride;
    of->offsets = { nullptr, stride, 0, 0, 0, 0 };
}
/* In blocks of `run`, each jump elements behind where the last one ends; as segments, or as nothing but a table. */
static void make_blocks(line *of, int64_t stride, int run, int64_t jump, bool is_told)
{
    for (int i = 0; i < of->extent; i++)
        of->at[i] = i * stride + i / run * jump;
    if (is_told)
        of->offsets = { of->at, stride, jump, run, UINT32_MAX / (unsigned)run, 0 };
    else
        of->offsets = { of->at, 0, 0, 0, 0, 0 };
}

/* One operand of all products: its lines, the batch's, and where it lies. */
template <typename T> struct tensor {
    line across, along, batch;
    T *memory, *first;
    int64_t count;
};

/* Near is contiguous in groups of v, far in multiples of v; all by a stride or in blocks; some turned round. */
template <typename T> static void make_tensor(tensor<T> *of, bool is_along, int v, bool is_input, random_source *from)
{
    line *near = is_along ? &of->along : &of->across, *far = is_along ? &of->across : &of->along;
    const int wide = (near->extent + v - 1) / v * v, kind = static_cast<int>(random_in(from, 0, 3));
    const int64_t pitch = wide + v * random_in(from, 0, 2);
    int64_t size = pitch * far->extent;
    if (kind == 0 && near->extent % 8 == 0 && far->extent % 8 == 0) { /* tiles of 8 x 8 */
        const bool is_told = random_one_in(from, 2);
        make_blocks(near, 1, 8, 56, is_told);
        make_blocks(far, 8, 8, near->extent * 8 - 64, is_told);
        size = near->extent * far->extent;
    } else {
        make_even(near, v == 1 && kind == 1 ? 2 : 1);
        make_even(far, (v == 1 && kind == 1 ? 2 : 1) * pitch);
        size *= v == 1 && kind == 1 ? 2 : 1;
    }
    size = (size + v - 1) / v * v;
    const bool is_same = is_input && random_one_in(from, 5);
    make_even(&of->batch, is_same ? 0 : size);
    if (!is_same && random_one_in(from, 4)) /* any order: backwards */
        make_blocks(&of->batch, -size, MOST_COUNT, 0, false);
    of->count = is_same ? size : size * of->batch.extent;
    of->memory = static_cast<T *>(aligned_alloc(64, (static_cast<size_t>(of->count) * sizeof(T) + 63) / 64 * 64));
    of->first = of->memory - (of->batch.at[of->batch.extent - 1] < 0 ? of->batch.at[of->batch.extent - 1] : 0);
    for (int64_t i = 0; i < of->count; i++)
        of->memory[i] = static_cast<T>(random_unit(from) * 2 - 1) *
                        (random_one_in(from, 20) ? static_cast<T>(1e-30) : 1); /* -0, too */
}

template <typename T> static lay_cuda_scalar scalar_of(double value)
{
    lay_cuda_scalar out = {};
    if (sizeof(T) == 4)
        out.f32 = static_cast<float>(value);
    else
        out.f64 = value;
    return out;
}

static float fma_of(float x, float y, float z)
{
    return fmaf(x, y, z);
}
static double fma_of(double x, double y, double z)
{
    return fma(x, y, z);
}

/* The contract, element by element. */
template <typename T>
static T expected(const tensor<T> &a, const tensor<T> &b, int product, int i, int j, int k, int slice_k, T alpha,
                  T beta, T old)
{
    const T *left = a.first + a.batch.at[product] + a.across.at[i];
    const T *right = b.first + b.batch.at[product] + b.across.at[j];
    T total = 0;
    for (int begin = 0; begin < k; begin += slice_k) {
        T sum = 0;
        for (int p = begin; p < k && p < begin + slice_k; p++)
            sum = (fma_of(left[a.along.at[p]], right[b.along.at[p]], sum));
        total = begin ? total + sum : sum;
    }
    if (k == 0)
        return beta == 0 ? T(0) : beta * old;
    return beta == 0 ? alpha * total : fma_of(alpha, total, beta * old);
}

template <class S> static void insist_on_batch(uint64_t number)
{
    using T = typename S::T;
    random_source from = random_case(231, number);
    const int v = 16 / sizeof(T);
    static tensor<T> a, b, c;
    const int most = random_one_in(&from, 4) ? MOST_EXTENT : 40;
    const int m = static_cast<int>(random_in(&from, 1, most)), n = static_cast<int>(random_in(&from, 1, most));
    const int k = random_one_in(&from, 12) ? 0 : static_cast<int>(random_in(&from, 1, most));
    const int count = static_cast<int>(random_in(&from, 1, MOST_COUNT));
    const int slice_k = random_one_in(&from, 2) || k <= UNIT ? k : UNIT * static_cast<int>(random_in(&from, 1, 3));
    a.across.extent = c.across.extent = m;
    b.across.extent = c.along.extent = n;
    a.along.extent = b.along.extent = k ? k : 1;
    a.batch.extent = b.batch.extent = c.batch.extent = count;
    const bool is_along[2] = { random_one_in(&from, 2) != 0, random_one_in(&from, 2) != 0 };
    const int of[3] = { random_one_in(&from, 3) ? 1 : v, random_one_in(&from, 3) ? 1 : v,
                        random_one_in(&from, 3) ? 1 : v };
    make_tensor(&a, is_along[0], of[0], true, &from);
    make_tensor(&b, is_along[1], of[1], true, &from);
    make_tensor(&c, random_one_in(&from, 4) ? false : true, of[2], false, &from);
    T *const before = static_cast<T *>(malloc(static_cast<size_t>(c.count) * sizeof(T)));
    memcpy(before, c.memory, static_cast<size_t>(c.count) * sizeof(T));
    const double beta = random_one_in(&from, 2) ? 0 : -0.75;
    lay_cuda_batch_args args = {};
    args.left = { a.first, a.batch.offsets, is_along[0], static_cast<int>(of[0] * sizeof(T)) };
    args.right = { b.first, b.batch.offsets, is_along[1], static_cast<int>(of[1] * sizeof(T)) };
    const line *const within[] = { &a.across, &a.along, &b.along, &b.across, &c.across, &c.along };
    for (int i = 0; i < LAY_CUDA_BATCH_AXES; i++)
        args.within[i] = within[i]->offsets;
    args.m = m;
    args.n = n;
    args.k = k;
    args.tiles_m = (m + S::bm - 1) / S::bm;
    args.tiles_n = (n + S::bn - 1) / S::bn;
    args.units = args.tiles_m * args.tiles_n * count;
    args.c = c.first;
    args.result_batch = c.batch.offsets;
    const bool is_vector = of[2] == v && c.along.at[n - 1] - c.along.at[0] >= n - 1 && (n == 1 || c.along.at[1] == 1);
    args.c_bytes = is_vector ? 16 : static_cast<int>(sizeof(T));
    args.alpha = scalar_of<T>(1.25);
    args.beta = scalar_of<T>(beta);
    args.slice_k = slice_k;
    readable[0] = reinterpret_cast<char *>(a.memory);
    readable_end[0] = readable[0] + a.count * static_cast<int64_t>(sizeof(T));
    readable[1] = reinterpret_cast<char *>(b.memory);
    readable_end[1] = readable[1] + b.count * static_cast<int64_t>(sizeof(T));
    run<S>(args, static_cast<int>(random_in(&from, 1, 3)));
    for (int product = 0; product < count; product++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                const int64_t at = c.first - c.memory + c.batch.at[product] + c.across.at[i] + c.along.at[j];
                const T wanted = expected<T>(a, b, product, i, j, k, slice_k, static_cast<T>(1.25),
                                             static_cast<T>(beta), before[at]);
                if (memcmp(&wanted, c.memory + at, sizeof(T)) != 0)
                    fail_msg("case %llu, tile %d x %d: %d x %d x %d in slices of %d, product %d of %d, (%d,%d): %g, "
                             "not %g",
                             static_cast<unsigned long long>(number), S::bm, S::bn, m, n, k, slice_k, product, count, i,
                             j, static_cast<double>(c.memory[at]), static_cast<double>(wanted));
                before[at] = c.memory[at];
            }
    assert_memory_equal(before, c.memory, static_cast<size_t>(c.count) * sizeof(T)); /* gaps stay */
    free(before);
    free(a.memory);
    free(b.memory);
    free(c.memory);
}

template <class S> static void insist_on_shape(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 40; number++)
        insist_on_batch<S>(number);
}

int main(void)
{
    using namespace batch;
    const struct CMUnitTest tests[] = {
        { "f32 by one warp, small", insist_on_shape<simt<2, 4, 1, 1, 4, 1>>, NULL, NULL, NULL },
        { "f32 by one warp", insist_on_shape<simt<4, 8, 1, 1, 2, 1>>, NULL, NULL, NULL },
        { "f32 by warps below each other", insist_on_shape<simt<3, 12, 2, 1, 2, 1>>, NULL, NULL, NULL },
        { "f32 by four warps", insist_on_shape<simt<4, 8, 2, 2, 3, 1>>, NULL, NULL, NULL },
        { "f32 by warps side by side", insist_on_shape<simt<7, 4, 1, 4, 3, 1>>, NULL, NULL, NULL },
        { "f64 by one warp", insist_on_shape<dmma<1, 2, 1, 1, 2, 1>>, NULL, NULL, NULL },
        { "f64 by warps side by side", insist_on_shape<dmma<2, 2, 1, 2, 2, 1>>, NULL, NULL, NULL },
        { "f64 by warps below each other", insist_on_shape<dmma<1, 6, 3, 1, 2, 1>>, NULL, NULL, NULL },
        { "f64 by four warps", insist_on_shape<dmma<1, 7, 4, 1, 3, 1>>, NULL, NULL, NULL },
    };
    return cmocka_run_group_tests_name("batch_kernels", tests, NULL, NULL);
}
