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
#include "base/arith.h"
#include "cuda/launch/executor.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/rows.h"
#include "cuda/ways.h"
#include "elsewhere.h"
#include "plan/branch.h"
#include "plan/plan.h"
#include "plan/routes.h"
#include "posed.h"

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

/* Of a plan for the device. */
static lay_branch *branch_of(const lay_plan *plan)
{
    lay_branch *const branch = posed_branch(&lay_way_launch, plan);
    assert_non_null(branch);
    return branch;
}

/* In one launch of whole tiles, by a row that shares none. */
static void take_whole_tiles(lay_branch *branch, const lay_cuda_sum *sum)
{
    int is_prepared = 0;
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_STRICT);
    for (const lay_cuda_kernel *row; !is_prepared && (row = lay_cuda_next(&walk));)
        is_prepared = !lay_cuda_is_persistent(row) && lay_launch_prepare_by(branch, sum, row, 1);
    assert_true(is_prepared);
}

static lay_status run(lay_branch *branch, const remote *x)
{
    const lay_call call = {
        .alpha = &x->t.alpha, .left = x->a.zero, .right = x->b.zero, .beta = &x->t.beta, .c = x->c.zero
    };
    return branch->way->run(branch, &call);
}

/* C by whole tiles. */
static char *bits_of_whole_tiles(const int64_t size[3], const lay_cuda_sum *sum, trial_data data)
{
    const trial t = trial_of(size, NULL, data);
    random_source from = random_case(96, (uint64_t)size[0]);
    lay_plan *plan;
    remote x;
    remote_make(&x, &t, layouts[0], &from);
    assert_int_equal(remote_plan(&x, &plan), LAY_OK);
    lay_branch *const branch = branch_of(plan);
    take_whole_tiles(branch, sum);
    assert_int_equal(run(branch, &x), LAY_OK);
    if (data == TRIAL_INTEGERS)
        remote_insist_on_right(&x);
    char *const got = remote_bits(&x);
    lay_branch_destroy(branch);
    lay_plan_destroy(plan);
    remote_free(&x);
    return got;
}

/* A plan's runs, one behind the other: the counters of one are zero for the next. */
static void insist_on_bits(const int64_t size[3], const lay_cuda_kernel *row, const lay_cuda_sum *sum, trial_data data,
                           int layout, void *stream, const char *wanted)
{
    trial t = trial_of(size, row->name, data);
    random_source from = random_case(96, (uint64_t)size[0]);
    lay_plan *plan;
    remote x;
    t.options.stream = stream;
    remote_make(&x, &t, layouts[layout], &from);
    assert_int_equal(remote_plan(&x, &plan), LAY_OK);
    lay_branch *const branch = branch_of(plan);
    const lay_launch *const launch = branch->job.data;
    if (launch->slices != sum->slices || launch->slice_k != sum->slice_k)
        assert_true(lay_launch_prepare_by(branch, sum, row, 1));
    assert_true(launch->kernel == row && launch->slices == sum->slices && launch->slice_k == sum->slice_k);
    for (int again = 0; again < RUNS; again++) {
        remote_restore(&x);
        assert_int_equal(run(branch, &x), LAY_OK);
        char *const got = remote_bits(&x);
        if (memcmp(wanted, got, remote_size(&x)) != 0)
            fail_msg("%s, %lldx%lldx%lld, %d slices, layouts %d, run %d: other bits", row->name, (long long)size[0],
                     (long long)size[1], (long long)size[2], sum->slices, layout, again);
        free(got);
    }
    lay_branch_destroy(branch);
    lay_plan_destroy(plan);
    remote_free(&x);
}

/* As many slices; 0: as many as the row that is named would have. */
static lay_cuda_sum cut(const int64_t size[3], const lay_cuda_kernel *row, int slices)
{
    if (!slices)
        return lay_cuda_sum_choose(LAY_F64, size[0], size[1], size[2], the_device(), row->name);
    const int64_t length = round_up(ceil_div(size[2], slices), LAY_CUDA_SLICE_UNIT);
    return (lay_cuda_sum){ .order = row->order,
                           .slices = (int)ceil_div(size[2], length),
                           .slice_k = (int)min_of(length, size[2]) };
}

static void shared_tiles_have_the_bits_of_whole_ones(void **state)
{
    (void)state;
    enum { SIZES = sizeof sizes / sizeof sizes[0], MOST = 4 }; /* slices: of its own, 2, 3 */
    int shared = 0, sliced = 0;
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_STRICT);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
        if (!lay_cuda_is_persistent(row) || row->least_sm > the_device()->sm)
            continue;
        for (int number = 0; number < SIZES * MOST; number++) {
            const int64_t *const size = sizes[number / MOST];
            const int slices = number % MOST;
            const trial_data data = number / MOST % 2 ? TRIAL_SIGNED : TRIAL_INTEGERS;
            const lay_cuda_sum sum = cut(size, row, slices);
            const lay_cuda_shape of = { LAY_F64, size[0], size[1], size[2], sum.slices, sum.slice_k };
            const int is_shared = lay_cuda_shared_tiles(row, &of, the_device()) > 0;
            if (slices == 1 || (slices && !is_shared))
                continue;
            char *const wanted = bits_of_whole_tiles(size, &sum, data);
            shared += is_shared;
            sliced += is_shared && sum.slices > 1;
            for (int layout = 0; layout < LAYOUTS; layout++)
                insist_on_bits(size, row, &sum, data, layout, NULL, wanted);
            insist_on_bits(size, row, &sum, data, 0, cudaStreamPerThread, wanted); /* which keeps no counters */
            free(wanted);
        }
    }
    print_message("# %d products shared tiles, %d of them in slices\n", shared, sliced);
    assert_true(shared > sliced && sliced > 0);
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
