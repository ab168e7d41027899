/* A lock of the system's, which ends with whoever holds it. */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "bench/base/complain.h"

int lock_take(const char *path, int *held)
{
    *held = -1;
    if (!path)
        return EXIT_FINE;
    *held = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    int failed = *held < 0;
    while (!failed && flock(*held, LOCK_EX) != 0)
        failed = errno != EINTR;
    return failed ? refuse("--lock=%s: %s", path, strerror(errno)) : EXIT_FINE;
}

void lock_leave(int *held)
{
    if (*held >= 0)
        close(*held);
    *held = -1;
}
