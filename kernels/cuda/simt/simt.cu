/* Rows of the modern FP32 kernel: every tile with every way of fetching. */
#include "cuda/simt/multiply.cuh"

namespace {

template <typename shape> constexpr lay_cuda_kernel row(const char *name, double rate, double start)
{
    lay_cuda_kernel made = {};
    made.family = "simt";
    made.name = name;
    made.type = LAY_F32;
    made.order = LAY_CUDA_CHAIN;
    made.can_resume = made.can_slice = 1;
    made.bm = shape::bm;
    made.bn = shape::bn;
    made.bk = shape::bk;
    made.threads = shape::threads;
    made.shared = shape::shared;
    made.blocks_per_sm = shape::blocks;
    made.least_sm = 80;
    made.rate = rate;
    made.start = start;
    constexpr lay_cuda_class vector = LAY_CUDA_ACROSS_VECTOR, along = LAY_CUDA_ALONG_VECTOR, ones = LAY_CUDA_ACROSS;
    const void *const functions[3][3] = {
        { reinterpret_cast<const void *>(&multiply<shape, vector, vector>),
          reinterpret_cast<const void *>(&multiply<shape, vector, along>),
          reinterpret_cast<const void *>(&multiply<shape, vector, ones>) },
        { reinterpret_cast<const void *>(&multiply<shape, along, vector>),
          reinterpret_cast<const void *>(&multiply<shape, along, along>),
          reinterpret_cast<const void *>(&multiply<shape, along, ones>) },
        { reinterpret_cast<const void *>(&multiply<shape, ones, vector>),
          reinterpret_cast<const void *>(&multiply<shape, ones, along>),
          reinterpret_cast<const void *>(&multiply<shape, ones, ones>) },
    };
    const int served_by[LAY_CUDA_CLASSES] = { 0, 1, 2, 2 };
    for (int left = 0; left < LAY_CUDA_CLASSES; left++)
        for (int right = 0; right < LAY_CUDA_CLASSES; right++)
            made.function[left][right] = functions[served_by[left]][served_by[right]];
    return made;
}

} // namespace

/*         bm   bn  bk tm  tn stages blocks */
extern "C" const lay_cuda_kernel lay_cuda_simt[] = {
    row<tile<128, 256, 8, 8, 16, 4, 1>>("gemm_f32_128x256x8_simt", 200, 6000),
    row<tile<128, 128, 8, 8, 16, 4, 2>>("gemm_f32_128x128x8_simt", 200, 6000),
    row<tile<128, 64, 8, 8, 8, 4, 3>>("gemm_f32_128x64x8_simt", 190, 5000),
    row<tile<64, 64, 8, 8, 8, 4, 5>>("gemm_f32_64x64x8_simt", 190, 5000),
    {},
};
