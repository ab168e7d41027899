/* CUDA's devices, as the rest of the library knows them. */
#include "cuda/memory/promises.h"

#include "cuda/memory/memory.h"
#include "cuda/stream/staging.h"

static void clear(void)
{
    lay_staging_clear();
    lay_device_sweep();
}

const lay_device_driver lay_cuda_devices = { .count = lay_cuda_count,
                                             .get = lay_cuda_get,
                                             .current = lay_cuda_current,
                                             .enter = lay_cuda_enter,
                                             .leave = lay_cuda_leave,
                                             .may_differ = lay_cuda_may_differ,
                                             .find_place = lay_cuda_find_place,
                                             .are_host = lay_cuda_are_host,
                                             .may_read = lay_cuda_may_read,
                                             .pinned = &lay_cuda_pinned,
                                             .device = &lay_cuda_block,
                                             .take = lay_cuda_take,
                                             .retire = lay_cuda_retire,
                                             .clear = clear,
                                             .stream_id = lay_cuda_stream_id,
                                             .is_capturing = lay_cuda_is_capturing,
                                             .copy = lay_cuda_copy,
                                             .copy_across = lay_cuda_copy_across,
                                             .reach = lay_cuda_reach,
                                             .open_stream = lay_cuda_open_stream,
                                             .close_stream = lay_cuda_close_stream,
                                             .open_event = lay_cuda_open_event,
                                             .close_event = lay_cuda_close_event,
                                             .record = lay_cuda_record,
                                             .await = lay_cuda_await,
                                             .is_done = lay_cuda_is_done,
                                             .join = lay_cuda_join,
                                             .copy_lines = lay_cuda_move_lines };
