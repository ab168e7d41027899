/* Fork and join by OpenMP. */
#include "cpu/parallel.h"

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>

/* A forked child has one thread, but the OpenMP runtime still counts on those of its parent: a
 * parallel region would wait for them for ever. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_forked;

static void note_fork(void)
{
    is_forked = 1;
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, note_fork);
}

void lay_parallel_for(int threads, int64_t count, void (*task)(void *, int64_t), void *argument)
{
    if (threads > count)
        threads = (int)count;
    if (threads > 1) {
        pthread_once(&once, watch_forks);
        if (is_forked || omp_in_parallel())
            threads = 1;
    }
    if (threads <= 1) {
        for (int64_t number = 0; number < count; number++)
            task(argument, number);
        return;
    }
    _Atomic int64_t next = 0; /* who is free takes the next: threads may be of unequal speed */
#pragma omp parallel num_threads(threads)
    for (;;) {
        const int64_t number = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
        if (number >= count)
            break;
        task(argument, number);
    }
}
