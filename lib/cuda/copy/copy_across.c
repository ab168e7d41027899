/* Copies between host and device: box by box through page-locked buffers. A box's image is dense, and ordered as the
 * host's side, so that CPU threads move lines and the device, which has the memory for it, does the rest:
 *
 *     host, any layout  <- lines ->  image, page-locked  <- link ->  image, device  <- tiles ->  device, any layout
 *
 * Either image is left out where that side of the box is one line itself. All of the device's part goes into the
 * caller's stream; buffers go round, so that threads and link work at once. */

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "base/arith.h"
#include "base/status.h"
#include "cuda/memory/device.h"
#include "cuda/memory/memory.h"
#include "cuda/memory/promises.h"
#include "cuda/stream/staging.h"
#include "layout/desc.h"
#include "storage/copy.h"

/* One box of the index space. */
typedef struct box {
    int64_t first[LAY_MAX_NODES], count[LAY_MAX_NODES]; /* by root dimension */
    lay_desc *host, *device, *image;
} box;

/* A box that has been put on its way to the host, to be taken out of its buffer when it has arrived. */
typedef struct arrival {
    lay_copy_job job;
    lay_staging_buffer *buffer;
    box of;
} arrival;

typedef struct state {
    const lay_crossing *crossing;
    const lay_desc *host, *device;
    int rank;
    int order[LAY_MAX_NODES]; /* root dimensions, the one whose indices lie next to each other in the host first */
    lay_change plain;         /* of the crossing's type */
    int64_t size;
    lay_staging *staging;
    void *block;      /* the image on the device */
    arrival *waiting; /* a ring of LAY_STAGING_BUFFERS, each with the buffer of its number */
    int first_waiting, waitings;
    int next_in;     /* buffer */
    int has_written; /* elements of the destination, or a copy that will */
} state;

static int64_t step_of(const lay_node *map)
{
    const int64_t step = map->extent < 2 ? INT64_MAX : lay_map_offset(map, 1) - lay_map_offset(map, 0);
    return step < 0 ? -step : step;
}

static void sort_dimensions(state *of)
{
    for (int i = 0; i < of->rank; i++) {
        int at = i;
        for (; at > 0 && step_of(lay_desc_map(of->host, i)) < step_of(lay_desc_map(of->host, of->order[at - 1])); at--)
            of->order[at] = of->order[at - 1];
        of->order[at] = i;
    }
}

/* A box's descriptor of one side. */
static lay_status cut(const lay_desc *desc, int rank, const box *of, lay_desc **out)
{
    lay_desc *cut = NULL;
    for (int i = 0; i < rank; i++) {
        lay_desc *next = NULL;
        if (cut && of->count[i] == lay_desc_map(desc, i)->extent)
            continue;
        const lay_status status = lay_desc_slice(cut ? cut : desc, i, of->first[i], of->count[i], &next);
        lay_desc_destroy(cut);
        if (status != LAY_OK)
            return status;
        cut = next;
    }
    *out = cut;
    return LAY_OK;
}

static void drop(box *of)
{
    lay_desc_destroy(of->host);
    lay_desc_destroy(of->device);
    lay_desc_destroy(of->image);
    of->host = of->device = of->image = NULL;
}

static lay_status describe(const state *of, box *made)
{
    int64_t stride[LAY_MAX_NODES], elements = 1;
    for (int x = 0; x < of->rank; x++) {
        stride[of->order[x]] = elements;
        elements *= made->count[of->order[x]];
    }
    lay_status status;
    if ((status = cut(of->host, of->rank, made, &made->host)) ||
        (status = cut(of->device, of->rank, made, &made->device)))
        return status;
    return lay_desc_strided(of->rank, made->count, stride, &made->image);
}

static lay_status check(cudaError_t error, const char *call)
{
    return error == cudaSuccess ? LAY_OK : lay_cuda_failed(error, call);
}

static lay_status move(const state *of, void *to, const void *from, int64_t elements)
{
    return check(cudaMemcpyAsync(to, from, (size_t)(elements * of->size), cudaMemcpyDefault, of->crossing->stream),
                 "cudaMemcpyAsync");
}

