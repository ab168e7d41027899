/* Streams and events of the library's own, and what passes between devices: for teams of them (lib/team). There is a
 * device by each number given. */
#ifndef LAY_DEVICE_LINK_H
#define LAY_DEVICE_LINK_H

#include "device/driver.h"

/* From now on device may read and write other's memory that cudaMalloc gave. LAY_ERR_UNSUPPORTED where it cannot,
 * LAY_ERR_DEVICE. */
static inline lay_status lay_device_reach(int device, int other)
{
    return lay_devices->reach(device, other);
}

/* Whether device, having reached the one whose memory lies at address, may read there: what cudaMalloc gave it may; a
 * pool's memory and mappings are given to each device by who made them. 1 where nothing says otherwise. */
static inline int lay_device_may_read(int device, const void *address)
{
    return lay_devices->may_read(device, address);
}

/* A stream that waits for no other. LAY_ERR_DEVICE. NULL is fine to close. */
static inline lay_status lay_stream_open(int device, void **stream)
{
    return lay_devices->open_stream(device, stream);
}

static inline void lay_stream_close(int device, void *stream)
{
    lay_devices->close_stream(device, stream);
}

static inline lay_status lay_event_open(int device, void **event)
{
    return lay_devices->open_event(device, event);
}

static inline void lay_event_close(int device, void *event)
{
    lay_devices->close_event(device, event);
}

/* The event stands behind what the stream, NULL the default one, has been given. */
static inline lay_status lay_event_record(int device, void *event, void *stream)
{
    return lay_devices->record(device, event, stream);
}

/* What the stream is given from now on waits for the event, another device's too; not for one never recorded. */
static inline lay_status lay_stream_await(int device, void *stream, void *event)
{
    return lay_devices->await(device, stream, event);
}

/* Whether the event has been reached, without waiting; after an error, too, and if it was never recorded.
 * LAY_ERR_DEVICE. */
static inline lay_status lay_event_is_done(int device, void *event, int *is_done)
{
    return lay_devices->is_done(device, event, is_done);
}

/* Waits until the stream has done what it was given, and says what failed of it. */
static inline lay_status lay_stream_join(int device, void *stream)
{
    return lay_devices->join(device, stream);
}

/* By a copy engine, in a stream of the device that gets them, not the default one; of the one that has them where they
 * go to host memory. */
static inline lay_status lay_copy_lines(const lay_lines *lines, void *stream)
{
    return lay_devices->copy_lines(lines, stream);
}

#endif
