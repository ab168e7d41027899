/* Who fetches what of a tile in the paper's kernel, by the kernel's own text on the host: the threads that lay show
 * draws. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

extern "C" {
#include <cmocka.h>

#include "bench/show/holder.h"
}

#include "as_host.h"

/* A warp's votes, of which fetching A needs none. */
static int __all_sync(unsigned, int claim)
{
    return claim;
}

#include "cuda/parray/operands.cuh"

static int copies;

static void insist_on_copy(const void *, const void *, int)
{
    copies++;
}

/* Element p of row i is 32 i + p + 1; each thread by itself begins with a tile of zeros. */
template <typename T, lay_cuda_class fetched> static void check(holder_way way)
{
    constexpr int v = of_type<T>::vector;
    /* What vectors across are read from has its rows side by side; the others go by addresses of rows. */
    constexpr bool is_across = fetched == LAY_CUDA_ACROSS_VECTOR;
    alignas(16) static T memory[ROWS * STEPS];
    static shared_tiles<T> shared;
    int seen = 0;
    for (int i = 0; i < ROWS; i++)
        for (int p = 0; p < STEPS; p++)
            memory[is_across ? p * ROWS + i : i * STEPS + p] = static_cast<T>(STEPS * i + p + 1);
    for (int i = 0; i < ROWS; i++)
        shared.row[i] = memory + (is_across ? i : i * STEPS);
    for (int p = 0; p < STEPS; p++)
        shared.left_step[0][p] = is_across ? p * ROWS : p;
    for (int t = 0; t < THREADS; t++) {
        memset(shared.left, 0, sizeof shared.left);
        threadIdx.x = static_cast<unsigned>(t);
        send_left<T, fetched>(true, 0, shared);
        for (int i = 0; i < ROWS; i++)
            for (int p = 0; p < STEPS; p++)
                if (shared.left[0][p][i] != T(0)) {
                    seen++;
                    assert_true(shared.left[0][p][i] == static_cast<T>(STEPS * i + p + 1));
                    assert_int_equal(holder_of_tile(way, v, i, p), t);
                }
    }
    assert_int_equal(seen, ROWS * STEPS);
}

template <typename T> static void check_all()
{
    check<T, LAY_CUDA_ACROSS_VECTOR>(HOLDER_ACROSS_VECTOR);
    check<T, LAY_CUDA_ACROSS>(HOLDER_ACROSS);
    check<T, LAY_CUDA_ALONG>(HOLDER_ALONG);
}

static void the_threads_that_are_drawn_fetch_the_tile(void **)
{
    assert_int_equal(HOLDER_ROWS, ROWS);
    assert_int_equal(HOLDER_COLUMNS, COLUMNS);
    assert_int_equal(HOLDER_STEPS, STEPS);
    assert_int_equal(HOLDER_THREADS, THREADS);
    check_all<float>();
    check_all<double>();
    assert_true(copies > 0);
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(the_threads_that_are_drawn_fetch_the_tile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
