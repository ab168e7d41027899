/* Trying out threads: as many as will be wanted, all alive at once, gone again before they are needed. */
#include "cpu/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { PATIENCE = 1000 };

/* This caller's: OpenMP keeps threads for each. Who was refused some does not ask again. */
static _Thread_local int granted = 1, was_refused;

static void *wait_for_all(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* Of this process, and a constant. */
static long count_tasks(void)
{
    struct stat tasks; /* a folder a thread, each a link */
    return stat("/proc/self/task", &tasks) == 0 ? (long)tasks.st_nlink : 0;
}

/* Starts threads until all are there or one cannot be; how many there were. */
static int try_out(int threads)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t *thread = malloc((size_t)threads * sizeof *thread);
    const long before = count_tasks();
    int started = 0;
    pthread_mutex_lock(&gate);
    while (thread && started < threads && pthread_create(&thread[started], NULL, wait_for_all, &gate) == 0)
        started++;
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    /* A thread that has been joined may still count against a limit for a moment. */
    for (int i = 0; i < PATIENCE && count_tasks() > before; i++)
        sched_yield();
    free(thread);
    return started;
}

int lay_threads_grant(int wanted)
{
    if (wanted > granted && !was_refused) {
        const int started = try_out(wanted - 1);
        was_refused = started < wanted - 1;
        granted = was_refused ? (started + 2) / 2 : wanted; /* half: not to live at the limit */
    }
    return wanted < granted ? wanted : granted;
}
