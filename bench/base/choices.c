/* The library's options as options of commands. */
#include "choices.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"

static const char *const backends[] = {
    [LAY_BACKEND_AUTO] = "auto",
    [LAY_BACKEND_CPU] = "cpu",
    [LAY_BACKEND_CUDA] = "cuda",
};

static const char *const computes[] = {
    [LAY_COMPUTE_AUTO] = "auto",     [LAY_COMPUTE_STRICT] = "strict", [LAY_COMPUTE_F32_SPLIT] = "f32_split",
    [LAY_COMPUTE_TF32] = "tf32",     [LAY_COMPUTE_BF16] = "bf16",     [LAY_COMPUTE_FP16] = "fp16",
    [LAY_COMPUTE_BF16X3] = "bf16x3",
};

static const char *const memories[] = {
    [LAY_MEMORY_HOST] = "host",
    [LAY_MEMORY_PINNED] = "pinned",
    [LAY_MEMORY_DEVICE] = "device",
};

/* The index of a name, or -1. */
static int find(const char *const names[], int count, const char *name)
{
    while (--count >= 0 && (!names[count] || strcmp(names[count], name) != 0))
        ;
    return count;
}

static int read_backend(const args *given, lay_backend *out)
{
    const char *text = args_value(given, "backend");
    const int found = text ? find(backends, sizeof backends / sizeof backends[0], text) : (int)*out;
    if (found < 0)
        return refuse("--backend is one of auto, cpu and cuda, not '%s'", text);
    *out = (lay_backend)found;
    return EXIT_FINE;
}

static int read_compute(const args *given, lay_compute *out)
{
    const char *text = args_value(given, "compute");
    const int found = text ? find(computes, sizeof computes / sizeof computes[0], text) : (int)*out;
    if (found < 0)
        return refuse("--compute is one of auto, strict, f32_split, tf32, bf16, fp16 and bf16x3, not '%s'", text);
    *out = (lay_compute)found;
    return EXIT_FINE;
}

int choices_memory(const args *given, const char *name, lay_memory *out)
{
    const char *text = args_value(given, name);
    const int found = text ? find(memories, sizeof memories / sizeof memories[0], text) : (int)*out;
    if (found < 0)
        return refuse("--%s is one of host, pinned and device, not '%s'", name, text);
    *out = (lay_memory)found;
    return EXIT_FINE;
}

const char *choices_memory_name(lay_memory kind)
{
    return memories[kind];
}

const char *choices_compute_name(lay_compute mode)
{
    return computes[mode];
}

/* "4096", "500M", "2G". */
static int read_bytes(const args *given, const char *name, size_t *out)
{
    const char *text = args_value(given, name);
    if (!text)
        return EXIT_FINE;
    static const char units[] = "KMGT";
    char *end;
    const double number = strtod(text, &end);
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    const double bytes = unit ? number * (double)((int64_t)1 << 10 * (unit - units + 1)) : number;
    if (end == text || !isdigit((unsigned char)*text) || (*end && (!unit || end[1])) || !(bytes < 9e18))
        return refuse("--%s is a number of bytes, such as 500M or 2G, not '%s'", name, text);
    *out = (size_t)bytes;
    return EXIT_FINE;
}

int choices_read(const args *given, lay_options *out)
{
    int64_t device = out->device;
    int status = args_isa(given, "isa", &out->isa);
    if (status == EXIT_FINE)
        status = read_backend(given, &out->backend);
    if (status == EXIT_FINE)
        status = read_compute(given, &out->compute);
    if (status == EXIT_FINE)
        status = args_integer(given, "device", 0, 1023, &device);
    if (status == EXIT_FINE)
        status = read_bytes(given, "device-memory", &out->device_memory);
    out->device = (int)device;
    out->kernel = args_value(given, "kernel");
    return status;
}
