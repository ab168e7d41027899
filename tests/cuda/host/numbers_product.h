/* Complex FP32 products for kernels' own text on the host: operands in any layout, NaN between their elements, slices,
 * edges, what is conjugated; and what every number of C is to be, by the chain that the contract names. Stands behind
 * as_host.h and the kernel's headers. */
#ifndef LAY_TESTS_CUDA_NUMBERS_PRODUCT_H
#define LAY_TESTS_CUDA_NUMBERS_PRODUCT_H

enum { MOST_EXTENT = 300, MOST_STEPS = 400, MOST_MEMORY = 1 << 21 };

/* ---- operands --------------------------------------------------------------------------------- */

struct line {
    int extent;
    int64_t at[MOST_STEPS];
    lay_cuda_offsets offsets;
};

/* A matrix of numbers: rows are m of left and of C, k of right. */
struct array {
    line across, along;
    alignas(16) float memory[MOST_MEMORY];
    char is_read[MOST_MEMORY]; /* is an element, so it may be */
    int64_t zero;              /* of both offsets, in parts */

    float *part(int i, int p, int part)
    {
        return memory + zero + 2 * (across.at[i] + along.at[p]) + part;
    }
};
static array left, right, result;

static void make_even(line *of, int extent, int64_t stride)
{
    of->extent = extent;
    for (int i = 0; i < extent; i++)
        of->at[i] = i * stride;
    of->offsets = { nullptr, stride, 0, 0, 0, 0 };
}

/* Pairs of numbers stay together; the table has them in any order, none twice: `by` apart. */
static void make_table(line *of, int extent, int64_t by, random_source *from)
{
    of->extent = extent;
    for (int i = 0; i < extent; i++)
        of->at[i] = i * by;
    for (int i = 0; i + 3 < extent; i += 2) {
        const int j = (int)random_in(from, 0, i / 2) * 2;
        for (int e = 0; e < 2; e++) {
            const int64_t other = of->at[i + e];
            of->at[i + e] = of->at[j + e];
            of->at[j + e] = other;
        }
    }
    for (int i = extent - 1; i >= 0; i--)
        of->at[i] -= of->at[0];
    of->offsets = { of->at, 0, 0, 0, 0, 0 };
}

/* Segments of whole pieces, or of any length, each two numbers behind where the one before would go on. */
static void make_segments(line *of, int extent, int64_t by, random_source *from)
{
    const int run = random_one_in(from, 4) ? (int)random_in(from, 1, 40) : 8 * (int)random_in(from, 1, 5);
    of->extent = extent;
    for (int i = 0; i < extent; i++)
        of->at[i] = i * by + i / run * 2;
    of->offsets = { of->at, by, 2, run, UINT32_MAX / (unsigned)run, 0 };
}

static float unit(random_source *from)
{
    return (float)random_in(from, -4096, 4096) / 1024;
}

/* Numbers side by side across, or along; lines a pair's multiple apart. */
static void lay_out(array *of, int across, int along, bool is_along, bool has_table, random_source *from)
{
    const int64_t inner = is_along ? along : across, apart = (inner + 1) / 2 * 2 + 2 * random_in(from, 0, 2);
    line *const near = is_along ? &of->along : &of->across, *const far = is_along ? &of->across : &of->along;
    const int outer = is_along ? across : along;
    make_even(near, (int)inner, 1);
    if (has_table && random_one_in(from, 2))
        make_segments(far, outer, apart, from);
    else if (has_table)
        make_table(far, outer, apart, from);
    else
        make_even(far, outer, apart);
    int64_t low = 0;
    for (int i = 0; i < outer; i++)
        low = far->at[i] < low ? far->at[i] : low;
    of->zero = -2 * low;
    assert_true(2 * (far->at[outer - 1] + 2 * apart) < MOST_MEMORY && 2 * (outer + 1) * apart + of->zero < MOST_MEMORY);
    memset(of->memory, 0xff, sizeof of->memory); /* NaN */
    memset(of->is_read, 0, sizeof of->is_read);
    for (int i = 0; i < across; i++)
        for (int p = 0; p < along; p++)
            for (int part = 0; part < 2; part++) {
                *of->part(i, p, part) = unit(from);
                of->is_read[of->part(i, p, part) - of->memory] = 1;
            }
}

static void insist_on_copy(const void *, const void *global, int bytes)
{
    for (const array *of : { &left, &right }) {
        const float *const from = static_cast<const float *>(global);
        if (from < of->memory || from >= of->memory + MOST_MEMORY)
            continue;
        for (int e = 0; e < bytes / 4; e++)
            assert_true(of->is_read[from - of->memory + e]);
        assert_true((uintptr_t)global % bytes == 0);
        return;
    }
    fail_msg("a copy from nowhere");
}

/* ---- the product ------------------------------------------------------------------------------ */

static float right_at(int step, int column, unsigned negated)
{
    const int s = step % 2, t = column % 2;
    const float part = *right.part(column / 2, step / 2, s ^ t);
    return negated >> (2 * s + t) & 1 ? -part : part;
}

