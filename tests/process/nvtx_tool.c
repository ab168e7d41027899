/* What NVTX loads where NVTX_INJECTION64_PATH names it: a profiler that writes each range to the file NVTX_TOOL_FILE.
 */
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *to;
static int depth;

static nvtxDomainHandle_t NVTX_API create(const char *name)
{
    fprintf(to, "domain %s\n", name);
    return (nvtxDomainHandle_t)(void *)&depth;
}

static int NVTX_API push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *what)
{
    fprintf(to, "%d %d %s\n", domain == (nvtxDomainHandle_t)(void *)&depth, depth, what->message.ascii);
    return depth++;
}

static int NVTX_API pop(nvtxDomainHandle_t domain)
{
    (void)domain;
    fprintf(to, "end\n");
    fflush(to);
    return --depth;
}

static void put(NvtxFunctionTable table, unsigned size, int which, NvtxFunctionPointer function)
{
    if ((unsigned)which < size && table[which])
        *table[which] = function;
}

__attribute__((visibility("default"))) int NVTX_API InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get);
int NVTX_API InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get)
{
    const NvtxExportTableCallbacks *callbacks = get(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable table = NULL;
    unsigned size = 0;
    to = fopen(getenv("NVTX_TOOL_FILE"), "w");
    if (!to || !callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size))
        return 0;
    put(table, size, NVTX_CBID_CORE2_DomainCreateA, (NvtxFunctionPointer)create);
    put(table, size, NVTX_CBID_CORE2_DomainRangePushEx, (NvtxFunctionPointer)push);
    put(table, size, NVTX_CBID_CORE2_DomainRangePop, (NvtxFunctionPointer)pop);
    return 1;
}
