/* What the tool itself does with a CUDA device: memory, one stream, and turns timed by events. */
#include "device.h"

#include <cuda_runtime_api.h>
#include <stdio.h>

#include "bench/base/complain.h"
#include "bench/timing/timing.h"

static struct {
    device_facts facts;
    cudaEvent_t start, end;
    int is_open;
} opened;

/* 0, or EXIT_FAILED after a sentence. */
static int failed(cudaError_t error, const char *call)
{
    if (error == cudaSuccess)
        return EXIT_FINE;
    (void)cudaGetLastError();
    return fail("%s: %s", call, cudaGetErrorString(error));
}
#define TRY(call) failed(call, #call)

static int find_device(int number)
{
    int count = 0, driver = 0;
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
        return refuse("there is no CUDA driver here");
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0)
        return refuse("there is no CUDA device here: %s",
                      error != cudaSuccess ? cudaGetErrorString(error) : "the driver has none");
    if (number >= count)
        return refuse("there is no CUDA device %d, the last is %d", number, count - 1);
    return EXIT_FINE;
}

int device_is_here(void)
{
    int count = 0, driver = 0;
    return cudaDriverGetVersion(&driver) == cudaSuccess && driver && cudaGetDeviceCount(&count) == cudaSuccess && count;
}

static int read_facts(device_facts *out)
{
    struct cudaDeviceProp of;
    int status = TRY(cudaGetDeviceProperties(&of, out->number));
    if (status != EXIT_FINE)
        return status;
    snprintf(out->name, sizeof out->name, "%s", of.name);
    out->l2 = (size_t)of.l2CacheSize;
    out->memory = of.totalGlobalMem;
    out->capability = 10 * of.major + of.minor;
    out->multiprocessors = of.multiProcessorCount;
    int khz = 0; /* no field of the structure any more */
    if (cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, out->number) != cudaSuccess)
        (void)cudaGetLastError();
    out->clock = 1e3 * khz;
    status = TRY(cudaDriverGetVersion(&out->driver));
    return status == EXIT_FINE ? TRY(cudaRuntimeGetVersion(&out->runtime)) : status;
}

int device_open(int number)
{
    if (opened.is_open && (number == LAY_DEVICE_AUTO || number == opened.facts.number))
        return EXIT_FINE;
    number = number == LAY_DEVICE_AUTO ? 0 : number;
    const double start = seconds_now();
    int status = find_device(number);
    if (status == EXIT_FINE)
        status = TRY(cudaSetDevice(number));
    if (status == EXIT_FINE)
        status = TRY(cudaFree(NULL)); /* starts CUDA */
    opened.facts = (device_facts){ .number = number, .start_up = seconds_now() - start };
    if (status == EXIT_FINE)
        status = read_facts(&opened.facts);
    if (status == EXIT_FINE)
        status = TRY(cudaStreamCreateWithFlags((cudaStream_t *)&opened.facts.stream, cudaStreamNonBlocking));
    if (status == EXIT_FINE)
        status = TRY(cudaEventCreate(&opened.start));
    if (status == EXIT_FINE)
        status = TRY(cudaEventCreate(&opened.end));
    opened.is_open = status == EXIT_FINE;
    return status;
}

const device_facts *device_get(void)
{
    return &opened.facts;
}

int device_allocate(size_t size, void **out)
{
    return TRY(cudaMalloc(out, size ? size : 1));
}

void device_free(void *memory)
{
    TRY(cudaFree(memory));
}

/* Awaited: a copy from pageable memory returns before it has arrived, and other streams do not wait for it. */
int device_upload(void *to, const void *from, size_t size)
{
    const int status = device_move(to, from, size);
    return status == EXIT_FINE ? device_wait() : status;
}

int device_download(void *to, const void *from, size_t size)
{
    const int status = device_wait();
    return status == EXIT_FINE ? TRY(cudaMemcpy(to, from, size, cudaMemcpyDeviceToHost)) : status;
}

int device_fill(void *to, int byte, size_t size)
{
    const int status = TRY(cudaMemsetAsync(to, byte, size, opened.facts.stream));
    return status == EXIT_FINE ? device_wait() : status;
}

int device_repeat(void *to, const void *from, size_t period, size_t size)
{
    int status = EXIT_FINE;
    for (size_t at = 0; at < size && status == EXIT_FINE; at += period)
        status = device_move((char *)to + at, from, size - at < period ? size - at : period);
    return status == EXIT_FINE ? device_wait() : status; /* what follows may go in another stream */
}

