/* Predicted against measured, and the planner's regret. Only what lies beneath the public header can make every way
 * that a product might have been computed: model-bench does it, a program that a build leaves beside the tool, and this
 * report runs it. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/base/complain.h"
#include "reports.h"

enum { MOST_WORDS = 6, PATH_BYTES = 4096 };

/* The program beside this one. 0 where the path is too long, or unknown. */
static int find_program(char path[PATH_BYTES])
{
    static const char name[] = "model-bench";
    const ssize_t length = readlink("/proc/self/exe", path, PATH_BYTES - sizeof name);
    if (length <= 0 || length >= (ssize_t)(PATH_BYTES - sizeof name))
        return 0;
    path[length] = 0;
    strcpy(strrchr(path, '/') + 1, name);
    return 1;
}

/* Its exit status, or that of a failure. */
static int run_program(char *path, char *const words[])
{
    int status;
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

static int run(const terms *under, const sizes *of, FILE *csv)
{
    static const char *const levels[] = { NULL, "--isa=c", "--isa=avx2", "--isa=avx512", "--isa=amx" };
    char path[PATH_BYTES], threads[32], file[64];
    char *words[MOST_WORDS] = { path };
    int count = 1;
    if (of->count)
        return refuse("--report=model has problems of its own and takes no words; model-bench takes them");
    if (!find_program(path) || access(path, X_OK) != 0)
        return refuse(
            "--report=model runs model-bench, which a build leaves beside the tool and nobody installs: there is "
            "no %s",
            path);
    if (under->options.threads > 0) {
        snprintf(threads, sizeof threads, "--threads=%d", under->options.threads);
        words[count++] = threads;
    }
    if (levels[under->options.isa])
        words[count++] = (char *)levels[under->options.isa];
    if (csv) {
        snprintf(file, sizeof file, "--csv=/dev/fd/%d", fileno(csv));
        words[count++] = file;
    }
    return run_program(path, words);
}

const report_row report_model = {
    .name = "model",
    .help = "predicted against measured seconds, and the time of the way taken over the best one's",
    .least = 1,
    .run = run,
};
