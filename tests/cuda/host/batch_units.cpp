/* 16-bit kernels of batches whose operands come in boxes, by their own text on the host: the matrix units read shared
 * memory as their descriptors say, C leaves as late as it may, in blocks and rows of every size. */
#define LAY_KERNELS_CUDA_HALF_CUH
#define LAY_KERNELS_CUDA_NARROW_LEAVING_CUH
#define LAY_KERNELS_CUDA_HOPPER_CLUSTER_CUH
#define LAY_NARROW_LINE 128
#include "boxes_as_host.h"

/* ---- elements --------------------------------------------------------------------------------- */

struct __half {
    uint16_t bits;
};
struct __nv_bfloat16 {
    uint16_t bits;
};
struct uint4 {
    unsigned x, y, z, w;
};
static uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w)
{
    return { x, y, z, w };
}
static void __stcs(uint4 *to, uint4 all)
{
    *to = all;
}
static float widen(uint16_t x)
{
    return __uint_as_float(static_cast<unsigned>(x) << 16);
}
/* Of what it has exactly. */
static uint16_t narrow(float x)
{
    assert_true(__float_as_uint(x) % 65536 == 0);
    return static_cast<uint16_t>(__float_as_uint(x) >> 16);
}
template <typename T> struct stored {
    static float widen(T x)
    {
        return ::widen(x.bits);
    }
    static T narrow(float x)
    {
        return { ::narrow(x) };
    }
};
enum piece_type { FP16, BF16, TF32 };
template <piece_type kind> struct pair {
    static unsigned of(float x, float y)
    {
        return narrow(x) | static_cast<unsigned>(narrow(y)) << 16;
    }
};

/* What a warp's lanes show each other. */
static unsigned shown_of[2][MOST_THREADS][4];
static uint32_t shown_place_of[2][MOST_THREADS];
#define shown       shown_of[rank_at_work]
#define shown_place shown_place_of[rank_at_work]
static void turn_words(unsigned (&word)[4])
{
    const unsigned own = threadIdx.x, first = own / 4 * 4;
    memcpy(shown[own], word, sizeof word);
    meet_warp();
    for (unsigned i = 0; i < 4; i++)
        word[i] = shown[first + i][own % 4];
    meet_warp();
}

/* ---- matrix units ----------------------------------------------------------------------------- */

static const char *__cvta_shared_to_generic(uint32_t at)
{
    return shared_memory + at;
}
static uint64_t describe(const void *at, unsigned leading, unsigned stride, unsigned swizzle)
{
    return static_cast<uint64_t>(swizzle << 30 | stride >> 4) << 32 | leading >> 4 << 16 | batch::address_of(at) >> 4;
}
static uint64_t describe_128(const void *at)
{
    return describe(at, 16, 1024, 1);
}
static uint64_t describe_across(const void *at)
{
    return describe(at, 8192, 1024, 1);
}
template <bool is_across> struct view {
    static constexpr int next = is_across ? 128 : 2;

    static uint64_t of(const char *lines, int line)
    {
        return is_across ? describe_across(lines + line / 64 * 8192 + line % 64 * 2) : describe_128(lines + line * 128);
    }
};

/* An element of what a descriptor says: of a line (row of left, column of right) and a step. Without a swizzle eight
 * neighbours of eight others are 128 bytes, `stride` from eight lines to the next and `leading` from eight steps; else
 * lines along k have as many bytes as are swizzled, and lines across so many groups, `leading` apart. */
