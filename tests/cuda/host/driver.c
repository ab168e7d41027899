/* The devices themselves: which is current, their memory and what lies there. */
#include "streams_inner.h"

#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../planning/made_up.h"
#include "base/status.h"
#include "cuda/memory/device.h"
#include "cuda/memory/memory.h"

enum { BLOCKS = 256 };

lay_device streams_device[STREAMS_DEVICES] = { MADE_UP_H200, MADE_UP_H200, MADE_UP_H200 };

int lay_captures_ignore(void)
{
    return 0;
}

void lay_captures_heed(int before)
{
    (void)before;
}

typedef struct holding {
    void *at;
    size_t bytes;
    int device;
} holding;
static holding holdings[BLOCKS];
static size_t held[STREAMS_DEVICES];

size_t streams_held(void)
{
    size_t bytes = 0;
    for (int i = 0; i < STREAMS_DEVICES; i++)
        bytes += held[i];
    return bytes;
}

static lay_status take(int device, size_t bytes, void *stream, void **block)
{
    int at = 0;
    (void)stream;
    assert_int_equal(device, streams_current);
    if (streams_fail())
        return lay_cuda_failed(streams_error(), "take");
    while (at < BLOCKS && holdings[at].at)
        at++;
    assert_true(at < BLOCKS);
    holdings[at] = (holding){ malloc(bytes), bytes, device };
    assert_non_null(holdings[at].at);
    memset(holdings[at].at, 0xff, bytes); /* NaN */
    *block = holdings[at].at;
    held[device] += bytes;
    if (held[device] > streams_seen.most[device])
        streams_seen.most[device] = held[device];
    return LAY_OK;
}

void lay_device_give(void *block, void *stream)
{
    if (!block)
        return;
    assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
    for (int i = 0; i < BLOCKS; i++)
        if (holdings[i].at == block) {
            held[holdings[i].device] -= holdings[i].bytes;
            holdings[i].at = NULL;
            free(block);
            return;
        }
    fail_msg("%s", "no such block");
}

lay_status lay_device_fill(void *to, const void *from, size_t bytes, void *stream)
{
    (void)stream;
    memcpy(to, from, bytes);
    return LAY_OK;
}

typedef struct region {
    const char *at;
    size_t bytes;
    lay_place place;
} region;
enum { REGIONS = 8 };
static region regions[REGIONS];
static int region_count;

void streams_place(const void *at, size_t bytes, lay_place place)
{
    assert_true(region_count < REGIONS);
    regions[region_count++] = (region){ at, bytes, place };
}

void streams_forget_places(void)
{
    region_count = 0;
}

static lay_place find_place(const void *address, int *device)
{
    for (int i = 0; i < region_count; i++)
        if ((const char *)address >= regions[i].at && (const char *)address < regions[i].at + regions[i].bytes) {
            if (regions[i].place == LAY_PLACE_DEVICE)
                *device = 0;
            return regions[i].place;
        }
    return LAY_PLACE_HOST;
}

static int are_host(const void *a, const void *b, const void *c)
{
    int device;
    return find_place(a, &device) == LAY_PLACE_HOST && find_place(b, &device) == LAY_PLACE_HOST &&
           find_place(c, &device) == LAY_PLACE_HOST;
}

static int count_devices(const char **reason)
{
    *reason = "";
    return streams_now.is_gone ? 0 : STREAMS_DEVICES;
}

static const lay_device *get(int number, const char **reason)
{
    *reason = "there is no device of that number";
    return number >= 0 && number < STREAMS_DEVICES && !streams_now.is_gone ? &streams_device[number] : NULL;
}

static int find_current(void)
{
    return streams_current;
}

static lay_status enter(int number, void **before)
{
    *before = (void *)(intptr_t)streams_current;
    if (streams_now.is_gone)
        return lay_fail(LAY_ERR_DEVICE, "the process was forked");
    streams_current = number;
    return LAY_OK;
}

static void leave(void *before)
{
    streams_current = (int)(intptr_t)before;
}

static int may_differ(void)
{
    return 1;
}

static int is_capturing(void *stream)
{
    (void)stream;
    return streams_now.is_captured;
}

static unsigned long long stream_id(void *stream)
{
    (void)stream;
    return 1;
}

static const lay_device_driver driver = { .count = count_devices,
                                          .get = get,
                                          .current = find_current,
                                          .enter = enter,
                                          .leave = leave,
                                          .may_differ = may_differ,
                                          .find_place = find_place,
                                          .are_host = are_host,
                                          .take = take,
                                          .stream_id = stream_id,
                                          .is_capturing = is_capturing,
                                          .copy = streams_copy };

void streams_install(void)
{
    for (int i = 0; i < STREAMS_DEVICES; i++)
        streams_device[i].number = i;
    lay_devices = &driver;
}
