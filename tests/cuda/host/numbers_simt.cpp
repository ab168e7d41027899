/* Complex FP32 products of simt by the kernel's own text on the host, its threads as fibers: they wait for each other
 * at its barriers, and copies arrive as late as they may. Every C has the bits of the chain that the contract names,
 * whatever the layout, the slices, the edges and what is conjugated. */
#include <initializer_list>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

extern "C" {
#include <cmocka.h>
}

#include "../../random.h"
#include "threads.h"
#define LAY_KERNELS_CUDA_SIMT_COPY_CUH
#include "as_host.h"

template <int groups, int threads> static void meet_group(int group)
{
    if (groups == 1)
        return __syncthreads();
    fibers::meet(fibers::named[group], threads);
}
template <int bytes> static void copy_async(void *shared, const void *global)
{
    insist_on_copy(shared, global, bytes);
    threads::start({ shared, global, bytes, bytes });
}
template <int bytes> static void copy_async_if(void *shared, const void *global, bool is_wanted)
{
    if (is_wanted)
        copy_async<bytes>(shared, global);
}
static void close_group()
{
    threads::end_group();
}
template <int open> static void wait_groups()
{
    threads::wait_but(open);
}

#include "cuda/simt/numbers_multiply.cuh"
#include "numbers_product.h"

/* ---- products --------------------------------------------------------------------------------- */

using namespace simt_numbers;

static float *room; /* of the block, in shared memory */

template <typename S, way left_way, way right_way> static void multiply_as(const lay_cuda_args &args)
{
    multiply_tile<S, left_way, right_way>(args, room);
}

template <typename S, way left_way> static void multiply_left(const lay_cuda_args &args)
{
    const auto of = goes_along(args.right_class) ? multiply_as<S, left_way, ALONG> : multiply_as<S, left_way, ACROSS>;
    threads::run(S::threads * S::groups, [&] { of(args); });
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
    threads::is_late = true;
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
