/* A block of a batch's kernel on the host, its threads fibers (fibers.h); what the family's inline assembly does
 * there. */
#ifndef LAY_TESTS_CUDA_BATCH_AS_HOST_H
#define LAY_TESTS_CUDA_BATCH_AS_HOST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

extern "C" {
#include <cmocka.h>
}

#include "../../random.h"
#include "fibers.h"

#include "as_host.h"

/* For copies of another text. */
[[maybe_unused]] static void insist_on_copy(const void *, const void *, int)
{
}

#define LAY_KERNELS_CUDA_BATCH_COPY_CUH
#define LAY_KERNELS_CUDA_CHAIN_F64_CUH
#define __launch_bounds__(...)

static uint3 gridDim;
#define __syncthreads() fibers::meet_all()
#define __syncwarp()    fibers::meet_warp()

/* ---- a block: what its threads have under way -------------------------------------------------- */

enum { MOST_SHARED = 240 << 10, MOST_GROUPS = 8, MOST_COPIES = 256 };

struct copying {
    uint32_t to;
    const void *from;
    int bytes, there;
};

/* A thread's. */
struct held {
    copying group[MOST_GROUPS][MOST_COPIES];
    int copies[MOST_GROUPS], first_group, groups; /* the last of them is open */
    double left[4], right[2];
};

static held helds[fibers::MOST];
alignas(1024) static char shared_memory[MOST_SHARED];
static const char *readable[2], *readable_end[2];

static held &self()
{
    return helds[threadIdx.x];
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
    const held *const warp = helds + threadIdx.x / 32 * 32;
    memcpy(self().left, left, sizeof left);
    memcpy(self().right, right, sizeof right);
    fibers::meet_warp();
    for (int k = 0; k < 8; k++)
        for (int r = 0; r < 2; r++)
            for (int c = 0; c < 2; c++)
                sum[2 * r + c] = fma(warp[g * 4 + k % 4].left[k / 4 * 2 + r],
                                     warp[(2 * q + c) * 4 + k % 4].right[k / 4], sum[2 * r + c]);
    fibers::meet_warp();
}

/* ---- running a grid --------------------------------------------------------------------------- */

/* Of the test's arguments. */
typedef void block_fn(const void *args, char *shared);
static block_fn *block_of;
static const void *args_of;

static void run_block(int threads)
{
    memset(shared_memory, 0xff, sizeof shared_memory); /* NaN */
    for (int i = 0; i < threads; i++)
        helds[i].first_group = helds[i].groups = helds[i].copies[0] = 0;
    /* As if something of the kernel's own lay before it. */
    fibers::run(threads, [] { block_of(args_of, shared_memory + 16); });
}

static void run_grid(block_fn *block, const void *args, int block_threads, int blocks)
{
    block_of = block;
    args_of = args;
    gridDim.x = static_cast<unsigned>(blocks);
    for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)
        run_block(block_threads);
}

#endif
