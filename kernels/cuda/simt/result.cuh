/* A block's sums on their way out: to the partial sums or to C, and the last block's addition of the slices. */
#ifndef LAY_KERNELS_CUDA_SIMT_RESULT_CUH
#define LAY_KERNELS_CUDA_SIMT_RESULT_CUH

#include "cuda/element.cuh"
#include "cuda/simt/copy.cuh"
#include "cuda/simt/passage.cuh"
#include "cuda/simt/tile.cuh"

/* Where sums go: to C, or to a dense array of its size. */
struct aim {
    float *base;
    lay_cuda_offsets m, n;
    float alpha, beta;
    bool is_vector; /* 4 columns from each multiple of 4 on are one aligned vector */
};
__device__ __forceinline__ aim aim_at_c(const lay_cuda_args &args)
{
    return { static_cast<float *>(args.c), args.result_m, args.result_n, args.alpha.f32, args.beta.f32,
             args.is_c_vector != 0 };
}
/* An axis of C from the tile's first index on without its table, where the tile lies in one segment. */
__device__ __forceinline__ void straighten(lay_cuda_offsets &offsets, float *&base, int first, int count)
{
    if (!offsets.run)
        return;
    const int segment = quotient(first, offsets.run, offsets.inverse);
    if (first - segment * offsets.run + count > offsets.run)
        return;
    base += offsets.base + segment * offsets.jump;
    offsets = { nullptr, offsets.stride, 0, 0, 0, 0 };
}
template <typename shape> __device__ __forceinline__ aim straight_at_c(const lay_cuda_args &args, int m, int n)
{
    aim to = aim_at_c(args);
    if (shape::is_wide || (shape::is_told && !(args.lies & LAY_CUDA_C_IN_SEGMENTS)))
        return to;
    if (shape::is_told && args.lies & LAY_CUDA_C_IS_STRAIGHT) { /* no branch: where there is no table the jump is 0 */
        const int row = quotient(m, to.m.run, to.m.inverse), column = quotient(n, to.n.run, to.n.inverse);
        to.base += to.m.base + to.n.base;
        to.base += row * to.m.jump + column * to.n.jump;
        to.m = { nullptr, to.m.stride, 0, 0, 0, 0 };
        to.n = { nullptr, to.n.stride, 0, 0, 0, 0 };
        return to;
    }
    straighten(to.m, to.base, m, min(shape::bm, args.m - m));
    straighten(to.n, to.base, n, min(shape::bn, args.n - n));
    return to;
}
template <typename shape> __device__ __forceinline__ aim aim_of(const lay_cuda_args &args, int m, int n)
{
    float *dense = static_cast<float *>(args.partial);
    if (!dense)
        return straight_at_c<shape>(args, m, n);
    dense += static_cast<int64_t>(blockIdx.z) * args.m * args.n;
    return { dense, { nullptr, args.n, 0, 0, 0, 0 }, { nullptr, 1, 0, 0, 0, 0 }, 1, 0, args.n % 4 == 0 };
}

template <typename shape> __device__ __forceinline__ bool is_whole(const lay_cuda_args &args, int m, int n)
{
    return m + shape::bm <= args.m && n + shape::bn <= args.n;
}

/* One element, a pair or a vector of 4: as they lie in shared memory, and their way to C. */
template <int wide> struct some_of;
template <> struct some_of<1> {
    using type = float;
    static __device__ __forceinline__ float read(const float *row)
    {
        return row[threadIdx.x % 2 ? -1 : 1];
    }
    static __device__ __forceinline__ float add(float a, float b)
    {
        return a + b;
    }
    static __device__ __forceinline__ float scale(float alpha, float sum)
    {
        return alpha * sum;
    }
    static __device__ __forceinline__ float mix(const aim &to, float sum, float old)
    {
        return blend(to.alpha, sum, to.beta, &old);
    }
};
template <> struct some_of<2> {
    using type = float2;
    static __device__ __forceinline__ float2 read(const float *row)
    {
        const float2 both = *reinterpret_cast<const float2 *>(row);
        return make_float2(both.y, both.x);
    }
    static __device__ __forceinline__ float2 add(float2 a, float2 b)
    {
        return make_float2(a.x + b.x, a.y + b.y);
    }
    static __device__ __forceinline__ float2 scale(float alpha, float2 sum)
    {
        return make_float2(alpha * sum.x, alpha * sum.y);
    }
    static __device__ __forceinline__ float2 mix(const aim &to, float2 sum, float2 old)
    {
        return make_float2(blend(to.alpha, sum.x, to.beta, &old.x), blend(to.alpha, sum.y, to.beta, &old.y));
    }
};
template <> struct some_of<4> {
    using type = float4;
    static __device__ __forceinline__ float4 read(const float *row)
    {
        return swapped(*reinterpret_cast<const float4 *>(row));
    }
    static __device__ __forceinline__ float4 add(float4 a, float4 b)
    {
        return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }
    static __device__ __forceinline__ float4 scale(float alpha, float4 sum)
    {
        return make_float4(alpha * sum.x, alpha * sum.y, alpha * sum.z, alpha * sum.w);
    }
    static __device__ __forceinline__ float4 mix(const aim &to, float4 sum, float4 old)
    {
        return make_float4(blend(to.alpha, sum.x, to.beta, &old.x), blend(to.alpha, sum.y, to.beta, &old.y),
                           blend(to.alpha, sum.z, to.beta, &old.z), blend(to.alpha, sum.w, to.beta, &old.w));
    }
};

