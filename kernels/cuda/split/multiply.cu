/* The tile shapes, and products of left and right as they are. */
#include "cuda/split/multiply.cuh"

namespace
{

template <typename S>
constexpr lay_cuda_split_row row(const char *name, double fp16_rate, double bf16_rate, double start)
{
    lay_cuda_split_row made = {};
    made.name = name;
    made.bm = S::bm;
    made.bn = S::bn;
    made.stages = S::fp16_turns;
    made.threads = producers + consumers;
    made.shared = S::shared;
    made.rate[LAY_SPLIT_FP16X3] = fp16_rate;
    made.rate[LAY_SPLIT_BF16X6] = bf16_rate;
    made.start[LAY_SPLIT_FP16X3] = made.start[LAY_SPLIT_BF16X6] = start;
    made.multiply = reinterpret_cast<const void *>(&multiply<S, false>);
    return made;
}

} // namespace

extern "C" const lay_cuda_split_row lay_cuda_split_rows[] = {
    row<shape<128, 128>>("split_f32_128x128", 1150, 575, 11000),
    row<shape<128, 96>>("split_f32_128x96", 1090, 545, 8800),
    row<shape<128, 64>>("split_f32_128x64", 1000, 500, 6500),
    row<shape<64, 128>>("split_f32_64x128", 970, 485, 6100),
    {},
};