/* Whether a box is one line in both layouts, wherever it lies. */
static int is_line(const state *of, const lay_desc *x, const lay_desc *y)
{
    lay_copy_job job;
    lay_copy_prepare(&of->plain, x, of->crossing->src, y, of->crossing->dst, &job);
    return job.line == job.elements;
}

static lay_status mark(const state *of, lay_staging_buffer *buffer)
{
    buffer->is_in_use = 1;
    return check(cudaEventRecord(buffer->done, of->crossing->stream), "cudaEventRecord");
}

static lay_status await(lay_staging_buffer *buffer)
{
    const int is_in_use = buffer->is_in_use;
    buffer->is_in_use = 0;
    return is_in_use ? check(cudaEventSynchronize(buffer->done), "cudaEventSynchronize") : LAY_OK;
}

/* Room for the image of a box on the device. */
static lay_status find_block(state *of)
{
    return of->block ? LAY_OK
                     : lay_device_take(of->crossing->device, LAY_STAGING_BYTES, of->crossing->stream, &of->block);
}

/* Of a copy to the destination. */
static lay_status note_written(state *of, lay_status status)
{
    of->has_written |= status == LAY_OK;
    return status;
}

/* To the device's side of a box from its image in host memory. */
static lay_status place(state *of, const box *made, const void *image)
{
    const lay_crossing *way = of->crossing;
    lay_copy_job job;
    lay_status status;
    if (is_line(of, made->image, made->device)) {
        lay_copy_prepare(&of->plain, made->image, image, made->device, way->dst, &job);
        return note_written(of, move(of, job.to, job.from, job.elements));
    }
    if ((status = find_block(of)))
        return status;
    lay_copy_prepare(&of->plain, made->image, of->block, made->device, way->dst, &job);
    if ((status = move(of, of->block, image, job.elements)))
        return status;
    return note_written(of, lay_copy_on_device(&job, way->device, way->stream));
}

/* From the device's side of a box to its image in host memory. */
static lay_status gather(state *of, const box *made, void *image)
{
    const lay_crossing *way = of->crossing;
    lay_copy_job job;
    lay_status status;
    if (is_line(of, made->device, made->image)) {
        lay_copy_prepare(&of->plain, made->device, way->src, made->image, image, &job);
        return move(of, job.to, job.from, job.elements);
    }
    if ((status = find_block(of)))
        return status;
    lay_copy_prepare(&of->plain, made->device, way->src, made->image, of->block, &job);
    if ((status = lay_copy_on_device(&job, way->device, way->stream)))
        return status;
    return move(of, image, of->block, job.elements);
}

static size_t count_bytes(const state *of, const box *made)
{
    int64_t elements = 1;
    for (int i = 0; i < of->rank; i++)
        elements *= made->count[i];
    return (size_t)(elements * of->size);
}

/* Where the image of a box is its side in page-locked host memory itself; else NULL. */
static void *find_image(const state *of, const box *made)
{
    if (!of->crossing->is_pinned || !is_line(of, made->host, made->image))
        return NULL;
    const void *zero = of->crossing->is_to_host ? of->crossing->dst : of->crossing->src;
    return (char *)(uintptr_t)zero + lay_desc_offset(made->host, 1, &(int64_t){ 0 }) * of->size;
}

static lay_status send_in(state *of, const box *made)
{
    lay_copy_job packing;
    lay_status status;
    const void *image = find_image(of, made);
    if (image)
        return place(of, made, image);
    lay_staging_buffer *buffer = &of->staging->in_buffer[of->next_in];
    of->next_in = (of->next_in + 1) % LAY_STAGING_BUFFERS;
    if ((status = await(buffer)) || (status = lay_staging_fill(of->staging, buffer, count_bytes(of, made))))
        return status;
    lay_copy_prepare(&of->plain, made->host, of->crossing->src, made->image, buffer->at, &packing);
    lay_copy_on_host(&packing, of->crossing->threads, of->crossing->isa);
    status = place(of, made, buffer->at);
    return status ? status : mark(of, buffer);
}

/* Takes the oldest box out of its buffer. */
static lay_status empty_oldest(state *of)
{
    arrival *oldest = &of->waiting[of->first_waiting];
    const lay_status status = note_written(of, await(oldest->buffer));
    if (status == LAY_OK)
        lay_copy_on_host(&oldest->job, of->crossing->threads, of->crossing->isa);
    drop(&oldest->of);
    of->first_waiting = (of->first_waiting + 1) % LAY_STAGING_BUFFERS;
    of->waitings--;
    return status;
}