static float described(uint64_t of, int is_across, int line, int step)
{
    const uint32_t first = static_cast<uint32_t>(of & 0x3fff) * 16, swizzle = static_cast<uint32_t>(of >> 62);
    const uint32_t leading = static_cast<uint32_t>(of >> 16 & 0x3fff) * 16,
                   stride = static_cast<uint32_t>(of >> 32 & 0x3fff) * 16;
    const int width = 256 >> swizzle; /* bytes: 128, 64, 32 */
    const uint32_t near = static_cast<uint32_t>(is_across ? line : step),
                   far = static_cast<uint32_t>(is_across ? step : line);
    uint32_t at = first;
    if (swizzle == 0)
        at += static_cast<uint32_t>(line / 8) * stride + static_cast<uint32_t>(step / 8) * leading + far % 8 * 16 +
              near % 8 * 2;
    else if (is_across)
        at += near / static_cast<uint32_t>(width / 2) * leading + near % static_cast<uint32_t>(width / 2) * 2 +
              far / 8 * stride + far % 8 * static_cast<uint32_t>(width);
    else
        at += far / 8 * stride + far % 8 * static_cast<uint32_t>(width) + near * 2;
    if (swizzle)
        at ^= (at / 128 & static_cast<uint32_t>(width / 16 - 1)) * 16;
    uint16_t bits;
    assert_true(at + 2 <= MOST_SHARED);
    memcpy(&bits, shared_memory + at, sizeof bits);
    return widen(bits);
}
template <piece_type, int n, int is_left_across, int is_right_across> struct products {
    static void add(float (&sum)[n / 2], uint64_t left, uint64_t right, int is_more)
    {
        const int lane = static_cast<int>(threadIdx.x) % 32, first = static_cast<int>(threadIdx.x) % 128 / 32 * 16;
        for (int i = 0; i < n / 2; i++) {
            float all = is_more ? sum[i] : 0;
            for (int p = 0; p < 16; p++)
                all += described(left, is_left_across, first + lane / 4 + i / 2 % 2 * 8, p) *
                       described(right, is_right_across, i / 4 * 8 + lane % 4 * 2 + i % 2, p);
            sum[i] = all;
        }
    }
};
static void products_begin()
{
}
static void products_commit()
{
}
/* All of a warpgroup have read what they multiplied. */
template <int> static void products_wait()
{
    meet_in(static_cast<int>(threadIdx.x) / 128, 128);
}
static void own_writes_are_made()
{
}

/* ---- C leaves --------------------------------------------------------------------------------- */

struct leaving_box {
    uint32_t from;
    map of;
    int64_t at[5];
};
enum { MOST_LEAVING = 16 };
static leaving_box leaves_of[2][MOST_THREADS][MOST_LEAVING];
static int leaving_of[2][MOST_THREADS];

static void leave_now(const leaving_box &box)
{
    uint32_t number = 0;
    for (int64_t n = 0,
                 all = int64_t(1) * box.of.box[0] * box.of.box[1] * box.of.box[2] * box.of.box[3] * box.of.box[4];
         n < all; n++, number++) {
        int64_t rest = n;
        char *to = const_cast<char *>(box.of.base);
        bool is_there = true;
        for (int d = 0; d < box.of.rank; d++) {
            const int64_t index = box.at[d] + rest % box.of.box[d];
            rest /= box.of.box[d];
            is_there &= index >= 0 && index < box.of.extent[d];
            to += index * (d ? box.of.stride[d - 1] : box.of.size);
        }
        uint32_t place = box.from + number * static_cast<uint32_t>(box.of.size);
        if (box.of.swizzle)
            place ^= (place / 128 & static_cast<uint32_t>(box.of.swizzle / 16 - 1)) * 16;
        if (is_there)
            memcpy(to, shared_memory + place, static_cast<size_t>(box.of.size));
    }
}

namespace batch
{

template <int those> void meet_some()
{
    fail();
}
static void begin_leaving(uint32_t from, const void *tensor, const int64_t (&at)[5])
{
    int &count = leaving_of[rank_at_work][threadIdx.x];
    assert_true(count < MOST_LEAVING);
    leaving_box &own = leaves_of[rank_at_work][threadIdx.x][count++];
    own.from = from;
    memcpy(&own.of, tensor, sizeof own.of);
    assert_true(from % (own.of.swizzle ? 8 * own.of.swizzle : 128) == 0);
    memcpy(own.at, at, sizeof at);
}
void leave_box(uint32_t from, const void *tensor, int x, int y, int z)
{
    begin_leaving(from, tensor, { x, y, z, 0, 0 });
}
void leave_box(uint32_t from, const void *tensor, int x, int y, int z, int v, int w)
{
    begin_leaving(from, tensor, { x, y, z, v, w });
}
void close_leaving()
{
}
template <int open> void await_leaving()
{
    int &count = leaving_of[rank_at_work][threadIdx.x];
    leaving_box *const own = leaves_of[rank_at_work][threadIdx.x];
    for (; count > open; count--) {
        leave_now(own[0]);
        memmove(own, own + 1, static_cast<size_t>(count - 1) * sizeof *own);
    }
}
void store_matrices(uint32_t to, const unsigned (&word)[4])
{
    const unsigned own = threadIdx.x, first = own / 32 * 32, lane = own % 32;
    shown_place[own] = to;
    meet_warp();
    for (unsigned i = 0; i < 4; i++)
        memcpy(shared_memory + shown_place[first + 8 * i + lane / 4] + lane % 4 * 4, &word[i], 4);
    meet_warp();
}

} // namespace batch

