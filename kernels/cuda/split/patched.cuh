/* What every patch does of C but path STRICT: lines that limbs leave to it, by few.cuh, and products of tiny elements,
 * by mend.cuh. */
#ifndef LAY_KERNELS_CUDA_SPLIT_PATCHED_CUH
#define LAY_KERNELS_CUDA_SPLIT_PATCHED_CUH

#include "cuda/element.cuh"
#include "cuda/split/chains.cuh"
#include "cuda/split/few.cuh"
#include "cuda/split/mend.cuh"

__device__ __forceinline__ void write(const lay_cuda_split_args &args, int row, int column, float sum)
{
    float *const c = args.c + offset_at(args.result_m, row) + offset_at(args.result_n, column);
    *c = blend(args.alpha, sum, args.beta, c);
}

/* The patched lines of one operand by all of the other: rows of C, or columns of those rows that are not patched. A
 * call: what is known before path STRICT would take registers here. */
__device__ __noinline__ inline void compute_few(const lay_cuda_split_args &args, bool is_right, unsigned patched,
                                                few_room &room)
{
    const lay_cuda_split_operand &few = is_right ? args.right : args.left, &other = is_right ? args.left : args.right;
    const patched_lines lines(few, patched);
    const int groups = (lines.count + few_lines - 1) / few_lines, warp = group::warp(), lane = threadIdx.x % 32;
    const int64_t units = static_cast<int64_t>((other.extent + other_lines - 1) / other_lines) * groups;
#pragma unroll 1
    for (int64_t unit = group::in_grid(); unit < units; unit += group::count()) {
        const int first = static_cast<int>(unit % groups) * few_lines; /* blocks at a time share the other's lines */
        const int strip = static_cast<int>(unit / groups) * other_lines, own = strip + lane;
        const auto few_at = [&](int i) { return lines.at(few, first + i); };
        const carrier<few_lines> some(few, min(lines.count - first, static_cast<int>(few_lines)), false, few_at,
                                      room.few_offset);
        const carrier<other_lines> all(
            other, min(other.extent - strip, static_cast<int>(other_lines)), true, [&](int i) { return strip + i; },
            room.other_offset);
        chains<2> made;
        if (some.is_across)
            all.is_across ? add_few<true, true>(some, all, args.k, room, made)
                          : add_few<true, false>(some, all, args.k, room, made);
        else
            all.is_across ? add_few<false, true>(some, all, args.k, room, made)
                          : add_few<false, false>(some, all, args.k, room, made);
        if (own >= other.extent || (is_right && args.left.lines[own].flags & patched))
            continue;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int place = warp + i * (few_lines / 2);
            if (first + place < lines.count)
                write(args, is_right ? own : few_at(place), is_right ? few_at(place) : own, made.sum(i));
        }
    }
}

/* The path, which one thread of the launch tells. */
__device__ __forceinline__ lay_cuda_split_path_kind begin_patch(const lay_cuda_split_args &args)
{
    begin_launch();
    const lay_cuda_split_path_kind path = path_of(args);
    if (args.path && blockIdx.x == 0 && threadIdx.x == 0)
        *args.path = path;
    return path;
}

/* Of a path that is not STRICT. shared: a few_room for each group. */
__device__ __forceinline__ void patch_all(const lay_cuda_split_args &args, lay_cuda_split_path_kind path, char *shared)
{
    __shared__ tiny_room tiny[group::in_block];
    if (path == LAY_SPLIT_FP16X3)
        mend_all(args, group::own(tiny));
    const unsigned patched = lay_cuda_split_patched(path);
    few_room &room = reinterpret_cast<few_room *>(shared)[threadIdx.x / group::threads];
#pragma unroll 1
    for (int is_right = 0; is_right < 2; is_right++)
        compute_few(args, is_right, patched, room);
}

#endif
