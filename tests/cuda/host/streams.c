/* Streams as queues, and what stands at their heads done at random. */
#include "streams_inner.h"

#include <assert.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../random.h"
#include "base/status.h"
#include "cuda/launch/launch.h"
#include "cuda/memory/device.h"
#include "cuda/memory/memory.h"

streams_setting streams_now = { .still = -1, .calls = -1 };
streams_account streams_seen;

static random_source chance;
int streams_current;

/* ---- streams ---------------------------------------------------------------------------------- */

typedef enum kind { COPY, BOX, LAUNCH, SUM, RECORD, WAIT } kind;

typedef struct event_there {
    int device;
    long put, room; /* how often it was recorded */
    char *has_come; /* each time: in several streams they come in any order */
} event_there;

static int has_come(const event_there *of, long number)
{
    return number == 0 || of->has_come[number - 1];
}

static long record(event_there *of)
{
    if (of->put == of->room) {
        of->room = of->room ? 2 * of->room : 8;
        of->has_come = realloc(of->has_come, (size_t)of->room);
        assert_non_null(of->has_come);
    }
    of->has_come[of->put] = 0;
    return ++of->put;
}

typedef struct deed {
    kind what;
    void *to; /* a copy's lines */
    const void *from;
    size_t to_pitch, from_pitch, width, height;
    lay_copy_job *box; /* its own */
    lay_cuda_args args;
    lay_type type;
    event_there *event;
    long number; /* of its recordings */
} deed;

typedef struct stream_there {
    int device;
    deed *deeds;
    size_t next, count, room;
} stream_there;

enum { MOST = 256 };
static stream_there *streams[MOST]; /* NULL: none */

static int is_ready(const deed *of)
{
    return of->what != WAIT || has_come(of->event, of->number);
}

static const char *move_by(const lay_cuda_offsets *x, int64_t i, const lay_cuda_offsets *y, int64_t j, const void *at,
                           size_t size)
{
    const int64_t offset = (x->table ? x->table[i] : i * x->stride) + (y->table ? y->table[j] : j * y->stride);
    return (const char *)at + offset * (int64_t)size;
}

/* One element, by the contract. */
#define ELEMENT(type, fused, field)                                                                                    \
    static type sum_##type(const lay_cuda_args *args, int i, int j)                                                    \
    {                                                                                                                  \
        type sum = args->resume ? ((const type *)args->resume)[(int64_t)i * args->n + j] : 0;                          \
        for (int p = 0; p < args->k; p++)                                                                              \
            sum = fused(                                                                                               \
                *(const type *)(const void *)move_by(&args->left_m, i, &args->left_k, p, args->left, sizeof sum),      \
                *(const type *)(const void *)move_by(&args->right_k, p, &args->right_n, j, args->right, sizeof sum),   \
                sum);                                                                                                  \
        return sum;                                                                                                    \
    }                                                                                                                  \
    static void write_##type(const lay_cuda_args *args, int i, int j, type sum)                                        \
    {                                                                                                                  \
        type *const to =                                                                                               \
            (type *)(void *)(uintptr_t)move_by(&args->result_m, i, &args->result_n, j, args->c, sizeof sum);           \
        *to = args->beta.field == 0 ? args->alpha.field * sum : fused(args->alpha.field, sum, args->beta.field * *to); \
    }                                                                                                                  \
    static void launch_##type(const lay_cuda_args *args)                                                               \
    {                                                                                                                  \
        for (int i = 0; i < args->m; i++)                                                                              \
            for (int j = 0; j < args->n; j++) {                                                                        \
                const type sum = sum_##type(args, i, j);                                                               \
                if (args->partial)                                                                                     \
                    ((type *)args->partial)[(int64_t)i * args->n + j] = sum;                                           \
                else                                                                                                   \
                    write_##type(args, i, j, sum);                                                                     \
            }                                                                                                          \
    }                                                                                                                  \
    static void add_##type(const lay_cuda_args *args)                                                                  \
    {                                                                                                                  \
        const int64_t elements = (int64_t)args->m * args->n;                                                           \
        for (int64_t at = 0; at < elements; at++) {                                                                    \
            type sum = ((const type *)args->partial)[at];                                                              \
            for (int z = 1; z < args->slices; z++)                                                                     \
                sum += ((const type *)args->partial)[z * elements + at];                                               \
            write_##type(args, (int)(at / args->n), (int)(at % args->n), sum);                                         \
        }                                                                                                              \
    }
