/* Rows that only a bench has: the table's tiles with other numbers of steps between promotions, and other tiles. */
#include "cuda/split/multiply.cuh"

namespace
{

template <int bm, int bn, int steps> constexpr lay_cuda_split_row row(const char *name)
{
    using S = shape<bm, bn, steps>;
    lay_cuda_split_row made = {};
    made.name = name;
    made.bm = bm;
    made.bn = bn;
    made.stages = S::fp16_turns;
    made.threads = producers + consumers;
    made.shared = S::shared;
    made.multiply = reinterpret_cast<const void *>(&multiply<S, false>);
    return made;
}

} // namespace

extern "C" const lay_cuda_split_row lay_cuda_split_sweep[] = {
    row<128, 128, 32>("128x128, each 32"),
    row<128, 128, 128>("128x128, each 128"),
    row<128, 128, 256>("128x128, each 256"),
    row<128, 96, 32>("128x96, each 32"),
    row<128, 96, 128>("128x96, each 128"),
    row<128, 96, 256>("128x96, each 256"),
    row<128, 64, 32>("128x64, each 32"),
    row<128, 64, 128>("128x64, each 128"),
    row<128, 64, 256>("128x64, each 256"),
    row<64, 128, 32>("64x128, each 32"),
    row<64, 128, 128>("64x128, each 128"),
    row<64, 128, 256>("64x128, each 256"),
    row<64, 192, 64>("64x192, each 64"),
    row<64, 256, 64>("64x256, each 64"),
    {},
};
