/* What branches keep on a device between stand-ins for CUDA's calls: whose workspace a run gets when a stream's handle
 * comes back for another stream, and what happens where memory runs out then. */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/status.h"
#include "cuda/launch/kept.h"
#include "cuda/launch/offsets.h"
#include "cuda/memory/device.h"
#include "cuda/memory/memory.h"
#include "plan/plan.h"

/* ---- stand-ins -------------------------------------------------------------------------------- */

enum { BLOCKS = 16, TABLES = 256, COUNTERS = 64, PARTIAL = 512, BYTES = TABLES + COUNTERS + PARTIAL };

static struct {
    char at[BYTES];
    int is_taken;
    unsigned long long retired; /* in the stream of that number; 0: not yet */
} blocks[BLOCKS];

static unsigned long long now = 1; /* the number of the one handle's stream */
static int takes_left = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static lay_status take(int device, size_t bytes, void *stream, void **block)
{
    lay_status status = LAY_ERR_MEMORY;
    (void)device, (void)stream;
    assert_int_equal(bytes, BYTES);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BLOCKS && takes_left != 0 && status != LAY_OK; i++)
        if (!blocks[i].is_taken) {
            blocks[i].is_taken = 1;
            memset(blocks[i].at, 0xff, BYTES);
            *block = blocks[i].at;
            status = LAY_OK;
        }
    takes_left -= takes_left > 0;
    pthread_mutex_unlock(&lock);
    return status ? lay_fail(status, "none is left") : LAY_OK;
}

static void retire(int device, void *block, size_t bytes, unsigned long long stream)
{
    (void)device;
    if (!block)
        return;
    const size_t i = (size_t)((char *)block - blocks[0].at) / sizeof blocks[0];
    assert_int_equal(bytes, BYTES);
    pthread_mutex_lock(&lock);
    assert_true(blocks[i].is_taken && !blocks[i].retired);
    blocks[i].retired = stream;
    pthread_mutex_unlock(&lock);
}

static unsigned long long stream_id(void *stream)
{
    (void)stream;
    return now;
}

static int captures;

static int is_capturing(void *stream)
{
    (void)stream;
    return captures;
}

static lay_status enter(int number, void **before)
{
    (void)number;
    *before = NULL;
    return LAY_OK;
}

static void leave(void *before)
{
    (void)before;
}

static const lay_device_driver driver = {
    .enter = enter, .leave = leave, .take = take, .retire = retire, .stream_id = stream_id, .is_capturing = is_capturing
};

int lay_captures_ignore(void)
{
    return 0;
}

void lay_captures_heed(int before)
{
    (void)before;
}

lay_status lay_cuda_failed(int error, const char *call)
{
    return lay_fail(LAY_ERR_DEVICE, "%s: %d", call, error);
}

void lay_device_give(void *block, void *stream)
{
    (void)block, (void)stream;
    fail();
}

static int fills_left = -1;

lay_status lay_device_fill(void *to, const void *from, size_t bytes, void *stream)
{
    (void)stream;
    if (fills_left == 0)
        return lay_fail(LAY_ERR_DEVICE, "a copy failed");
    memcpy(to, from, bytes);
    return LAY_OK;
}

