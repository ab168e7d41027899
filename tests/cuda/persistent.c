/* Persistent rows, whose blocks share tiles evenly: an element has the same bits wherever its tile is cut, whoever adds
 * its slices, whether there is memory to hand sums over or not, in every layout, run after run. */
#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../there.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/rows.h"
#include "elsewhere.h"

enum { LAYOUTS = 6, RUNS = 3 };
static const int layouts[LAYOUTS][3] = { { 0, 0, 0 }, { 1, 1, 1 }, { 5, 0, 1 }, { 0, 5, 5 }, { 4, 3, 2 }, { 2, 6, 3 } };

/* More tiles of either row than multiprocessors, by slices of k where there are fewer: of sizes that are multiples of
 * nothing, and of turns. */
static const int64_t sizes[][3] = { { 1733, 1331, 261 }, { 1331, 1733, 97 }, { 2000, 1400, 512 }, { 4100, 2050, 40 },
                                    { 896, 896, 896 },   { 651, 447, 1033 }, { 930, 930, 930 } };

static const lay_device *the_device(void)
{
    const char *reason;
    const lay_device *device = lay_device_get(0, &reason);
    assert_non_null(device);
    return device;
}

static trial trial_of(const int64_t size[3], const char *kernel, trial_data data)
{
    trial t = { .type = LAY_F64,
                .m = size[0],
                .n = size[1],
                .k = size[2],
                .alpha = 2,
                .beta = -1,
                .data = data,
                .options = LAY_OPTIONS_INIT };
    t.options.kernel = kernel;
    return t;
}

static lay_cuda_sum sum_of(const int64_t size[3], const char *kernel)
{
    return lay_cuda_sum_choose(LAY_F64, size[0], size[1], size[2], the_device(), kernel);
}

/* One that shares nothing, and has the same slices. */
static const char *whole_row(const int64_t size[3], const char *kernel)
{
    const lay_cuda_sum wanted = sum_of(size, kernel);
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_STRICT);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
        if (row->type != LAY_F64 || row->order != LAY_CUDA_CHAIN || lay_cuda_is_persistent(row))
            continue;
        const lay_cuda_sum sum = sum_of(size, row->name);
        if (sum.slices == wanted.slices && sum.slice_k == wanted.slice_k)
            return row->name;
    }
    return NULL;
}

/* C by whole tiles. */
static char *bits_of_whole_tiles(const int64_t size[3], const char *whole, trial_data data)
{
    const trial t = trial_of(size, whole, data);
    random_source from = random_case(96, (uint64_t)size[0]);
    remote x;
    remote_make(&x, &t, layouts[0], &from);
    assert_int_equal(remote_call(&x), LAY_OK);
    if (data == TRIAL_INTEGERS)
        remote_insist_on_right(&x);
    char *const got = remote_bits(&x);
    remote_free(&x);
    return got;
}

/* A plan's runs, one behind the other: the counters of one are zero for the next. */
static void insist_on_bits(const int64_t size[3], const char *kernel, trial_data data, int layout, void *stream,
                           const char *wanted)
{
    trial t = trial_of(size, kernel, data);
    random_source from = random_case(96, (uint64_t)size[0]);
    lay_plan *plan;
    remote x;
    t.options.stream = stream;
    remote_make(&x, &t, layouts[layout], &from);
    assert_int_equal(remote_plan(&x, &plan), LAY_OK);
    for (int run = 0; run < RUNS; run++) {
        remote_restore(&x);
        assert_int_equal(remote_run(&x, plan), LAY_OK);
        char *const got = remote_bits(&x);
        if (memcmp(wanted, got, remote_size(&x)) != 0)
            fail_msg("%s, %lldx%lldx%lld, layouts %d, run %d: other bits", kernel, (long long)size[0],
                     (long long)size[1], (long long)size[2], layout, run);
        free(got);
    }
    lay_plan_destroy(plan);
    remote_free(&x);
}

static void shared_tiles_have_the_bits_of_whole_ones(void **state)
{
    (void)state;
    int shared = 0, sliced = 0;
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_STRICT);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
        if (!lay_cuda_is_persistent(row) || row->least_sm > the_device()->sm)
            continue;
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            const trial_data data = i % 2 ? TRIAL_SIGNED : TRIAL_INTEGERS;
            const lay_cuda_sum sum = sum_of(sizes[i], row->name);
            const char *const whole = whole_row(sizes[i], row->name);
            const lay_cuda_shape of = { LAY_F64, sizes[i][0], sizes[i][1], sizes[i][2], sum.slices, sum.slice_k };
            if (!whole)
                fail_msg("%s has %d slices, as no other row", row->name, sum.slices);
            char *const wanted = bits_of_whole_tiles(sizes[i], whole, data);
            const int is_shared = lay_cuda_shared_tiles(row, &of, the_device()) > 0;
            shared += is_shared;
            sliced += is_shared && sum.slices > 1;
            for (int layout = 0; layout < LAYOUTS; layout++)
                insist_on_bits(sizes[i], row->name, data, layout, NULL, wanted);
            insist_on_bits(sizes[i], row->name, data, 0, cudaStreamPerThread, wanted); /* which keeps no counters */
            free(wanted);
        }
    }
    print_message("# %d products shared tiles, %d of them in slices\n", shared, sliced);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_tiles_have_the_bits_of_whole_ones),
    };
    setenv("LAY_TEST_PLACE", "device", 1); /* for the oracle: sums are cut as there */
    if (!there_exists())
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
