/* Another program of this build. */
#include "bench/timing/beside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/base/complain.h"

enum { PATH_BYTES = 4096 };

/* 0 where the path is too long, or unknown. */
static int find(const char *name, char path[PATH_BYTES])
{
    const size_t room = strlen(name) + 1;
    const ssize_t length = readlink("/proc/self/exe", path, PATH_BYTES - room);
    if (length <= 0 || length >= (ssize_t)(PATH_BYTES - room))
        return 0;
    path[length] = 0;
    strcpy(strrchr(path, '/') + 1, name);
    return 1;
}

int run_beside(const char *name, const char *why, char *words[])
{
    char path[PATH_BYTES] = "";
    int status;
    if (!find(name, path) || access(path, X_OK) != 0)
        return refuse("%s runs %s, which a build leaves beside the tool and nobody installs: there is no %s", why, name,
                      path);
    words[0] = path;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        execv(path, words);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) == 127)
        return fail("%s did not run to its end", path);
    return WEXITSTATUS(status);
}
