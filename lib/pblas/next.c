/* The loaded ScaLAPACK, found by its names: nothing of it is linked. */
#include "pblas/next.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "layoutgemm.h"

_Noreturn void laypblas_give_up(const char *routine, const char *reason)
{
    fprintf(stderr, "laypblas: %s: %s\n", routine, reason);
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    abort();
}

int laypblas_has_broken(void)
{
    static const char *const words[] = { "has been written", "the team is lost", "the transport could not",
                                         "no answer within" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(lay_last_error(), words[i]))
            return 1;
    return 0;
}

void laypblas_tell(const char *routine, const char *reason)
{
    const char *const wanted = getenv("LAY_VERBOSE");
    if (wanted && *wanted && strcmp(wanted, "0") != 0)
        fprintf(stderr, "laypblas: %s is passed on: %s\n", routine, reason);
}

void *laypblas_next(const char *name)
{
    void *const found = dlsym(RTLD_NEXT, name);
    if (!found)
        laypblas_give_up(name, "no ScaLAPACK with this routine is loaded behind this library");
    return found;
}
