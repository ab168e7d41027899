/* Ranges by NVTX, whose header does all of it: a tool is what NVTX_INJECTION64_PATH in the environment names. */
#include "base/ranges.h"

#include <pthread.h>

/* The header's functions and variables are this file's own: its way would leave weak ones in the static library. */
#define NVTX_SUPPORT_STATIC_INJECTION_LIBRARY 0
#define __NVTX_LINKONCE_H__
#define NVTX_LINKONCE_DEFINE_GLOBAL    static
#define NVTX_LINKONCE_FWDDECL_GLOBAL   static
#define NVTX_LINKONCE_DEFINE_FUNCTION  static __attribute__((unused))
#define NVTX_LINKONCE_FWDDECL_FUNCTION static __attribute__((unused))
#include <nvtx3/nvToolsExt.h>

_Atomic int lay_ranges_state;
static nvtxDomainHandle_t domain; /* written before lay_ranges_state */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void ask(void)
{
    domain = nvtxDomainCreateA("layoutgemm"); /* NULL where no tool listens */
    atomic_store_explicit(&lay_ranges_state, domain ? 2 : 1, memory_order_release);
}

int lay_ranges_ask(void)
{
    pthread_once(&once, ask);
    return atomic_load_explicit(&lay_ranges_state, memory_order_acquire);
}

void lay_range_begin(const char *name)
{
    nvtxEventAttributes_t what = { .version = NVTX_VERSION,
                                   .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                   .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                   .message = { .ascii = name } };
    nvtxDomainRangePushEx(domain, &what);
}

void lay_range_end(void)
{
    nvtxDomainRangePop(domain);
}
