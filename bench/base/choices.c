/* The library's options as options of commands. */
#include "choices.h"

#include <ctype.h>
#include <stdio.h>
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

/* The number of the name that was given, or what *out held. */
static int read_name(const args *given, const char *asked, const char *const names[], int count, int *out)
{
    const char *text = args_value(given, asked);
    char list[200] = "";
    if (!text)
        return EXIT_FINE;
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], text) == 0) {
            *out = i;
            return EXIT_FINE;
        }
        const size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s", i == 0 ? "" : i < count - 1 ? ", " : " and ", names[i]);
    }
    return refuse("--%s is one of %s, not '%s'", asked, list, text);
}
#define READ_NAME(given, asked, names, out) read_name(given, asked, names, (int)(sizeof names / sizeof names[0]), out)

int choices_memory(const args *given, const char *name, lay_memory *out)
{
    int found = (int)*out;
    const int status = READ_NAME(given, name, memories, &found);
    *out = (lay_memory)found;
    return status;
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

int choices_read_how(const args *given, lay_options *out)
{
    int64_t device = out->device;
    int compute = (int)out->compute;
    int status = args_isa(given, "isa", &out->isa);
    if (status == EXIT_FINE)
        status = READ_NAME(given, "compute", computes, &compute);
    if (status == EXIT_FINE)
        status = args_integer(given, "device", 0, 1023, &device);
    out->compute = (lay_compute)compute;
    out->device = (int)device;
    return status;
}

int choices_read(const args *given, lay_options *out)
{
    int backend = (int)out->backend;
    int status = choices_read_how(given, out);
    if (status == EXIT_FINE)
        status = READ_NAME(given, "backend", backends, &backend);
    if (status == EXIT_FINE)
        status = read_bytes(given, "device-memory", &out->device_memory);
    out->backend = (lay_backend)backend;
    out->kernel = args_value(given, "kernel");
    return status;
}