#define LAY_KERNELS_CUDA_BATCH_BOXES_ROW_CUH
#define LAY_KERNELS_CUDA_NARROW_CONSUME_CUH
#include "cuda/batch/boxes_multiply.cuh"
namespace batch
{
template <class S> constexpr lay_cuda_kernel boxed_row(const char *, lay_type)
{
    return {};
}
template <class S> void multiply_boxes(lay_cuda_batch_boxed_args)
{
}
} // namespace batch
#include "cuda/batch/boxes_units.cuh"

template <class S> static void multiply(const void *args, char *shared)
{
    batch::multiply_boxed<S>(*static_cast<const lay_cuda_batch_boxed_args *>(args), shared);
}

/* ---- batches ---------------------------------------------------------------------------------- */

/* `far` lines of `near` contiguous numbers, or blocks of `block` x `block`. */
struct matrix {
    int near, far, block;
    int64_t pitch, apart;
    uint16_t *memory;

    uint16_t *at(int product, int i, int j) const
    {
        const int64_t in =
            block ? i / block * (pitch * block) + j / block * (block * block) + i % block * block + j % block
                  : i * pitch + j;
        return memory + product * apart + in;
    }
};

static matrix make(int far, int near, int count, int block, random_source *from)
{
    matrix made = { near, far, block, near + (block ? 0 : static_cast<int>(random_in(from, 0, 2)) * 8), 0, nullptr };
    made.apart = made.pitch * far + static_cast<int>(random_in(from, 0, 2)) * 8;
    const size_t all = static_cast<size_t>(made.apart) * static_cast<size_t>(count);
    made.memory = static_cast<uint16_t *>(aligned_alloc(64, (2 * all + 63) / 64 * 64));
    memset(made.memory, 0xff, 2 * all);
    for (int product = 0; product < count; product++)
        for (int i = 0; i < far; i++)
            for (int j = 0; j < near; j++)
                *made.at(product, i, j) = narrow(static_cast<float>(random_in(from, -1, 1)));
    return made;
}

/* As lay_batch_boxes_fill has it: a box of `near` by `far` indices, or of blocks. */
static void make_box(const matrix &of, int count, int near, int far, bool is_contiguous, lay_cuda_batch_box *out)
{
    const int64_t pitch = of.pitch * 2, apart = of.apart * 2;
    const int b = of.block;
    map made = {};
    made.base = reinterpret_cast<const char *>(of.memory);
    made.size = 2;
    made.swizzle = b == 8 ? 0 : b == 16 && !is_contiguous ? 32 : 128;
    made.rank = b ? 5 : 3;
    const int64_t plain[5] = { of.near, of.far, count }, plain_stride[4] = { pitch, apart };
    const int64_t tiles[5] = { 16, 16, of.far / 16, of.near / 16, count },
                  tile_stride[4] = { 32, pitch * 16, 512, apart };
    const int64_t blocks[5] = { 64, 4, of.far / 16, of.near / 16, count },
                  block_stride[4] = { 128, pitch * 16, 512, apart };
    const int64_t cores[5] = { 64, of.near / 8, of.far / 8, count, 1 }, core_stride[4] = { 128, pitch * 8, apart, 16 };
    const int plain_box[5] = { near, far, 1, 1, 1 }, tile_box[5] = { 16, 16, far / 16, near / 16, 1 },
              block_box[5] = { 64, 4, far / 16, near / 16, 1 }, core_box[5] = { 64, near / 8, far / 8, 1, 1 };
    const auto choose = [&](const auto &of_rows, const auto &of_tiles, const auto &of_blocks, const auto &of_cores) {
        return b == 8 ? of_cores : b == 0 ? of_rows : is_contiguous ? of_blocks : of_tiles;
    };
    memcpy(made.extent, choose(plain, tiles, blocks, cores), sizeof made.extent);
    memcpy(made.stride, choose(plain_stride, tile_stride, block_stride, core_stride), sizeof made.stride);
    memcpy(made.box, choose(plain_box, tile_box, block_box, core_box), sizeof made.box);
    *out = {};
    out->inner_near = out->inner_far = b ? b : INT32_MAX;
    out->near_inverse = UINT32_MAX / static_cast<unsigned>(out->inner_near);
    out->far_inverse = UINT32_MAX / static_cast<unsigned>(out->inner_far);
    out->far = far;
    memcpy(out->tensor, &made, sizeof made);
}

