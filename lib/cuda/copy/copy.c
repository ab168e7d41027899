/* A copy's job for the device's kernels: lines or tiles, words, blocks (kernels/cuda_copy.h). */

#include <assert.h>
#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/status.h"
#include "cuda/launch/put.h"
#include "cuda/memory/device.h"
#include "cuda/memory/memory.h"
#include "cuda/memory/promises.h"
#include "cuda_copy.h"
#include "storage/copy.h"

enum { SHORT_LINE = 32 }; /* bytes from which lines fill sectors of memory by themselves */

/* What is launched. */
typedef struct form {
    const void *function;
    int64_t blocks;
    int threads, shared; /* of a block; bytes */
} form;

/* Bytes of the tables of axes that have maps, for both sides. */
static size_t count_tables(const lay_copy_axes *axes)
{
    size_t bytes = 0;
    for (int i = 0; i < axes->count; i++)
        if (axes->axis[i].from_map)
            bytes += 2 * (size_t)axes->axis[i].extent * sizeof(int64_t);
    return bytes;
}

/* Appends a list's axes, of elements in so many parts; tables are filled at host, and lie at device later. Returns how
 * many. */
static int append_axes(const lay_copy_axes *axes, int parts, lay_cuda_copy_axis *out, int64_t **host,
                       const int64_t **device)
{
    int count = 0;
    for (int i = 0; i < axes->count; i++) {
        const lay_copy_axis *axis = &axes->axis[i];
        lay_cuda_copy_axis made = { .extent = axis->extent,
                                    .from.stride = axis->from * parts,
                                    .to.stride = axis->to * parts };
        if (axis->from_map) {
            lay_map_offsets(axis->from_map, 0, axis->extent, *host);
            lay_map_offsets(axis->to_map, 0, axis->extent, *host + axis->extent);
            for (int64_t j = 0; parts > 1 && j < 2 * axis->extent; j++)
                (*host)[j] *= parts;
            made.from.table = *device;
            made.to.table = *device + axis->extent;
            *host += 2 * axis->extent;
            *device += 2 * axis->extent;
        }
        if (axis->extent > 1 || axis->from_map)
            out[count++] = made;
    }
    return count;
}

/* The most bytes, from an element's on, to which both addresses and all strides are aligned. */
static int find_alignment(const lay_copy_job *job, const lay_cuda_copy_args *args)
{
    uintptr_t all = (uintptr_t)job->from | (uintptr_t)job->to | 16;
    for (int i = 0; i < args->columns + args->rows + args->outers; i++) {
        if (args->axis[i].from.table)
            return (int)args->size;
        all |= (uintptr_t)(args->axis[i].from.stride * args->size) | (uintptr_t)(args->axis[i].to.stride * args->size);
    }
    return (int)(all & -all);
}

static int log2_of(int64_t count)
{
    int log = 0;
    while (((int64_t)1 << log) < count)
        log++;
    return log;
}

static form choose_lines(const lay_copy_job *job, int alignment, lay_cuda_copy_args *args)
{
    const int64_t bytes = job->line * job->size;
    int word = alignment;
    while (bytes % word != 0)
        word /= 2;
    args->line = bytes / word;
    args->lines = job->elements / job->line;
    args->pieces = ceil_div(bytes, LAY_CUDA_COPY_BYTES);
    args->lines_per_block = args->pieces > 1 ? 1 : (int)min_of(LAY_CUDA_COPY_BYTES / bytes, LAY_CUDA_COPY_LINES);
    return (form){ .function = lay_cuda_copy_lines[log2_of(word) - 1],
                   .blocks = ceil_div(args->lines, args->lines_per_block) * args->pieces,
                   .threads = LAY_CUDA_COPY_THREADS };
}

/* As square as the lists allow, else as large. */
static void choose_tile(int word, lay_cuda_copy_args *args)
{
    const int room = log2_of(LAY_CUDA_COPY_BYTES / word), side = log2_of(LAY_CUDA_COPY_SIDE);
    const int columns = (int)min_of(log2_of(args->column_count), side),
              rows = (int)min_of(log2_of(args->row_count), side);
    args->log_columns = (int)min_of(columns, room / 2);
    args->log_rows = (int)min_of(rows, room - args->log_columns);
    args->log_columns = (int)min_of(columns, room - args->log_rows);
}

/* All but the innermost axis of a list step by vectors on a side, and that one by 1 and in whole vectors. */
static int goes_in_vectors(const lay_cuda_copy_args *args, int innermost, int is_to, int64_t v)
{
    for (int i = 0; i < args->columns + args->rows + args->outers; i++) {
        const lay_cuda_copy_offsets *offsets = is_to ? &args->axis[i].to : &args->axis[i].from;
        if (offsets->table || offsets->stride % v != (i == innermost && v > 1))
            return 0;
    }
    return args->axis[innermost].extent % v == 0 &&
           (is_to ? &args->axis[innermost].to : &args->axis[innermost].from)->stride == 1;
}

/* Where rows and columns lie, vectors of words may be moved on both sides. */
static int can_move_vectors(const lay_copy_job *job, const lay_cuda_copy_args *args, int word)
{
    const int64_t v = 16 / word;
    return word == args->size && v > 1 && args->columns > 0 && args->rows > 0 &&
           ((uintptr_t)job->from | (uintptr_t)job->to) % 16 == 0 && goes_in_vectors(args, args->columns, 0, v) &&
           goes_in_vectors(args, 0, 1, v);
}

