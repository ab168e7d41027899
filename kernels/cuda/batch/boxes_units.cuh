/* 16-bit types in boxes: the matrix units read them where the copies left them, one warp does nothing but bring. */
#ifndef LAY_KERNELS_CUDA_BATCH_BOXES_UNITS_CUH
#define LAY_KERNELS_CUDA_BATCH_BOXES_UNITS_CUH

#include <type_traits>

#include "cuda/batch/boxes_row.cuh"
#include "cuda/batch/leaving.cuh"
#include "cuda/batch/pair.cuh"
#include "cuda/batch/units.cuh"

namespace batch
{

/* Warpgroups that multiply, and a warp that brings. A turn's products are at work while the next one is awaited. */
template <class S> struct by_warpgroups {
    static __device__ __forceinline__ void release(const box_ring<S> &ring, int slot)
    {
        S::company::release(ring.empty + slot);
    }
    static __device__ __forceinline__ void run(const lay_cuda_batch_boxed_args &boxed, const result_offsets &at,
                                               const box_ring<S> &ring, box_feed<S> &coming)
    {
        const lay_cuda_batch_args &args = boxed.of;
        if (threadIdx.x >= 128 * S::warpgroups)
            return bring_all<S>(coming);
        typename S::sums sums(args);
        box_place<S> here = { 0, 0 };
#pragma unroll 1
        for (int unit = S::company::first_unit(); unit < args.units; unit += S::company::units_apart()) {
            int before = 0; /* the slot whose products are at work */
#pragma unroll 1
            for (int step = 0; step < args.k; step += S::bk) {
                barrier_wait(ring.full + here.slot, here.parity);
                sums.add(ring.turn + here.slot * S::turn_size, args.k - step, step == 0);
                sums.await();
                if (step > 0)
                    release(ring, before);
                before = here.slot;
                here.go_on();
            }
            sums.finish();
            release(ring, before);
            const place tile = S::company::template place_of<S>(args, unit);
            if constexpr (S::leaving::boxes > 0)
                if (boxed.leaves_in_boxes) {
                    S::leaving::leave(boxed, ring.turn - S::leaving_size, tile.product,
                                      tile.i + sums.row + threadIdx.x % 128 / 32 * 16, tile.j, sums.acc);
                    continue;
                }
            sums.write(args, at, tile);
        }
        if constexpr (S::leaving::boxes > 0)
            S::leaving::end();
    }
};

template <piece_type kind, class company_, int warpgroups_, int bn_, bool is_left_across, bool is_right_across,
          int slots_, int blocks_, int leaving_>
struct boxed_units {
    using company = company_;
    static constexpr int warpgroups = warpgroups_, bm = 64 * warpgroups, bn = bn_, bk = 64;
    static constexpr int threads = 128 * warpgroups + 32, slots = slots_, blocks = blocks_, can_slice = 0;
    static constexpr int groups = 0, shared_sums = 0;
    static constexpr bool is_tiled = false;
    using T = typename element_of<kind>::type;
    using left_image = boxed<T, bm, bk, is_left_across>;
    using right_image = boxed<T, bn, bk, is_right_across>;
    using sums = typename units<kind, warpgroups, bn, is_left_across, is_right_across, slots, 1, blocks>::sums;
    using by = by_warpgroups<boxed_units>;
    using leaving = leaving_boxes<kind, bn, leaving_, LAY_CUDA_LINES>;
    static constexpr int leaving_size = 4 * warpgroups * leaving::size;
    static constexpr int turn_size = left_image::bytes + right_image::bytes, releases = warpgroups * company::blocks;
};

/* The same in tiles of 16 x 16, left along k and right across: lines have 32 bytes, swizzled by so many; or in blocks
 * of 8 x 8, which are not swizzled. */
template <piece_type kind, class company_, lay_cuda_boxes tiling, int warpgroups_, int bn_, int slots_, int blocks_,
          int leaving_>
struct tiled_units {
    using company = company_;
    static constexpr int warpgroups = warpgroups_, bm = 64 * warpgroups, bn = bn_, bk = 64;
    static constexpr int threads = 128 * warpgroups + 32, slots = slots_, blocks = blocks_, can_slice = 0;
    static constexpr int groups = 0, shared_sums = 0;
    static constexpr bool is_tiled = true;
    using T = typename element_of<kind>::type;
    static constexpr bool in_cores = tiling == LAY_CUDA_CORES, is_stirred = tiling == LAY_CUDA_BLOCKS;
    using left_image =
        std::conditional_t<in_cores, boxed_cores<T, bm, bk, false>, boxed_tiles<T, bm, bk, false, tiling>>;
    using right_image =
        std::conditional_t<in_cores, boxed_cores<T, bn, bk, true>, boxed_tiles<T, bn, bk, true, LAY_CUDA_TILES>>;
    using by = by_warpgroups<tiled_units>;
    using leaving = leaving_boxes<kind, bn, leaving_, tiling>;
    static constexpr int leaving_size = 4 * warpgroups * leaving::size;
    static constexpr int turn_size = left_image::bytes + right_image::bytes, releases = warpgroups * company::blocks;