ELEMENT(float, fmaf, f32)
ELEMENT(double, fma, f64)

static void perform(const stream_there *in, const deed *of)
{
    const int is_float = of->type == LAY_F32;
    switch (of->what) {
    case COPY:
        for (size_t i = 0; i < of->height; i++)
            memcpy((char *)of->to + i * of->to_pitch, (const char *)of->from + i * of->from_pitch, of->width);
        return;
    case BOX:
        lay_copy_on_host(of->box, 1, LAY_ISA_C);
        free(of->box);
        return;
    case LAUNCH:
        (is_float ? launch_float : launch_double)(&of->args);
        streams_seen.launches[in->device]++;
        if (streams_now.still >= 0 && streams_seen.launches[streams_now.still] == 0)
            streams_seen.behind_still++;
        return;
    case SUM:
        (is_float ? add_float : add_double)(&of->args);
        return;
    case RECORD:
        of->event->has_come[of->number - 1] = 1;
        return;
    case WAIT:
        return;
    }
}

/* A stream of which nothing comes while anything else can; another one now and then. */
static int find_slow(void)
{
    enum { FEW = 24 /* streams of four devices */, LONG = 100 };
    static int slow;
    if (random_one_in(&chance, LONG))
        slow = (int)random_in(&chance, 0, FEW - 1);
    return slow;
}

/* What is next of a stream, if it may come; 0: it may not. */
static int do_next(stream_there *in, int is_still_free)
{
    if (!in || in->next == in->count || (in->device == streams_now.still && !is_still_free))
        return 0;
    const deed own = in->deeds[in->next];
    if (!is_ready(&own))
        return 0;
    in->next++;
    perform(in, &own);
    return 1;
}

/* Something that may come next, of any stream; 0: nothing may. */
static int do_one(int is_still_free)
{
    const int first = (int)random_in(&chance, 0, MOST - 1), slow = find_slow();
    for (int i = 0; i < MOST; i++)
        if ((first + i) % MOST != slow && do_next(streams[(first + i) % MOST], is_still_free))
            return 1;
    return do_next(streams[slow], is_still_free);
}

static void do_some(int most)
{
    for (int64_t left = random_in(&chance, 0, most); left > 0; left--)
        if (!do_one(0))
            return;
}

static void put(stream_there *in, const deed *of)
{
    if (in->count == in->room) {
        in->room = in->room ? 2 * in->room : 64;
        in->deeds = realloc(in->deeds, in->room * sizeof *in->deeds);
        assert_non_null(in->deeds);
    }
    in->deeds[in->count++] = *of;
    do_some(streams_now.is_lazy ? 0 : 2);
}

/* ---- CUDA's calls ----------------------------------------------------------------------------- */

int streams_fail(void)
{
    streams_seen.calls++;
    if (streams_now.calls < 0 || streams_now.calls-- > 0)
        return 0;
    streams_seen.has_failed = 1;
    return 1;
}

int streams_error(void)
{
    return streams_now.lacks ? cudaErrorMemoryAllocation : cudaErrorUnknown;
}

#define FAIL                                                                                                           \
    if (streams_fail())                                                                                                \
    return (cudaError_t)streams_error()