cudaError_t cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    memset(at, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

void lay_offsets_fill(const lay_problem *problem, lay_cuda_args *args, const void *tables, void *host)
{
    (void)problem, (void)args, (void)tables;
    memset(host, 7, TABLES);
}

/* ---- tests ------------------------------------------------------------------------------------ */

static lay_status load(const lay_branch *branch)
{
    (void)branch;
    return LAY_OK;
}

static const lay_way way = { .name = "kept", .load = load };
static lay_plan plan;
static lay_options options;
static lay_branch branch;

/* The block of a run that went well. */
static _Thread_local char *used;

static lay_status put(const lay_branch *of, lay_kept *own, const lay_call *call, void *partial)
{
    (void)call;
    assert_ptr_equal(of, &branch);
    assert_ptr_equal(own->counters, own->block + TABLES);
    assert_ptr_equal(partial, own->block + TABLES + COUNTERS);
    assert_int_equal(own->block[0], 7);
    assert_int_equal(own->counters[0], 0);
    memset(partial, 1, PARTIAL);
    used = own->block;
    return LAY_OK;
}

static lay_status run(void)
{
    const lay_call call = { .c = blocks };
    used = NULL;
    return lay_kept_run(&branch, &call, put, 1);
}

/* Of a run that may lack them. */
static void *given;

static lay_status put_either_way(const lay_branch *of, lay_kept *own, const lay_call *call, void *partial)
{
    (void)of, (void)own, (void)call;
    given = partial;
    return LAY_OK;
}

static lay_status run_either_way(void)
{
    const lay_call call = { .c = blocks };
    return lay_kept_run(&branch, &call, put_either_way, 1);
}

static int begin(void **state)
{
    (void)state;
    memset(blocks, 0, sizeof blocks);
    memset(&branch, 0, sizeof branch);
    plan.is_remembered = 1;
    branch.way = &way;
    branch.setting.plan = &plan;
    branch.setting.options = &options;
    branch.job.needs = (lay_needs){ .tables = TABLES, .counters = COUNTERS, .partial = PARTIAL };
    options.stream = NULL;
    now = 1;
    captures = 0;
    takes_left = fills_left = -1;
    return 0;
}

static int end(void **state)
{
    (void)state;
    lay_kept_release(&branch);
    for (int i = 0; i < BLOCKS; i++)
        assert_int_equal(blocks[i].is_taken, blocks[i].retired != 0);
    return 0;
}

static void runs_of_a_stream_share_a_workspace(void **state)
{
    (void)state;
    assert_int_equal(run(), LAY_OK);
    char *const first = used;
    assert_int_equal(run(), LAY_OK);
    assert_ptr_equal(used, first);
    assert_int_equal(blocks[0].retired, 0);
}

static void a_new_stream_with_an_old_handle_has_a_workspace_of_its_own(void **state)
{
    (void)state;
    assert_int_equal(run(), LAY_OK);
    char *const first = used;
    now = 2;
    assert_int_equal(run(), LAY_OK);
    assert_ptr_not_equal(used, first);
    assert_int_equal(blocks[0].retired, 1); /* in the stream that used it */
    char *const second = used;
    assert_int_equal(run(), LAY_OK);
    assert_ptr_equal(used, second);
}

/* Whose stream must live as long as it. */
static void a_plan_of_the_callers_keeps_its_workspace(void **state)
{
    (void)state;
    plan.is_remembered = 0;
    assert_int_equal(run(), LAY_OK);
    char *const first = used;
    now = 2;
    assert_int_equal(run(), LAY_OK);
    assert_ptr_equal(used, first);
}

static void where_memory_runs_out_then_the_next_run_asks_again(void **state)
{
    (void)state;
    for (int fails_late = 0; fails_late < 2; fails_late++) {
        assert_int_equal(run(), LAY_OK);
        now++;
        *(fails_late ? &fills_left : &takes_left) = 0;
        assert_int_equal(run(), fails_late ? LAY_ERR_DEVICE : LAY_ERR_MEMORY);
        assert_null(used);
        takes_left = fills_left = -1;
        assert_int_equal(run(), LAY_OK);
        assert_non_null(used);
    }
}

/* A graph may live longer than what a remembered plan keeps; threads' streams have no order. */
static void a_run_that_may_lack_a_workspace_goes_without_one_that_is_not_its_own(void **state)
{
    (void)state;
    branch.job.needs = (lay_needs){ 0, TABLES + COUNTERS, PARTIAL, 1 };
    assert_int_equal(run_either_way(), LAY_OK);
    assert_non_null(given);
    captures = 1;
    assert_int_equal(run_either_way(), LAY_OK);
    assert_null(given);
    plan.is_remembered = 0; /* the caller's is there as long as the graph is */
    assert_int_equal(run_either_way(), LAY_OK);
    assert_non_null(given);
    plan.is_remembered = 1;
    branch.job.needs.may_lack = 0;
    assert_int_equal(run_either_way(), LAY_ERR_UNSUPPORTED);
    branch.job.needs = (lay_needs){ TABLES, COUNTERS, PARTIAL, 1 };
    assert_int_equal(run_either_way(), LAY_ERR_UNSUPPORTED); /* for the sake of its tables */
    captures = 0;
    options.stream = cudaStreamPerThread;
    assert_int_equal(run_either_way(), LAY_OK);
    assert_null(given);
    assert_int_equal(lay_kept_reserve(&branch), LAY_OK);
}

static void *run_in_thread(void *out)
{
    char **const own = out;
    *own = run() == LAY_OK ? used : NULL;
    return NULL;
}

static void threads_of_a_new_stream_share_what_one_of_them_takes(void **state)
{
    enum { THREADS = 4, ROUNDS = 50 };
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t thread[THREADS];
        char *own[THREADS];
        now++;
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, run_in_thread, &own[i]), 0);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_join(thread[i], NULL), 0);
        for (int i = 0; i < THREADS; i++) {
            assert_non_null(own[i]);
            assert_ptr_equal(own[i], own[0]);
        }
        for (int i = 0; i < BLOCKS; i++) /* what was retired may be taken again */
            if (blocks[i].retired)
                blocks[i].is_taken = 0, blocks[i].retired = 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(runs_of_a_stream_share_a_workspace, begin, end),
        cmocka_unit_test_setup_teardown(a_new_stream_with_an_old_handle_has_a_workspace_of_its_own, begin, end),
        cmocka_unit_test_setup_teardown(a_plan_of_the_callers_keeps_its_workspace, begin, end),
        cmocka_unit_test_setup_teardown(where_memory_runs_out_then_the_next_run_asks_again, begin, end),
        cmocka_unit_test_setup_teardown(a_run_that_may_lack_a_workspace_goes_without_one_that_is_not_its_own, begin,
                                        end),
        cmocka_unit_test_setup_teardown(threads_of_a_new_stream_share_what_one_of_them_takes, begin, end),
    };
    lay_devices = &driver;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
