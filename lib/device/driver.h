/* What makes devices usable: an interface that one kind of devices (CUDA's, lib/cuda/memory/promises.c) implements, or
 * none (lib/device/none.c). Each function is what the one of its name promises in device/device.h, device/place.h,
 * device/memory.h, device/link.h and storage/copy.h; rooms below those of a kind know no other way to it. */
#ifndef LAY_DEVICE_DRIVER_H
#define LAY_DEVICE_DRIVER_H

#include <stddef.h>

#include "layoutgemm.h"

typedef enum lay_place {
    LAY_PLACE_HOST,   /* pageable: the CPU's alone */
    LAY_PLACE_PINNED, /* page-locked host memory */
    LAY_PLACE_DEVICE  /* a device's memory, or managed memory */
} lay_place;

typedef struct lay_device {
    int number;
    char name[64];
    int sm; /* 90 for compute capability 9.0 */
    int multiprocessors;
    size_t shared_per_block; /* bytes, the most that a kernel may ask for */
    size_t shared_per_sm;
    size_t l2;               /* bytes */
    size_t memory;           /* bytes */
    double ghz;              /* nominal */
    double bytes_per_second; /* device memory, nominal */
    double link_per_second;  /* bytes between host and device, one way, as predicted */
} lay_device;

/* How blocks of one kind of memory are had and given back. */
typedef struct lay_block_source {
    lay_status (*take)(size_t bytes, void **block); /* aligned to 64 bytes at least */
    void (*give)(void *block);
} lay_block_source;

struct lay_copy_job; /* storage/copy.h */
struct lay_crossing;
struct lay_problem; /* plan/problem.h */

/* Lines of memory from one device to another, to itself, or from or to page-locked host memory (LAY_DEVICE_HOST): depth
 * slices of height lines of width bytes. From line to line, LAY_MOST_LINE at most, and from slice to slice, bytes: a
 * slice is some of the lines' steps, at least height of them. */
#define LAY_MOST_LINE INT32_MAX /* cudaDevAttrMaxPitch, of all devices */
typedef struct lay_lines {
    const void *from;
    void *to;
    int from_device, to_device;
    size_t width, height, depth;
    size_t from_line, to_line, from_slice, to_slice;
} lay_lines;

typedef struct lay_device_driver {
    int (*count)(const char **reason);
    const lay_device *(*get)(int number, const char **reason);
    int (*current)(void);
    lay_status (*enter)(int number, void **before);
    void (*leave)(void *before);

    int (*may_differ)(void);
    lay_place (*find_place)(const void *address, int *device);
    int (*are_host)(const void *a, const void *b, const void *c); /* NULL: always, and no call shows */
    int (*may_read)(int device, const void *address);

    const lay_block_source *pinned, *device; /* page-locked host memory; memory of the current device.
                                              * LAY_ERR_UNSUPPORTED, with the reason, where there is no device */
    lay_status (*take)(int device, size_t bytes, void *stream, void **block);
    void (*retire)(int device, void *block, size_t bytes, unsigned long long stream);
    void (*clear)(void);
    unsigned long long (*stream_id)(void *stream);
    int (*is_capturing)(void *stream);

    lay_status (*copy)(const struct lay_copy_job *job, int device, void *stream);
    lay_status (*copy_across)(const struct lay_crossing *crossing);

    lay_status (*reach)(int device, int other);
    lay_status (*open_stream)(int device, void **stream);
    void (*close_stream)(int device, void *stream);
    lay_status (*open_event)(int device, void **event);
    void (*close_event)(int device, void *event);
    lay_status (*record)(int device, void *event, void *stream);
    lay_status (*await)(int device, void *stream, void *event);
    lay_status (*is_done)(int device, void *event, int *is_done);
    lay_status (*join)(int device, void *stream);
    lay_status (*copy_lines)(const lay_lines *lines, void *stream);
} lay_device_driver;

/* The build's: CUDA's from the start of the process, where the build has it. */
extern const lay_device_driver *lay_devices;

#endif
