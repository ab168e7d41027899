/* Complex FP32 products of simt90 by the kernel's own text on the host, its threads one after another: producers,
 * consumers and what writes C. Every C has the bits of the chain that the contract names, whatever the layout, the
 * slices, the edges and what is conjugated. */
#include <initializer_list>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

extern "C" {
#include <cmocka.h>
}

#include "../../random.h"
#include "as_host.h"
#include "cuda/simt90/numbers_result.cuh"

#include "numbers_product.h"

enum { CASES = 60 };

/* As numbers.cu's multiply_tile has it. */
template <typename S> static void multiply(const lay_cuda_args &args)
{
    alignas(16) static float shared[S::shared / sizeof(float)];
    static void *own[consumers];
    const numbers::ring<S> ring(shared);
    const place tile = place_of<S>(args);
    const numbers::share slices(args, S::groups > 1 && args.slices > 1 && !args.partial);
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++)
        shared[i] = NAN;
    for (threadIdx.x = 0; threadIdx.x < producers; threadIdx.x++)
        numbers::produce<S>(args, ring, tile, slices);
    const auto for_consumers = [&](auto act) {
        for (threadIdx.x = producers; threadIdx.x < producers + consumers; threadIdx.x++) {
            const int warp = (int)(threadIdx.x - producers) / 32, group = warp / S::group_warps;
            act(warp, group, &own[threadIdx.x - producers]);
        }
    };
    for_consumers([&](int warp, int group, void **at) {
        auto *const sums = new numbers::sums<S>(warp % S::group_warps);
        const steps of = slices.of(args, group);
        numbers::consume_conjugated<S>(args, ring, group, *sums, of.last - of.first);
        *at = sums;
    });
    for_consumers([&](int, int group, void **at) {
        auto *const sums = static_cast<numbers::sums<S> *>(*at);
        numbers::put_sums<S>(shared, group, *sums);
        delete sums;
    });
    for_consumers([&](int, int, void **) {
        if (args.partial)
            numbers::write_partial<S>(args, shared, numbers::writer_of(tile));
        else
            numbers::write_c<S>(args, shared, numbers::writer_of(tile), slices.count);
    });
}

template <typename S> static void multiply_by(random_source *from)
{
    multiply_one<S>(from, S::turns * S::deep, S::groups, multiply<S>);
}

static void a_product_has_the_bits_of_its_chains(void **)
{
    for (int number = 0; number < CASES; number++) {
        random_source from = random_case(93, static_cast<uint64_t>(number));
        switch (number % 4) {
        case 0:
            multiply_by<numbers::shape<128, 256, 6, 1, 16>>(&from);
            break;
        case 1:
            multiply_by<numbers::shape<128, 128, 4, 2, 16>>(&from);
            break;
        case 2:
            multiply_by<numbers::shape<128, 128, 8, 1, 8>>(&from);
            break;
        default:
            multiply_by<numbers::shape<64, 64, 4, 4, 8>>(&from);
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
