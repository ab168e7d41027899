/* Numbers that make it hard to be exact, and how exact a product of them is. */
#include "split_data.h"

#include <cuda_fp16.h>
#include <math.h>

#include "bench/kernels/cuda/mix.cuh"
#include "bench/kernels/cuda/must.h"

namespace
{

constexpr int block = 256;

constexpr int64_t of_line = 1ll << 31; /* a step that there is none of */
/* Uniform up to 1 either way; another one of the same element by which. */
__device__ double uniform(unsigned seed, int64_t line, int64_t step, unsigned which = 0)
{
    return static_cast<double>(random_at(seed + 7919 * which, line, step) >> 11) * 0x1p-52 - 1;
}
__device__ double normal(unsigned seed, int64_t line, int64_t step)
{
    const double far = (uniform(seed, line, step, 1) + 1) / 2 + 0x1p-60, turn = uniform(seed, line, step, 2);
    return sqrt(-2 * log(far)) * cospi(turn);
}
__device__ double sign(unsigned seed, int64_t line, int64_t step)
{
    return random_at(seed + 31, line, step) & 1 ? 1 : -1;
}
__device__ double between(unsigned seed, int64_t line, int64_t step, double low, double high)
{
    return sign(seed, line, step) * exp2(low + (high - low) * (uniform(seed, line, step) + 1) / 2);
}

struct shape {
    int rows, columns;
    lay_cuda_offsets row, column;
};

/* Of data_put's reals. */
__device__ float before_at(unsigned seed, int64_t i, int64_t j)
{
    return static_cast<float>(static_cast<double>(random_at(seed, i, j) >> 40) * 0x1p-23 - 1);
}

__device__ double element(split_kind kind, bool is_left, unsigned seed, int64_t line, int64_t step, int64_t k)
{
    const double grade =
        k > 1 ? (is_left ? 1 : -1) * (2.0 * static_cast<double>(step) / static_cast<double>(k - 1) - 1) : 0;
    switch (kind) {
    case SPLIT_INTEGERS: {
        int64_t limit = 2047;
        while (limit > 1 && k * limit * limit > 1 << 22)
            limit = limit * 15 / 16;
        return static_cast<double>(static_cast<int64_t>(random_at(seed, line, step) >> 33) % (2 * limit + 1) - limit);
    }
    case SPLIT_INTEGERS_11:
        return static_cast<double>(static_cast<int64_t>(random_at(seed, line, step) >> 33) % 4095 - 2047);
    case SPLIT_POSITIVE:
        return (uniform(seed, line, step) + 1) / 2;
    case SPLIT_NORMAL:
        return normal(seed, line, step);
    case SPLIT_LOG_10:
        return between(seed, line, step, -10, 10);
    case SPLIT_LOG_13:
        return between(seed, line, step, -13, 13);
    case SPLIT_LOG_30:
        return between(seed, line, step, -30, 30);
    case SPLIT_LOG_60:
        return between(seed, line, step, -60, 60);
    case SPLIT_EXP_1:
    case SPLIT_EXP_2:
    case SPLIT_EXP_4:
        return uniform(seed, line, step) * exp(normal(seed, line, step) * (1 << (kind - SPLIT_EXP_1)));
    case SPLIT_LOGNORMAL:
        return sign(seed, line, step) * exp(normal(seed, line, step));
    case SPLIT_LOW:
        return is_left ? between(seed, line, step, -126, -86) : between(seed, line, step, 0, 40);
    case SPLIT_DENORMAL:
        return is_left ? uniform(seed, line, step) * 0x1p-126 : between(seed, line, step, 100, 120);
    case SPLIT_TINY:
        return uniform(seed, line, step) * 0x1p-70;
    case SPLIT_HUGE:
        return uniform(seed, line, step) * (is_left ? 0x1.fffffep127 : 0x1p-20);
    case SPLIT_CANCEL: {
        const int64_t pair = step / 2;
        if (!is_left)
            return normal(seed, line, pair);
        return normal(seed, line, pair) * (step % 2 ? -1 - uniform(seed, line, step) * 0x1p-12 : 1);
    }
    case SPLIT_LINES_40:
        return normal(seed, line, step) * exp2(40 * uniform(seed, line, of_line));
    case SPLIT_STEPS_12:
        return sign(seed, line, step) * (0.5 + 0.25 * uniform(seed, line, step)) * exp2(12 * grade);
    case SPLIT_STEPS_20:
        return normal(seed, line, step) * exp2(20 * grade);
    case SPLIT_BIG_ONE:
        if (step == k / 2)
            return is_left ? 0x1p26 : 0;
        return sign(seed, line, step) * (0.75 + 0.25 * uniform(seed, line, step));
    case SPLIT_COHERENT:
        return (uniform(seed, line, of_line) + 3) / 2;
    case SPLIT_SPARSE:
        return random_at(seed + 5, line, step) % 64 ? 0 : normal(seed, line, step);
    case SPLIT_TINY_ONE:
        return uniform(seed, line, step) * (line == 77 && step == k / 3 ? 0x1p-70 : 1);
    case SPLIT_TINY_FEW: /* at steps that both operands have, too */
        return uniform(seed, line, step) * (line % 16 == 3 && step % (k / 8 + 1) == line / 16 % 4 ? 0x1p-33 : 1);
    case SPLIT_WIDE_ONE:
        return uniform(seed, line, step) * (line == 77 && step % 4 == 1 ? 0x1p-70 : 1);
    case SPLIT_STRANGE:
    case SPLIT_ALL_STRANGE: {
        const uint64_t place = random_at(seed + 3, line, of_line);
        if (place % (kind == SPLIT_STRANGE ? 37 : 2) == 0 &&
            place / 64 % static_cast<uint64_t>(k) == static_cast<uint64_t>(step))
            return place >> 40 & 1 ? NAN : place >> 41 & 1 ? INFINITY : -INFINITY;
        return uniform(seed, line, step);
    }
    case SPLIT_WIDE:
        return is_left ? between(seed, line, step, -120, 40) : between(seed, line, step, -40, 60);
    default:
        return uniform(seed, line, step);
    }
}

__device__ int64_t offset_at(const lay_cuda_offsets &offsets, int64_t i)
{
    return offsets.table ? offsets.table[i] : i * offsets.stride;
}
__device__ int64_t thread_number()
{
    return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ int64_t thread_count()
{
    return static_cast<int64_t>(gridDim.x) * blockDim.x;
}

__global__ void put(shape of, bool is_left, float *zero, split_kind kind, unsigned seed, bool is_repeated)
{
    for (int64_t at = thread_number(); at < static_cast<int64_t>(of.rows) * of.columns; at += thread_count()) {
        const int64_t i = at / of.columns, j = at % of.columns;
        if (!is_repeated || i == 0)
            zero[offset_at(of.row, i) + offset_at(of.column, j)] = static_cast<float>(
                element(kind, is_left, seed, is_left ? i : j, is_left ? j : i, is_left ? of.columns : of.rows));
    }
}

__device__ float canary()
{
    return __int_as_float(0x7fc5a5a5);
}
__device__ int class_of(float x)
{
    return isnan(x) ? 0 : isinf(x) ? (x > 0 ? 1 : 2) : 3;
}
__device__ bool same(float a, float b)
{
    return __float_as_int(a) == __float_as_int(b) || (isnan(a) && isnan(b));
}

/* What the patch makes of an element: cuda_split.h. */
__device__ float patched_at(const lay_cuda_split_args &of, int64_t i, int64_t j)
{
    const float *const left = of.left.from + offset_at(of.left.across, i), *const right = of.right.from +
                                                                                          offset_at(of.right.across, j);
    float whole = 0, segment = 0, chunk = 0;
    for (int p = 0; p < of.k; p++) {
        chunk = fmaf(left[offset_at(of.left.along, p)], right[offset_at(of.right.along, p)], chunk);
        const int done = p + 1;
        if (done % LAY_SPLIT_CHUNK && done < of.k)
            continue;
        segment = p % LAY_SPLIT_PATCH_SEGMENT < LAY_SPLIT_CHUNK ? chunk : segment + chunk;
        chunk = 0;
        if (done % LAY_SPLIT_PATCH_SEGMENT == 0 || done == of.k)
            whole = p < LAY_SPLIT_PATCH_SEGMENT ? segment : whole + segment;
    }
    return whole;
}

/* What path STRICT does. */
__device__ float strict_at(const lay_cuda_split_args &of, int64_t i, int64_t j)
{
    const float *const left = of.left.from + offset_at(of.left.across, i), *const right = of.right.from +
                                                                                          offset_at(of.right.across, j);
    float whole = 0;
    for (int first = 0; first < of.k; first += of.strict_slice_k) {
        const int last = min(of.k, first + of.strict_slice_k);
        float sum = 0;
        for (int p = first; p < last; p++)
            sum = fmaf(left[offset_at(of.left.along, p)], right[offset_at(of.right.along, p)], sum);
        whole = first ? whole + sum : sum;
    }
    return whole;
}

__device__ double relative(double error, double size)
{
    const double left = fmax(fabs(error) - 0x1p-149, 0.0); /* the last rounding may be of a denormal */
    return left == 0 ? 0 : left / (0x1p-24 * size);
}

__global__ void check(shape c, float *zero, const double *sum, const double *size, const float *chain, split_demand by,
                      double bound, split_verdict *out)
{
    for (int64_t at = thread_number(); at < static_cast<int64_t>(c.rows) * c.columns; at += thread_count()) {
        const int64_t i = at / c.columns, j = at % c.columns;
        float *place = zero + offset_at(c.row, i) + offset_at(c.column, j);
        const float got = *place, before = by.beta == 0 ? 0 : before_at(by.seed, i, j);
        if (by.takes)
            *place = canary();
        const float alpha = static_cast<float>(by.alpha), beta = static_cast<float>(by.beta);
        const auto finished = [=](float whole) {
            return beta == 0 ? alpha * whole : fmaf(alpha, whole, beta * before);
        };
        const float chained = finished(chain[at]);
        const double exact = by.alpha * sum[at] + by.beta * before;
        const double magnitude = fabs(by.alpha) * size[at] + fabs(by.beta * before);
        const bool is_patched =
            by.path == LAY_SPLIT_STRICT ||
            ((by.args.left.lines[i].flags | by.args.right.lines[j].flags) & lay_cuda_split_patched(by.path));
        const float patched = !is_patched                   ? 0
                              : by.path == LAY_SPLIT_STRICT ? finished(strict_at(by.args, i, j))
                                                            : finished(patched_at(by.args, i, j));
        bool is_right = is_patched ? same(got, patched) : relative(got - exact, magnitude) <= bound; /* NaN is not */
        if (by.exact)
            is_right = got == chained;
        if (by.has_kept)
            is_right = is_right && same(got, by.kept[at]);
        else if (by.kept)
            by.kept[at] = got;
        if (class_of(got) != class_of(chained))
            atomicAdd(&out->classes, 1ull);
        if (isfinite(got) && isfinite(exact) && magnitude > 0) {
            atomicMax(reinterpret_cast<unsigned long long *>(&out->worst),
                      __double_as_longlong(relative(got - exact, magnitude)));
            atomicAdd(&out->bias, (got - exact) / (0x1p-24 * magnitude));
            atomicAdd(&out->finite, 1.0);
        }
        if (isfinite(chained) && isfinite(exact) && magnitude > 0)
            atomicMax(reinterpret_cast<unsigned long long *>(&out->chain_worst),
                      __double_as_longlong(relative(chained - exact, magnitude)));
        if (is_right)
            continue;
        atomicAdd(&out->wrong, 1ull);
        if (static_cast<unsigned long long>(at) < atomicMin(&out->first, static_cast<unsigned long long>(at))) {
            out->got = got;
            out->expected = by.has_kept ? by.kept[at] : by.exact ? chained : is_patched ? patched : exact;
        }
    }
}

__global__ void find_stray(const float *storage, int64_t count, split_verdict *out)
{
    for (int64_t i = thread_number(); i < count; i += thread_count())
        if (__float_as_int(storage[i]) != __float_as_int(canary()))
            atomicAdd(&out->stray, 1ull);
}

__global__ void fill_halves(__half *to, int64_t count, unsigned seed)
{
    for (int64_t i = thread_number(); i < count; i += thread_count())
        to[i] = __double2half(uniform(seed, i >> 30, i));
}

int blocks_for(int64_t count)
{
    const int64_t blocks = (count + block - 1) / block;
    return blocks < 1 ? 1 : blocks < 65536 ? static_cast<int>(blocks) : 65536;
}

/* In units of u = 2^-24, as the header has it. */
double bound_of(lay_cuda_split_path_kind path, const lay_cuda_split_args *args)
{
    const bool is_fp16 = path == LAY_SPLIT_FP16X3;
    const double chunk = is_fp16 ? 64 : 32, segment = is_fp16 ? 4096 : 512, limbs = is_fp16 ? 8 : 1,
                 corrections = is_fp16 ? 2 : 4;
    const double k = args->slice_k;
    return limbs + corrections + 6 * (chunk / 16 + 1) + ceil(k / chunk) + ceil(k / segment) + args->slices +
           (is_fp16 ? 4 : 3);
}

} // namespace

const char *split_kind_name(split_kind kind)
{
    static const char *const names[] = { "whole",
                                         "whole 11 bits",
                                         "uniform +-1",
                                         "uniform [0,1)",
                                         "normal",
                                         "log 2^+-10",
                                         "log 2^+-13",
                                         "log 2^+-30",
                                         "log 2^+-60",
                                         "u exp(1 N)",
                                         "u exp(2 N)",
                                         "u exp(4 N)",
                                         "lognormal",
                                         "left 2^[-126,-86]",
                                         "left denormal",
                                         "products denormal",
                                         "left near FLT_MAX",
                                         "cancelling pairs",
                                         "lines 2^+-40",
                                         "steps 2^+-12",
                                         "steps 2^+-20",
                                         "one 2^26 by zeros",
                                         "coherent",
                                         "one of 64",
                                         "one element 2^-70",
                                         "few elements 2^-33",
                                         "one line 2^70",
                                         "a few strange",
                                         "half strange",
                                         "left 2^[-120,40]" };
    return names[kind];
}

void split_put(const matrix *of, int is_left, void *storage, split_kind kind, unsigned seed)
{
    const shape to = { of->row.count, of->column.count, of->row.offsets, of->column.offsets };
    put<<<blocks_for(static_cast<int64_t>(to.rows) * to.columns), block>>>(
        to, is_left, static_cast<float *>(storage) + of->zero, kind, seed, of->is_repeated);
    MUST(cudaGetLastError());
}

split_verdict split_verify(const answer *of, const matrix *c, void *storage, const split_demand *by)
{
    static split_verdict *on_device;
    if (!on_device)
        MUST(cudaMalloc(reinterpret_cast<void **>(&on_device), sizeof *on_device));
    split_verdict found = {};
    found.first = ~0ull;
    MUST(cudaMemcpy(on_device, &found, sizeof found, cudaMemcpyHostToDevice));
    const shape from = { c->row.count, c->column.count, c->row.offsets, c->column.offsets };
    const double bound = bound_of(by->path, &by->args);
    check<<<blocks_for(static_cast<int64_t>(from.rows) * from.columns), block>>>(
        from, static_cast<float *>(storage) + c->zero, of->sum, of->size, static_cast<const float *>(of->chain), *by,
        bound, on_device);
    if (by->takes)
        find_stray<<<blocks_for(c->elements), block>>>(static_cast<const float *>(storage), c->elements, on_device);
    MUST(cudaGetLastError());
    MUST(cudaMemcpy(&found, on_device, sizeof found, cudaMemcpyDeviceToHost));
    found.bound = bound;
    found.bias = found.finite > 0 ? found.bias / found.finite : 0;
    return found;
}

void split_fill_halves(void *halves, int64_t count, unsigned seed)
{
    fill_halves<<<blocks_for(count), block>>>(static_cast<__half *>(halves), count, seed);
    MUST(cudaGetLastError());
}
