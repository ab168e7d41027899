/* Fork and join, by OpenMP or by what the caller lends. */
#include "threads/parallel.h"

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "threads/threads.h"

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

/* A segment of tasks that one thread begins with and others may help to finish. A cache line each. */
typedef struct segment {
    _Alignas(64) _Atomic int64_t next;
    int64_t end;
} segment;

enum { MAX_SEGMENTS = 64 };

static void work_off(segment *of, void (*task)(void *, int64_t), void *argument)
{
    for (;;) {
        const int64_t number = atomic_fetch_add_explicit(&of->next, 1, memory_order_relaxed);
        if (number >= of->end)
            return;
        task(argument, number);
    }
}

/* Work that is shared out in as many parts as there are threads. */
typedef struct team {
    segment part[MAX_SEGMENTS];
    int parts;
    modes callers;
    const char *caller; /* whose modes need not be set */
    void (*task)(void *, int64_t);
    void *argument;
} team;

static _Thread_local char here; /* its address is the thread's */

static void share_out(team *of, int threads, int64_t count, void (*task)(void *, int64_t), void *argument)
{
    of->caller = &here;
    of->task = task;
    of->argument = argument;
    of->parts = threads < MAX_SEGMENTS ? threads : MAX_SEGMENTS;
    of->callers = read_modes();
    for (int i = 0; i < of->parts; i++) {
        atomic_init(&of->part[i].next, count / of->parts * i + count % of->parts * i / of->parts);
        of->part[i].end = count / of->parts * (i + 1) + count % of->parts * (i + 1) / of->parts;
    }
}

/* From segment number on, until all are done or taken. */
static void take_part(void *argument, int64_t number)
{
    team *const of = argument;
    const int is_caller = of->caller == &here;
    const modes own = read_modes();
    if (!is_caller)
        set_modes(&of->callers);
    for (int i = 0; i < of->parts; i++)
        work_off(&of->part[(number + i) % of->parts], of->task, of->argument);
    if (!is_caller)
        set_modes(&own);
}
/* By itself, as clang asks its OpenMP runtime for the thread's number where a function with a parallel
 * region begins: in a forked child that may wait for ever for a lock that a thread of the parent held. */
__attribute__((noinline)) static void work_as_openmp(int threads, team *of)
{
#pragma omp parallel num_threads(threads)
    take_part(of, omp_get_thread_num());
}

static _Thread_local lay_lent lent;

lay_lent lay_parallel_lend(lay_lent own)
{
    const lay_lent before = lent;
    lent = own;
    return before;
}

void lay_parallel_for(int threads, int64_t count, void (*task)(void *, int64_t), void *argument)
{
    team of; /* its parts where they are shared out */
    if (threads > count)
        threads = (int)count;
    if (threads > 1 && lent.of) {
        share_out(&of, threads, count, task, argument);
        lent.of(lent.context, threads, take_part, &of);
        return;
    }
    if (threads > 1 && !is_forked && !omp_in_parallel() && (threads = lay_threads_grant(threads)) > 1) {
        share_out(&of, threads, count, task, argument);
        work_as_openmp(threads, &of);
        return;
    }
    for (int64_t number = 0; number < count; number++)
        task(argument, number);
}