/* A whole tile straight from registers. Partial sums go out as 1 * sum: a plain store of sums would bind them to
 * registers in the order of memory, where they collide with fragments. */
template <typename shape>
__device__ __forceinline__ void write_whole(const aim &to, const float (&sums)[shape::tm][shape::tn], int m, int n)
{
    const typename shape::place own = shape::of_thread(threadIdx.x % shape::threads);
    float *row = to.base + (m + own.m) * to.m.stride + (n + own.n) * to.n.stride;
#pragma unroll
    for (int i = 0; i < shape::tm; i++) {
#pragma unroll
        for (int j = 0; j < shape::tn; j += 4) {
            float4 *c = reinterpret_cast<float4 *>(row + shape::column(j));
            const float4 sum = make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
            store_global(c, to.beta == 0 ? some_of<4>::scale(to.alpha, sum) : some_of<4>::mix(to, sum, __ldcg(c)));
        }
        if (i + 1 < shape::tm)
            row += (shape::row(i + 1) - shape::row(i)) * to.m.stride;
    }
}

/* A part of the tile from shared memory to where sums go, each the sum of so many slices. */
template <typename shape, int wide, int threads>
__device__ __forceinline__ void write_lines(const lay_cuda_args &args, const aim &to, const float *shared, int part,
                                            int slices, int m, int n)
{
    using way = passage<shape>;
    using my = share<shape, wide, threads>;
    using some = some_of<wide>;
    const int columns = args.n - n - my::column();
#pragma unroll 1
    for (int first = 0; first < way::height; first += way::band) {
        const int above = m + way::first_of(first, part), rows = min(way::band, args.m - above);
        const float *from = shared + (first + my::row()) * shape::right_pitch + my::column();
        float *line = to.base + (above + my::row()) * to.m.stride + n + my::column();
#pragma unroll 1
        for (int row = my::row(); row < rows; row += my::apart * my::batch) {
            typename some::type sum[my::batch][my::pieces];
#pragma unroll
            for (int slice = 0; slice < shape::groups; slice++)
                if (slice < slices)
                    my::each([&](int b, int piece) {
                        const auto one = some::read(from + slice * shape::sums + my::place(b, piece));
                        sum[b][piece] = slice ? some::add(sum[b][piece], one) : one;
                    });
            const auto is_there = [&](int b, int piece) {
                return row + b * my::apart < rows && piece * my::side * wide < columns;
            };
            const auto c = [&](int b, int piece) {
                return reinterpret_cast<typename some::type *>(line + b * my::apart * to.m.stride +
                                                               piece * my::side * wide);
            };
            if (to.beta == 0)
                my::each([&](int b, int piece) { sum[b][piece] = some::scale(to.alpha, sum[b][piece]); });
            else
                my::each([&](int b, int piece) {
                    if (is_there(b, piece))
                        sum[b][piece] = some::mix(to, sum[b][piece], __ldcg(c(b, piece)));
                });
            my::each([&](int b, int piece) {
                if (is_there(b, piece))
                    store_global(c(b, piece), sum[b][piece]);
            });
            from += my::batch * my::apart * shape::right_pitch;
            line += my::batch * my::apart * to.m.stride;
        }
    }
}

/* Those of a row from a column on. */
template <int wide> __device__ __forceinline__ typename some_of<wide>::type some_at(const float *from, int column)
{
    if constexpr (wide == 1)
        return from[column % 2 ? -1 : 1];
    else
        return some_of<wide>::read(from);
}

/* Where some of a part lie in shared memory and in C; no c: they are outside. */
struct spot {
    const float *from;
    float *c;
    int column;
};

/* So many of a thread's, one every `step` from the first to the last: spot_of says where each lies. Several are under
 * way at once, as each waits for its place. */