static form choose_tiles(const lay_copy_job *job, int alignment, lay_cuda_copy_args *args)
{
    const int64_t line = job->line * job->size;                        /* bytes */
    const int is_word = line <= alignment && (line & (line - 1)) == 0; /* 2, 4, 8 or 16 */
    const int word = (int)(is_word ? line : args->size);
    args->column_count = job->columns.extent;
    args->row_count = job->rows.extent;
    if (!is_word) { /* the line becomes the first of the columns */
        for (int i = args->columns + args->rows + args->outers; i > 0; i--)
            args->axis[i] = args->axis[i - 1];
        args->axis[0] = (lay_cuda_copy_axis){ .extent = line / args->size, .from.stride = 1, .to.stride = 1 };
        args->columns++;
        args->column_count *= line / args->size;
    }
    choose_tile(word, args);
    args->tiles_across = ceil_div(args->column_count, (int64_t)1 << args->log_columns);
    args->tiles_along = ceil_div(args->row_count, (int64_t)1 << args->log_rows);
    const void *const *functions =
        can_move_vectors(job, args, word) ? lay_cuda_copy_tiles_by_vectors : lay_cuda_copy_tiles;
    return (form){ .function = functions[log2_of(word) - 1],
                   .blocks = args->tiles_across * args->tiles_along * job->outers.extent,
                   .threads = LAY_CUDA_COPY_THREADS,
                   .shared = lay_cuda_copy_shared(args->log_columns, args->log_rows, word) };
}

static lay_status launch(const form *chosen, lay_cuda_copy_args *args, void *stream)
{
    for (int64_t done = 0; done < chosen->blocks; done += INT32_MAX) {
        const lay_put part = { .name = "lay_cuda_copy",
                               .function = chosen->function,
                               .blocks = min_of(chosen->blocks - done, INT32_MAX),
                               .threads = chosen->threads,
                               .shared = chosen->shared };
        args->first_block = done;
        const lay_status status = lay_put_kernel(&part, args, 0, stream);
        if (status != LAY_OK)
            return status;
    }
    return LAY_OK;
}

/* With room for the tables on both sides, where there are any. */
static lay_status put(const lay_copy_job *job, int64_t *host, const int64_t *device, size_t bytes, void *stream)
{
    /* Words lie at multiples of their size. Complex numbers need not, but their parts do. */
    const uintptr_t places = (uintptr_t)job->from | (uintptr_t)job->to;
    const int parts = job->size >= 8 && places % (uintptr_t)job->size ? 2 : 1;
    lay_cuda_copy_args args = { .from = job->from, .to = job->to, .size = job->size / parts };
    int64_t *const tables = host;
    const int64_t *const target = device;
    args.columns = append_axes(&job->columns, parts, args.axis, &host, &device);
    args.rows = append_axes(&job->rows, parts, args.axis + args.columns, &host, &device);
    args.outers = append_axes(&job->outers, parts, args.axis + args.columns + args.rows, &host, &device);
    const lay_status status = lay_device_fill((void *)(uintptr_t)target, tables, bytes, stream);
    if (status != LAY_OK)
        return status;
    const int alignment = find_alignment(job, &args);
    const form chosen =
        job->line * job->size >= SHORT_LINE ? choose_lines(job, alignment, &args) : choose_tiles(job, alignment, &args);
    return launch(&chosen, &args, stream);
}

static lay_status put_with_tables(const lay_copy_job *job, int device, void *stream)
{
    const size_t bytes = count_tables(&job->columns) + count_tables(&job->rows) + count_tables(&job->outers);
    if (bytes == 0)
        return put(job, NULL, NULL, 0, stream);
    void *there = NULL;
    int64_t *here = malloc(bytes);
    if (!here)
        return lay_fail(LAY_ERR_MEMORY, "no memory for %zu bytes of offset tables", bytes);
    lay_status status = lay_device_take(device, bytes, stream, &there);
    if (status == LAY_OK)
        status = put(job, here, there, bytes, stream);
    lay_device_give(there, stream);
    free(here);
    return status;
}

/* One range of memory. CUDA's own copy starts sooner, but takes half as long again between some addresses, from half a
 * gigabyte on and in a graph (bench/LOG.md). */
static lay_status put_flat(const lay_copy_job *job, void *stream)
{
    enum { WORD = 16, LEAST = 1 << 18 }; /* bytes */
    const int64_t bytes = job->elements * job->size;
    if (bytes < LEAST || bytes % WORD || ((uintptr_t)job->from | (uintptr_t)job->to) % WORD) {
        const cudaError_t error = cudaMemcpyAsync(job->to, job->from, (size_t)bytes, cudaMemcpyDefault, stream);
        return error == cudaSuccess ? LAY_OK : lay_cuda_failed(error, "cudaMemcpyAsync");
    }
    lay_cuda_copy_args args = { .from = job->from, .to = job->to, .line = bytes / WORD };
    const form flat = { .function = lay_cuda_copy_flat,
                        .blocks = ceil_div(args.line, LAY_CUDA_COPY_FLAT * LAY_CUDA_COPY_FLAT_WORDS),
                        .threads = LAY_CUDA_COPY_FLAT };
    return launch(&flat, &args, stream);
}

lay_status lay_cuda_copy(const lay_copy_job *job, int device, void *stream)
{
    int before;
    lay_status status = lay_device_enter(device, &before);
    if (status != LAY_OK)
        return status;
    assert(job->is_plain);
    status = job->line < job->elements ? put_with_tables(job, device, stream) : put_flat(job, stream);
    lay_device_leave(before);
    return status;
}
