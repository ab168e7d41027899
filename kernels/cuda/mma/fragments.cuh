/* Fragments of a warp's tile from shared memory, as feed.cuh has them there. A turn has two groups of 32 bytes of
 * steps, each of which is one step of the matrix units. */
#ifndef LAY_KERNELS_CUDA_MMA_FRAGMENTS_CUH
#define LAY_KERNELS_CUDA_MMA_FRAGMENTS_CUH

#include "cuda/mma/feed.cuh"

namespace
{

/* Squares of 16 lines: of left in the order (lines, steps) 00 10 01 11, of right 00 01 10 11; so right's are two
 * fragments of 8 columns, one behind the other. lines: of the tile. */
template <bool is_left, bool is_across, int lines, int size> class fragments
{
    unsigned at; /* of the lane, within a stage */

  public:
    /* Of a warp's lines from first on, a multiple of 32. */
    __device__ __forceinline__ explicit fragments(int first)
    {
        const int lane = threadIdx.x % 32, low = lane % 8;
        const int line_half = is_left ? lane / 8 % 2 : lane / 16, step_half = is_left ? lane / 16 : lane / 8 % 2;
        if (!is_across) {
            const int line = first + line_half * 8 + low;
            at = line * LAY_MMA_LINE + (step_half ^ line / 2 % 4) * 16;
        } else if (size == 2) {
            const int step = step_half * 8 + low, unit = first / 8 + line_half;
            at = step * lines * 2 + exchanged<2>(unit, step) * 16;
        } else { /* by words: the lane's line and step of the first square */
            const int step = lane % 4, line = first + lane / 4;
            at = step * lines * 4 + exchanged<4>(line / 4, step) * 16 + line % 4 * 4;
        }
    }

    /* Lines number * 16 and on, group 0 or 1 of the stage that begins there. */
    __device__ __forceinline__ void load(uint32_t (&to)[4], unsigned stage, int number, int group) const
    {
        if (!is_across) {
            load_squares(to, stage + ((at + number * 16 * LAY_MMA_LINE) ^ group * 32));
        } else if (size == 2) {
            load_turned_squares(to, stage + ((at + group * 16 * lines * 2) ^ number * 32));
        } else {
            const unsigned near = stage + ((at + group * 8 * lines * 4) ^ number * 64);
            const unsigned far = near ^ 32; /* 8 lines on */
            to[0] = load_word(near);
            to[is_left ? 1 : 2] = load_word(far);
            to[is_left ? 2 : 1] = load_word(near + 4 * lines * 4);
            to[3] = load_word(far + 4 * lines * 4);
        }
    }
};

} // namespace

#endif