lay_status lay_cuda_failed(int error, const char *call)
{
    return lay_fail(error == cudaErrorMemoryAllocation ? LAY_ERR_MEMORY : LAY_ERR_DEVICE, "%s: made to fail", call);
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *idle, size_t *total)
{
    *idle = *total = streams_device[streams_current].memory;
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **to, size_t bytes, unsigned flags)
{
    (void)flags;
    FAIL;
    *to = malloc(bytes);
    assert_non_null(*to);
    memset(*to, 0xff, bytes);
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void *at)
{
    free(at);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *to, unsigned flags)
{
    int at = 0;
    (void)flags;
    FAIL;
    while (at < MOST && streams[at])
        at++;
    assert_true(at < MOST);
    *to = streams[at] = calloc(1, sizeof *streams[at]);
    assert_non_null(*to);
    (*to)->device = streams_current;
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    for (int i = 0; i < MOST; i++)
        if (streams[i] == stream)
            streams[i] = NULL;
    assert_int_equal(stream->next, stream->count);
    free(stream->deeds);
    free(stream);
    return cudaSuccess;
}

/* Never waits for what cannot come. */
cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    while (stream->next < stream->count)
        assert_true(do_one(1));
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *to, unsigned flags)
{
    (void)flags;
    FAIL;
    *to = calloc(1, sizeof **to);
    assert_non_null(*to);
    (*to)->device = streams_current;
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event->has_come);
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    FAIL;
    if (!stream) { /* the default one, in which nothing is */
        const long number = record(event);
        event->has_come[number - 1] = 1;
        return cudaSuccess;
    }
    assert_int_equal(event->device, stream->device);
    put(stream, &(deed){ .what = RECORD, .event = event, .number = record(event) });
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)flags;
    FAIL;
    put(stream, &(deed){ .what = WAIT, .event = event, .number = event->put });
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    FAIL;
    while (!has_come(event, event->put))
        assert_true(do_one(1));
    return cudaSuccess;
}

/* Who asks has nothing better to do, so something comes. Where nothing can, but of the device that stands still, that
 * is asked for again and again before anything of it comes. */
cudaError_t cudaEventQuery(cudaEvent_t event)
{
    enum { PATIENCE = 300 };
    static int idle;
    FAIL;
    do_some(4);
    idle = has_come(event, event->put) || do_one(0) ? 0 : idle + 1;
    if (idle > PATIENCE)
        assert_true(do_one(1));
    return has_come(event, event->put) ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind copied, cudaStream_t stream)
{
    (void)copied;
    FAIL;
    put(stream, &(deed){ .what = COPY,
                         .to = to,
                         .from = from,
                         .to_pitch = to_pitch,
                         .from_pitch = from_pitch,
                         .width = width,
                         .height = height });
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind copied, cudaStream_t stream)
{
    return cudaMemcpy2DAsync(to, bytes, from, bytes, bytes, 1, copied, stream);
}

static int has_maps(const lay_copy_axes *axes)
{
    for (int i = 0; i < axes->count; i++)
        if (axes->axis[i].from_map)
            return 1;
    return 0;
}

/* Maps are the descriptors', which live as long as the call: a launch has tables of them by then. So here the copy
 * comes before the call returns. */
lay_status streams_copy(const lay_copy_job *job, int device, void *stream)
{
    stream_there *const in = stream;
    lay_copy_job *const own = malloc(sizeof *own);
    assert_true(own && in->device == device);
    if (streams_fail()) {
        free(own);
        return lay_cuda_failed(streams_error(), "copy");
    }
    *own = *job;
    put(in, &(deed){ .what = BOX, .box = own });
    if (has_maps(&job->columns) || has_maps(&job->rows) || has_maps(&job->outers))
        while (in->next < in->count)
            assert_true(do_one(1));
    return LAY_OK;
}

void streams_begin(void)
{
    chance = random_case(streams_now.seed, 0);
    streams_seen = (streams_account){ .calls = 0 };
}

int streams_are_at_rest(void)
{
    for (int i = 0; i < MOST; i++)
        if (streams[i] && streams[i]->next < streams[i]->count)
            return 0;
    return streams_held() == 0 && streams_current == 0;
}

