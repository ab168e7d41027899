/* Copies of operands in pinned and device memory, in blocks that stay for the next trial. What goes to the device lies
 * together and goes in one transfer, for trials are small: it is the transfers that take their time. */
#include "there.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 256 };
typedef enum place { HOST, PINNED, DEVICE } place;

static struct {
    char *pinned, *device; /* two blocks of the same size */
    size_t bytes;
    size_t travelling; /* of the first bytes of both: the operands in device memory */
    int count;
    there_block of[THERE_MOST];
    place now[THERE_MOST];
    size_t first[THERE_MOST]; /* of an operand's copy in its block */
    void *zero[THERE_MOST];   /* the operands' own */
    lay_options *options;
    lay_backend backend; /* their own */
} at;

static void check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    abort();
}

static const char *asked(void)
{
    const char *const name = getenv("LAY_TEST_PLACE");
    return name ? name : "host";
}

int there_is_elsewhere(void)
{
    return strcmp(asked(), "host") != 0;
}

int there_takes_halves(void)
{
    return strcmp(asked(), "host") == 0 || strcmp(asked(), "device") == 0;
}

int there_exists(void)
{
    int count = 0;
    if (!there_is_elsewhere())
        return 1;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0)
        return 1;
    printf("1..0 # SKIP there is no GPU: %s\n", error == cudaSuccess ? "no device" : cudaGetErrorString(error));
    return 0;
}

static place place_of(unsigned mix, int which)
{
    static const place mixes[][THERE_MOST] = {
        { DEVICE, HOST, DEVICE, HOST },   { HOST, DEVICE, HOST, PINNED }, { PINNED, DEVICE, DEVICE, DEVICE },
        { DEVICE, DEVICE, HOST, DEVICE }, { HOST, HOST, HOST, DEVICE },   { DEVICE, DEVICE, PINNED, HOST },
        { PINNED, HOST, PINNED, PINNED },
    };
    if (strcmp(asked(), "mixed") == 0)
        return mixes[mix % (sizeof mixes / sizeof mixes[0])][which];
    return strcmp(asked(), "pinned") == 0 ? PINNED : DEVICE;
}

static void make_room(size_t bytes)
{
    if (bytes <= at.bytes)
        return;
    check(cudaFree(at.device), "freeing copies");
    check(cudaFreeHost(at.pinned), "freeing copies");
    at.bytes = 2 * bytes;
    check(cudaMalloc((void **)&at.device, at.bytes), "memory for copies");
    check(cudaMallocHost((void **)&at.pinned, at.bytes), "memory for copies");
}

/* Gives the operands of one place their room behind what there is. As an operand lies between vectors, so does its
 * copy. */
static size_t find_room(place where, size_t end)
{
    for (int i = 0; i < at.count; i++)
        if (at.now[i] == where) {
            at.first[i] = (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + (uintptr_t)at.of[i].memory % ALIGNMENT;
            end = at.first[i] + at.of[i].bytes;
        }
    return end;
}

void there_send(int count, const there_block of[], unsigned mix, lay_options *options)
{
    if (!there_is_elsewhere())
        return;
    at.options = options;
    at.backend = options->backend;
    at.count = count;
    if (strcmp(asked(), "device") != 0)
        options->backend = LAY_BACKEND_CUDA;
    for (int i = 0; i < count; i++) {
        at.of[i] = of[i];
        at.now[i] = place_of(mix, i);
    }
    at.travelling = find_room(DEVICE, 0);
    make_room(find_room(PINNED, at.travelling));
    for (int i = 0; i < count; i++) {
        at.zero[i] = *of[i].zero;
        if (at.now[i] == HOST)
            continue;
        memcpy(at.pinned + at.first[i], of[i].memory, of[i].bytes);
        char *const copy = (at.now[i] == DEVICE ? at.device : at.pinned) + at.first[i];
        *of[i].zero = copy + ((char *)*of[i].zero - of[i].memory);
    }
    if (at.travelling)
        check(cudaMemcpyAsync(at.device, at.pinned, at.travelling, cudaMemcpyHostToDevice, NULL), "copies there");
}

void there_fetch(void)
{
    if (!there_is_elsewhere())
        return;
    if (at.travelling)
        check(cudaMemcpyAsync(at.pinned, at.device, at.travelling, cudaMemcpyDeviceToHost, NULL), "copies back");
    check(cudaStreamSynchronize(NULL), "the product");
    for (int i = 0; i < at.count; i++) {
        if (at.now[i] != HOST)
            memcpy(at.of[i].memory, at.pinned + at.first[i], at.of[i].bytes);
        *at.of[i].zero = at.zero[i];
    }
    at.options->backend = at.backend;
}
