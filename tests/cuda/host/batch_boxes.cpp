/* Kernels of batches whose operands come in boxes, by their own text on the host, threads as fibers: every product has
 * the bits of its sum as the contract names it, whatever the layouts, slices and blocks; nothing is read that a tensor
 * copy would not, and nothing before it has arrived. */
#include "boxes_as_host.h"

namespace batch
{

void store(uint32_t to, float x, float y, float z, float w)
{
    const float all[] = { x, y, z, w };
    memcpy(shared_memory + to, all, sizeof all);
}
template <int those> void meet_some()
{
    meet_in(0, those);
}

} // namespace batch

#include "cuda/batch/boxes_dmma.cuh"
#include "cuda/batch/boxes_simt.cuh"
#include "cuda/batch/boxes_sliced.cuh"

template <class S> static void multiply(const void *args, char *shared)
{
    batch::multiply_boxed<S>(*static_cast<const lay_cuda_batch_boxed_args *>(args), shared);
}

/* ---- batches ---------------------------------------------------------------------------------- */

/* One operand of all products: `far` lines of `near` contiguous elements, or tiles of 16 x 16 of them. */
template <typename T> struct operand {
    int near, far, count;
    bool is_tiled, is_shared;
    int64_t pitch, apart, all;
    T *memory;

    int64_t at(int product, int i, int j) const
    {
        const int64_t first = is_shared ? 0 : product * apart;
        return first + (is_tiled ? i / 16 * (pitch * 16) + j / 16 * 256 + i % 16 * 16 + j % 16 : i * pitch + j);
    }
};

template <typename T> static void make(operand<T> *of, int far, int near, int count, random_source *from)
{
    const int v = 16 / sizeof(T);
    of->near = near;
    of->far = far;
    of->count = count;
    of->is_tiled = near % 16 == 0 && far % 16 == 0 && random_one_in(from, 2);
    of->is_shared = random_one_in(from, 5);
    of->pitch = of->is_tiled ? near : (near + v - 1) / v * v + v * random_in(from, 0, 2);
    of->apart = of->pitch * far + v * random_in(from, 0, 2);
    of->all = of->apart * (of->is_shared ? 1 : count);
    of->memory = static_cast<T *>(aligned_alloc(64, (static_cast<size_t>(of->all) * sizeof(T) + 63) / 64 * 64));
    for (int64_t i = 0; i < of->all; i++)
        of->memory[i] = static_cast<T>(NAN);
    for (int product = 0; product < (of->is_shared ? 1 : count); product++)
        for (int i = 0; i < far; i++)
            for (int j = 0; j < near; j++) /* -0 and what underflows, too */
                of->memory[of->at(product, i, j)] =
                    static_cast<T>(random_unit(from) * 2 - 1) *
                    static_cast<T>(random_one_in(from, 20) ? (sizeof(T) == 4 ? -1e-30 : -1e-200) : 1);
}

