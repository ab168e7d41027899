/* Eights of a matrix of 16-bit elements whose nears lie together in runs, wherever these begin: two aligned vectors
 * around eight that are well within a run, shifted; of others the elements. */
#ifndef LAY_KERNELS_CUDA_NARROW_RUNS_CUH
#define LAY_KERNELS_CUDA_NARROW_RUNS_CUH

#include "cuda/element.cuh"
#include "cuda_narrow.h"

/* Eight nears, which may be asked of any line. */
struct near_eight {
    int first, inner;         /* where in its run */
    bool is_there, is_within; /* vectors around it are in its run, wherever that begins */
    int64_t offset;

    __device__ __forceinline__ near_eight(const lay_narrow_pack_args &args, int first) : first(first)
    {
        enum { BEFORE = 7, ALL = 16 }; /* elements of both vectors: before the eight at most, and from there on */
        const unsigned number = quotient(first, args.run, args.run_inverse);
        inner = first - static_cast<int>(number) * args.run;
        is_there = first < args.nears;
        is_within = inner >= BEFORE && min(args.run - inner, args.nears - first) >= ALL;
        offset = number * args.run_apart + inner;
    }
    /* line: where nears of 0 are. */
    __device__ __forceinline__ uint4 load_elements(const lay_narrow_pack_args &args, const uint16_t *line) const
    {
        const int64_t jump = args.run_apart - args.run;
        unsigned element[8];
#pragma unroll
        for (int i = 0; i < 8; i++)
            element[i] = first + i < args.nears ? line[offset + i + (inner + i < args.run ? 0 : jump)] : 0;
        return make_uint4(element[0] | element[1] << 16, element[2] | element[3] << 16, element[4] | element[5] << 16,
                          element[6] | element[7] << 16);
    }
};

/* Both vectors around an eight, on their way. */
struct vectors_around {
    uint4 low, high;
    unsigned shift; /* bytes of low before the eight */

    __device__ __forceinline__ void load(const uint16_t *from, bool is_wanted)
    {
        const uintptr_t address = reinterpret_cast<uintptr_t>(from);
        shift = static_cast<unsigned>(address) % 16;
        const uint4 *const vector = reinterpret_cast<const uint4 *>(address - shift);
        low = load_if(is_wanted, vector);
        high = load_if(is_wanted, vector + 1);
    }
    __device__ __forceinline__ uint4 get() const
    {
        const unsigned word[8] = { low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w };
        unsigned by_eight[6], by_four[5], whole[4];
#pragma unroll
        for (int i = 0; i < 6; i++)
            by_eight[i] = shift & 8 ? word[i + 2] : word[i];
#pragma unroll
        for (int i = 0; i < 5; i++)
            by_four[i] = shift & 4 ? by_eight[i + 1] : by_eight[i];
#pragma unroll
        for (int i = 0; i < 4; i++)
            whole[i] = __funnelshift_r(by_four[i], by_four[i + 1], (shift & 2) * 8);
        return make_uint4(whole[0], whole[1], whole[2], whole[3]);
    }
};

#endif
