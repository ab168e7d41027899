/* Caches without what a product needs: every thread reads twice as much as the last one holds. */
#include "cold.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/base/complain.h"
#include "bench/base/memory.h"

enum {
    USUAL_MIB = 64,  /* where the system does not tell */
    MOST_MIB = 1024, /* of a cache that a virtual machine is told of, and has a part of */
    LINE = 64 / sizeof(uint64_t),
    MOST_THREADS = 256
};

static uint64_t *block;
static size_t count;

static size_t last_cache(void)
{
    const size_t mib = 1 << 20;
    long bytes = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    bytes = bytes > 0 ? bytes : sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    return bytes <= 0 ? USUAL_MIB * mib : (size_t)bytes > MOST_MIB * mib ? MOST_MIB * mib : (size_t)bytes;
}

double cold_bytes(void)
{
    return 2 * (double)last_cache();
}

int cold_prepare(void)
{
    if (block)
        return EXIT_FINE;
    const int status = memory_need("--cold", cold_bytes());
    if (status != EXIT_FINE)
        return status;
    count = 2 * last_cache() / sizeof *block;
    block = malloc(count * sizeof *block);
    for (size_t i = 0; block && i < count; i++)
        block[i] = i; /* pages of its own */
    return block ? EXIT_FINE : fail("out of memory");
}

static void *read_block(void *nothing)
{
    volatile uint64_t sum = 0;
    uint64_t part = 0;
    for (size_t i = 0; i < count; i += LINE)
        part += block[i];
    sum = part;
    (void)sum;
    return nothing;
}

void cold_empty(int threads)
{
    pthread_t ids[MOST_THREADS];
    int started = 0;
    while (started + 1 < threads && started < MOST_THREADS &&
           pthread_create(&ids[started], NULL, read_block, NULL) == 0)
        started++;
    read_block(NULL);
    for (int i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
}
