/* Other people's products over several devices, by name. */
#include "several.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *several_open(const char *name, int count, const int devices[], several_peer *out)
{
    static const struct {
        const char *name, *file;
        const char *(*open)(const char *path, int count, const int devices[], several_peer *out);
    } known[] = {
        { "cublasmp", "libcublasmp.", cublasmp_open },
        { "cublasxt", "libcublas.", cublasxt_open },
    };
    static char sentence[320];
    const char *const slash = strrchr(name, '/'), *const base = slash ? slash + 1 : name;
    *out = (several_peer){ .self = NULL };
    snprintf(out->name, sizeof out->name, "%.31s", base);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            if (devices[i] < 0 || devices[i] == devices[j])
                return "its places are devices, no two of them alike";
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcasecmp(name, known[i].name) == 0 || strncmp(base, known[i].file, strlen(known[i].file)) == 0)
            return known[i].open(strcasecmp(name, known[i].name) == 0 ? NULL : name, count, devices, out);
    snprintf(sentence, sizeof sentence,
             "no product over several devices is known of it: with --devices it is cublasxt, cublasmp, or a file of "
             "these");
    return sentence;
}
