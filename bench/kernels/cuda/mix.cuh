/* Numbers by place and seed, the same on every run. */
#ifndef BENCH_CUDA_MIX_CUH
#define BENCH_CUDA_MIX_CUH

#include <stdint.h>

/* The last steps of splitmix64. */
static __device__ uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static __device__ uint64_t random_at(unsigned seed, int64_t i, int64_t j)
{
    return mix(mix(static_cast<uint64_t>(i) << 32 | static_cast<uint64_t>(j)) + seed * 0x9e3779b97f4a7c15u);
}

#endif
