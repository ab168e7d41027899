/* What memory gives, measured: threads read a block that no cache holds. */
#include "bandwidth.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>

#include "bench/base/memory.h"
#include "bench/timing/timing.h"
#include "cold.h"

enum {
    PASSES = 3,
    MOST_THREADS = 256,
    KEPT = 32, /* numbers of threads whose result is kept */
    CHAINS = 8 /* sums side by side, so that reads need not wait for them */
};

typedef uint64_t words __attribute__((vector_size(32), aligned(8), may_alias));

/* A thread's part: count words of 32 bytes, a multiple of CHAINS. */
typedef struct part {
    const words *from;
    size_t count;
    const int *start; /* 1: read, -1: leave */
    double begin, end;
} part;

static void *read_part(void *of)
{
    part *self = of;
    words sum[CHAINS] = { { 0 } };
    int start;
    while ((start = __atomic_load_n(self->start, __ATOMIC_ACQUIRE)) == 0)
        sched_yield();
    if (start < 0)
        return NULL;
    self->begin = seconds_now();
    for (size_t i = 0; i < self->count; i += CHAINS)
        for (int chain = 0; chain < CHAINS; chain++)
            sum[chain] += self->from[i + (size_t)chain];
    for (int chain = 0; chain < CHAINS; chain++)
        __asm__ volatile("" : : "m"(sum[chain]));
    self->end = seconds_now();
    return NULL;
}

/* Seconds from the first thread's begin to the last one's end; NaN where not all threads start. */
static double read_together(const char *block, size_t bytes, int threads)
{
    pthread_t ids[MOST_THREADS];
    part parts[MOST_THREADS];
    int started = 1, start = 0;
    double begin = INFINITY, end = 0;
    const size_t count = bytes / sizeof(words) / (size_t)threads / CHAINS * CHAINS;
    for (int i = 0; i < threads; i++)
        parts[i] = (part){ (const words *)(const void *)block + (size_t)i * count, count, &start, 0, 0 };
    while (started < threads && pthread_create(&ids[started], NULL, read_part, &parts[started]) == 0)
        started++;
    __atomic_store_n(&start, started == threads ? 1 : -1, __ATOMIC_RELEASE);
    read_part(&parts[0]);
    for (int i = 1; i < started; i++)
        pthread_join(ids[i], NULL);
    for (int i = 0; i < threads; i++) {
        begin = fmin(begin, parts[i].begin);
        end = fmax(end, parts[i].end);
    }
    return started == threads ? end - begin : NAN;
}

static double measure(int threads)
{
    const size_t bytes = (size_t)cold_bytes();
    if (memory_there() < 1.25 * (double)bytes)
        return NAN;
    char *block = malloc(bytes);
    double best = INFINITY;
    for (size_t i = 0; block && i < bytes; i += 4096)
        block[i] = (char)i; /* pages of its own */
    for (int pass = 0; block && pass < PASSES; pass++)
        best = fmin(best, read_together(block, bytes, threads));
    free(block);
    return isfinite(best) ? 1e-9 * (double)bytes / best : NAN;
}

static int count_cpus(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

double bandwidth_of_host(int threads)
{
    static struct {
        int threads;
        double rate;
    } kept[KEPT];
    static int count;
    threads = threads > 0 ? threads : count_cpus();
    threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    for (int i = 0; i < count; i++)
        if (kept[i].threads == threads)
            return kept[i].rate;
    const double rate = measure(threads);
    if (count < KEPT) {
        kept[count].threads = threads;
        kept[count++].rate = rate;
    }
    return rate;
}
