/* Slices' sums -> C: added in ascending order, then what multiply does at the end of a sum. */
#include "cuda/split/finish.cuh"
#include "cuda/split/ptx.cuh"

namespace
{

__global__ void __launch_bounds__(LAY_SPLIT_THREADS) add(const __grid_constant__ lay_cuda_split_args args)
{
    constexpr int own = LAY_SPLIT_ADD_ELEMENTS / LAY_SPLIT_THREADS, batch = 8;
    begin_launch();
    const lay_cuda_split_path_kind path = path_of(args);
    if (path == LAY_SPLIT_STRICT)
        return;
    const unsigned patched = lay_cuda_split_patched(path);
    const int top = path == LAY_SPLIT_FP16X3 ? fp16_top : bf16_top;
    const int64_t size = static_cast<int64_t>(args.m) * args.n;
    const int64_t first = static_cast<int64_t>(blockIdx.x) * LAY_SPLIT_ADD_ELEMENTS + threadIdx.x;
#pragma unroll
    for (int e = 0; e < own; e++) {
        const int64_t at = first + e * LAY_SPLIT_THREADS;
        if (at >= size)
            return;
        const float *const partial = args.partial + at;
        float sum = partial[0], more[batch];
        for (int slice = 1; slice < args.slices; slice += batch) {
#pragma unroll
            for (int ahead = 0; ahead < batch; ahead++)
                more[ahead] = slice + ahead < args.slices ? partial[(slice + ahead) * size] : 0;
#pragma unroll
            for (int ahead = 0; ahead < batch; ahead++)
                if (slice + ahead < args.slices)
                    sum += more[ahead];
        }
        const bool is_short = at <= UINT32_MAX; /* a short division is some times faster */
        const int64_t i = is_short ? static_cast<uint32_t>(at) / static_cast<uint32_t>(args.n) : at / args.n;
        const lay_cuda_split_line row = args.left.lines[i], column = args.right.lines[at - i * args.n];
        if ((row.flags | column.flags) & patched)
            continue;
        float *c = args.c + offset_at(args.result_m, i) + offset_at(args.result_n, at - i * args.n);
        const int scale = scale_of(row.greatest, top) + scale_of(column.greatest, top);
        *c = finished(args, sum, scale, args.beta == 0 ? 0 : *c);
    }
}

} // namespace

extern "C" const lay_cuda_pass lay_cuda_split_add = { "split: add", reinterpret_cast<const void *>(&add),
                                                      LAY_SPLIT_THREADS, 0 };