template <typename shape, int wide, typename Find>
__device__ __forceinline__ void write_each(const aim &to, int slices, int first, int last, int step, Find spot_of)
{
    using some = some_of<wide>;
    constexpr int batch = shape::is_wide ? 1 : 4; /* sums that wait for their part leave few registers */
#pragma unroll 1
    for (; first < last; first += batch * step) {
        typename some::type sum[batch], *c[batch];
#pragma unroll
        for (int b = 0; b < batch; b++) {
            c[b] = nullptr;
            if (first + b * step >= last)
                continue;
            const spot at = spot_of(first + b * step);
            if (!at.c)
                continue;
            c[b] = reinterpret_cast<typename some::type *>(at.c);
            sum[b] = some_at<wide>(at.from, at.column);
#pragma unroll
            for (int slice = 1; slice < shape::groups; slice++)
                if (slice < slices)
                    sum[b] = some::add(sum[b], some_at<wide>(at.from + slice * shape::sums, at.column));
        }
        if (to.beta == 0) {
#pragma unroll
            for (int b = 0; b < batch; b++)
                if (c[b])
                    store_global(c[b], some::scale(to.alpha, sum[b]));
            continue;
        }
#pragma unroll
        for (int b = 0; b < batch; b++)
            if (c[b])
                sum[b] = some::mix(to, sum[b], *c[b]);
#pragma unroll
        for (int b = 0; b < batch; b++)
            if (c[b])
                store_global(c[b], sum[b]);
    }
}

/* Down the tile's columns, `wide` of which lie side by side in C. */
template <typename shape, int wide, int threads, typename Row>
__device__ __forceinline__ void write_down(const lay_cuda_args &args, const aim &to, const float *shared, int slices,
                                           int n, Row row_of)
{
    using way = passage<shape>;
    constexpr int side = way::height < threads ? way::height : threads, apart = threads / side;
    const lanes_down<way::band> go(args.down); /* row(rank) is rank where nothing is asked for */
#pragma unroll 1
    for (int rank = threadIdx.x % side; rank < way::height && threadIdx.x < side * apart; rank += side) {
        const int row = go.row(rank), i = row_of(row);
        if (i >= args.m)
            continue;
        const float *const from = shared + row * shape::right_pitch;
        float *const line = to.base + offset_now(to.m, i);
        write_each<shape, wide>(to, slices, threadIdx.x / side, min(shape::bn, args.n - n) / wide, apart, [&](int at) {
            return spot{ from + at * wide, line + offset_now(to.n, n + at * wide), at * wide };
        });
    }
}

/* Along the tile's rows, `wide` columns at a time. */
template <typename shape, int wide, int threads, typename Row>
__device__ __forceinline__ void write_across(const lay_cuda_args &args, const aim &to, const float *shared, int slices,
                                             int n, Row row_of)
{
    constexpr int across = shape::bn / wide, side = across < threads ? across : threads, apart = threads / side;
#pragma unroll 1
    for (int at = threadIdx.x % side; at < across && threadIdx.x < side * apart; at += side) {
        const int column = at * wide;
        if (n + column >= args.n)
            continue;
        const float *const from = shared + column;
        float *const line = to.base + offset_now(to.n, n + column);
        write_each<shape, wide>(to, slices, threadIdx.x / side, passage<shape>::height, apart, [&](int row) {
            const int i = row_of(row);
            return spot{ from + row * shape::right_pitch, i < args.m ? line + offset_now(to.m, i) : nullptr, column };
        });
    }
}

/* Either, where sums that wait for their part leave no registers for a thread's row or column: each place by itself. */
template <typename shape, int wide, int threads, typename Row>
__device__ __forceinline__ void write_tight(const lay_cuda_args &args, const aim &to, const float *shared, int slices,
                                            int n, bool goes_down, Row row_of)
{
    using way = passage<shape>;
    constexpr int across = shape::bn / wide;
    const lanes_down<way::band> go(args.down);
    write_each<shape, wide>(to, slices, threadIdx.x, way::height * across, threads, [&](int at) {
        const int row = goes_down ? go.row(at % way::height) : at / across;
        const int column = (goes_down ? at / way::height : at % across) * wide, i = row_of(row), j = n + column;
        float *const c = i < args.m && j < args.n ? to.base + offset_at(to.m, i) + offset_at(to.n, j) : nullptr;
        return spot{ shared + row * shape::right_pitch + column, c, column };
    });
}

/* The same where rows or columns come from tables, or C does not lie in rows. Vectors go along rows; of single elements
 * lanes side by side go down columns if these are contiguous, or where the arguments say. A thread stays in its column
 * or in its row, so that half of each place is looked up once (bench/LOG.md, 107). */
