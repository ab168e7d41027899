/* What kernels are given and what they must answer, made and compared on the device. */
#include "data.h"

#include "mix.cuh"
#include "must.h"

namespace
{

constexpr int block = 256;

template <typename T> __device__ T canary();
template <> __device__ float canary<float>()
{
    return __int_as_float(0x7fc5a5a5);
}
template <> __device__ double canary<double>()
{
    return __longlong_as_double(0x7ff85a5a5a5a5a5all);
}

__device__ bool same_bits(float a, float b)
{
    return __float_as_int(a) == __float_as_int(b);
}
__device__ bool same_bits(double a, double b)
{
    return __double_as_longlong(a) == __double_as_longlong(b);
}

template <typename T> __device__ T value_at(unsigned seed, int limit, int64_t i, int64_t j)
{
    const uint64_t bits = random_at(seed, i, j);
    if (limit)
        return static_cast<T>(static_cast<int64_t>(bits >> 33) % (2 * limit + 1) - limit);
    return static_cast<T>(static_cast<double>(bits >> 40) * 0x1p-23 - 1);
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

template <typename T> __global__ void fill_canary(T *storage, int64_t count)
{
    for (int64_t i = thread_number(); i < count; i += thread_count())
        storage[i] = canary<T>();
}

template <typename T> __global__ void fill_random(T *storage, int64_t count, unsigned seed)
{
    for (int64_t i = thread_number(); i < count; i += thread_count())
        storage[i] = value_at<T>(seed, 0, i >> 30, i);
}

struct shape {
    int rows, columns;
    lay_cuda_offsets row, column;
};

template <typename T> __global__ void put(shape of, T *zero, unsigned seed, int limit, int is_repeated)
{
    for (int64_t at = thread_number(); at < static_cast<int64_t>(of.rows) * of.columns; at += thread_count()) {
        const int64_t i = at / of.columns, j = at % of.columns;
        if (!is_repeated || i == 0)
            zero[offset_at(of.row, i) + offset_at(of.column, j)] = value_at<T>(seed, limit, i, j);
    }
}

template <typename T>
__global__ void answer_by_element(shape left, const T *a, shape right, const T *b, int slice_k, double *sum,
                                  double *size, T *chain)
{
    const int m = left.rows, n = right.columns, k = left.columns;
    for (int64_t at = thread_number(); at < static_cast<int64_t>(m) * n; at += thread_count()) {
        const int64_t i = at / n, j = at % n;
        double exact = 0, absolute = 0;
        T slice = 0, slices = 0;
        int is_first = 1;
        for (int p = 0; p < k; p++) {
            const T x = a[offset_at(left.row, i) + offset_at(left.column, p)];
            const T y = b[offset_at(right.row, p) + offset_at(right.column, j)];
            if (p && p % slice_k == 0) {
                slices = is_first ? slice : slices + slice;
                is_first = 0;
                slice = 0;
            }
            slice = fma(x, y, slice);
            exact = fma(static_cast<double>(x), static_cast<double>(y), exact);
            absolute += fabs(static_cast<double>(x) * static_cast<double>(y));
        }
        sum[at] = exact;
        size[at] = absolute;
        chain[at] = is_first ? slice : slices + slice;
    }
}

template <typename T> struct judging {
    double alpha, beta;
    unsigned seed;
    int limit;
    agreement how;
    double bound; /* roundings that an error may add up to */
    const T *kept;
    T *keep;
};

template <typename T>
__global__ void check(shape c, T *zero, const double *sum, const double *size, const T *chain, judging<T> by,
                      verdict *out)
{
    for (int64_t at = thread_number(); at < static_cast<int64_t>(c.rows) * c.columns; at += thread_count()) {
        const int64_t i = at / c.columns, j = at % c.columns;
        T *place = zero + offset_at(c.row, i) + offset_at(c.column, j);
        const T got = *place, before = by.beta == 0 ? T(0) : value_at<T>(by.seed, by.limit, i, j);
        *place = canary<T>();
        if (by.keep)
            by.keep[at] = got;
        const T alpha = static_cast<T>(by.alpha), beta = static_cast<T>(by.beta);
        const T chained = beta == 0 ? alpha * chain[at] : fma(alpha, chain[at], beta * before);
        const double exact = by.alpha * sum[at] + by.beta * before;
        const double magnitude = fabs(by.alpha) * size[at] + fabs(by.beta * before);
        const double unit = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
        const double error = fabs(static_cast<double>(got) - exact);
        const double relative = error == 0 ? 0 : error / (unit * magnitude);
        bool is_right = relative <= by.bound; /* NaN is not */
        if (by.how == AGREES_IN_VALUE)
            is_right = got == chained;
        if (by.how == AGREES_IN_BITS)
            is_right = same_bits(got, chained);
        if (by.how == AGREES_WITH_BITS)
            is_right = is_right && same_bits(got, by.kept[at]);
        atomicMax(reinterpret_cast<unsigned long long *>(&out->worst),
                  __double_as_longlong(relative)); /* not negative */
        if (is_right)
            continue;
        atomicAdd(&out->wrong, 1ull);
        if (static_cast<unsigned long long>(at) < atomicMin(&out->first, static_cast<unsigned long long>(at))) {
            out->got = got;
            out->expected = by.how == AGREES_WITH_BITS ? by.kept[at] : by.how == AGREES_IN_BOUND ? exact : chained;
        }
    }
}

template <typename T> __global__ void find_stray(const T *storage, int64_t count, verdict *out)
{
    for (int64_t i = thread_number(); i < count; i += thread_count())
        if (!same_bits(storage[i], canary<T>()))
            atomicAdd(&out->stray, 1ull);
}

int blocks_for(int64_t count)
{
    const int64_t blocks = (count + block - 1) / block;
    return blocks < 1 ? 1 : blocks < 65536 ? static_cast<int>(blocks) : 65536;
}

shape shape_of(const matrix *of)
{
    return { of->row.count, of->column.count, of->row.offsets, of->column.offsets };
}

int64_t count_of(const matrix *of)
{
    return static_cast<int64_t>(of->row.count) * of->column.count;
}

void *device_memory(size_t size)
{
    void *memory;
    MUST(cudaMalloc(&memory, size));
    return memory;
}

template <typename T>
answer answer_in(const matrix *left, const void *a, const matrix *right, const void *b, int slice_k)
{
    const size_t count = static_cast<size_t>(left->row.count) * static_cast<size_t>(right->column.count);
    answer of = { left->row.count, right->column.count };
    of.sum = static_cast<double *>(device_memory(count * sizeof(double)));
    of.size = static_cast<double *>(device_memory(count * sizeof(double)));
    of.chain = device_memory(count * sizeof(T));
    answer_by_element<T><<<blocks_for(static_cast<int64_t>(count)), block>>>(
        shape_of(left), static_cast<const T *>(a) + left->zero, shape_of(right),
        static_cast<const T *>(b) + right->zero, slice_k, of.sum, of.size, static_cast<T *>(of.chain));
    MUST(cudaGetLastError());
    return of;
}

template <typename T>
void check_in(const answer *of, const matrix *c, void *storage, const judging<T> &by, verdict *out)
{
    check<T><<<blocks_for(count_of(c)), block>>>(shape_of(c), static_cast<T *>(storage) + c->zero, of->sum, of->size,
                                                 static_cast<const T *>(of->chain), by, out);
    find_stray<T><<<blocks_for(c->elements), block>>>(static_cast<const T *>(storage), c->elements, out);
    MUST(cudaGetLastError());
}

} // namespace

void data_fill_canary(lay_type type, void *storage, int64_t elements)
{
    if (type == LAY_F32)
        fill_canary<<<blocks_for(elements), block>>>(static_cast<float *>(storage), elements);
    else
        fill_canary<<<blocks_for(elements), block>>>(static_cast<double *>(storage), elements);
    MUST(cudaGetLastError());
}

void data_fill_random(lay_type type, void *storage, int64_t elements, unsigned seed)
{
    if (type == LAY_F32)
        fill_random<<<blocks_for(elements), block>>>(static_cast<float *>(storage), elements, seed);
    else
        fill_random<<<blocks_for(elements), block>>>(static_cast<double *>(storage), elements, seed);
    MUST(cudaGetLastError());
}

void data_put(const matrix *of, void *storage, unsigned seed, int limit)
{
    const int blocks = blocks_for(count_of(of));
    if (of->type == LAY_F32)
        put<<<blocks, block>>>(shape_of(of), static_cast<float *>(storage) + of->zero, seed, limit, of->is_repeated);
    else
        put<<<blocks, block>>>(shape_of(of), static_cast<double *>(storage) + of->zero, seed, limit, of->is_repeated);
    MUST(cudaGetLastError());
}

answer data_answer(const matrix *left, const void *a, const matrix *right, const void *b, int slice_k)
{
    return left->type == LAY_F32 ? answer_in<float>(left, a, right, b, slice_k)
                                 : answer_in<double>(left, a, right, b, slice_k);
}

void data_answer_free(answer *of)
{
    MUST(cudaFree(of->sum));
    MUST(cudaFree(of->size));
    MUST(cudaFree(of->chain));
    *of = {};
}

verdict data_check(const answer *of, const matrix *c, void *storage, double alpha, double beta, unsigned seed,
                   int limit, agreement how, int k, const void *kept, void *keep)
{
    static verdict *on_device;
    if (!on_device)
        on_device = static_cast<verdict *>(device_memory(sizeof(verdict)));
    verdict found = {};
    found.first = ~0ull;
    MUST(cudaMemcpy(on_device, &found, sizeof found, cudaMemcpyHostToDevice));
    const double bound = k + 4.0; /* one rounding a step, and those of alpha and beta; the sum's own are less */
    if (c->type == LAY_F32)
        check_in<float>(
            of, c, storage,
            { alpha, beta, seed, limit, how, bound, static_cast<const float *>(kept), static_cast<float *>(keep) },
            on_device);
    else
        check_in<double>(of, c, storage,
                         { alpha, beta, seed, limit, how, 2 * bound, static_cast<const double *>(kept),
                           static_cast<double *>(keep) },
                         on_device);
    MUST(cudaMemcpy(&found, on_device, sizeof found, cudaMemcpyDeviceToHost));
    return found;
}
