/* What a kernel's text needs to be compiled as C++ for the host, where its threads run one after another: words,
 * indices and types of CUDA, copies that arrive at once, and barriers that count who came. Stands before kernels'
 * headers; what would be inline assembly there is left out by its guards. */
#ifndef LAY_TESTS_CUDA_AS_HOST_H
#define LAY_TESTS_CUDA_AS_HOST_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define __device__
#define __host__
#define __shared__      static
#define __forceinline__ inline

#define LAY_KERNELS_CUDA_ASYNC_CUH
#define LAY_KERNELS_CUDA_SIMT90_BARRIER_CUH

struct float2 {
    float x, y;
};
struct float4 {
    float x, y, z, w;
};
struct double2 {
    double x, y;
};
struct uint3 {
    unsigned x, y, z;
};
static uint3 threadIdx, blockIdx;

template <typename T> T min(T x, T y)
{
    return x < y ? x : y;
}
template <typename T> T __ldg(const T *from)
{
    return *from;
}
template <typename T> T __ldcg(const T *from)
{
    return *from;
}
inline unsigned __umulhi(unsigned x, unsigned y)
{
    return static_cast<unsigned>(static_cast<uint64_t>(x) * y >> 32);
}
inline unsigned atomicInc(unsigned *at, unsigned most)
{
    const unsigned old = *at;
    *at = old >= most ? 0 : old + 1;
    return old;
}
inline void __threadfence()
{
}
inline void __syncthreads()
{
}

/* The test's own: called for every copy. */
static void insist_on_copy(const void *shared, const void *global, int bytes);

template <int bytes> void copy_async(void *shared, const void *global)
{
    insist_on_copy(shared, global, bytes);
    memcpy(shared, global, bytes);
}
inline void wait_async()
{
}
inline void barrier_wait(uint64_t *, int)
{
}
inline void barrier_arrive(uint64_t *barrier)
{
    ++*barrier;
}
inline void barrier_arrive_after_copies(uint64_t *barrier)
{
    ++*barrier;
}

#endif
