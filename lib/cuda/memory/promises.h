/* What CUDA's devices do of what lib/device promises (device/driver.h has the whole), each function as the one of its
 * name there. */
#ifndef LAY_CUDA_PROMISES_H
#define LAY_CUDA_PROMISES_H

#include "device/driver.h"

extern const lay_device_driver lay_cuda_devices;

/* device.c */
int lay_cuda_count(const char **reason);
const lay_device *lay_cuda_get(int number, const char **reason);
int lay_cuda_current(void);
lay_status lay_cuda_enter(int number, void **before);
void lay_cuda_leave(void *before);

/* place.c */
int lay_cuda_may_differ(void);
lay_place lay_cuda_find_place(const void *address, int *device);
int lay_cuda_are_host(const void *a, const void *b, const void *c);
int lay_cuda_may_read(int device, const void *address);

/* alloc.c */
extern const lay_block_source lay_cuda_pinned, lay_cuda_block;

/* memory.c */
lay_status lay_cuda_take(int device, size_t bytes, void *stream, void **block);
void lay_cuda_retire(int device, void *block, size_t bytes, unsigned long long stream);
unsigned long long lay_cuda_stream_id(void *stream);
int lay_cuda_is_capturing(void *stream);

/* copy.c, copy_across.c */
lay_status lay_cuda_copy(const struct lay_copy_job *job, int device, void *stream);
lay_status lay_cuda_copy_across(const struct lay_crossing *crossing);

/* link.c */
lay_status lay_cuda_reach(int device, int other);
lay_status lay_cuda_open_stream(int device, void **stream);
void lay_cuda_close_stream(int device, void *stream);
lay_status lay_cuda_open_event(int device, void **event);
void lay_cuda_close_event(int device, void *event);
lay_status lay_cuda_record(int device, void *event, void *stream);
lay_status lay_cuda_await(int device, void *stream, void *event);
lay_status lay_cuda_is_done(int device, void *event, int *is_done);
lay_status lay_cuda_join(int device, void *stream);
lay_status lay_cuda_move_lines(const lay_lines *of, void *stream);

#endif
