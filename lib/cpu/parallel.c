/* Fork and join by OpenMP. */
#include "cpu/parallel.h"

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "cpu/threads.h"

#if LAY_X86
#include <xmmintrin.h>
#else
#include <fenv.h>
#endif

/* A forked child has one thread, but the OpenMP runtime still counts on those of its parent, be they
 * the library's or the program's own: a parallel region would wait for them for ever. So this watches
 * from the start. A process with a single thread has none to lose: its children may start some. */
static int had_threads, is_forked;

static void look_before_fork(void)
{
    struct stat tasks; /* a folder a thread: links are 2 and those */
    had_threads = stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink > 3;
}

static void note_fork(void)
{
    is_forked = is_forked || had_threads;
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(look_before_fork, NULL, note_fork);
}

/* How a thread rounds and whether it flushes denormals. The team's other threads take this from the
 * caller while they work for it: they may be older than its choice, and then bits would depend on who
 * computes what. */
#if LAY_X86
typedef unsigned modes;

static modes read_modes(void)
{
    return _mm_getcsr();
}

static void set_modes(const modes *to)
{
    _mm_setcsr(*to);
}
#else
typedef fenv_t modes;

static modes read_modes(void)
{
    modes now;
    fegetenv(&now);
    return now;
}

static void set_modes(const modes *to)
{
    fesetenv(to);
}
#endif

/* A stretch of tasks that one thread begins with and others may help to finish. A cache line each. */
typedef struct stretch {
    _Alignas(64) _Atomic int64_t next;
    int64_t end;
} stretch;

enum { MAX_STRETCHES = 64 };

static void work_off(stretch *of, void (*task)(void *, int64_t), void *argument)
{
    for (;;) {
        const int64_t number = atomic_fetch_add_explicit(&of->next, 1, memory_order_relaxed);
        if (number >= of->end)
            return;
        task(argument, number);
    }
}

/* By itself, as clang asks its OpenMP runtime for the thread's number where a function with a parallel
 * region begins: in a forked child that may wait for ever for a lock that a thread of the parent held. */
__attribute__((noinline)) static void work_as_team(int threads, int64_t count, void (*task)(void *, int64_t),
                                                   void *argument)
{
    stretch part[MAX_STRETCHES];
    const int parts = threads < MAX_STRETCHES ? threads : MAX_STRETCHES;
    for (int i = 0; i < parts; i++) {
        atomic_init(&part[i].next, count / parts * i + count % parts * i / parts);
        part[i].end = count / parts * (i + 1) + count % parts * (i + 1) / parts;
    }
    const modes callers = read_modes();
#pragma omp parallel num_threads(threads)
    {
        const modes own = read_modes();
        const int thread = omp_get_thread_num();
        if (thread != 0)
            set_modes(&callers);
        for (int i = 0; i < parts; i++)
            work_off(&part[(thread + i) % parts], task, argument);
        if (thread != 0)
            set_modes(&own);
    }
}

void lay_parallel_for(int threads, int64_t count, void (*task)(void *, int64_t), void *argument)
{
    if (threads > count)
        threads = (int)count;
    if (threads > 1 && !is_forked && !omp_in_parallel() && (threads = lay_threads_grant(threads)) > 1) {
        work_as_team(threads, count, task, argument);
        return;
    }
    for (int64_t number = 0; number < count; number++)
        task(argument, number);
}
