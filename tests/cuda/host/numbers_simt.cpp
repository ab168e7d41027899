/* Complex FP32 products of simt by the kernel's own text on the host, its threads as fibers: they wait for each other
 * at its barriers, and copies arrive as late as they may. Every C has the bits of the chain that the contract names,
 * whatever the layout, the slices, the edges and what is conjugated. */
#include <initializer_list>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <vector>

extern "C" {
#include <cmocka.h>
}

#include "../../random.h"
#define AS_HOST_HAS_FIBERS
#define LAY_KERNELS_CUDA_SIMT_COPY_CUH
#include "as_host.h"

/* ---- threads ---------------------------------------------------------------------------------- */

enum { STACK = 64 * 1024, MOST_THREADS = 512, BARRIERS = 16 };

struct copy {
    void *to;
    const void *from;
    int bytes, group;
};
struct fiber {
    ucontext_t context;
    std::vector<copy> copies;
    int groups;  /* of copies that were closed */
    int barrier; /* that it waits for, or -1 */
    bool is_over;
};
static fiber fibers[MOST_THREADS];
static char stacks[MOST_THREADS][STACK];
static ucontext_t dealer;
static int running, alive, arrived[BARRIERS];

/* Until so many have come, or 0: until all have that are not over. */
static void wait_at(int barrier, int threads)
{
    arrived[barrier]++;
    fibers[running].barrier = barrier;
    swapcontext(&fibers[running].context, &dealer);
    (void)threads;
}
static int wanted[BARRIERS];

static void __syncthreads()
{
    wanted[0] = 0;
    wait_at(0, 0);
}
template <int groups, int threads> static void meet_group(int group)
{
    if (groups == 1)
        return __syncthreads();
    wanted[1 + group] = threads;
    wait_at(1 + group, threads);
}
static int __shfl_sync(unsigned, int value, int)
{
    return value;
}

template <int bytes> static void copy_async(void *shared, const void *global)
{
    insist_on_copy(shared, global, bytes);
    fibers[running].copies.push_back({ shared, global, bytes, fibers[running].groups });
}
template <int bytes> static void copy_async_if(void *shared, const void *global, bool is_wanted)
{
    if (is_wanted)
        copy_async<bytes>(shared, global);
}
static void close_group()
{
    fibers[running].groups++;
}
template <int open> static void wait_groups()
{
    fiber &own = fibers[running];
    std::vector<copy> later;
    for (const copy &one : own.copies)
        if (one.group < own.groups - open)
            memcpy(one.to, one.from, (size_t)one.bytes);
        else
            later.push_back(one);
    own.copies = later;
}

#include "cuda/simt/numbers_multiply.cuh"
#include "numbers_product.h"

static const lay_cuda_args *told;
static void (*work)(const lay_cuda_args &args);

static void begin()
{
    work(*told);
    fibers[running].is_over = true;
    alive--;
    swapcontext(&fibers[running].context, &dealer);
}

/* By itself: getcontext may return twice, and locals around it may be lost. */
static void begin_fiber(int t)
{
    fiber &one = fibers[t];
    one.copies.clear();
    one.groups = 0, one.barrier = -1, one.is_over = false;
    getcontext(&one.context);
    one.context.uc_stack.ss_sp = stacks[t];
    one.context.uc_stack.ss_size = STACK;
    one.context.uc_link = nullptr;
    makecontext(&one.context, begin, 0);
}

/* All of a block, each as far as its next barrier, in turn. */
static void run_block(const lay_cuda_args &args, int threads, void (*of)(const lay_cuda_args &args))
{
    told = &args;
    work = of;
    alive = threads;
    memset(arrived, 0, sizeof arrived);
    for (int t = 0; t < threads; t++)
        begin_fiber(t);
    while (alive > 0) {
        bool has_moved = false;
        for (int t = 0; t < threads; t++) {
            if (fibers[t].is_over || fibers[t].barrier >= 0)
                continue;
            running = t;
            threadIdx.x = (unsigned)t;
            swapcontext(&dealer, &fibers[t].context);
            has_moved = true;
        }
        for (int barrier = 0; barrier < BARRIERS; barrier++) {
            if (!arrived[barrier] || arrived[barrier] < (wanted[barrier] ? wanted[barrier] : alive))
                continue;
            arrived[barrier] = 0;
            for (int t = 0; t < threads; t++)
                if (!fibers[t].is_over && fibers[t].barrier == barrier)
                    fibers[t].barrier = -1;
            has_moved = true;
        }
        assert_true(has_moved || alive == 0); /* else they wait for each other for ever */
    }
    for (int t = 0; t < threads; t++)
        assert_true(fibers[t].copies.empty());
}

/* ---- products --------------------------------------------------------------------------------- */

using namespace simt_numbers;

static float *room; /* of the block, in shared memory */

template <typename S, way left_way, way right_way> static void multiply_as(const lay_cuda_args &args)
{
    multiply_tile<S, left_way, right_way>(args, room);
}

template <typename S, way left_way> static void multiply_left(const lay_cuda_args &args)
{
    run_block(args, S::threads * S::groups,
              goes_along(args.right_class) ? multiply_as<S, left_way, ALONG> : multiply_as<S, left_way, ACROSS>);
}

/* As the row's functions have it. */
template <typename S> static void multiply(const lay_cuda_args &args)
{
    alignas(16) static float shared[S::shared / sizeof(float)];
    for (float &part : shared)
        part = NAN;
    room = shared;
    if (goes_along(args.left_class))
        multiply_left<S, ALONG>(args);
    else if (args.left_class == LAY_CUDA_ACROSS_VECTOR)
        multiply_left<S, LINES>(args);
    else
        multiply_left<S, ACROSS>(args);
}

enum { CASES = 150 };

template <typename S> static void multiply_by(random_source *from)
{
    multiply_one<S>(from, 48, 8, multiply<S>);
}

static void a_product_has_the_bits_of_its_chains(void **)
{
    for (int number = 0; number < CASES; number++) {
        random_source from = random_case(94, static_cast<uint64_t>(number));
        switch (number % 6) {
        case 0:
            multiply_by<shape<64, 128, 8, 4, 1, 3>>(&from);
            break;
        case 1:
            multiply_by<shape<64, 128, 8, 4, 2, 1>>(&from);
            break;
        case 2:
            multiply_by<shape<64, 64, 8, 4, 4, 1>>(&from);
            break;
        case 3:
            multiply_by<shape<128, 48, 8, 4, 1, 3, 12>>(&from);
            break;
        case 4:
            multiply_by<shape<64, 96, 8, 4, 1, 3, 12>>(&from);
            break;
        default:
            multiply_by<shape<32, 64, 8, 3, 4, 3>>(&from);
        }
    }
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_product_has_the_bits_of_its_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
