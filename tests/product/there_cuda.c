/* Copies of operands in pinned and device memory, in blocks that stay for the next trial. */
#include "there.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPERANDS = 3, ALIGNMENT = 256 };
typedef enum place { HOST, PINNED, DEVICE } place;

typedef struct block {
    char *memory;
    size_t bytes;
} block;

static struct {
    block blocks[OPERANDS][DEVICE + 1];
    place now[OPERANDS];
    char *copy[OPERANDS];
    void *zero[OPERANDS]; /* the operands' own */
    lay_backend backend;
    unsigned mix; /* counts trials */
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

static place place_of(int which)
{
    static const place mixes[][OPERANDS] = {
        { DEVICE, HOST, DEVICE }, { HOST, DEVICE, HOST },     { PINNED, DEVICE, DEVICE }, { DEVICE, DEVICE, HOST },
        { HOST, HOST, HOST },     { DEVICE, DEVICE, PINNED }, { PINNED, HOST, PINNED },
    };
    if (strcmp(asked(), "mixed") == 0)
        return mixes[at.mix % (sizeof mixes / sizeof mixes[0])][which];
    return strcmp(asked(), "pinned") == 0 ? PINNED : DEVICE;
}

static char *block_of(int which, place where, size_t bytes)
{
    block *const own = &at.blocks[which][where];
    if (own->bytes < bytes) {
        const size_t room = 2 * bytes;
        check(where == DEVICE ? cudaFree(own->memory) : cudaFreeHost(own->memory), "freeing a copy");
        check(where == DEVICE ? cudaMalloc((void **)&own->memory, room) : cudaMallocHost((void **)&own->memory, room),
              "memory for a copy");
        own->bytes = room;
    }
    return own->memory;
}

static void send(operand *of, int which)
{
    at.now[which] = place_of(which);
    at.zero[which] = of->zero;
    if (at.now[which] == HOST || of->bytes == 0)
        return;
    /* As the operand lies between vectors, so does the copy. */
    const size_t shift = (uintptr_t)of->memory % ALIGNMENT;
    at.copy[which] = block_of(which, at.now[which], of->bytes + shift) + shift;
    check(cudaMemcpy(at.copy[which], of->memory, of->bytes, cudaMemcpyDefault), "a copy there");
    of->zero = at.copy[which] + ((char *)of->zero - of->memory);
}

static void fetch(operand *of, int which)
{
    if (of->zero != at.zero[which])
        check(cudaMemcpy(of->memory, at.copy[which], of->bytes, cudaMemcpyDefault), "a copy back");
    of->zero = at.zero[which];
}

void there_send(trial *t)
{
    if (!there_is_elsewhere())
        return;
    at.mix++;
    at.backend = t->options.backend;
    if (strcmp(asked(), "device") != 0)
        t->options.backend = LAY_BACKEND_CUDA;
    send(&t->in_a, 0);
    send(&t->in_b, 1);
    send(&t->out, 2);
}

void there_fetch(trial *t)
{
    if (!there_is_elsewhere())
        return;
    check(cudaDeviceSynchronize(), "the product");
    fetch(&t->in_a, 0);
    fetch(&t->in_b, 1);
    fetch(&t->out, 2);
    t->options.backend = at.backend;
}
