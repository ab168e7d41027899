/* A block of a batch's kernel on the host, its threads as fibers; what the family's inline assembly does there. */
#ifndef LAY_TESTS_CUDA_BATCH_AS_HOST_H
#define LAY_TESTS_CUDA_BATCH_AS_HOST_H

#include <stdio.h>
#include <stdlib.h>

#include "../../random.h"
#include "fibers.h"
#define AS_HOST_HAS_CLUSTERS
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

/* ---- a block's threads, and what is theirs ---------------------------------------------------- */

enum { MOST_THREADS = fibers::MOST / fibers::BLOCKS, MOST_SHARED = 240 << 10, MOST_GROUPS = 8, MOST_COPIES = 256 };

struct copying {
    uint32_t to;
    const void *from;
    int bytes, there;
};

struct thread {
    copying group[MOST_GROUPS][MOST_COPIES];
    int copies[MOST_GROUPS], first_group, groups; /* the last of them is open */
    double left[4], right[2];
};

/* Of one block, or of two that are a cluster, one of whose threads is at work. */
static int threads, blocks_together, rank_at_work;
static thread threads_of[fibers::BLOCKS][MOST_THREADS];
alignas(1024) static char shared_memory_of[fibers::BLOCKS][MOST_SHARED];
#define shared_memory shared_memory_of[rank_at_work]
static const char *readable[2], *readable_end[2];

static void set_thread(unsigned number)
{
    rank_at_work = static_cast<int>(number) / threads;
    threadIdx.x = number % static_cast<unsigned>(threads);
}
static thread &self()
{
    return threads_of[rank_at_work][threadIdx.x];
}
static void meet_all()
{
    fibers::meet_all();
}
static void meet_warp()
{
    fibers::meet_warp();
}
/* So many of a block's threads, of which several may meet at the same time. */
[[maybe_unused]] static void meet_in(int group, int count)
{
    fibers::meet(fibers::named[rank_at_work * fibers::NAMED / fibers::BLOCKS + group], count);
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
    const thread *const warp = threads_of[rank_at_work] + threadIdx.x / 32 * 32;
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

static void run_cluster()
{
    for (rank_at_work = 0; rank_at_work < blocks_together; rank_at_work++) {
        memset(shared_memory, 0xff, MOST_SHARED); /* NaN */
        for (int i = 0; i < threads; i++)
            threads_of[rank_at_work][i].first_group = threads_of[rank_at_work][i].groups =
                threads_of[rank_at_work][i].copies[0] = 0;
    }
    fibers::run(
        threads, [] { block_of(args_of, shared_memory + 16); }, /* as if something of the kernel's own lay before it */
        blocks_together);
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