template <class S> static void insist_on_batch(uint64_t number)
{
    constexpr lay_cuda_boxes boxes = S::left_image::boxes;
    constexpr bool in_blocks = boxes == LAY_CUDA_BLOCKS;
    constexpr int together = S::company::blocks, rows = S::bm * together;
    constexpr int block = boxes == LAY_CUDA_CORES ? 8 : boxes == LAY_CUDA_LINES ? 0 : 16, step = block ? block : 8;
    random_source from = random_case(271, number);
    const int m = static_cast<int>(random_in(&from, 1, 150 / step)) * step;
    const int most = S::bn % 64 && S::leaving::boxes ? S::bn : 210;
    const int n = static_cast<int>(random_in(&from, 1, most / step)) * step;
    const int k = static_cast<int>(random_in(&from, 1, 200 / step)) * step,
              count = static_cast<int>(random_in(&from, 1, 3));
    const matrix a = make(m, k, count, block, &from), b = make(k, n, count, block, &from),
                 c = make(m, n, count, block, &from);
    lay_cuda_batch_boxed_args args = {};
    make_box(a, count, S::bk, S::bm, in_blocks, &args.left);
    /* Of a pair half of right's blocks, of 8 of the steps. */
    const int right_near = block == 0 ? S::bk : block == 16 ? S::bn / together : S::bn;
    make_box(b, count, right_near, block == 8 ? S::bk / together : S::bk, false, &args.right);
    make_box(c, count, 64, 16, in_blocks, &args.result);
    lay_cuda_batch_args &of = args.of;
    of.m = m;
    of.n = n;
    of.k = k;
    of.slice_k = k;
    of.tiles_m = (m + rows - 1) / rows;
    of.tiles_n = (n + S::bn - 1) / S::bn;
    of.units = of.tiles_m * of.tiles_n * count;
    of.c = c.memory;
    of.c_bytes = random_one_in(&from, 3) ? 4 : 16;
    of.result_batch.stride = c.apart;
    of.within[LAY_CUDA_BATCH_RESULT_M].stride = block ? block : c.pitch;
    of.within[LAY_CUDA_BATCH_RESULT_N].stride = 1;
    if (block) {
        of.within[LAY_CUDA_BATCH_RESULT_M].run = of.within[LAY_CUDA_BATCH_RESULT_N].run = block;
        of.within[LAY_CUDA_BATCH_RESULT_M].jump = c.pitch * block - block * block;
        of.within[LAY_CUDA_BATCH_RESULT_N].jump = block * block - block;
    }
    of.alpha.f32 = 1;
    of.beta.f32 = random_one_in(&from, 3) ? 1 : 0;
    args.leaves_in_boxes = S::leaving::boxes > 0 && of.beta.f32 == 0 && random_one_in(&from, 2);
    const float beta = of.beta.f32;
    const size_t all = static_cast<size_t>(c.apart) * static_cast<size_t>(count) * 2;
    uint16_t *const wanted = static_cast<uint16_t *>(malloc(all));
    memcpy(wanted, c.memory, all);
    for (int product = 0; product < count; product++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                uint16_t *const to = wanted + (c.at(product, i, j) - c.memory);
                float sum = beta == 0 ? 0 : widen(*to);
                for (int p = 0; p < k; p++)
                    sum += widen(*a.at(product, i, p)) * widen(*b.at(product, p, j));
                *to = narrow(sum);
            }
    readable[0] = reinterpret_cast<char *>(a.memory);
    readable_end[0] = readable[0] + 2 * a.apart * count;
    readable[1] = reinterpret_cast<char *>(b.memory);
    readable_end[1] = readable[1] + 2 * b.apart * count;
    boxes_begun = 0;
    run_grid(multiply<S>, &args, S::threads, static_cast<int>(random_in(&from, 1, 2)), together);
    assert_int_equal(boxes_begun, 0);
    if (memcmp(wanted, c.memory, all) != 0)
        fail_msg("case %llu, tile %d x %d: %d of %d x %d x %d, %s, by %d bytes, beta %g: C is not what it is to be",
                 static_cast<unsigned long long>(number), S::bm, S::bn, count, m, n, k,
                 args.leaves_in_boxes ? "in boxes" : "by threads", of.c_bytes, static_cast<double>(beta));
    free(wanted);
    free(a.memory);
    free(b.memory);
    free(c.memory);
}

