/* Trying out threads: as many as will be wanted, all alive at once, gone again before they are needed; and with them
 * the memory that the OpenMP runtime will take. */
#include "threads/threads.h"

#include <ctype.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { PATIENCE = 1000 };

/* This caller's: OpenMP keeps threads for each. led: of its last parallel region; tried: the most that were there at
 * once. Who was refused some does not ask for more than most again. */
static _Thread_local int led = 1, tried = 1, most = INT_MAX;

/* What libgomp 12 takes for a team and glibc for its threads: 1.6 KiB, and 536 bytes a thread. */
static size_t runtime_bytes(int threads)
{
    return 8192 + (size_t)threads * 640;
}

static pthread_once_t stack_read = PTHREAD_ONCE_INIT;
static size_t stack_bytes; /* of OpenMP's threads; 0: the system's default */

/* A number, and its unit: "64M", "512 k", KiB where there is none. */
static size_t parse_stack(const char *text)
{
    static const char units[] = "bkmg";
    char *end;
    const unsigned long long number = strtoull(text, &end, 10);
    while (isspace((unsigned char)*end))
        end++;
    int shift = 10;
    for (int i = 0; units[i]; i++)
        if (tolower((unsigned char)*end) == units[i])
            shift = 10 * i;
    return end != text && number <= SIZE_MAX >> shift ? (size_t)number << shift : 0;
}

static void read_stack(void)
{
    const char *text = getenv("OMP_STACKSIZE");
    if (!text)
        text = getenv("GOMP_STACKSIZE");
    stack_bytes = text ? parse_stack(text) : 0;
}

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
static int try_out(int threads, pthread_t thread[])
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_attr_t attributes;
    const long before = count_tasks();
    int started = 0;
    pthread_once(&stack_read, read_stack);
    if (pthread_attr_init(&attributes) != 0)
        return 0;
    if (stack_bytes > 0)
        pthread_attr_setstacksize(&attributes, stack_bytes); /* a stack too small is refused, there as here */
    pthread_mutex_lock(&gate);
    while (started < threads && pthread_create(&thread[started], &attributes, wait_for_all, &gate) == 0)
        started++;
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    pthread_attr_destroy(&attributes);
    /* A thread that has been joined may still count against a limit for a moment. */
    for (int i = 0; i < PATIENCE && count_tasks() > before; i++)
        sched_yield();
    return started;
}

/* Whether threads that were there may not come back: one was refused before, or address space, whose stacks others may
 * have by now, has an end. */
static int is_limited(void)
{
    struct rlimit space;
    return most < INT_MAX || (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY);
}

int lay_threads_grant(int wanted)
{
    if (wanted > most)
        wanted = most;
    if (wanted == led || wanted <= 1)
        return wanted;
    /* Held while threads are tried out, so that both fit together. */
    pthread_t *const held = malloc(runtime_bytes(wanted) + (size_t)wanted * sizeof *held);
    if (!held)
        return 1;
    if (wanted > tried || (wanted > led && is_limited())) {
        const int all = led + try_out(wanted - led, held);
        if (all < wanted)
            wanted = most = (all + 1) / 2 > led ? (all + 1) / 2 : led; /* half: not to live at the limit */
        tried = wanted > tried ? wanted : tried;
    }
    free(held);
    if (wanted > 1)
        led = wanted;
    return wanted;
}
