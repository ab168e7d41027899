/* The environment that peers are loaded in. */
#include "environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/base/complain.h"

/* The name of our own note to the program started again: what was dropped. */
static const char note[] = "LAY_BENCH_DROPPED";

/* Each can pin a library to fewer CPUs, older kernels or fewer threads than a fair run gives it. */
static const char *const holding[] = {
    "OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS",
    "BLIS_ARCH_TYPE",    "BLIS_NUM_THREADS",     "MKL_ENABLE_INSTRUCTIONS",
    "MKL_CBWR",          "MKL_DEBUG_CPU_TYPE",   "MKL_NUM_THREADS",
    "OMP_PROC_BIND",     "OMP_PLACES",           "GOMP_CPU_AFFINITY",
    "KMP_AFFINITY",      "OMP_DYNAMIC",          "MKL_DYNAMIC",
    "OMP_THREAD_LIMIT",
};

static int set_given(const args *given)
{
    const char *setting;
    for (int i = 0; (setting = args_repeated(given, "peer-env", i)); i++) {
        const char *equals = strchr(setting, '=');
        char name[128];
        if (!equals || equals == setting || (size_t)(equals - setting) >= sizeof name)
            return refuse("--peer-env is NAME=VALUE, not '%s'", setting);
        memcpy(name, setting, (size_t)(equals - setting));
        name[equals - setting] = 0;
        if (setenv(name, equals + 1, 1) != 0)
            return fail("out of memory");
    }
    return EXIT_FINE;
}

static void drop_held(char *dropped, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < sizeof holding / sizeof holding[0]; i++) {
        const char *value = getenv(holding[i]);
        if (!value)
            continue;
        if (used < size)
            used += (size_t)snprintf(dropped + used, size - used, "%s%s=%s", used ? " " : "", holding[i], value);
        unsetenv(holding[i]);
    }
}

int environment_prepare(const args *given, char **argv)
{
    if (getenv(note))
        return EXIT_FINE;
    char dropped[1024] = "";
    drop_held(dropped, sizeof dropped);
    const int status = set_given(given);
    if (status != EXIT_FINE || (!dropped[0] && !args_value(given, "peer-env")))
        return status;
    if (setenv(note, dropped, 1) != 0)
        return fail("out of memory");
    execv("/proc/self/exe", argv);
    return fail("the program cannot be started again in another environment: %s", strerror(errno));
}

const char *environment_dropped(void)
{
    const char *dropped = getenv(note);
    return dropped ? dropped : "";
}
