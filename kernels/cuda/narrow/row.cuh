/* A row of the table from its kind and tile. What it takes stands in lib/cuda/launch/rates_table.h. */
#ifndef LAY_KERNELS_CUDA_NARROW_ROW_CUH
#define LAY_KERNELS_CUDA_NARROW_ROW_CUH

#include "cuda/narrow/multiply.cuh"
#include "cuda/narrow/passes.cuh"

namespace
{

/* Right has its steps contiguous: of columns of odd sixteens so that there are half as many functions. */
template <piece_type kind, int bn, int residents>
constexpr bool wants_steps = kind == TF32 || (residents == 1 && bn % 32 == 16);

/* Of all its functions, whose turns are of different sizes. */
template <piece_type kind, int bm, int bn, int groups, int residents> constexpr int shared_of()
{
    constexpr int along = shape<kind, bm, bn, groups, residents, false, false>::shared;
    constexpr int across =
        wants_steps<kind, bn, residents> ? 0 : shape<kind, bm, bn, groups, residents, false, kind != TF32>::shared;
    return along > across ? along : across;
}

/* So many slices of a tile find room in the turns of a cluster's blocks; others are apart. */
template <piece_type kind, int bm, int bn, int groups, int residents> constexpr int together_of()
{
    bool fit = units<shape<kind, bm, bn, groups, residents, false, false>>::fit;
    if constexpr (!wants_steps<kind, bn, residents>)
        fit = fit && units<shape<kind, bm, bn, groups, residents, false, true>>::fit;
    return fit ? LAY_NARROW_TOGETHER : 1;
}

/* groups, residents: tile.cuh. */
template <piece_type kind, int bm, int bn, int groups, int residents> constexpr lay_cuda_kernel row(const char *name)
{
    using S = shape<kind, bm, bn, groups, residents, false, false>;
    lay_cuda_kernel made = {};
    made.family = "narrow";
    made.name = name;
    made.contract = LAY_CUDA_NARROW;
    made.type = kind == FP16 ? LAY_F16 : kind == BF16 ? LAY_BF16 : LAY_F32;
    made.least_sm = 90;
    made.bm = bm;
    made.bn = bn;
    made.bk = S::steps;
    made.threads = S::threads;
    made.shared = shared_of<kind, bm, bn, groups, residents>();
    made.blocks_per_sm = residents;
    made.can_slice = 1;
    made.leaves_down = kind != TF32 && residents > 1;
    made.at_once = together_of<kind, bm, bn, groups, residents>();
    made.passes = passes;
    made.function[0][0] = reinterpret_cast<const void *>(&multiply<S>);
    if constexpr (wants_steps<kind, bn, residents>) {
        made.function[1][0] =
            reinterpret_cast<const void *>(&multiply<shape<kind, bm, bn, groups, residents, true, false>>);
    } else {
        made.function[0][1] =
            reinterpret_cast<const void *>(&multiply<shape<kind, bm, bn, groups, residents, false, true>>);
        made.function[1][0] =
            reinterpret_cast<const void *>(&multiply<shape<kind, bm, bn, groups, residents, true, false>>);
        made.function[1][1] =
            reinterpret_cast<const void *>(&multiply<shape<kind, bm, bn, groups, residents, true, true>>);
    }
    return made;
}

/* The same of columns of odd sixteens; C may have its rows contiguous. */
template <piece_type kind, int bn> constexpr lay_cuda_kernel row_along(const char *name)
{
    lay_cuda_kernel made = row<kind, 128, bn, 2, 1>(name);
    made.follows = 1;
    made.leaves_down = 1;
    return made;
}

/* Of all functions of a row that takes walks. */
template <piece_type kind, int bm, int bn, bool is_pingpong> constexpr int walked_shared()
{
    constexpr int along = shape<kind, bm, bn, 2, 1, false, false, true, is_pingpong>::shared;
    constexpr int across = shape<kind, bm, bn, 2, 1, false, true, true, is_pingpong>::shared;
    return along > across ? along : across;
}

/* The same of a row that takes walks: tiles of two warpgroups, or of one each in turns. */
template <piece_type kind, int bm, int bn, bool is_pingpong> constexpr lay_cuda_kernel walked_row(const char *name)
{
    using S = shape<kind, bm, bn, 2, 1, false, false, true, is_pingpong>;
    lay_cuda_kernel made = {};
    made.family = "narrow";
    made.name = name;
    made.contract = LAY_CUDA_NARROW;
    made.type = kind == FP16 ? LAY_F16 : LAY_BF16;
    made.least_sm = 90;
    made.bm = bm;
    made.bn = bn;
    made.bk = S::steps;
    made.threads = S::threads;
    made.shared = walked_shared<kind, bm, bn, is_pingpong>();
    made.blocks_per_sm = 1;
    made.can_slice = !is_pingpong;
    if constexpr (!is_pingpong)
        made.at_once = together_of<kind, bm, bn, 2, 1>();
    made.is_walked = 1;
    made.groups = is_pingpong ? S::groups : 0;
    made.passes = passes;
    made.function[0][0] = reinterpret_cast<const void *>(&multiply<S>);
    made.function[0][1] =
        reinterpret_cast<const void *>(&multiply<shape<kind, bm, bn, 2, 1, false, true, true, is_pingpong>>);
    made.function[1][0] =
        reinterpret_cast<const void *>(&multiply<shape<kind, bm, bn, 2, 1, true, false, true, is_pingpong>>);
    made.function[1][1] =
        reinterpret_cast<const void *>(&multiply<shape<kind, bm, bn, 2, 1, true, true, true, is_pingpong>>);
    return made;
}

} // namespace

#endif
