/* The shape of a block's work: what of C it computes, by which warps, and the stages in shared memory. */
#ifndef LAY_KERNELS_CUDA_DMMA_SHAPE_CUH
#define LAY_KERNELS_CUDA_DMMA_SHAPE_CUH

#include "cuda/dmma/feed.cuh"

namespace dmma
{

/* Matrix units of 16x8x8 and register files that warps share as they need. */
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
constexpr bool is_hopper = true;
#else
constexpr bool is_hopper = false;
#endif

/* A block computes bm x bn, a warp of it wm x wn. Groups of such warps sum slices of k side by side. deep: steps of an
 * instruction. */
template <int bm_, int bn_, int wm_, int wn_, int groups_, int stages_, int blocks_, int feeding_ = 0,
          int multiplying_ = 0, int deep_ = (wm_ > 16 ? 16 : 8)>
struct shape {
    static constexpr bool is_complex = false;
    static constexpr int deep = is_hopper ? deep_ : 8; /* bench/LOG.md, 152 */
    static constexpr int bm = bm_, bn = bn_, wm = wm_, wn = wn_, groups = groups_, stages = stages_, blocks = blocks_;
    static constexpr int warps_m = bm / wm, group_warps = warps_m * (bn / wn), warps = groups * group_warps;
    static constexpr int threads = feeders + 32 * warps;
    static constexpr int least_sm = multiplying_ != 0 && wm * wn > 1024 ? 90 : 80; /* one share for all is too small */
    static constexpr int part = bk * (bm + bn), stage = groups * part;             /* doubles: of a group, of all */
    static constexpr int barriers = 2 * stages, offsets = 2 * (bm + bn);           /* across, and of C */
    static constexpr int shared = 8 * (stages * stage + barriers + offsets + steps_ahead<groups>::size);
    static constexpr int feeding = feeding_, multiplying = multiplying_; /* registers a thread; 0: as all entered */
    static constexpr int entry = 65536 / (threads * blocks) / 8 * 8;
    static_assert(feeders * feeding + 32 * warps * multiplying <= threads * entry, "the register file");
};

} // namespace dmma

#endif