int device_move(void *to, const void *from, size_t size)
{
    return TRY(cudaMemcpyAsync(to, from, size, cudaMemcpyDefault, opened.facts.stream));
}

int device_wait(void)
{
    return TRY(cudaStreamSynchronize(opened.facts.stream));
}

int device_stream_create(void **out)
{
    return TRY(cudaStreamCreateWithFlags((cudaStream_t *)out, cudaStreamNonBlocking));
}

int device_stream_wait(void *stream)
{
    return TRY(cudaStreamSynchronize(stream));
}

void device_stream_destroy(void *stream)
{
    if (stream)
        TRY(cudaStreamDestroy(stream));
}

int device_pin(size_t size, void **out)
{
    return TRY(cudaMallocHost(out, size));
}

void device_unpin(void *memory)
{
    TRY(cudaFreeHost(memory));
}

static int call_all(const device_turn *of, int calls)
{
    lay_status status = LAY_OK;
    for (int i = 0; i < calls && status == LAY_OK; i++)
        status = of->call(of->self, i % of->sets);
    return status == LAY_OK ? EXIT_FINE : refuse_status(status, "a product that is timed");
}

/* The calls as one graph; 0 where they cannot be captured, which leaves nothing behind. */
static int record(device_turn *of)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t made = NULL;
    lay_status status = LAY_OK;
    if (cudaStreamBeginCapture(opened.facts.stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess)
        return 0;
    for (int i = 0; i < of->calls && status == LAY_OK; i++)
        status = of->call(of->self, i % of->sets);
    const cudaError_t ended = cudaStreamEndCapture(opened.facts.stream, &graph);
    const int is_good =
        status == LAY_OK && ended == cudaSuccess && graph && cudaGraphInstantiate(&made, graph, 0) == cudaSuccess;
    if (graph)
        cudaGraphDestroy(graph);
    (void)cudaGetLastError();
    of->graph = is_good ? made : NULL;
    return is_good;
}

static int start_clock(void)
{
    return TRY(cudaEventRecord(opened.start, opened.facts.stream));
}

static int stop_clock(double *seconds)
{
    float ms = 0;
    int status = TRY(cudaEventRecord(opened.end, opened.facts.stream));
    if (status == EXIT_FINE)
        status = TRY(cudaEventSynchronize(opened.end));
    if (status == EXIT_FINE)
        status = TRY(cudaEventElapsedTime(&ms, opened.start, opened.end));
    *seconds = 1e-3 * ms;
    return status;
}

enum { MAX_CALLS = 512, LONG_MS = 50 }; /* a turn that lasts longer warms up in its own first part */

/* Finds how many calls make a turn, and records them. */
static int prepare(device_turn *of, double min_time)
{
    double each = 0;
    int status = EXIT_FINE;
    for (int i = 0; i < 2 && !(each > 1e-3 * LONG_MS) && status == EXIT_FINE; i++) { /* the first loads what it needs */
        status = start_clock();
        if (status == EXIT_FINE)
            status = call_all(of, 1);
        if (status == EXIT_FINE)
            status = stop_clock(&each);
    }
    if (status != EXIT_FINE)
        return status;
    const double calls = each > 0 ? min_time / each + 1 : MAX_CALLS;
    of->calls = calls < MAX_CALLS ? (int)calls : MAX_CALLS;
    of->is_long = each * of->calls > 1e-3 * LONG_MS;
    if (!of->is_plain)
        of->is_plain = !record(of);
    return EXIT_FINE;
}

void device_turn_free(device_turn *of)
{
    if (of->graph)
        TRY(cudaGraphExecDestroy(of->graph));
    of->graph = NULL;
}

static int enqueue(const device_turn *of)
{
    return of->graph ? TRY(cudaGraphLaunch(of->graph, opened.facts.stream)) : call_all(of, of->calls);
}

static int take(device_turn *of, double *seconds)
{
    int status = of->is_long ? EXIT_FINE : enqueue(of);
    if (status == EXIT_FINE)
        status = start_clock();
    if (status == EXIT_FINE)
        status = enqueue(of);
    if (status == EXIT_FINE)
        status = stop_clock(seconds);
    *seconds /= of->calls;
    return status;
}

int device_race(device_turn *const list[], double *const seconds[], int count, int rounds, double min_time)
{
    int status = EXIT_FINE;
    for (int i = 0; i < count && status == EXIT_FINE; i++)
        status = prepare(list[i], min_time);
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < count && status == EXIT_FINE; i++) {
            const int turn = (i + round) % count;
            status = take(list[turn], &seconds[turn][round]);
        }
    return status;
}
