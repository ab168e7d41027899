/* Asking Linux for the matrix unit's state: a process has none until it does. */
#include "machine/amx.h"

#if LAY_X86

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_TILE_DATA = 18 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char refusal[160];

static void ask(void)
{
    const int before = errno;
    if (syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_TILE_DATA) != 0)
        snprintf(refusal, sizeof refusal, "the system refuses AMX's state to this process (arch_prctl: %s)",
                 strerror(errno));
    errno = before;
}

const char *lay_amx_refusal(void)
{
    pthread_once(&once, ask);
    return *refusal ? refusal : NULL;
}

#else

const char *lay_amx_refusal(void)
{
    return "this build has portable kernels only";
}

#endif
