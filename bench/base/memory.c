/* Whether there is memory for what is about to be allocated. */
#include "memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"

/* MemAvailable counts what the kernel would give back of its file cache. */
static double of_machine(void)
{
    char line[128];
    int64_t kib;
    double sum = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %" SCNd64, &kib) == 1 || sscanf(line, "SwapFree: %" SCNd64, &kib) == 1)
            sum += 1024.0 * (double)kib;
    if (file)
        fclose(file);
    return sum > 0 ? sum : (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

static int read_number(const char *path, double *out)
{
    FILE *file = fopen(path, "r");
    const int found = file && fscanf(file, "%lf", out) == 1;
    if (file)
        fclose(file);
    return found;
}

/* A container's limit, less what it uses; infinite where there is none. */
static double of_group(void)
{
    double limit, used;
    return read_number("/sys/fs/cgroup/memory.max", &limit) && read_number("/sys/fs/cgroup/memory.current", &used)
               ? fmax(limit - used, 0)
               : INFINITY;
}

double memory_there(void)
{
    return fmin(of_machine(), of_group());
}

static void write_bytes(char text[32], double bytes)
{
    static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
    int unit = 0;
    while (bytes >= 1024 && unit < 4) {
        bytes /= 1024;
        unit++;
    }
    snprintf(text, 32, unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

int memory_check(const char *who, const char *kind, double needed, double there)
{
    char needs[32], has[32];
    if (needed <= there)
        return EXIT_FINE;
    write_bytes(needs, needed);
    write_bytes(has, there);
    return refuse("%s: needs %s of %s memory, there are %s", who, needs, kind, has);
}

int memory_need(const char *who, double bytes)
{
    return memory_check(who, "host", bytes, memory_there());
}
