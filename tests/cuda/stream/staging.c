/* What products that pass through a device borrow, with stand-ins for CUDA's calls, so without a GPU: how much lies
 * idle, on which device it ends, and what is left of it when calls fail or the process is forked. */
#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/status.h"
#include "cuda/memory/device.h"
#include "cuda/stream/staging.h"

enum { DEVICES = 2, MIB = 1 << 20 };

/* ---- stand-ins -------------------------------------------------------------------------------- */

static int current, is_forked, are_captures_ignored;
static int fails;          /* calls that make something from now on fail */
static int refuses_memory; /* so many calls for page-locked memory are refused */
static int made, calls;
static int alive[DEVICES];
static size_t locked[DEVICES];

/* Everything that is made: where, and how large it is. */
typedef struct thing {
    int device;
    size_t bytes;
} thing;

static cudaError_t begin_thing(void **to, size_t bytes)
{
    calls++;
    if (fails)
        return cudaErrorUnknown;
    thing *const own = malloc(sizeof *own);
    *own = (thing){ .device = current, .bytes = bytes };
    *to = own;
    made++;
    alive[current]++;
    locked[current] += bytes;
    return cudaSuccess;
}

static cudaError_t end_thing(void *gone)
{
    thing *const own = gone;
    calls++;
    assert_int_equal(own->device, current);
    assert_true(are_captures_ignored);
    alive[own->device]--;
    locked[own->device] -= own->bytes;
    free(own);
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **to, size_t bytes, unsigned flags)
{
    assert_int_equal(flags, cudaHostAllocPortable);
    if (refuses_memory-- > 0)
        return cudaErrorMemoryAllocation;
    return begin_thing(to, bytes);
}