/* made's descriptors become the arrival's. */
static lay_status send_out(state *of, box *made)
{
    lay_status status;
    void *image = find_image(of, made);
    if (image)
        return note_written(of, gather(of, made, image));
    if (of->waitings == LAY_STAGING_BUFFERS && (status = empty_oldest(of)))
        return status;
    const int slot = (of->first_waiting + of->waitings) % LAY_STAGING_BUFFERS;
    lay_staging_buffer *buffer = &of->staging->out_buffer[slot];
    if ((status = lay_staging_fill(of->staging, buffer, count_bytes(of, made))) ||
        (status = gather(of, made, buffer->at)) || (status = mark(of, buffer)))
        return status;
    arrival *own = &of->waiting[slot];
    lay_copy_prepare(&of->plain, made->image, buffer->at, made->host, of->crossing->dst, &own->job);
    own->buffer = buffer;
    own->of = *made;
    made->host = made->device = made->image = NULL;
    of->waitings++;
    return LAY_OK;
}

/* The box after this one; 0 behind the last. */
static int go_on(const state *of, const int64_t whole[], box *at)
{
    for (int x = 0; x < of->rank; x++) {
        const int i = of->order[x];
        const int64_t extent = lay_desc_map(of->host, i)->extent;
        at->first[i] += whole[i];
        at->count[i] = min_of(whole[i], extent - at->first[i]);
        if (at->first[i] < extent)
            return 1;
        at->first[i] = 0;
        at->count[i] = whole[i];
    }
    return 0;
}

static lay_status send_all(state *of)
{
    box at = { .host = NULL };
    int64_t whole[LAY_MAX_NODES], room = LAY_STAGING_BYTES / of->size;
    for (int x = 0; x < of->rank; x++) {
        const int i = of->order[x];
        at.first[i] = 0;
        at.count[i] = whole[i] = min_of(lay_desc_map(of->host, i)->extent, room);
        room /= whole[i];
    }
    do {
        box made = at;
        lay_status status = describe(of, &made);
        if (status == LAY_OK)
            status = of->crossing->is_to_host ? send_out(of, &made) : send_in(of, &made);
        drop(&made);
        if (status != LAY_OK)
            return status;
    } while (go_on(of, whole, &at));
    return LAY_OK;
}

lay_status lay_cuda_copy_across(const lay_crossing *crossing)
{
    void *before;
    arrival waiting[LAY_STAGING_BUFFERS];
    state of = { .crossing = crossing,
                 .host = crossing->is_to_host ? crossing->to : crossing->from,
                 .device = crossing->is_to_host ? crossing->from : crossing->to,
                 .rank = lay_desc_rank(crossing->from),
                 .plain = lay_change_none(crossing->type),
                 .size = lay_size_of(crossing->type),
                 .waiting = waiting };
    lay_status status = lay_device_enter(crossing->device, &before);
    if (status != LAY_OK)
        return status;
    if (lay_stream_is_capturing(crossing->stream)) {
        lay_device_leave(before);
        return lay_fail(LAY_ERR_UNSUPPORTED, "a copy from or to host memory waits for its end, and the stream is being "
                                             "captured");
    }
    const int heeded = lay_captures_ignore();
    sort_dimensions(&of);
    if ((status = lay_staging_take(crossing->device, &of.staging)) == LAY_OK)
        status = send_all(&of);
    while (of.waitings > 0 && status == LAY_OK)
        status = empty_oldest(&of);
    for (; of.waitings > 0; of.waitings--, of.first_waiting++)
        drop(&waiting[of.first_waiting % LAY_STAGING_BUFFERS].of);
    lay_device_give(of.block, crossing->stream);
    const lay_status ended = check(cudaStreamSynchronize(crossing->stream), "cudaStreamSynchronize");
    status = status ? status : ended;
    lay_staging_give(of.staging, status == LAY_OK);
    lay_captures_heed(heeded);
    lay_device_leave(before);
    return status != LAY_OK && of.has_written ? lay_fail_spoilt_copy(status) : status;
}
