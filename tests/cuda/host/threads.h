/* Threads of a block on the host (fibers.h); copies that arrive when they are waited for, or at once; and the matrix
 * units of a warp. Stands before as_host.h. */
#ifndef LAY_TESTS_CUDA_THREADS_H
#define LAY_TESTS_CUDA_THREADS_H

#include <math.h>
#include <string.h>

#include <vector>

#include "fibers.h"

#define AS_HOST_HAS_FIBERS
#define LAY_KERNELS_CUDA_CHAIN_F64_CUH

namespace threads
{

struct copy {
    void *to;
    const void *from;
    int bytes, read;
};

/* A thread's. */
struct copies {
    std::vector<copy> open;                /* of no group yet */
    std::vector<std::vector<copy>> groups; /* under way */
};

static copies of_thread[fibers::MOST];
static bool is_late; /* copies arrive as late as they may */

/* A block of so many threads that each do this, and wait for what they copy. */
static void run(int count, const std::function<void()> &what)
{
    for (int i = 0; i < count; i++)
        of_thread[i] = {};
    fibers::run(count, what);
    for (int i = 0; i < count; i++) {
        assert_true(of_thread[i].open.empty());
        for (const std::vector<copy> &group : of_thread[i].groups)
            assert_true(group.empty());
    }
}

static void arrive(const copy &of)
{
    memset(of.to, 0, (size_t)of.bytes);
    memcpy(of.to, of.from, (size_t)of.read);
}

static void start(const copy &of)
{
    if (is_late)
        of_thread[fibers::current()].open.push_back(of);
    else
        arrive(of);
}

static void end_group()
{
    copies &own = of_thread[fibers::current()];
    own.groups.push_back(own.open);
    own.open.clear();
}

static void wait_but(size_t more)
{
    auto &groups = of_thread[fibers::current()].groups;
    while (groups.size() > more) {
        for (const copy &of : groups.front())
            arrive(of);
        groups.erase(groups.begin());
    }
}

/* What a warp's lanes bring together. */
static double left_of[fibers::MOST][4], right_of[fibers::MOST][2];

} // namespace threads

inline void __syncthreads()
{
    fibers::meet_all();
}
inline void __syncwarp()
{
    fibers::meet_warp();
}
inline int __shfl_sync(unsigned, int value, int) /* of what all lanes have */
{
    return value;
}

inline double __shfl_xor_sync(unsigned, double value, int by)
{
    static double of_lane[fibers::MOST];
    const int own = fibers::current();
    of_lane[own] = value;
    __syncwarp();
    const double other = of_lane[own ^ by];
    __syncwarp();
    return other;
}

/* As the kernels' chain_f64.cuh has it. */
inline void multiply_add(double (&sum)[4], const double (&left)[4], const double (&right)[2])
{
    const int own = fibers::current(), warp = own / 32 * 32, g = own % 32 / 4, q = own % 4;
    memcpy(threads::left_of[own], left, sizeof left);
    memcpy(threads::right_of[own], right, sizeof right);
    __syncwarp();
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 2; c++)
            for (int p = 0; p < 8; p++)
                sum[2 * r + c] = fma(threads::left_of[warp + 4 * g + p % 4][p / 4 * 2 + r],
                                     threads::right_of[warp + 4 * (2 * q + c) + p % 4][p / 4], sum[2 * r + c]);
    __syncwarp();
}

#endif
