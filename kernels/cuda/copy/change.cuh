/* Elements that change on their way: loaded as numbers of the type that is computed in, scaled, added up, rounded once
 * (docs/numerics.md, lay_axpby). Kernels in steps, between which a block's threads meet. */
#ifndef LAY_KERNELS_CUDA_COPY_CHANGE_CUH
#define LAY_KERNELS_CUDA_COPY_CHANGE_CUH

#include "cuda/copy/locate.cuh"
#include "cuda/half.cuh"

namespace
{

/* ---- operations, each rounded by itself: the compiler fuses none of these --------------------- */

__device__ __forceinline__ float times(float x, float y)
{
    return __fmul_rn(x, y);
}
__device__ __forceinline__ double times(double x, double y)
{
    return __dmul_rn(x, y);
}
__device__ __forceinline__ float plus(float x, float y)
{
    return __fadd_rn(x, y);
}
__device__ __forceinline__ double plus(double x, double y)
{
    return __dadd_rn(x, y);
}

/* ---- elements as they are stored --------------------------------------------------------------- */

/* Complex numbers that one load may take, and others. */
template <typename Part> struct alignas(2 * sizeof(Part)) together {
    Part re, im;
};
template <typename Part> struct apart {
    Part re, im;
};

/* The FP32 number next to x on the side of 0, its last bit set where that is not x itself: rounded to 16 bits it is
 * what one rounding of x gives. */
__device__ __forceinline__ float to_odd(double x)
{
    const float near = __double2float_rz(x);
    return static_cast<double>(near) == x ? near : __uint_as_float(__float_as_uint(near) | 1);
}

template <typename To> __device__ __forceinline__ To narrowed(float x)
{
    return stored<To>::narrow(x);
}
template <typename To> __device__ __forceinline__ To narrowed(double x)
{
    if constexpr (sizeof(To) == sizeof(double))
        return x;
    else if constexpr (sizeof(To) == sizeof(float))
        return __double2float_rn(x);
    else
        return stored<To>::narrow(to_odd(x));
}

/* ---- numbers of the type that is computed in --------------------------------------------------- */

template <typename T> struct real_number {
    using part = T;
    static constexpr bool is_complex = false;
    T re;
};
template <typename T> struct complex_number {
    using part = T;
    static constexpr bool is_complex = true;
    T re, im;
};

template <typename Part, typename Stored> __device__ __forceinline__ void widen(Stored x, real_number<Part> &to)
{
    to.re = static_cast<Part>(stored<Stored>::widen(x));
}
template <typename Part, typename Stored> __device__ __forceinline__ void widen(Stored x, complex_number<Part> &to)
{
    to = { static_cast<Part>(stored<Stored>::widen(x)), Part(0) };
}
template <typename Part, typename Stored>
__device__ __forceinline__ void widen(together<Stored> x, complex_number<Part> &to)
{
    to = { static_cast<Part>(x.re), static_cast<Part>(x.im) };
}
template <typename Part, typename Stored>
__device__ __forceinline__ void widen(apart<Stored> x, complex_number<Part> &to)
{
    to = { static_cast<Part>(x.re), static_cast<Part>(x.im) };
}

template <typename Part, typename Stored> __device__ __forceinline__ void narrow(real_number<Part> x, Stored &to)
{
    to = narrowed<Stored>(x.re);
}
template <typename Part, typename Stored>
__device__ __forceinline__ void narrow(complex_number<Part> x, together<Stored> &to)
{
    to = { narrowed<Stored>(x.re), narrowed<Stored>(x.im) };
}
template <typename Part, typename Stored>
__device__ __forceinline__ void narrow(complex_number<Part> x, apart<Stored> &to)
{
    to = { narrowed<Stored>(x.re), narrowed<Stored>(x.im) };
}

/* factor x; parts keep to themselves where the factor has no imaginary part. */
template <typename Part>
__device__ __forceinline__ real_number<Part> scaled(const double factor[2], real_number<Part> x)
{
    return { times(static_cast<Part>(factor[0]), x.re) };
}
template <typename Part>
__device__ __forceinline__ complex_number<Part> scaled(const double factor[2], complex_number<Part> x)
{
    const Part re = static_cast<Part>(factor[0]), im = static_cast<Part>(factor[1]);
    if (im == 0)
        return { times(re, x.re), times(re, x.im) };
    return { plus(times(re, x.re), -times(im, x.im)), plus(times(re, x.im), times(im, x.re)) };
}

template <typename Part> __device__ __forceinline__ real_number<Part> sum_of(real_number<Part> x, real_number<Part> y)
{
    return { plus(x.re, y.re) };
}
template <typename Part>
__device__ __forceinline__ complex_number<Part> sum_of(complex_number<Part> x, complex_number<Part> y)
{
    return { plus(x.re, y.re), plus(x.im, y.im) };
}

template <class Number> __device__ __forceinline__ Number changed(const lay_cuda_change &how, Number x, Number y)
{
    if constexpr (Number::is_complex)
        x.im = how.is_conjugated ? -x.im : x.im;
    if (how.is_one)
        return x;
    if (!how.reads_to)
        return how.reads_from ? scaled(how.alpha, x) : Number{};
    return how.reads_from ? sum_of(scaled(how.alpha, x), scaled(how.beta, y)) : scaled(how.beta, y);
}

/* ---- several of them, whose type is known when it runs ------------------------------------------ */

/* Elements that one instruction may move. */
template <typename Stored, int v> struct alignas(alignof(Stored) * v) vector_of {
    Stored element[v];
};

/* Where a thread's vectors of elements lie; nullptr: there is none. */
template <int count> struct places {
    const char *from[count];
    char *to[count];
};

template <class Number, typename Stored, int v, int count>
__device__ __forceinline__ void load_as(const char *const at[], Number (&to)[count])
{
#pragma unroll
    for (int i = 0; i < count / v; i++)
        if (at[i]) {
            const auto found = *reinterpret_cast<const vector_of<Stored, v> *>(at[i]);
#pragma unroll
            for (int e = 0; e < v; e++)
                widen(found.element[e], to[i * v + e]);
        }
}

/* One branch for all of them, so that all are on their way at once. */
template <class Number, int v, int count>
__device__ __forceinline__ void load(lay_type type, bool is_apart, const char *const at[], Number (&to)[count])
{
    constexpr bool is_double = sizeof(typename Number::part) == sizeof(double);
    if (type == LAY_F32)
        load_as<Number, float, v>(at, to);
    else if (type == LAY_F16)
        load_as<Number, __half, v>(at, to);
    else if (type == LAY_BF16)
        load_as<Number, __nv_bfloat16, v>(at, to);
    if constexpr (is_double)
        if (type == LAY_F64)
            load_as<Number, double, v>(at, to);
    if constexpr (Number::is_complex) {
        if (type == LAY_C32 && is_apart)
            load_as<Number, apart<float>, v>(at, to);
        else if (type == LAY_C32)
            load_as<Number, together<float>, v>(at, to);
    }
    if constexpr (Number::is_complex && is_double) {
        if (type == LAY_C64 && is_apart)
            load_as<Number, apart<double>, v>(at, to);
        else if (type == LAY_C64)
            load_as<Number, together<double>, v>(at, to);
    }
}

template <class Number, typename Stored, int v, int count>
__device__ __forceinline__ void store_as(const Number (&from)[count], char *const at[])
{
#pragma unroll
    for (int i = 0; i < count / v; i++)
        if (at[i]) {
            vector_of<Stored, v> made;
#pragma unroll
            for (int e = 0; e < v; e++)
                narrow(from[i * v + e], made.element[e]);
            *reinterpret_cast<vector_of<Stored, v> *>(at[i]) = made;
        }
}

template <class Number, int v, int count>
__device__ __forceinline__ void store(lay_type type, bool is_apart, const Number (&from)[count], char *const at[])
{
    constexpr bool is_double = sizeof(typename Number::part) == sizeof(double);
    if constexpr (!Number::is_complex) {
        if (type == LAY_F32)
            store_as<Number, float, v>(from, at);
        else if (type == LAY_F16)
            store_as<Number, __half, v>(from, at);
        else if (type == LAY_BF16)
            store_as<Number, __nv_bfloat16, v>(from, at);
        if constexpr (is_double)
            if (type == LAY_F64)
                store_as<Number, double, v>(from, at);
    } else {
        if (type == LAY_C32 && is_apart)
            store_as<Number, apart<float>, v>(from, at);
        else if (type == LAY_C32)
            store_as<Number, together<float>, v>(from, at);
        if constexpr (is_double) {
            if (type == LAY_C64 && is_apart)
                store_as<Number, apart<double>, v>(from, at);
            else if (type == LAY_C64)
                store_as<Number, together<double>, v>(from, at);
        }
    }
}

/* x: loaded, or nobody reads it. */
template <class Number, int v, int count>
__device__ __forceinline__ void finish(const lay_cuda_change &how, Number (&x)[count], char *const to[])
{
    Number y[count];
    if (how.reads_to)
        load<Number, v>(how.to, how.to_is_apart, to, y);
#pragma unroll
    for (int i = 0; i < count; i++)
        x[i] = changed(how, x[i], y[i]);
    store<Number, v>(how.to, how.to_is_apart, x, to);
}

/* ---- a block of lines ---------------------------------------------------------------------------- */

/* Elements of a thread that are on their way at once, and of a block. */
template <class Number> struct amounts {
    static constexpr int at_once = sizeof(Number) > 8 ? 4 : 8;
    static constexpr int room = LAY_CUDA_COPY_BYTES / sizeof(Number);
};

struct strip {
    int64_t first_line, first; /* and its first element */
    int lines, line;           /* elements of each */
};
template <class Number> __device__ __forceinline__ strip find_strip(const lay_cuda_copy_args &args)
{
    const int64_t block = args.first_block + blockIdx.x, group = block / args.pieces;
    strip own;
    own.first_line = group * args.lines_per_block;
    own.first = (block - group * args.pieces) * amounts<Number>::room;
    own.lines = static_cast<int>(min(static_cast<int64_t>(args.lines_per_block), args.lines - own.first_line));
    own.line = static_cast<int>(min(static_cast<int64_t>(amounts<Number>::room), args.line - own.first));
    return own;
}

template <class Number> __device__ __forceinline__ void locate_lines(const lay_cuda_copy_args &args, offsets at[])
{
    const strip own = find_strip<Number>(args);
    for (int each = threadIdx.x; each < own.lines; each += LAY_CUDA_COPY_THREADS)
        at[each] =
            locate(args, 0, args.columns + args.rows + args.outers, own.first_line + each, args.change.from_size);
}

/* Lines, their beginnings and all that they are apart are multiples of v elements. */
template <class Number, int v>
__device__ __forceinline__ void change_lines(const lay_cuda_copy_args &args, const offsets at[])
{
    constexpr int count = amounts<Number>::at_once / v;
    const strip own = find_strip<Number>(args);
    const char *const from = static_cast<const char *>(args.from);
    char *const to = static_cast<char *>(args.to);
    /* Vector mine of the block is the line's mine % vectors: by a product with 2^32 / vectors, rounded up. */
    const int vectors = own.line / v, all = own.lines * vectors;
    const uint32_t inverse = static_cast<uint32_t>(((1ull << 32) + vectors - 1) / vectors);
    for (int begin = threadIdx.x; begin < all; begin += count * LAY_CUDA_COPY_THREADS) {
        places<count> lie;
        Number x[count * v];
#pragma unroll
        for (int i = 0; i < count; i++) {
            const int mine = begin + i * LAY_CUDA_COPY_THREADS;
            const int line = vectors > 1 ? static_cast<int>(__umulhi(mine, inverse)) : mine;
            const int64_t element = own.first + static_cast<int64_t>(mine - line * vectors) * v;
            const bool is_there = mine < all;
            lie.from[i] = is_there ? from + at[line].from + element * args.change.from_size : nullptr;
            lie.to[i] = is_there ? to + at[line].to + element * args.size : nullptr;
        }
        if (args.change.reads_from)
            load<Number, v>(args.change.from, args.change.from_is_apart, lie.from, x);
        finish<Number, v>(args.change, x, lie.to);
    }
}

/* ---- a tile --------------------------------------------------------------------------------------- */

/* A tile in shared memory, and where its rows and columns lie. */
template <class Number> struct tile_room {
    int across, along, pitch; /* pitch: odd, for few bank conflicts */
    int columns, rows;        /* that are there */
    int64_t first_column, first_row, outer;
    int64_t *column_from, *column_to, *row_from, *row_to;
    Number *tile; /* [column][row] */
};
template <class Number>
__device__ __forceinline__ tile_room<Number> find_tile(const lay_cuda_copy_args &args, void *shared)
{
    tile_room<Number> own;
    own.across = 1 << args.log_columns;
    own.along = 1 << args.log_rows;
    own.pitch = own.along | 1;
    own.column_from = static_cast<int64_t *>(shared);
    own.column_to = own.column_from + own.across;
    own.row_from = own.column_to + own.across;
    own.row_to = own.row_from + own.along;
    own.tile = reinterpret_cast<Number *>(own.row_to + own.along);
    const int64_t block = args.first_block + blockIdx.x, strip = block / args.tiles_across;
    own.outer = strip / args.tiles_along;
    own.first_column = (block - strip * args.tiles_across) << args.log_columns;
    own.first_row = (strip - own.outer * args.tiles_along) << args.log_rows;
    own.columns = static_cast<int>(min(static_cast<int64_t>(own.across), args.column_count - own.first_column));
    own.rows = static_cast<int>(min(static_cast<int64_t>(own.along), args.row_count - own.first_row));
    return own;
}

template <class Number> __device__ __forceinline__ void locate_tile(const lay_cuda_copy_args &args, void *shared)
{
    const tile_room<Number> own = find_tile<Number>(args, shared);
    const int64_t from_size = args.change.from_size;
    const offsets base = locate(args, args.columns + args.rows, args.outers, own.outer, from_size);
    for (int each = threadIdx.x; each < own.columns; each += LAY_CUDA_COPY_THREADS) {
        const offsets found = locate(args, 0, args.columns, own.first_column + each, from_size);
        own.column_from[each] = base.from + found.from;
        own.column_to[each] = base.to + found.to;
    }
    for (int each = threadIdx.x; each < own.rows; each += LAY_CUDA_COPY_THREADS) {
        const offsets found = locate(args, args.columns, args.rows, own.first_row + each, from_size);
        own.row_from[each] = found.from;
        own.row_to[each] = found.to;
    }
}

/* Lanes go along rows. */
template <class Number> __device__ __forceinline__ void fill_tile(const lay_cuda_copy_args &args, void *shared)
{
    constexpr int count = amounts<Number>::at_once;
    const tile_room<Number> own = find_tile<Number>(args, shared);
    const char *const from = static_cast<const char *>(args.from);
    const int all = own.across * own.along;
    for (int begin = threadIdx.x; args.change.reads_from && begin < all; begin += count * LAY_CUDA_COPY_THREADS) {
        const char *at[count];
        Number x[count];
#pragma unroll
        for (int i = 0; i < count; i++) {
            const int mine = begin + i * LAY_CUDA_COPY_THREADS;
            const int row = mine & (own.along - 1), column = mine >> args.log_rows;
            at[i] =
                row < own.rows && column < own.columns ? from + own.row_from[row] + own.column_from[column] : nullptr;
        }
        load<Number, 1>(args.change.from, args.change.from_is_apart, at, x);
#pragma unroll
        for (int i = 0; i < count; i++) {
            const int mine = begin + i * LAY_CUDA_COPY_THREADS;
            if (at[i])
                own.tile[(mine >> args.log_rows) * own.pitch + (mine & (own.along - 1))] = x[i];
        }
    }
}

/* Lanes go along columns. */
template <class Number> __device__ __forceinline__ void empty_tile(const lay_cuda_copy_args &args, void *shared)
{
    constexpr int count = amounts<Number>::at_once;
    const tile_room<Number> own = find_tile<Number>(args, shared);
    char *const to = static_cast<char *>(args.to);
    const int all = own.across * own.along;
    for (int begin = threadIdx.x; begin < all; begin += count * LAY_CUDA_COPY_THREADS) {
        char *at[count];
        Number x[count];
#pragma unroll
        for (int i = 0; i < count; i++) {
            const int mine = begin + i * LAY_CUDA_COPY_THREADS;
            const int column = mine & (own.across - 1), row = mine >> args.log_columns;
            const bool is_there = row < own.rows && column < own.columns;
            at[i] = is_there ? to + own.row_to[row] + own.column_to[column] : nullptr;
            if (is_there && args.change.reads_from)
                x[i] = own.tile[column * own.pitch + row];
        }
        finish<Number, 1>(args.change, x, at);
    }
}

} // namespace

#endif