/* ---- launches --------------------------------------------------------------------------------- */

static const lay_cuda_kernel rows[] = {
    [LAY_F32] = { .name = "made_up_f32",
                  .type = LAY_F32,
                  .bm = 16,
                  .bn = 16,
                  .blocks_per_sm = 1,
                  .can_resume = 1,
                  .can_slice = 1,
                  .rate = 200 },
    [LAY_F64] = { .name = "made_up_f64",
                  .type = LAY_F64,
                  .bm = 16,
                  .bn = 16,
                  .blocks_per_sm = 1,
                  .can_resume = 1,
                  .can_slice = 1,
                  .rate = 200 },
};

double lay_launch_choose(const lay_problem *problem, const lay_device *device, const char *wanted, int most,
                         lay_launch launch[], const char **reason)
{
    int64_t m, n, k;
    lay_problem_whole(problem, &m, &n, &k);
    const int asked = streams_now.slices[device->number], slices = asked > 1 && k >= 64 ? asked : 1;
    (void)wanted, (void)most;
    *reason = NULL;
    const int64_t slice_k = slices > 1 ? ((k + slices - 1) / slices + 15) / 16 * 16 : k;
    *launch = (lay_launch){ .kernel = &rows[problem->types.left],
                            .device = device,
                            .left = LAY_CUDA_ACROSS,
                            .right = LAY_CUDA_ACROSS,
                            .slices = (int)((k + slice_k - 1) / slice_k),
                            .slice_k = (int)slice_k };
    return 1e-6;
}

void lay_launch_explain_rows(const lay_problem *problem, const lay_launch *launch, const char *wanted, lay_text *text)
{
    (void)problem, (void)wanted;
    lay_text_add(text, "  %s\n", launch->kernel->name);
}

lay_status lay_launch_load(const lay_launch *launch)
{
    assert_int_equal(launch->device->number, streams_current);
    return streams_fail() ? lay_cuda_failed(streams_error(), "load") : LAY_OK;
}

static void check_vectors(const lay_launch *launch, const lay_cuda_args *args)
{
    const int v = 16 / (int)lay_type_size(launch->kernel->type);
    if (launch->is_c_vector && !args->partial)
        assert_true(args->result_m.stride % v == 0 && (uintptr_t)args->c % 16 == 0);
    if (launch->left == LAY_CUDA_ALONG_VECTOR || launch->left == LAY_CUDA_ACROSS_VECTOR)
        assert_true((uintptr_t)args->left % 16 == 0 && (args->left_m.stride == 1 || args->left_m.stride % v == 0));
    if (launch->right == LAY_CUDA_ALONG_VECTOR || launch->right == LAY_CUDA_ACROSS_VECTOR)
        assert_true((uintptr_t)args->right % 16 == 0 && (args->right_n.stride == 1 || args->right_n.stride % v == 0));
}

lay_status lay_launch_put(const lay_launch *launch, lay_cuda_args *args, void *stream)
{
    stream_there *const in = stream;
    assert_int_equal(in->device, streams_current);
    assert_int_equal(launch->device->number, streams_current);
    assert_int_equal(launch->slices, 1);
    assert_true(args->m > 0 && args->n > 0 && args->k > 0);
    check_vectors(launch, args);
    if (streams_fail())
        return lay_cuda_failed(streams_error(), "launch");
    put(in, &(deed){ .what = LAUNCH, .args = *args, .type = launch->kernel->type });
    return LAY_OK;
}

lay_status lay_launch_put_sum(lay_type type, lay_cuda_args *args, const char *name, void *stream)
{
    stream_there *const in = stream;
    assert_int_equal(in->device, streams_current);
    assert_true(args->slices > 1);
    if (streams_fail())
        return lay_cuda_failed(streams_error(), name);
    put(in, &(deed){ .what = SUM, .args = *args, .type = type });
    return LAY_OK;
}
