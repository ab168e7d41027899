/* Where lines of the log go: to a function of the caller's, to stderr, or to the file of LAY_LOG, whose name may have
 * the process's number. */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/status.h"

_Atomic int lay_log_state;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char bad[320];          /* what the environment has wrong, as a sentence; "": nothing */
static char pattern[PATH_MAX]; /* LAY_LOG; "": none */
static lay_log_level asked;    /* LAY_VERBOSE */

/* Guards what follows. */
static lay_lock lock = LAY_LOCK_INIT;
static int file = STDERR_FILENO; /* -1: lines are lost */
static pid_t process;            /* that opened it */
static int is_begun;             /* it has its header */
static lay_log_fn *told;         /* NULL: the environment says where lines go */
static void *told_with;
static int is_told_begun;
static _Thread_local int is_telling; /* this thread is in that function, and holds the lock */

__attribute__((constructor)) static void start(void)
{
    lay_lock_enlist(&lock);
}

/* -1: it has no meaning. */
static int read_level(const char *value)
{
    static const struct {
        const char *value;
        int level;
    } known[] = { { "", LAY_LOG_NOTHING },
                  { "0", LAY_LOG_NOTHING },
                  { "dispatch", LAY_LOG_PLANS },
                  { "1", LAY_LOG_RUNS },
                  { "2", LAY_LOG_CACHE } };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(value, known[i].value) == 0)
            return known[i].level;
    return -1;
}

/* The pattern with the process's number for each %p; 0 where that is too long. */
static int write_path(char path[PATH_MAX])
{
    size_t length = 0;
    for (const char *from = pattern; *from && length < PATH_MAX; from++) {
        if (from[0] == '%' && from[1] == 'p')
            length += (size_t)snprintf(path + length, PATH_MAX - length, "%ld", (long)getpid()), from++;
        else
            path[length++] = *from;
    }
    if (length >= PATH_MAX)
        return 0;
    path[length] = 0;
    return 1;
}

/* Lines are added to what is there: processes may share a file. -1 and errno. */
static int open_file(void)
{
    char path[PATH_MAX];
    if (write_path(path))
        return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
    errno = ENAMETOOLONG;
    return -1;
}

static void read_environment(void)
{
    const char *const verbose = getenv("LAY_VERBOSE"), *const name = getenv("LAY_LOG");
    const int level = read_level(verbose ? verbose : "");
    if (level < 0)
        snprintf(bad, sizeof bad, "LAY_VERBOSE=%.60s in the environment is none of 0, 1, 2, dispatch", verbose);
    process = getpid();
    if (level > LAY_LOG_NOTHING && name && *name) {
        const int is_short = strlen(name) < sizeof pattern;
        strncat(pattern, name, sizeof pattern - 1);
        errno = ENAMETOOLONG;
        file = is_short ? open_file() : -1;
        if (file < 0)
            snprintf(bad, sizeof bad, "LAY_LOG=%.200s in the environment: %s", name, strerror(errno));
    }
    asked = *bad ? LAY_LOG_NOTHING : (lay_log_level)level;
    atomic_store_explicit(&lay_log_state, (int)asked + 1, memory_order_release);
}

int lay_log_read_environment(void)
{
    pthread_once(&once, read_environment);
    return atomic_load(&lay_log_state);
}

lay_status lay_log_check(void)
{
    pthread_once(&once, read_environment);
    return *bad ? lay_fail(LAY_ERR_OPTION, "%s", bad) : LAY_OK;
}

/* A child's lines go to a file of its own where the name has the process's number. */
static void follow_process(void)
{
    if (process == getpid())
        return;
    process = getpid();
    if (!strstr(pattern, "%p"))
        return;
    if (file >= 0)
        close(file);
    file = open_file();
    is_begun = 0;
}

/* In one write, so that lines of several processes do not mix; a lost line is nobody's error. */
static void put(const char *line)
{
    const struct iovec parts[] = { { (void *)(uintptr_t)line, strlen(line) }, { (void *)(uintptr_t) "\n", 1 } };
    if (writev(file, parts, 2) < 0)
        return;
}

static void write_line(const char *header, const char *line)
{
    follow_process();
    if (!is_begun)
        put(header);
    is_begun = 1;
    put(line);
}

static void tell_line(const char *header, const char *line)
{
    is_telling = 1;
    if (!is_told_begun)
        told(told_with, header);
    is_told_begun = 1;
    told(told_with, line);
    is_telling = 0;
}

void lay_log_write(const char *header, const char *line)
{
    const int before = errno;
    if (is_telling)
        return;
    lay_lock_take(&lock);
    if (told)
        tell_line(header, line);
    else
        write_line(header, line);
    lay_lock_release(&lock);
    errno = before;
}

lay_status lay_log_set(lay_log_level level, lay_log_fn *tell, void *context)
{
    if ((unsigned)level > LAY_LOG_CACHE)
        return lay_fail(LAY_ERR_OPTION, "%d is no lay_log_level", (int)level);
    if (is_telling)
        return lay_fail(LAY_ERR_ARGUMENT, "lay_log_set is called by the function that is told a line");
    pthread_once(&once, read_environment);
    lay_lock_take(&lock);
    told = tell;
    told_with = context;
    is_told_begun = 0;
    atomic_store_explicit(&lay_log_state, 1 + (int)(tell ? level : asked), memory_order_release);
    lay_lock_release(&lock);
    return LAY_OK;
}