/* `lines` of the tile. Boxes have parts of a block, whole blocks, or across all lines of a tile, as they may. */
template <class S, typename T>
static void make_boxes(const operand<T> &of, bool is_across, int lines, random_source *from, lay_cuda_batch_box *out)
{
    map made = {};
    const int there = is_across ? S::bk : lines;
    const int size = sizeof(T), swizzle = size == 8 ? 128 : is_across ? 0 : 64;
    out->inner_near = out->inner_far = of.is_tiled ? 16 : INT32_MAX;
    out->near_inverse = UINT32_MAX / static_cast<unsigned>(out->inner_near);
    out->far_inverse = UINT32_MAX / static_cast<unsigned>(out->inner_far);
    out->far = there;
    const bool has_blocks = of.is_tiled && there % 16 == 0 && random_one_in(from, 2);
    while (of.is_tiled && !has_blocks && (out->far > 16 || 16 % out->far != 0 || there % out->far != 0))
        out->far--; /* divides a block and what there is */
    out->has_all_lines = is_across && of.is_tiled && lines % 16 == 0 && out->far == S::bk && random_one_in(from, 2);
    out->is_shared = of.is_shared;
    made.base = reinterpret_cast<const char *>(of.memory);
    made.size = static_cast<int16_t>(size);
    made.swizzle = static_cast<int16_t>(swizzle);
    const int64_t products = of.is_shared ? 1 : of.count, apart = of.apart * size;
    const int64_t rows[] = { of.near, of.far, products }, row_strides[] = { of.pitch * size, apart };
    const int64_t tiles[] = { 16, 16, of.near / 16, of.far / 16, products };
    const int64_t tile_strides[] = { 16 * size, 256 * size, of.pitch * 16 * size, apart };
    made.rank = of.is_tiled ? 5 : 3;
    for (int d = 0; d < 5; d++) {
        made.box[d] = d == 0 ? S::bk : d == 1 ? (has_blocks ? 16 : out->far) : 1;
        if (d == 2 && out->has_all_lines)
            made.box[d] = lines / 16;
        if (d == 3 && has_blocks)
            made.box[d] = there / 16;
        if (d < made.rank)
            made.extent[d] = of.is_tiled ? tiles[d] : rows[d];
        if (d + 1 < made.rank)
            made.stride[d] = of.is_tiled ? tile_strides[d] : row_strides[d];
    }
    memcpy(out->tensor, &made, sizeof made);
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
static T expected(const operand<T> &a, const operand<T> &b, int product, int i, int j, int slice_k, T alpha, T beta,
                  T old)
{
    T total = 0;
    for (int begin = 0; begin < a.near; begin += slice_k) {
        T sum = 0;
        for (int p = begin; p < a.near && p < begin + slice_k; p++)
            sum = fma_of(a.memory[a.at(product, i, p)], b.memory[b.at(product, p, j)], sum);
        total = begin ? total + sum : sum;
    }
    return beta == 0 ? alpha * total : fma_of(alpha, total, beta * old);
}

static void set(lay_cuda_scalar *to, float value)
{
    to->f32 = value;
}
static void set(lay_cuda_scalar *to, double value)
{
    to->f64 = value;
}

template <class S> static void insist_on_batch(uint64_t number)
{
    using T = typename S::T;
    enum { UNIT = 16, MOST = 130 };
    random_source from = random_case(233, number);
    static operand<T> a, b;
    const int step = random_one_in(&from, 2) ? 16 : 1;
    const int m = static_cast<int>(random_in(&from, 1, MOST / step)) * step;
    const int n = static_cast<int>(random_in(&from, 1, MOST / step)) * step;
    const int k = random_one_in(&from, 6) ? static_cast<int>(random_in(&from, 1, 3)) /* where a sum may stay -0 */
                                          : static_cast<int>(random_in(&from, 1, MOST / step)) * step;
    const int count = static_cast<int>(random_in(&from, 1, 5)), most = S::groups > 1 ? S::slots / S::groups : 3;
    const int whole = S::groups > 1 && k > most * UNIT ? most * UNIT : k;
    const int slice_k =
        random_one_in(&from, 2) || k <= UNIT ? whole : UNIT * static_cast<int>(random_in(&from, 1, most));
    make(&a, m, k, count, &from);
    make(&b, k, n, count, &from);
    const int v = 16 / sizeof(T);
    const int64_t pitch = (n + v - 1) / v * v + v * random_in(&from, 0, 1), all = pitch * m * count;
    T *const c = static_cast<T *>(aligned_alloc(64, (static_cast<size_t>(all) * sizeof(T) + 63) / 64 * 64));
    T *const before = static_cast<T *>(malloc(static_cast<size_t>(all) * sizeof(T)));
    for (int64_t i = 0; i < all; i++)
        before[i] = c[i] = static_cast<T>(random_unit(&from));
    const T alpha = static_cast<T>(1.25), beta = random_one_in(&from, 2) ? 0 : static_cast<T>(-0.75);
    lay_cuda_batch_boxed_args args = {};
    make_boxes<S>(a, false, S::bm, &from, &args.left);
    make_boxes<S>(b, true, S::bn, &from, &args.right);
    lay_cuda_batch_args &of = args.of;
    of.m = m;
    of.n = n;
    of.k = k;
    of.slice_k = slice_k;
    of.tiles_m = (m + S::bm - 1) / S::bm;
    of.tiles_n = (n + S::bn - 1) / S::bn;
    of.units = of.tiles_m * of.tiles_n * count;
    of.c = c;
    of.c_bytes = random_one_in(&from, 3) ? static_cast<int>(sizeof(T)) : 16;
    of.result_batch.stride = pitch * m;
    of.within[LAY_CUDA_BATCH_RESULT_M].stride = pitch;
    of.within[LAY_CUDA_BATCH_RESULT_N].stride = 1;
    set(&of.alpha, alpha);
    set(&of.beta, beta);
    readable[0] = reinterpret_cast<char *>(a.memory);
    readable_end[0] = readable[0] + a.all * static_cast<int64_t>(sizeof(T));
    readable[1] = reinterpret_cast<char *>(b.memory);
    readable_end[1] = readable[1] + b.all * static_cast<int64_t>(sizeof(T));
    boxes_begun = 0;
    run_grid(multiply<S>, &args, S::threads, static_cast<int>(random_in(&from, 1, 3)));
    assert_int_equal(boxes_begun, 0);
    for (int product = 0; product < count; product++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                const int64_t at = (static_cast<int64_t>(product) * m + i) * pitch + j;
                const T wanted = expected(a, b, product, i, j, slice_k, alpha, beta, before[at]);
                if (memcmp(&wanted, c + at, sizeof(T)) != 0)
                    fail_msg("case %llu, tile %d x %d: %d x %d x %d in slices of %d, product %d of %d, (%d,%d): %g, "
                             "not %g",
                             static_cast<unsigned long long>(number), S::bm, S::bn, m, n, k, slice_k, product, count, i,
                             j, static_cast<double>(c[at]), static_cast<double>(wanted));
                before[at] = c[at];
            }
    assert_memory_equal(before, c, static_cast<size_t>(all) * sizeof(T)); /* gaps stay */
    free(before);
    free(c);
    free(a.memory);
    free(b.memory);
}

template <class S> static void insist_on_shape(void **state)
{
    (void)state;
    assert_true(batch::box_ring<S>::bytes + S::shared_sums + 2048 + 16 * 1024 <= MOST_SHARED);
    for (uint64_t number = 0; number < 30; number++)
        insist_on_batch<S>(number);
}

int main(void)
{
    using namespace batch;
    const struct CMUnitTest tests[] = {
        { "f32 by one warp", insist_on_shape<boxed_simt<2, 4, 1, 1, 1, 4, 1>>, NULL, NULL, NULL },
        { "f32 by warps below each other", insist_on_shape<boxed_simt<4, 8, 2, 1, 1, 4, 1>>, NULL, NULL, NULL },
        { "f32 by warps side by side", insist_on_shape<boxed_simt<7, 8, 1, 2, 1, 6, 1>>, NULL, NULL, NULL },
        { "f32, totals in shared memory", insist_on_shape<boxed_simt<7, 16, 1, 2, 1, 3, 1, true>>, NULL, NULL, NULL },
        { "f32, two turns in the ring", insist_on_shape<boxed_simt<8, 16, 2, 1, 1, 2, 1, true>>, NULL, NULL, NULL },
        { "f32, slices side by side", insist_on_shape<boxed_simt<2, 4, 1, 1, 4, 8, 1>>, NULL, NULL, NULL },
        { "f32, slices of some warps", insist_on_shape<boxed_simt<4, 8, 1, 2, 4, 8, 1>>, NULL, NULL, NULL },
        { "f32, a warp that brings", insist_on_shape<boxed_simt<3, 4, 2, 1, 1, 4, 1, false, true>>, NULL, NULL, NULL },
        { "f32, a warp that brings, turns ahead", insist_on_shape<boxed_simt<7, 8, 1, 2, 1, 4, 1, true, true>>, NULL,
          NULL, NULL },
        { "f32, short slices", insist_on_shape<sliced_simt<4, 8, 2, 1, 5, 1>>, NULL, NULL, NULL },
        { "f32, short slices, early", insist_on_shape<sliced_simt<4, 8, 1, 2, 3, 1, in_order_early>>, NULL, NULL,
          NULL },
        { "f32, short slices, odd rows", insist_on_shape<sliced_simt<7, 8, 1, 2, 3, 1>>, NULL, NULL, NULL },
        { "f32, slices side by side, in order", insist_on_shape<grouped_simt<4, 8, 1, 2, 2, 8, 1>>, NULL, NULL, NULL },
        { "f64 by one warp", insist_on_shape<boxed_dmma<1, 2, 1, 1, 1, 4, 1>>, NULL, NULL, NULL },
        { "f64 by four warps", insist_on_shape<boxed_dmma<2, 4, 2, 2, 1, 4, 1>>, NULL, NULL, NULL },
        { "f64 by warps below each other", insist_on_shape<boxed_dmma<1, 6, 3, 1, 1, 4, 1>>, NULL, NULL, NULL },
        { "f64, totals in shared memory", insist_on_shape<boxed_dmma<2, 4, 1, 2, 1, 3, 1, true>>, NULL, NULL, NULL },
        { "f64, two turns in the ring", insist_on_shape<boxed_dmma<4, 2, 2, 1, 1, 2, 1, true>>, NULL, NULL, NULL },
        { "f64, a warp that brings", insist_on_shape<boxed_dmma<2, 4, 2, 1, 1, 3, 1, true, true>>, NULL, NULL, NULL },
        { "f64, half a turn at a time", insist_on_shape<boxed_dmma<1, 4, 2, 2, 1, 4, 1, true, false, true>>, NULL, NULL,
          NULL },
        { "f64, half a turn, a warp that brings", insist_on_shape<boxed_dmma<1, 2, 3, 1, 1, 6, 1, true, true, true>>,
          NULL, NULL, NULL },
        { "f64, slices side by side", insist_on_shape<boxed_dmma<2, 2, 2, 1, 2, 8, 1>>, NULL, NULL, NULL },
    };
    return cmocka_run_group_tests_name("batch_boxes", tests, NULL, NULL);
}