template <typename shape, int wide, int threads>
__device__ __forceinline__ void write_scattered(const lay_cuda_args &args, const aim &to, const float *shared, int part,
                                                int slices, int m, int n)
{
    using way = passage<shape>;
    const auto row_of = [&](int row) { return m + way::first_of(row / way::band * way::band, part) + row % way::band; };
    const bool goes_down = wide == 1 && (args.down || (to.m.stride == 1 && to.n.stride != 1));
    if constexpr (shape::is_wide)
        write_tight<shape, wide, threads>(args, to, shared, slices, n, goes_down, row_of);
    else if (wide == 1 && args.down & LAY_CUDA_DOWN_PAIRS)
        write_down<shape, 2, threads>(args, to, shared, slices, n, row_of);
    else if (goes_down)
        write_down<shape, 1, threads>(args, to, shared, slices, n, row_of);
    else
        write_across<shape, wide, threads>(args, to, shared, slices, n, row_of);
}

/* In vectors, but tiles that are not whole, and where rows of C are not made of vectors, element by element. */
template <typename shape, int threads>
__device__ __forceinline__ void write_part(const lay_cuda_args &args, const aim &to, const float *shared, int part,
                                           int slices, int m, int n)
{
    if (to.m.table || to.n.table || to.n.stride != 1) {
        if (to.is_vector && args.n % 4 == 0)
            write_scattered<shape, 4, threads>(args, to, shared, part, slices, m, n);
        else
            write_scattered<shape, 1, threads>(args, to, shared, part, slices, m, n);
    } else if (to.is_vector && is_whole<shape>(args, m, n))
        write_lines<shape, 4, threads>(args, to, shared, part, slices, m, n);
    else
        write_lines<shape, 1, threads>(args, to, shared, part, slices, m, n);
}

/* The sums of one slice, through shared memory. */
template <typename shape>
__device__ __forceinline__ void write_parts(const lay_cuda_args &args, const aim &to,
                                            const float (&sums)[shape::tm][shape::tn], float *shared, int m, int n)
{
#pragma unroll 1
    for (int part = 0; part < passage<shape>::parts; part++) {
        __syncthreads();
        passage<shape>::put(sums, shared, part);
        __syncthreads();
        write_part<shape, shape::threads>(args, to, shared, part, 1, m, n);
    }
}

/* C's tile from the slices that blocks left, in ascending order. */
template <typename shape> __device__ __forceinline__ void add_slices(const lay_cuda_args &args, int m, int n)
{
    constexpr int batch = 4; /* on their way at a time */
    const int64_t size = static_cast<int64_t>(args.m) * args.n;
    const aim to = aim_at_c(args);
#pragma unroll 1
    for (int at = threadIdx.x; at < shape::bm * shape::bn; at += shape::threads) {
        const int i = m + at / shape::bn, j = n + at % shape::bn;
        if (i >= args.m || j >= args.n)
            continue;
        const float *from = static_cast<const float *>(args.partial) + static_cast<int64_t>(i) * args.n + j;
        float sum = __ldcg(from), more[batch]; /* other multiprocessors wrote some: L1 knows nothing of that */
#pragma unroll 1
        for (int slice = 1; slice < args.slices; slice += batch) {
#pragma unroll
            for (int ahead = 0; ahead < batch; ahead++)
                if (slice + ahead < args.slices)
                    more[ahead] = __ldcg(from + (slice + ahead) * size);
#pragma unroll
            for (int ahead = 0; ahead < batch; ahead++)
                if (slice + ahead < args.slices)
                    sum += more[ahead];
        }
        float *c = to.base + offset_now(to.m, i) + offset_now(to.n, j);
        *c = blend(to.alpha, sum, to.beta, c);
    }
}

/* The other way: sums that another product left. */
template <typename shape>
__device__ __forceinline__ void resume_sums(const lay_cuda_args &args, float (&sums)[shape::tm][shape::tn],
                                            float *shared, int m, int n)
{
    using way = passage<shape>;
    const float *dense = static_cast<const float *>(args.resume);
#pragma unroll 1
    for (int part = 0; part < way::parts; part++) {
#pragma unroll 1
        for (int at = threadIdx.x; at < way::height * shape::bn; at += shape::threads) {
            const int row = at / shape::bn, j = at % shape::bn;
            const int i = m + way::first_of(row / way::band * way::band, part) + row % way::band;
            if (i < args.m && n + j < args.n)
                shared[row * shape::right_pitch + (j ^ 1)] = __ldcg(dense + static_cast<int64_t>(i) * args.n + n + j);
        }
        __syncthreads();
        way::take(sums, shared, part);
        __syncthreads();
    }
}

#endif
