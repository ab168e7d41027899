/* Threads of a block on the host, one at work at a time, each as far as the next barrier; copies that arrive when they
 * are waited for, or at once; and the matrix units of a warp. Stands before as_host.h. */
#ifndef LAY_TESTS_CUDA_THREADS_H
#define LAY_TESTS_CUDA_THREADS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <functional>
#include <vector>

#define AS_HOST_HAS_FIBERS
#define LAY_KERNELS_CUDA_CHAIN_F64_CUH

enum { MOST_THREADS = 256, STACK = 1 << 16 };

static void set_thread(unsigned thread); /* as_host.h's threadIdx is behind this */

namespace threads
{

struct copy {
    void *to;
    const void *from;
    int bytes, read;
};

struct thread {
    ucontext_t context;
    std::vector<copy> open;                /* of no group yet */
    std::vector<std::vector<copy>> groups; /* under way */
    bool is_over;
    alignas(16) char stack[STACK];
};

struct barrier {
    int came, phase;
};

static thread all[MOST_THREADS];
static barrier of_block, of_warp[MOST_THREADS / 32];
static ucontext_t scheduler;
static std::function<void()> act;
static int count, current;
static bool is_late; /* copies arrive as late as they may */

static void yield()
{
    const int own = current;
    swapcontext(&all[own].context, &scheduler);
    current = own;
    set_thread((unsigned)own);
}

static void wait_at(barrier &at, int expected)
{
    const int phase = at.phase;
    if (++at.came == expected) {
        at.came = 0;
        at.phase++;
    } else {
        while (at.phase == phase)
            yield();
    }
}

static void begin()
{
    act();
    all[current].is_over = true;
    swapcontext(&all[current].context, &scheduler);
}

/* A block of so many threads that each do this. */
static void run(int threads, const std::function<void()> &what)
{
    act = what;
    count = threads;
    for (int i = 0; i < threads; i++) {
        all[i].is_over = false;
        all[i].open.clear();
        all[i].groups.clear();
        getcontext(&all[i].context);
        all[i].context.uc_stack.ss_sp = all[i].stack;
        all[i].context.uc_stack.ss_size = STACK;
        all[i].context.uc_link = &scheduler;
        makecontext(&all[i].context, begin, 0);
    }
    for (int over = 0; over < threads;) {
        over = 0;
        for (current = 0; current < threads; current++) {
            if (!all[current].is_over) {
                set_thread((unsigned)current);
                swapcontext(&scheduler, &all[current].context);
            }
            over += all[current].is_over;
        }
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
        all[current].open.push_back(of);
    else
        arrive(of);
}

static void end_group()
{
    all[current].groups.push_back(all[current].open);
    all[current].open.clear();
}

static void wait_but(size_t more)
{
    auto &groups = all[current].groups;
    while (groups.size() > more) {
        for (const copy &of : groups.front())
            arrive(of);
        groups.erase(groups.begin());
    }
}

/* What a warp's lanes bring together. */
static double left_of[MOST_THREADS][4], right_of[MOST_THREADS][2];

} // namespace threads

inline void __syncthreads()
{
    threads::wait_at(threads::of_block, threads::count);
}
inline void __syncwarp()
{
    threads::wait_at(threads::of_warp[threads::current / 32], 32);
}
inline int __shfl_sync(unsigned, int value, int) /* of what all lanes have */
{
    return value;
}

/* As the kernels' chain_f64.cuh has it. */
inline void multiply_add(double (&sum)[4], const double (&left)[4], const double (&right)[2])
{
    const int own = threads::current, warp = own / 32 * 32, g = own % 32 / 4, q = own % 4;
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
