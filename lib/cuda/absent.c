/* A build without CUDA: no kernels, no devices, all memory is the host's, and the reason for it. */
#include "base/status.h"
#include "cuda/alloc.h"
#include "cuda/copy.h"
#include "cuda/device.h"
#include "cuda/memory.h"
#include "cuda/place.h"
#include "cuda/staging.h"
#include "cuda/ways.h"

static const char *const why = "this build has no CUDA part";

const lay_device *lay_device_get(int number, const char **reason)
{
    (void)number;
    *reason = why;
    return NULL;
}

int lay_device_count(const char **reason)
{
    *reason = why;
    return 0;
}

int lay_device_current(void)
{
    return 0;
}

lay_status lay_device_enter(int number, int *before)
{
    (void)number, (void)before;
    return lay_fail(LAY_ERR_UNSUPPORTED, "%s", why);
}

void lay_device_leave(int before)
{
    (void)before;
}

lay_status lay_device_take(int device, size_t bytes, void *stream, void **block)
{
    (void)device, (void)bytes, (void)stream, (void)block;
    return lay_fail(LAY_ERR_UNSUPPORTED, "%s", why);
}

void lay_device_retire(int device, void *block, size_t bytes, unsigned long long stream)
{
    (void)device, (void)block, (void)bytes, (void)stream;
}

int lay_stream_is_capturing(void *stream)
{
    (void)stream;
    return 0;
}

unsigned long long lay_stream_id(void *stream)
{
    (void)stream;
    return LAY_NO_STREAM;
}

int lay_place_may_differ(void)
{
    return 0;
}

int lay_place_are_host(const void *a, const void *b, const void *c)
{
    (void)a, (void)b, (void)c;
    return 1;
}

lay_place lay_place_find(const void *address, int *device)
{
    (void)address, (void)device;
    return LAY_PLACE_HOST;
}

void lay_device_sweep(void)
{
}

void lay_staging_clear(void)
{
}

static lay_status take(size_t bytes, void **block)
{
    (void)bytes, (void)block;
    return lay_fail(LAY_ERR_UNSUPPORTED, "no such memory: %s", why);
}

const lay_block_source lay_block_pinned = { .take = take };
const lay_block_source lay_block_device = { .take = take };

lay_status lay_copy_on_device(const lay_copy_job *job, int device, void *stream)
{
    (void)job, (void)device, (void)stream;
    return lay_fail(LAY_ERR_UNSUPPORTED, "%s", why);
}

lay_status lay_copy_across(const lay_crossing *crossing)
{
    (void)crossing;
    return lay_fail(LAY_ERR_UNSUPPORTED, "%s", why);
}

static const char *refuse(const lay_problem *problem, const lay_setting *setting)
{
    (void)problem, (void)setting;
    return why;
}

const lay_order lay_order_device_split = { .name = "split", .backend = LAY_BACKEND_CUDA, .refuse = refuse };
const lay_order lay_order_device_narrow = { .name = "narrow", .backend = LAY_BACKEND_CUDA, .refuse = refuse };
const lay_order lay_order_device = { .name = "cuda", .backend = LAY_BACKEND_CUDA, .refuse = refuse };
const lay_order lay_order_stream = { .name = "stream", .backend = LAY_BACKEND_CUDA, .refuse = refuse };

/* Of orders that refuse everything: never asked. */
static const char *prepare(lay_branch *branch)
{
    (void)branch;
    return why;
}

const lay_way lay_way_launch = { .name = "launch", .order = &lay_order_device, .prepare = prepare };
const lay_way lay_way_device_image = { .name = "image", .order = &lay_order_device, .prepare = prepare };
const lay_way lay_way_device_split = { .name = "in pieces", .order = &lay_order_device_split, .prepare = prepare };
const lay_way lay_way_device_narrow = { .name = "matrix units", .order = &lay_order_device_narrow, .prepare = prepare };
const lay_way lay_way_stream = { .name = "in tiles", .order = &lay_order_stream, .prepare = prepare };
