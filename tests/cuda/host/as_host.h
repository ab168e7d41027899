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

/* For fibers.h. */
#ifndef AS_HOST_HAS_CLUSTERS /* else the thread's block is to be told, too */
[[maybe_unused]] static void set_thread(unsigned thread)
{
    threadIdx.x = thread;
}
#endif

inline float2 make_float2(float x, float y)
{
    return { x, y };
}
inline double2 make_double2(double x, double y)
{
    return { x, y };
}
inline int __double2hiint(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return static_cast<int>(bits >> 32);
}
inline int __double2loint(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return static_cast<int>(bits);
}
inline double __hiloint2double(int high, int low)
{
    const uint64_t bits = static_cast<uint64_t>(high) << 32 | static_cast<uint32_t>(low);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
inline float __fmul_rn(float x, float y)
{
    return x * y;
}
inline double __dmul_rn(double x, double y)
{
    return x * y;
}
inline float __fadd_rn(float x, float y)
{
    return x + y;
}
inline double __dadd_rn(double x, double y)
{
    return x + y;
}
inline float __double2float_rn(double x)
{
    return static_cast<float>(x);
}
inline float __double2float_rz(double x)
{
    const float near = static_cast<float>(x);
    return fabs(static_cast<double>(near)) > fabs(x) ? nextafterf(near, 0) : near;
}
inline unsigned __float_as_uint(float x)
{
    unsigned bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
inline float __uint_as_float(unsigned bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
inline float4 make_float4(float x, float y, float z, float w)
{
    return { x, y, z, w };
}

template <typename T> T min(T x, T y)
{
    return x < y ? x : y;
}
template <typename T> T max(T x, T y)
{
    return x > y ? x : y;
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
/* The test's own: called for every copy. */
static void insist_on_copy(const void *shared, const void *global, int bytes);

#ifndef AS_HOST_HAS_FIBERS /* else the test's threads wait for each other, and copies arrive when they are waited for  \
                            */
inline void __syncthreads()
{
}
inline void __syncwarp()
{
}
template <int threads> void meet()
{
}
template <int bytes> void copy_async(void *shared, const void *global)
{
    insist_on_copy(shared, global, bytes);
    memcpy(shared, global, bytes);
}
inline void copy_async_first(void *shared, const void *global, int bytes)
{
    if ((reinterpret_cast<uintptr_t>(shared) | reinterpret_cast<uintptr_t>(global)) % 16 != 0)
        abort();
    for (int at = 0; at < bytes; at += 4)
        insist_on_copy(static_cast<char *>(shared) + at, static_cast<const char *>(global) + at, 4);
    memset(shared, 0, 16);
    memcpy(shared, global, static_cast<size_t>(bytes));
}
inline void wait_async()
{
}
#endif
#ifndef AS_HOST_HAS_BARRIERS /* else the test has some that count */
inline void barrier_wait(uint64_t *, int)
{
}
inline bool barrier_is_over(uint64_t *, int)
{
    return true;
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

#endif