cudaError_t cudaFreeHost(void *block)
{
    return end_thing(block);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *to, unsigned flags)
{
    assert_int_equal(flags, cudaStreamNonBlocking);
    return begin_thing((void **)to, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t gone)
{
    return end_thing(gone);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *to, unsigned flags)
{
    assert_int_equal(flags, cudaEventDisableTiming);
    return begin_thing((void **)to, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t gone)
{
    return end_thing(gone);
}

cudaError_t cudaGetLastError(void)
{
    calls++;
    return cudaSuccess;
}

static int count_devices(const char **reason)
{
    *reason = "forked";
    return is_forked ? 0 : DEVICES;
}

static lay_status enter(int number, void **before)
{
    *before = (void *)(intptr_t)current;
    current = number;
    return LAY_OK;
}

static void leave(void *before)
{
    current = (int)(intptr_t)before;
}

static const lay_device_driver stand_in = { .count = count_devices, .enter = enter, .leave = leave };
const lay_device_driver *lay_devices = &stand_in;

int lay_captures_ignore(void)
{
    return are_captures_ignored++;
}

void lay_captures_heed(int before)
{
    are_captures_ignored = before;
}

lay_status lay_cuda_failed(int error, const char *call)
{
    return lay_fail(error == cudaErrorMemoryAllocation ? LAY_ERR_MEMORY : LAY_ERR_DEVICE, "%s", call);
}

/* ---- products --------------------------------------------------------------------------------- */

/* What one product has while it runs: three buffers of so many bytes each way, and some events. */
static lay_staging *borrow(int device, size_t bytes)
{
    lay_staging *own = NULL;
    void *event;
    current = device;
    assert_int_equal(lay_staging_take(device, &own), LAY_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(lay_staging_fill(own, &own->in_buffer[i], bytes), LAY_OK);
        assert_int_equal(lay_staging_fill(own, &own->out_buffer[i], bytes), LAY_OK);
        assert_int_equal(lay_staging_event(own, &event), LAY_OK);
        assert_true(((thing *)own->in_buffer[i].at)->bytes >= bytes);
        own->in_buffer[i].is_in_use = 1;
    }
    assert_ptr_not_equal(own->in_buffer[0].at, own->in_buffer[1].at);
    assert_int_equal(own->events_in_use, 3);
    return own;
}

static void run(int device, size_t bytes)
{
    lay_staging_give(borrow(device, bytes), 1);
}

static int begin(void **state)
{
    (void)state;
    fails = refuses_memory = is_forked = 0;
    lay_staging_clear();
    made = current = 0;
    return alive[0] || alive[1] || locked[0] || locked[1] ? -1 : 0;
}

/* ---- tests ------------------------------------------------------------------------------------ */

static void the_next_product_finds_all_of_it(void **state)
{
    (void)state;
    run(0, 5 * MIB);
    made = 0;
    run(0, 5 * MIB);
    run(0, 4 * MIB + 1);
    run(0, 1);
    assert_int_equal(made, 0);
    lay_staging *const own = borrow(0, 100);
    for (int i = 0; i < LAY_STAGING_BUFFERS; i++)
        assert_int_equal(own->out_buffer[i].is_in_use, 0);
    lay_staging_give(own, 1);
}

static void small_products_lock_few_pages(void **state)
{
    (void)state;
    run(0, 1 * MIB);
    assert_int_equal(locked[0], 6 * MIB);
    run(0, 1 * MIB);
    assert_int_equal(locked[0], 6 * MIB);
}

static void a_buffer_grows_by_another_block(void **state)
{
    (void)state;
    lay_staging *const own = borrow(0, 1 * MIB);
    void *const small = own->in_buffer[0].at;
    assert_int_equal(lay_staging_fill(own, &own->in_buffer[0], 1 * MIB), LAY_OK);
    assert_ptr_equal(own->in_buffer[0].at, small);
    assert_int_equal(lay_staging_fill(own, &own->in_buffer[0], 3 * MIB), LAY_OK);
    assert_ptr_not_equal(own->in_buffer[0].at, small);
    assert_int_equal(lay_staging_fill(own, &own->in_buffer[3], 1 * MIB), LAY_OK);
    assert_ptr_equal(own->in_buffer[3].at, small); /* idle since */
    lay_staging_give(own, 1);
}

static void as_many_callers_as_have_workspaces_find_theirs(void **state)
{
    lay_staging *own[LAY_STAGING_CALLERS];
    (void)state;
    for (int round = 0; round < 2; round++) {
        made = 0;
        for (int i = 0; i < LAY_STAGING_CALLERS; i++)
            own[i] = borrow(0, 1 * MIB);
        for (int i = 0; i < LAY_STAGING_CALLERS; i++)
            lay_staging_give(own[i], 1);
    }
    assert_int_equal(made, 0);
}

static void idle_page_locked_memory_has_a_limit(void **state)
{
    enum { CALLERS = 9 };
    lay_staging *own[CALLERS];
    (void)state;
    for (int i = 0; i < CALLERS; i++)
        own[i] = borrow(0, LAY_STAGING_BYTES);
    assert_true(locked[0] > LAY_STAGING_IDLE);
    for (int i = 0; i < CALLERS; i++)
        lay_staging_give(own[i], 1);
    assert_int_equal(locked[0], LAY_STAGING_IDLE);
    run(1, LAY_STAGING_BYTES); /* another device's are its own */
    assert_int_equal(locked[0], LAY_STAGING_IDLE);
    assert_int_equal(locked[1], 6 * LAY_STAGING_BYTES);
}

static void it_ends_on_its_own_device(void **state)
{
    (void)state;
    run(0, 1 * MIB);
    run(1, 1 * MIB);
    current = 0;
    lay_staging_clear(); /* end_thing asserts it */
    assert_int_equal(alive[0] + alive[1], 0);
    assert_int_equal(current, 0);
    assert_false(are_captures_ignored);
}

static void nothing_of_a_failed_product_is_used_again(void **state)
{
    (void)state;
    lay_staging_give(borrow(0, 1 * MIB), 0);
    assert_int_equal(alive[0], 0);
    lay_staging_give(NULL, 0);
}

static void what_cannot_be_made_is_no_loss(void **state)
{
    lay_staging *own = NULL;
    (void)state;
    fails = 1;
    assert_int_equal(lay_staging_take(0, &own), LAY_ERR_DEVICE);
    assert_null(own);
    fails = 0;
    own = borrow(0, 1 * MIB);
    fails = 1;
    assert_int_equal(lay_staging_fill(own, &own->in_buffer[0], 2 * MIB), LAY_ERR_DEVICE);
    assert_null(own->in_buffer[0].at);
    fails = 0;
    lay_staging_give(own, 1);
    lay_staging_clear();
    assert_int_equal(alive[0], 0);
}

static void refused_memory_is_had_from_idle_blocks(void **state)
{
    (void)state;
    run(0, 1 * MIB);
    refuses_memory = 1;
    lay_staging *const own = borrow(0, 2 * MIB);
    assert_int_equal(locked[0], 12 * MIB);
    refuses_memory = 1;
    assert_int_equal(lay_staging_fill(own, &own->in_buffer[3], 8 * MIB), LAY_ERR_MEMORY);
    lay_staging_give(own, 1);
}

static void a_forked_child_calls_nothing_of_cuda(void **state)
{
    (void)state;
    run(0, 1 * MIB);
    is_forked = 1;
    calls = 0;
    lay_staging_clear();
    assert_int_equal(calls, 0);
    is_forked = 0;
    memset(alive, 0, sizeof alive); /* they were the parent's */
    memset(locked, 0, sizeof locked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_next_product_finds_all_of_it, begin),
        cmocka_unit_test_setup(small_products_lock_few_pages, begin),
        cmocka_unit_test_setup(a_buffer_grows_by_another_block, begin),
        cmocka_unit_test_setup(as_many_callers_as_have_workspaces_find_theirs, begin),
        cmocka_unit_test_setup(idle_page_locked_memory_has_a_limit, begin),
        cmocka_unit_test_setup(it_ends_on_its_own_device, begin),
        cmocka_unit_test_setup(nothing_of_a_failed_product_is_used_again, begin),
        cmocka_unit_test_setup(what_cannot_be_made_is_no_loss, begin),
        cmocka_unit_test_setup(refused_memory_is_had_from_idle_blocks, begin),
        cmocka_unit_test_setup(a_forked_child_calls_nothing_of_cuda, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
