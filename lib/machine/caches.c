/* Data caches and clock, as Linux describes them under /sys and /proc. */
#include "machine/caches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first line of a small file, without its newline; 0 where there is none. */
static int read_line(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    const int found = fgets(line, size, file) != NULL;
    fclose(file);
    if (found)
        line[strcspn(line, "\n")] = 0;
    return found;
}

static int read_cache(int index, const char *field, char *line, int size)
{
    char path[128];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, field);
    return read_line(path, line, size);
}

static int64_t parse_size(const char *text) /* "48K", "2048K", "105M" */
{
    char *end;
    const int64_t number = strtoll(text, &end, 10);
    return *end == 'K' ? number << 10 : *end == 'M' ? number << 20 : number;
}

void lay_caches_find(lay_caches *caches)
{
    *caches = (lay_caches){ .l1 = 32 << 10, .l2 = 512 << 10, .l3 = 4 << 20, .from = "guessed" };
    for (int index = 0; index < 8; index++) {
        char level[8], type[32], size[32];
        if (!read_cache(index, "level", level, sizeof level) || !read_cache(index, "type", type, sizeof type) ||
            !read_cache(index, "size", size, sizeof size))
            break;
        const int64_t bytes = parse_size(size);
        if (strcmp(type, "Instruction") == 0 || bytes <= 0)
            continue;
        caches->from = "sysfs";
        if (level[0] == '1')
            caches->l1 = bytes;
        else if (level[0] == '2')
            caches->l2 = bytes;
        else if (level[0] == '3')
            caches->l3 = bytes;
    }
}

double lay_clock_find(void)
{
    char line[256];
    if (read_line("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", line, sizeof line) && atof(line) > 0)
        return atof(line) * 1e-6;
    double ghz = 0;
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && ghz == 0 && fgets(line, sizeof line, file))
        if (strncmp(line, "cpu MHz", 7) == 0 && strchr(line, ':'))
            ghz = atof(strchr(line, ':') + 1) * 1e-3;
    if (file)
        fclose(file);
    return ghz > 0 ? ghz : 2.5;
}
