/* A warp's fragments on their way from shared memory to the units: 16 steps an instruction, a turn's each. Those of the
 * next turn are loaded while the last piece of this one is multiplied, each where the one before it was. */
#ifndef LAY_KERNELS_CUDA_DMMA_FRAGMENTS_CUH
#define LAY_KERNELS_CUDA_DMMA_FRAGMENTS_CUH

#include "cuda/dmma/image.cuh"
#include "cuda/dmma/result.cuh"

namespace dmma
{

template <class S, image left_image, image right_image> struct fragments {
    static constexpr int pieces = S::wm / 16, columns = S::wn / 8, places = pieces == 3 ? 3 : 2; /* of the left */
    static_assert(pieces > 1 && pieces % places == 0, "each turn begins at the first place");

    reader<left_image, S::bm, true> left;
    reader<right_image, S::bn, false> right;
    double l[places][2][4], r[columns][2][2];

    __device__ __forceinline__ fragments(uint32_t stages, int row, int column, const expansion &as)
        : left(stages, row), right(stages + 8 * bk * S::bm, column, as)
    {
    }
    __device__ __forceinline__ void load_left(int place, int i)
    {
        left.left(l[place][0], i, 0);
        left.left(l[place][1], i, 1);
    }
    __device__ __forceinline__ void load_right(int j)
    {
        right.right(r[j][0], j, 0);
        right.right(r[j][1], j, 1);
    }
    /* Once the first stage is there. */
    __device__ __forceinline__ void begin()
    {
        load_left(0, 0);
#pragma unroll
        for (int j = 0; j < columns; j++)
            load_right(j);
    }
    __device__ __forceinline__ void move(int bytes)
    {
        left.move(bytes);
        right.move(bytes);
    }

    /* go_on(turn): all of the turn's stage is loaded, and the next is to be there. */
    template <class Sums, class GoOn> __device__ __forceinline__ void multiply(Sums &sum, int turns, GoOn go_on)
    {
#pragma unroll 1
        for (int turn = 0; turn < turns; turn++) {
#pragma unroll
            for (int i = 0; i < pieces; i++) {
#pragma unroll
                for (int j = 0; j < columns; j++) {
                    if (i == 0) {
                        right.expand(r[j][0], 0);
                        right.expand(r[j][1], 1);
                    }
                    multiply_add(sum.at[i][j], l[i % places], r[j]);
                    if (j == 0 && i == pieces - 1)
                        go_on(turn);
                    if (j == 0)
                        load_left((i + 1) % places, (i + 1) % pieces);
                    if (i == pieces - 1)
                        load_right(j);
                }
            }
            right.pass_turn();
        }
    }
};

} // namespace dmma

#endif