static float sum_of(const lay_cuda_args *args, int slice, int i, int j)
{
    const steps own = steps_of(*args, slice);
    float sum = 0;
    for (int p = own.first; p < own.last; p++)
        sum = fmaf(*left.part(i, p / 2, p % 2), right_at(p, j, args->negated), sum);
    return sum;
}

static float wanted_at(const lay_cuda_args *args, float old, int i, int j)
{
    float sum = sum_of(args, 0, i, j);
    for (int slice = 1; slice < args->slices; slice++)
        sum += sum_of(args, slice, i, j);
    return blend(args->alpha.f32, sum, args->beta.f32, &old);
}

static lay_cuda_class class_of(bool is_along, bool has_table, random_source *from)
{
    if (random_one_in(from, 3) || has_table)
        return is_along ? LAY_CUDA_ALONG : LAY_CUDA_ACROSS;
    return is_along ? LAY_CUDA_ALONG_VECTOR : LAY_CUDA_ACROSS_VECTOR;
}

/* A product by tiles and groups of S, of slices of at most so many numbers; a block takes so many of them by itself.
 * multiply: a block's work. */
template <typename S, typename Multiply>
static void multiply_one(random_source *from, int most, int together, Multiply multiply)
{
    static float partial[8 * MOST_EXTENT * MOST_EXTENT];
    static array before;
    static const unsigned short signs[] = { 4, 8, 2, 14 };
    const int m = (int)random_in(from, 1, MOST_EXTENT), n = (int)random_in(from, 1, MOST_EXTENT / 2);
    const int slices = (int)random_in(from, 1, together > 1 ? together : 2);
    const int each = slices > 1 ? 16 * (int)random_in(from, 1, most / 16) : (int)random_in(from, 1, most);
    const int k = slices > 1 ? (slices - 1) * each + (int)random_in(from, 1, each) : each;
    const bool left_along = random_one_in(from, 2), right_along = random_one_in(from, 2);
    const bool left_table = random_one_in(from, 4), right_table = random_one_in(from, 4);
    lay_cuda_args args = {};
    args.m = m, args.n = 2 * n, args.k = 2 * k;
    args.slices = slices, args.slice_k = slices > 1 ? 2 * each : 2 * k;
    lay_out(&left, m, k, left_along, left_table, from);
    lay_out(&right, n, k, right_along, right_table, from);
    lay_out(&result, m, n, random_one_in(from, 2), random_one_in(from, 4), from);
    args.left_class = class_of(left_along, false, from);
    args.right_class = class_of(right_along, false, from);
    args.left = left.part(0, 0, 0), args.right = right.part(0, 0, 0), args.c = result.part(0, 0, 0);
    args.left_m = left.across.offsets, args.left_k = left.along.offsets;
    args.right_n = right.across.offsets, args.right_k = right.along.offsets;
    args.result_m = result.across.offsets, args.result_n = result.along.offsets;
    args.alpha.f32 = random_one_in(from, 2) ? 1 : unit(from);
    args.beta.f32 = random_one_in(from, 2) ? 0 : unit(from);
    args.negated = signs[random_in(from, 0, 3)];
    args.is_c_vector = random_one_in(from, 2);
    args.down = random_one_in(from, 2)
                    ? 0
                    : (unsigned short)lay_cuda_down((int)random_in(from, 0, 4), (int)random_in(from, 0, 5));
    lay_cuda_kernel row = {};
    row.bm = S::bm, row.bn = S::bn, row.bk = 16, row.band = 8;
    lay_cuda_args_tile(&args, &row);
    const bool is_partial = slices > 1 && (together == 1 || random_one_in(from, 2));
    args.partial = is_partial ? partial : nullptr;
    before = result;
    memset(partial, 0xff, sizeof partial);
    for (blockIdx.z = 0; blockIdx.z < (is_partial ? (unsigned)slices : 1); blockIdx.z++)
        for (blockIdx.x = 0; blockIdx.x < (unsigned)(args.tiles_m * args.tiles_n); blockIdx.x++)
            multiply(args);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < args.n; j++) {
            const int64_t at = result.part(i, j / 2, j % 2) - result.memory;
            for (int slice = 0; slice < (is_partial ? slices : 1); slice++) {
                const float found = is_partial ? partial[((int64_t)slice * m + i) * args.n + j] : result.memory[at];
                const float wanted =
                    is_partial ? sum_of(&args, slice, i, j) : wanted_at(&args, before.memory[at], i, j);
                if (memcmp(&found, &wanted, sizeof found) != 0)
                    fail_msg("%d x %d x %d, %d slices, negated %x: (%d, %d) is %.9g, not %.9g", m, n, k, slices,
                             args.negated, i, j, (double)found, (double)wanted);
            }
            if (!is_partial)
                result.memory[at] = before.memory[at];
        }
    assert_true(memcmp(result.memory, before.memory, sizeof result.memory) == 0); /* nothing else is written */
}

#endif
