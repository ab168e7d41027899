/* A block of a batch's kernel on the host: its threads are fibers, which give way where they wait for each other; what
 * the family's inline assembly does there. */
#ifndef LAY_TESTS_CUDA_BATCH_AS_HOST_H
#define LAY_TESTS_CUDA_BATCH_AS_HOST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

extern "C" {
#include <cmocka.h>
}

#include "../../random.h"
#include "as_host.h"

/* For copies of another text. */
[[maybe_unused]] static void insist_on_copy(const void *, const void *, int)
{
}

#define LAY_KERNELS_CUDA_BATCH_COPY_CUH
#define LAY_KERNELS_CUDA_CHAIN_F64_CUH
#define __launch_bounds__(...)

static uint3 gridDim;
static void meet_all();
static void meet_warp();
#define __syncthreads() meet_all()
#define __syncwarp()    meet_warp()

/* ---- a block: fibers, and what they wait for -------------------------------------------------- */

enum { MOST_THREADS = 416, STACK = 64 << 10, MOST_SHARED = 240 << 10, MOST_GROUPS = 8, MOST_COPIES = 256 };

struct copying {
    uint32_t to;
    const void *from;
    int bytes, there;
};

struct fiber {
    ucontext_t context;
    char *stack;
    bool is_done;
    int arrivals, warp_arrivals, some_arrivals, cluster_arrivals; /* barriers that it has come to */
    copying group[MOST_GROUPS][MOST_COPIES];
    int copies[MOST_GROUPS], first_group, groups; /* the last of them is open */
    double left[4], right[2];
};

/* Of one block, or of two that are a cluster, one of whose threads is at work. */
static int blocks_together, rank_at_work;
static fiber fibers_of[2][MOST_THREADS];
#define fibers fibers_of[rank_at_work]
static ucontext_t scheduler;
static int threads;
alignas(1024) static char shared_memory_of[2][MOST_SHARED];
#define shared_memory shared_memory_of[rank_at_work]
static const char *readable[2], *readable_end[2];

static fiber &self()
{
    return fibers[threadIdx.x];
}
static void yield()
{
    const unsigned own = threadIdx.x;
    const int rank = rank_at_work;
    swapcontext(&fibers[own].context, &scheduler);
    threadIdx.x = own;
    rank_at_work = rank;
}
static void meet(int first, int count, int fiber::*arrivals)
{
    const int own = ++(self().*arrivals);
    for (int i = first; i < first + count; i++)
        while (fibers[i].*arrivals < own && !fibers[i].is_done)
            yield();
}
static void meet_all()
{
    meet(0, threads, &fiber::arrivals);
}
static void meet_warp()
{
    meet(static_cast<int>(threadIdx.x) / 32 * 32, 32, &fiber::warp_arrivals);
}

namespace batch
{

uint32_t address_of(const void *shared)
{
    return static_cast<uint32_t>(static_cast<const char *>(shared) - shared_memory);
}
void store(uint32_t to, double value)
{
    memcpy(shared_memory + to, &value, sizeof value);
}
void store(uint32_t to, double x, double y)
{
    const double both[] = { x, y };
    memcpy(shared_memory + to, both, sizeof both);
}
void store(uint32_t to, uint16_t value)
{
    memcpy(shared_memory + to, &value, sizeof value);
}
void load(uint32_t from, float (&to)[4])
{
    memcpy(to, shared_memory + from, sizeof to);
}
void load(uint32_t from, float (&to)[2])
{
    memcpy(to, shared_memory + from, sizeof to);
}
void load(uint32_t from, double (&to)[2])
{
    memcpy(to, shared_memory + from, sizeof to);
}
void load(uint32_t from, float (&to)[1])
{
    memcpy(to, shared_memory + from, sizeof to);
}
void load(uint32_t from, float &to)
{
    memcpy(&to, shared_memory + from, sizeof to);
}
void load(uint32_t from, double &to)
{
    memcpy(&to, shared_memory + from, sizeof to);
}
void keep(uint32_t &)
{
}
void begin_in_turn()
{
}

} // namespace batch

/* As chain_f64.cuh has it. */
static void multiply_add(double (&sum)[4], const double (&left)[4], const double (&right)[2])
{
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, q = lane % 4;
    const fiber *const warp = fibers + threadIdx.x / 32 * 32;
    memcpy(self().left, left, sizeof left);
    memcpy(self().right, right, sizeof right);
    meet_warp();
    for (int k = 0; k < 8; k++)
        for (int r = 0; r < 2; r++)
            for (int c = 0; c < 2; c++)
                sum[2 * r + c] = fma(warp[g * 4 + k % 4].left[k / 4 * 2 + r],
                                     warp[(2 * q + c) * 4 + k % 4].right[k / 4], sum[2 * r + c]);
    meet_warp();
}

/* ---- running a grid --------------------------------------------------------------------------- */

/* Of the test's arguments. */
typedef void block_fn(const void *args, char *shared);
static block_fn *block_of;
static const void *args_of;

static void enter()
{
    block_of(args_of, shared_memory + 16); /* as if something of the kernel's own lay before it */
    self().is_done = true;
    swapcontext(&self().context, &scheduler);
}

static void make_ready(fiber &one)
{
    if (!one.stack)
        one.stack = static_cast<char *>(malloc(STACK));
    one.is_done = false;
    one.arrivals = one.warp_arrivals = one.some_arrivals = one.cluster_arrivals = one.first_group = one.groups =
        one.copies[0] = 0;
    getcontext(&one.context);
    one.context.uc_stack.ss_sp = one.stack;
    one.context.uc_stack.ss_size = STACK;
    makecontext(&one.context, enter, 0);
}

/* Whether there is more to do. */
static bool run_threads()
{
    bool is_more = false;
    for (int i = 0; i < threads; i++)
        if (!fibers[i].is_done) {
            threadIdx.x = static_cast<unsigned>(i);
            swapcontext(&scheduler, &fibers[i].context);
            is_more |= !fibers[i].is_done;
        }
    return is_more;
}

static void run_cluster()
{
    for (rank_at_work = 0; rank_at_work < blocks_together; rank_at_work++) {
        memset(shared_memory, 0xff, MOST_SHARED); /* NaN */
        for (int i = 0; i < threads; i++)
            make_ready(fibers[i]);
    }
    for (bool is_more = true; is_more;) {
        is_more = false;
        for (int rank = 0; rank < blocks_together; rank++) {
            rank_at_work = rank;
            is_more |= run_threads();
        }
    }
    rank_at_work = 0;
}

/* So many blocks, or clusters of so many `together`. */
static void run_grid(block_fn *block, const void *args, int block_threads, int blocks, int together = 1)
{
    assert_true(block_threads <= MOST_THREADS);
    block_of = block;
    args_of = args;
    threads = block_threads;
    blocks_together = together;
    gridDim.x = static_cast<unsigned>(blocks);
    for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)
        run_cluster();
}

#endif