    struct sums : units<kind, warpgroups, bn, false, true, slots, 1, blocks>::sums {
        using units<kind, warpgroups, bn, false, true, slots, 1, blocks>::sums::sums;

        __device__ __forceinline__ void add_steps(uint64_t left, int left_next, uint64_t right, int right_next,
                                                  bool is_first)
        {
            products_begin();
#pragma unroll
            for (int step = 0; step < 4; step++)
                products<kind, bn, false, true>::add(this->acc, left + step * left_next, right + step * right_next,
                                                     step ? 1 : !is_first);
            products_commit();
        }
        /* Eight lines or steps lie 256 bytes behind each other, blocks of 16 lines across all steps of a turn. */
        __device__ __forceinline__ void add_tiles(const char *lines, bool is_first)
        {
            enum { BY_32 = 3, LINE = 32, EIGHT = 8 * LINE };
            const uint64_t left = describe(lines + this->row * LINE, 16, EIGHT, BY_32);
            const uint64_t right = describe(lines + left_image::bytes, bk * LINE, EIGHT, BY_32);
            add_steps(left, bm * LINE / 16, right, 2 * EIGHT / 16, is_first);
        }
        /* Left's blocks lie behind each other along k, right's across. */
        __device__ __forceinline__ void add_cores(const char *lines, bool is_first)
        {
            enum { PLAIN = 0, CORE = 128, LINES = bk / 8 * CORE, STEPS = bn / 8 * CORE };
            const uint64_t left = describe(lines + this->row / 8 * LINES, CORE, LINES, PLAIN);
            const uint64_t right = describe(lines + left_image::bytes, STEPS, CORE, PLAIN);
            add_steps(left, 2 * CORE / 16, right, 2 * STEPS / 16, is_first);
        }
        __device__ __forceinline__ void add(uint32_t slot, int, bool is_first)
        {
            const char *const lines = static_cast<const char *>(__cvta_shared_to_generic(slot));
            if constexpr (in_cores)
                add_cores(lines, is_first);
            else
                add_tiles(lines, is_first);
        }
        __device__ __forceinline__ void write(const lay_cuda_batch_args &args, const result_offsets &at,
                                              place tile) const
        {
            const int first = threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
            this->write_rows(args, at, tile,
                             { is_stirred ? stirred(first) : first, is_stirred ? stirred(first + 8) : first + 8 });
        }
    };
};

template <piece_type kind, class company, lay_cuda_boxes tiling, int warpgroups, int bn, int slots, int blocks,
          int leaving>
constexpr lay_cuda_kernel tiled_units_row(const char *name)
{
    using S = tiled_units<kind, company, tiling, warpgroups, bn, slots, blocks, leaving>;
    lay_cuda_kernel made = boxed_row<S>(name, element_of<kind>::name);
    made.function[0][1] = reinterpret_cast<const void *>(&multiply_boxes<S>);
    return made;
}

template <piece_type kind, class company, int warpgroups, int bn, int slots, int blocks, int leaving>
constexpr lay_cuda_kernel boxed_units_row(const char *name)
{
    using S = boxed_units<kind, company, warpgroups, bn, true, true, slots, blocks, leaving>; /* of the largest turns */
    lay_cuda_kernel made = boxed_row<S>(name, element_of<kind>::name);
    made.function[0][0] = reinterpret_cast<const void *>(
        &multiply_boxes<boxed_units<kind, company, warpgroups, bn, false, false, slots, blocks, leaving>>);
    made.function[0][1] = reinterpret_cast<const void *>(
        &multiply_boxes<boxed_units<kind, company, warpgroups, bn, false, true, slots, blocks, leaving>>);
    made.function[1][0] = reinterpret_cast<const void *>(
        &multiply_boxes<boxed_units<kind, company, warpgroups, bn, true, false, slots, blocks, leaving>>);
    made.function[1][1] = reinterpret_cast<const void *>(&multiply_boxes<S>);
    return made;
}

} // namespace batch

#endif