template <class S> static void insist_on_shape(void **state)
{
    (void)state;
    assert_true(batch::box_ring<S>::bytes + 2048 + 4096 <= MOST_SHARED);
    for (uint64_t number = 0; number < 8; number++)
        insist_on_batch<S>(number);
}

int main(void)
{
    using namespace batch;
    const struct CMUnitTest tests[] = {
        { "rows of 64", insist_on_shape<boxed_units<BF16, alone, 1, 64, false, true, 4, 1, 2>>, NULL, NULL, NULL },
        { "rows of 200", insist_on_shape<boxed_units<BF16, alone, 1, 200, false, true, 3, 1, 4>>, NULL, NULL, NULL },
        { "rows, two warpgroups", insist_on_shape<boxed_units<BF16, alone, 2, 128, false, true, 3, 1, 1>>, NULL, NULL,
          NULL },
        { "tiles of 16", insist_on_shape<tiled_units<BF16, alone, LAY_CUDA_TILES, 2, 64, 3, 1, 0>>, NULL, NULL, NULL },
        { "blocks of 16", insist_on_shape<tiled_units<BF16, alone, LAY_CUDA_BLOCKS, 2, 64, 3, 1, 1>>, NULL, NULL,
          NULL },
        { "blocks of 16, three warpgroups", insist_on_shape<tiled_units<BF16, alone, LAY_CUDA_BLOCKS, 3, 128, 2, 1, 2>>,
          NULL, NULL, NULL },
        { "blocks of 8", insist_on_shape<tiled_units<BF16, alone, LAY_CUDA_CORES, 1, 64, 3, 1, 1>>, NULL, NULL, NULL },
        { "blocks of 8, tiles of 200", insist_on_shape<tiled_units<BF16, alone, LAY_CUDA_CORES, 2, 200, 2, 1, 2>>, NULL,
          NULL, NULL },
        { "pairs, rows of 64", insist_on_shape<boxed_units<BF16, paired, 1, 64, false, true, 3, 1, 1>>, NULL, NULL,
          NULL },
        { "pairs, rows of 200", insist_on_shape<boxed_units<BF16, paired, 2, 200, false, true, 3, 1, 4>>, NULL, NULL,
          NULL },
        { "pairs, blocks of 16", insist_on_shape<tiled_units<BF16, paired, LAY_CUDA_BLOCKS, 1, 128, 3, 1, 1>>, NULL,
          NULL, NULL },
        { "pairs, blocks of 8", insist_on_shape<tiled_units<BF16, paired, LAY_CUDA_CORES, 1, 200, 3, 1, 2>>, NULL, NULL,
          NULL },
    };
    return cmocka_run_group_tests_name("batch_units", tests, NULL, NULL);
}
