/* How one operand of a skinny row comes into shared memory, by asynchronous copies.
 *
 * An image holds extent indices (x: rows of left, columns of right) times bk steps (p), in chunks of 16 bytes,
 * v elements each. It lies as the operand does, x after x or step after step, so that whole chunks can be copied;
 * a row's Image says where exactly: Image::place(x, p).
 *
 * Steps past the end of the slice become zeros; the places of x past the edge keep what they hold, and what is
 * computed from them is thrown away. */
#ifndef LAY_KERNELS_CUDA_SKINNY_FEED_CUH
#define LAY_KERNELS_CUDA_SKINNY_FEED_CUH

#include "cuda/element.cuh"

__device__ __forceinline__ unsigned shared_address(const void *to)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(to));
}

__device__ __forceinline__ void copy_chunk(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}

template <typename T> __device__ __forceinline__ void copy_element(T *to, const T *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from), "n"(sizeof(T))
                 : "memory");
}

__device__ __forceinline__ void end_of_stage()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Until all but the newest few stages have come. */
template <int few> __device__ __forceinline__ void wait_for_stages()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(few) : "memory");
}

__device__ __forceinline__ int within(int low, int value, int high)
{
    return min(max(value, low), high);
}

template <typename T> struct alignas(16) chunk {
    static constexpr int v = of_type<T>::vector;
    T element[v];
};

template <typename Image, int threads> struct feed {
    using T = typename Image::T;
    static constexpr int v = of_type<T>::vector, extent = Image::extent, bk = Image::bk;
    static constexpr bool along = Image::is_along; /* x after x */
    static constexpr int size = extent * bk;
    /* Threads side by side take chunks side by side: so many of them, then the next line. */
    static constexpr int line = (along ? bk : extent) / v;
    static constexpr int lines = threads / line;
    static constexpr int turns = (size / v + threads - 1) / threads;
    static_assert(threads % (line * v) == 0, "a thread stays at its place of the line");

    const T *base;
    const lay_cuda_offsets *across, *steps;
    int first, valid;                  /* the block's first x, and how many x from there on there are */
    bool is_wide;                      /* as far as x decides, the block's chunks are whole and aligned */
    int64_t offset[along ? turns : 1]; /* of the thread's x, in chunks */

    /* Every thread of the block comes here, and to fetch. */
    __device__ __forceinline__ feed(const void *operand, const lay_cuda_offsets &offsets_across,
                                    const lay_cuda_offsets &offsets_along, int first_x, int last_x)
        : base(static_cast<const T *>(operand)), across(&offsets_across), steps(&offsets_along), first(first_x),
          valid(min(extent, last_x - first_x))
    {
        bool is_aligned = reinterpret_cast<uintptr_t>(operand) % 16 == 0;
        if (along) {
            is_aligned = is_aligned && (offsets_along.table || offsets_along.stride == 1);
#pragma unroll
            for (int turn = 0; turn < turns; turn++) {
                const int x = threadIdx.x / line + turn * lines;
                offset[turn] = offset_at(offsets_across, first + min(x, valid - 1));
                is_aligned = is_aligned && offset[turn] % v == 0;
            }
        } else {
            const int x = threadIdx.x % line * v;
            offset[0] = offset_at(offsets_across, first + min(x, valid - 1));
            is_aligned = is_aligned && valid == extent && (offsets_along.table || offsets_along.stride % v == 0) &&
                         is_chunk(offsets_across, first + x);
        }
        is_wide = __syncthreads_and(is_aligned);
    }

    /* Whether v offsets are side by side, and the first a multiple of v. */
    static __device__ __forceinline__ bool is_chunk(const lay_cuda_offsets &offsets, int64_t index)
    {
        if (!offsets.table)
            return offsets.stride == 1 && index % v == 0;
        const int64_t start = __ldg(offsets.table + index);
        bool result = start % v == 0;
#pragma unroll
        for (int i = 1; i < v; i++)
            result = result && __ldg(offsets.table + index + i) == start + i;
        return result;
    }

    /* Steps p to p + bk, zeros from last on. */
    __device__ __forceinline__ void fetch(T *image, int p, int last) const
    {
        bool is_whole = is_wide && p + bk <= last;
        if (is_whole && steps->table)
            is_whole = __syncthreads_and(are_steps_aligned(p));
        if (!is_whole)
            fetch_elements(image, p, last);
        else if (along)
            fetch_along(image, p);
        else
            fetch_across(image, p);
    }

    /* For the thread's chunks. */
    __device__ __forceinline__ bool are_steps_aligned(int p) const
    {
        if (along)
            return is_chunk(*steps, p + threadIdx.x % line * v);
        bool result = true;
        for (int own = threadIdx.x / line; own < bk; own += lines)
            result = result && __ldg(steps->table + p + own) % v == 0;
        return result;
    }

    __device__ __forceinline__ void fetch_along(T *image, int p) const
    {
        const int own = threadIdx.x % line * v;
        const T *from = base + (steps->table ? __ldg(steps->table + p + own) : p + own);
#pragma unroll
        for (int turn = 0; turn < turns; turn++) {
            const int x = threadIdx.x / line + turn * lines;
            if (x < valid)
                copy_chunk(image + Image::place(x, own), from + offset[turn]);
        }
    }

    __device__ __forceinline__ void fetch_across(T *image, int p) const
    {
        const int x = threadIdx.x % line * v, first_own = threadIdx.x / line;
        const T *from = base + offset[0];
        if (!steps->table)
            from += (p + first_own) * steps->stride;
#pragma unroll
        for (int turn = 0; turn < turns; turn++) {
            const int own = first_own + turn * lines;
            if (lines * turns == bk || own < bk)
                copy_chunk(image + Image::place(x, own), steps->table ? from + __ldg(steps->table + p + own) : from);
            from += steps->table ? 0 : lines * steps->stride;
        }
    }

    /* Threads side by side take elements side by side. */
    __device__ __forceinline__ void fetch_elements(T *image, int p, int last) const
    {
        constexpr int elements = line * v, rows = threads / elements, count = (size + threads - 1) / threads;
        const int near = threadIdx.x % elements, far = threadIdx.x / elements;
        const lay_cuda_offsets &offsets = along ? *across : *steps;
        const T *from = base + (along ? offset_at(*steps, min(p + near, last - 1))
                                      : offset_at(*across, first + min(near, valid - 1)));
        if (valid == extent && p + bk <= last && !offsets.table) {
            from += ((along ? first : p) + far) * offsets.stride;
#pragma unroll
            for (int turn = 0; turn < count; turn++) {
                const int x = along ? far + turn * rows : near, own = along ? near : far + turn * rows;
                if (size % threads == 0 || (x < extent && own < bk))
                    copy_element(image + Image::place(x, own), from);
                from += rows * offsets.stride;
            }
            return;
        }
#pragma unroll 2
        for (int turn = 0; turn < count; turn++) {
            const int x = along ? far + turn * rows : near, own = along ? near : far + turn * rows;
            if (x >= valid || own >= bk)
                break;
            T *to = image + Image::place(x, own);
            if (p + own < last)
                copy_element(to, from + offset_at(offsets, along ? first + x : p + own));
            else
                *to = T(0);
        }
    }
};

#endif
