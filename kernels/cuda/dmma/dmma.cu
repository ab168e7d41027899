/* Products of doubles on the matrix units of sm_80 and sm_90. The units sum as CHAIN says (unit.cuh), so these rows
 * give the bits of naive, tiled, parray and simt. Copies of 16 bytes pass L1, those of 8 do not, and feeding
 * threads of their own keep all of that away from the units: layouts differ by 3 % from n = 2048 on; below, tables
 * along k cost up to a third, as small tiles wait for them (bench/LOG.md). */
#include "cuda/dmma/product.cuh"

using namespace dmma;

namespace {

template <class S, way left> constexpr void fill(const void *(&to)[LAY_CUDA_CLASSES])
{
    to[LAY_CUDA_ACROSS_VECTOR] = reinterpret_cast<const void *>(&multiply<S, left, ACROSS>);
    to[LAY_CUDA_ALONG_VECTOR] = reinterpret_cast<const void *>(&multiply<S, left, ALONG>);
    to[LAY_CUDA_ACROSS] = to[LAY_CUDA_ALONG] = reinterpret_cast<const void *>(&multiply<S, left, SINGLE>);
}

template <class S> constexpr lay_cuda_kernel row(const char *name, double rate, double start)
{
    lay_cuda_kernel made = {};
    made.family = "dmma";
    made.name = name;
    made.type = LAY_F64;
    made.order = LAY_CUDA_CHAIN;
    made.can_resume = made.can_slice = 1;
    made.bm = S::bm;
    made.bn = S::bn;
    made.bk = bk;
    made.threads = S::threads;
    made.shared = S::shared;
    made.blocks_per_sm = S::blocks;
    made.least_sm = S::least_sm;
    made.rate = rate;
    made.start = start;
    fill<S, ACROSS>(made.function[LAY_CUDA_ACROSS_VECTOR]);
    fill<S, ALONG>(made.function[LAY_CUDA_ALONG_VECTOR]);
    fill<S, SINGLE>(made.function[LAY_CUDA_ACROSS]);
    fill<S, SINGLE>(made.function[LAY_CUDA_ALONG]);
    return made;
}

} // namespace

/* A warp of 64x32 has 128 registers of sums, 64 of fragments: one block of them fills the register file. A small tile
 * loads more for each product, and shared memory is its bound: 64x32 has three quarters of the rate, half the start. */
extern "C" const lay_cuda_kernel lay_cuda_dmma[] = {
    row<shape<128, 128, 64, 32, 6, 1, 56, 224>>("gemm_f64_128x128x16_dmma", 250, 9000),
    row<shape<128, 64, 32, 32, 6, 1, 72, 200>>("gemm_f64_128x64x16_dmma", 244, 8500),
    row<shape<64, 64, 32, 32, 6, 2, 72, 184>>("gemm_f64_64x64x16_dmma", 229, 4500),
    row<shape<64, 32, 32, 16, 8, 2>>("gemm_f64_64x32x16_dmma", 197, 4400),
    row<shape<32, 32, 32, 16, 8, 2>>("gemm_f64_32x32x16_dmma", 150, 4000),
    {},
};
