/* Operands by tensor copies: turns in a ring of shared memory, which boxes fill, and where a box belongs. */
#ifndef LAY_KERNELS_CUDA_BATCH_BOXES_CUH
#define LAY_KERNELS_CUDA_BATCH_BOXES_CUH

#include "cuda/batch/feed.cuh"
#include "cuda/hopper/ptx.cuh"

namespace batch
{

/* Blocks that take tiles by themselves, each all that it reads. pair.cuh has such as share. */
struct alone {
    static constexpr int blocks = 1;

    static __device__ __forceinline__ int rank()
    {
        return 0;
    }
    static __device__ __forceinline__ int first_unit()
    {
        return blockIdx.x;
    }
    static __device__ __forceinline__ int units_apart()
    {
        return gridDim.x;
    }
    template <class S> static __device__ __forceinline__ place place_of(const lay_cuda_batch_args &args, int unit)
    {
        return place::of<S>(args, unit);
    }
    /* By a warpgroup. */
    static __device__ __forceinline__ void release(uint64_t *empty)
    {
        if (threadIdx.x % 128 == 0)
            barrier_arrive(empty);
    }
    static __device__ __forceinline__ void meet()
    {
    }
};

/* Where a box goes in its turn, and what it has. */
struct own_box {
    int place, near, far; /* bytes; indices from the tile's first, or the turn's */
    bool is_there;
};

/* An operand's turn, `steps` of `lines`, as boxes leave it: lines of shared memory have so many elements, side by side
 * along k, or lines of the operand (is_across: groups of as many lines, one behind the other, [groups][steps]). */
template <typename T_, int lines_, int steps_, bool is_across_> struct boxed {
    using T = T_;
    static constexpr int lines = lines_, steps = steps_, line_bytes = steps * sizeof(T);
    static constexpr lay_cuda_boxes boxes = LAY_CUDA_LINES;
    static constexpr bool is_across = is_across_;
    static constexpr int groups = (lines + steps - 1) / steps;
    static constexpr int bytes = (is_across ? groups * steps : lines) * line_bytes;
};

/* The same of operands in tiles whose lines are too short for that: one box of all, 32 bytes a line, in blocks of 16 of
 * the contiguous dimension: [blocks][lines][16 steps], or is_across [blocks][steps][16 lines].
 *
 * Where blocks are contiguous a box has four lines in 128 bytes, swizzled by so many, which the matrix units read as if
 * by 32: so of each eight lines the one that stands at l is l ^ (their number % 4), and C's rows tell. */
template <typename T_, int lines_, int steps_, bool is_across_, lay_cuda_boxes boxes_> struct boxed_tiles {
    using T = T_;
    static constexpr int lines = lines_, steps = steps_, line_bytes = 32;
    static constexpr lay_cuda_boxes boxes = boxes_;
    static constexpr bool is_across = is_across_;
    static constexpr int bytes = lines * steps * sizeof(T), groups = 1;
    static_assert(sizeof(T) == 2, "16 of them have 32 bytes");

    /* So many boxes have all; across each has some of the lines. */
    static __device__ __forceinline__ own_box part(int number, int parts)
    {
        return { number * (bytes / parts), number * (lines / parts), 0, number >= 0 && number < parts };
    }
};

/* The same in blocks of 8 x 8, each 128 bytes side by side as it lies in memory, which is what the matrix units read
 * without a swizzle: [lines / 8][steps / 8], or is_across [steps / 8][lines / 8]. */
template <typename T_, int lines_, int steps_, bool is_across_> struct boxed_cores {
    using T = T_;
    static constexpr int lines = lines_, steps = steps_, line_bytes = 128;
    static constexpr lay_cuda_boxes boxes = LAY_CUDA_CORES;
    static constexpr bool is_across = is_across_;
    static constexpr int bytes = lines * steps * sizeof(T), groups = 1;
    static_assert(sizeof(T) == 2, "64 of them have 128 bytes");

    /* Across each has some of the steps. */
    static __device__ __forceinline__ own_box part(int number, int parts)
    {
        return { number * (bytes / parts), 0, number * (steps / parts), number >= 0 && number < parts };
    }
};

template <class Image> __device__ __forceinline__ own_box box_of(const lay_cuda_batch_box &of, int number)
{
    if (!Image::is_across)
        return { number * of.far * Image::line_bytes, 0, number * of.far,
                 number >= 0 && number * of.far < Image::lines };
    if (of.has_all_lines) /* of all steps, too */
        return { 0, 0, 0, number == 0 };
    const int down = Image::steps / of.far, group = number / down, piece = number % down;
    return { (group * Image::steps + piece * of.far) * Image::line_bytes, group * Image::steps, piece * of.far,
             number >= 0 && group < Image::groups };
}

/* What leaves; turns, and the barriers of each: full when it may be read, empty when it may be written; 16 bytes of
 * zeros; room for what else S shares. */
template <class S> struct box_ring {
    static constexpr int zeros_size = 16, bytes = S::leaving_size + S::slots * (S::turn_size + 2 * 8) + zeros_size;
    uint32_t turn, zeros, sums; /* shared addresses; turn is a multiple of 1024 */
    uint64_t *full, *empty;
    char *behind;

    __device__ __forceinline__ explicit box_ring(char *shared)
        : turn(address_of(shared) + S::leaving_size), zeros(address_of(shared) + bytes - zeros_size),
          sums(address_of(shared) + bytes),
          full(reinterpret_cast<uint64_t *>(shared + S::leaving_size + S::slots * S::turn_size)),
          empty(full + S::slots), behind(shared + bytes)
    {
    }
    __device__ __forceinline__ void make() const
    {
        for (int i = 0; i < zeros_size; i += 8)
            store(zeros + i, 0.0);
        for (int i = 0; i < S::slots; i++) {
            barrier_init(full + i, 1);
            barrier_init(empty + i, S::releases);
        }
        barriers_are_made();
    }
};

/* Where a ring's user is. */
template <class S> struct box_place {
    int slot, parity;

    __device__ __forceinline__ void go_on()
    {
        if (++slot == S::slots)
            slot = 0, parity ^= 1;
    }
};

/* A warp that brings turn after turn, tile after tile: each lane a box of left or of right. Blocks that share right
 * have boxes of it in turn, which each brings for all. */
template <class S> struct box_feed {
    using left_image = typename S::left_image;
    using right_image = typename S::right_image;
    using company = typename S::company;
    const lay_cuda_batch_boxed_args &args;
    const box_ring<S> &ring;
    const void *tensor;
    own_box own;
    bool is_right;
    int unit, step, product, line;
    box_place<S> at;

    __device__ __forceinline__ box_feed(const lay_cuda_batch_boxed_args &args_, const box_ring<S> &ring_)
        : args(args_), ring(ring_), tensor(args_.left.tensor), is_right(false), unit(company::first_unit()),
          step(0), at{ 0, 1 }
    {
        const int lane = threadIdx.x % 32, boxes = S::is_tiled ? 1 : count_boxes<left_image>(args_.left);
        own = find_box<left_image>(args_.left, lane, 1);
        if (lane >= boxes) {
            own = find_box<right_image>(args_.right, lane - boxes, company::blocks);
            own.is_there = own.is_there && (lane - boxes) % company::blocks == company::rank();
            own.place += left_image::bytes;
            tensor = args_.right.tensor;
            is_right = true;
        }
        find();
    }
    template <class Image> static __device__ __forceinline__ int count_boxes(const lay_cuda_batch_box &of)
    {
        return Image::is_across && of.has_all_lines
                   ? 1
                   : (Image::is_across ? Image::groups * Image::steps : Image::lines) / of.far;
    }
    template <class Image>
    static __device__ __forceinline__ own_box find_box(const lay_cuda_batch_box &of, int number, int parts)
    {
        if constexpr (S::is_tiled)
            return Image::part(number, parts);
        else
            return box_of<Image>(of, number);
    }
    __device__ __forceinline__ void find()
    {
        const place tile = company::template place_of<S>(args.of, unit);
        product = (is_right ? args.right.is_shared : args.left.is_shared) ? 0 : tile.product;
        line = is_right ? tile.j : tile.i;
    }
    template <class... At> __device__ __forceinline__ void bring(uint32_t to, At... at) const
    {
        if constexpr (company::blocks == 1)
            bring_box(to, tensor, at...); /* by all lanes at once, left's and right's */
        else if (is_right)
            company::bring_shared(to, tensor, at...);
        else
            bring_box(to, tensor, at...);
    }
    /* Whether there was one. */
    __device__ __forceinline__ bool next()
    {
        if (unit >= args.of.units)
            return false;
        uint64_t *const full = ring.full + at.slot;
        barrier_wait(ring.empty + at.slot, at.parity);
        if (threadIdx.x % 32 == 0)
            barrier_expect(full, S::turn_size);
        __syncwarp();
        if (own.is_there) {
            const bool is_across = is_right ? right_image::is_across : left_image::is_across;
            const int near = own.near + (is_across ? line : step), far = own.far + (is_across ? step : line);
            const uint32_t to = ring.turn + at.slot * S::turn_size + own.place;
            /* Each by its name: an address of either would be read as memory is, not as arguments are. */
            const int inner_near = is_right ? args.right.inner_near : args.left.inner_near;
            const int inner_far = is_right ? args.right.inner_far : args.left.inner_far;
            const unsigned near_inverse = is_right ? args.right.near_inverse : args.left.near_inverse;
            const unsigned far_inverse = is_right ? args.right.far_inverse : args.left.far_inverse;
            if constexpr (left_image::boxes == LAY_CUDA_CORES) {
                bring(to, 0, near / 8, far / 8, product, 0, full);
            } else if (left_image::boxes == LAY_CUDA_BLOCKS && !is_right) {
                bring(to, 0, 0, far / 16, near / 16, product, full);
            } else if (!S::is_tiled && inner_near == INT32_MAX && inner_far == INT32_MAX) {
                bring(to, near, far, product, full);
            } else {
                const int of_far = static_cast<int>(quotient(far, inner_far, far_inverse)),
                          in_far = far - of_far * inner_far;
                const int of_near = static_cast<int>(quotient(near, inner_near, near_inverse));
                if (S::is_tiled)
                    bring(to, 0, in_far, of_far, near / 16, product, full);
                else
                    bring(to, near - of_near * inner_near, in_far, of_near, of_far, product, full);
            }
        }
        at.go_on();
        step += S::bk;
        if (step >= args.of.k) {
            step = 0;
            unit += company::units_apart();
            find();
        }
        return true;
    }
};

} // namespace batch

#endif
