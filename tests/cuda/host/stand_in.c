/* The stand-in's driver, and what CUDA's rooms in the library would do with a device. */
#include "stand_in.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "../../oracle.h"
#include "../planning/made_up.h"
#include "base/status.h"
#include "changed_kernels.h"
#include "cuda/copy/choose.h"
#include "cuda/image.h"
#include "cuda/launch/kept.h"
#include "cuda/launch/launch.h"
#include "cuda/ways.h"
#include "device/device.h"
#include "device/memory.h"
#include "plan/plan.h"

enum { ROOM = 1 << 22 };

const void *const lay_cuda_copy_lines[4], *const lay_cuda_copy_tiles[4], *const lay_cuda_copy_tiles_by_vectors[4][3];

static char *there; /* its memory */
static size_t taken;
static int depth; /* of what it does */
static const lay_device_driver *nobody;

long stand_in_calls_left = -1;

void stand_in_begin(void)
{
    if (depth++ == 0)
        assert_int_equal(mprotect(there, ROOM, PROT_READ | PROT_WRITE), 0);
}

void stand_in_end(void)
{
    if (--depth == 0)
        assert_int_equal(mprotect(there, ROOM, PROT_NONE), 0);
}

int stand_in_fails(void)
{
    return stand_in_calls_left >= 0 && stand_in_calls_left-- == 0;
}

static int is_there(const void *address)
{
    return (const char *)address >= there && (const char *)address < there + ROOM;
}

static const lay_device *get(int number, const char **reason)
{
    static const lay_device device = MADE_UP_H200;
    *reason = "there is one device";
    return number == 0 ? &device : NULL;
}

static int count_devices(const char **reason)
{
    *reason = "";
    return 1;
}

static int find_current(void)
{
    return 0;
}

static lay_status enter(int number, void **before)
{
    *before = NULL;
    return number == 0 ? LAY_OK : lay_fail(LAY_ERR_DEVICE, "there is one device");
}

static void leave(void *before)
{
    (void)before;
}

static int may_differ(void)
{
    return 1;
}

static lay_place find_place(const void *address, int *device)
{
    if (!is_there(address))
        return LAY_PLACE_HOST;
    *device = 0;
    return LAY_PLACE_DEVICE;
}

static int are_host(const void *a, const void *b, const void *c)
{
    return !is_there(a) && !is_there(b) && !is_there(c);
}

lay_status stand_in_take(int device, size_t bytes, void *stream, void **block)
{
    (void)device, (void)stream;
    if (stand_in_fails())
        return lay_fail(LAY_ERR_MEMORY, "none is left");
    assert_true(taken + bytes < ROOM);
    *block = there + taken;
    taken += (bytes + 255) / 256 * 256;
    return LAY_OK;
}

static void retire(int device, void *block, size_t bytes, unsigned long long stream)
{
    (void)device, (void)bytes, (void)stream;
    assert_true(is_there(block));
}

static unsigned long long stream_id(void *stream)
{
    (void)stream;
    return 1;
}

static int is_capturing(void *stream)
{
    (void)stream;
    return 0;
}

/* Both sides must be its own. */
static lay_status copy(const struct lay_copy_job *job, int device, void *stream)
{
    (void)device, (void)stream;
    if (stand_in_fails())
        return lay_fail(LAY_ERR_DEVICE, "a copy failed");
    assert_true(is_there(job->to) && (!job->reads_from || is_there(job->from)));
    stand_in_begin();
    if (job->is_plain) {
        static lay_copy_job own;
        own = *job;
        lay_copy_on_host(&own, 1, LAY_ISA_C);
    } else {
        const size_t bytes = lay_cuda_copy_count_tables(job);
        int64_t *const tables = oracle_memory(bytes + 1);
        lay_cuda_copy_args args;
        const lay_cuda_copy_form form = lay_cuda_copy_choose(job, tables, tables, &args);
        assert_true(changed_launch(form.function, form.blocks, form.shared, &args));
        free(tables);
    }
    stand_in_end();
    return LAY_OK;
}

static lay_status copy_across(const struct lay_crossing *crossing)
{
    (void)crossing;
    return lay_fail(LAY_ERR_UNSUPPORTED, "no copies to it or from it here");
}

static const lay_device_driver driver = { .count = count_devices,
                                          .get = get,
                                          .current = find_current,
                                          .enter = enter,
                                          .leave = leave,
                                          .may_differ = may_differ,
                                          .find_place = find_place,
                                          .are_host = are_host,
                                          .take = stand_in_take,
                                          .retire = retire,
                                          .stream_id = stream_id,
                                          .is_capturing = is_capturing,
                                          .copy = copy,
                                          .copy_across = copy_across };

lay_status lay_launch_load_function(const void *function, int shared)
{
    assert_int_equal(shared, 0);
    for (int i = 0; i < 4; i++)
        if (function == lay_cuda_changed_lines[i] || function == lay_cuda_changed_lines_by_vectors[i] ||
            function == lay_cuda_changed_tiles[i])
            return LAY_OK;
    return lay_fail(LAY_ERR_DEVICE, "no such function");
}

double lay_cuda_predict_change(const lay_branch *branch, const lay_change *change, const lay_desc *from,
                               const lay_desc *to)
{
    (void)branch, (void)change, (void)from, (void)to;
    return 1e-6;
}

lay_status lay_kept_run(lay_branch *branch, const lay_call *call, lay_kept_put *put, int has_product)
{
    lay_kept own = { .device = 0 };
    void *partial = NULL;
    lay_status status = branch->way->load(branch);
    if (status == LAY_OK && has_product)
        status = stand_in_take(0, branch->job.needs.partial, NULL, &partial);
    return status ? status : put(branch, &own, call, partial);
}

lay_status lay_kept_reserve(lay_branch *branch)
{
    (void)branch;
    return LAY_OK;
}

void lay_kept_release(lay_branch *branch)
{
    (void)branch;
}

void stand_in_clear(void)
{
    taken = 0;
}

void stand_in_hide(void)
{
    lay_devices = nobody;
}

void stand_in_show(void)
{
    lay_devices = &driver;
}

int stand_in_make(void)
{
    there = mmap(NULL, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    nobody = lay_devices;
    stand_in_show();
    return there == MAP_FAILED;
}

int stand_in_drop(void)
{
    stand_in_hide();
    return munmap(there, ROOM);
}
