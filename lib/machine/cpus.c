/* The CPUs this process may use: affinity mask and cgroup quota, not the machine's count. */
#include "machine/cpus.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int lay_cpus_affinity(void)
{
    /* The kernel refuses a mask smaller than its own, so grow until it fits. */
    for (int cpus = 1024; cpus <= 1 << 16; cpus *= 4) {
        cpu_set_t *mask = CPU_ALLOC(cpus);
        if (!mask)
            break;
        const size_t size = CPU_ALLOC_SIZE(cpus);
        const int found = sched_getaffinity(0, size, mask) == 0 ? CPU_COUNT_S(size, mask) : 0;
        CPU_FREE(mask);
        if (found > 0)
            return found;
    }
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

/* CPUs granted by one cgroup v2 file: "max 100000" or "150000 100000"; 0: none. */
static double read_v2(const char *path)
{
    char quota[32];
    double period = 0, cpus = 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    if (fscanf(file, "%31s %lf", quota, &period) == 2 && strcmp(quota, "max") != 0 && period > 0)
        cpus = atof(quota) / period;
    fclose(file);
    return cpus;
}

static double read_number(const char *path)
{
    double number = 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    if (fscanf(file, "%lf", &number) != 1)
        number = 0;
    fclose(file);
    return number;
}

static double read_v1(const char *folder)
{
    char path[640];
    snprintf(path, sizeof path, "%.600s/cpu.cfs_quota_us", folder);
    const double quota = read_number(path);
    snprintf(path, sizeof path, "%.600s/cpu.cfs_period_us", folder);
    const double period = read_number(path);
    return quota > 0 && period > 0 ? quota / period : 0;
}

static double tighter(double a, double b)
{
    return a == 0 ? b : b == 0 ? a : a < b ? a : b;
}

/* The tightest quota from the process's own group up to the mount's root. group begins with '/'. */
static double climb(const char *mount, char *group, double (*read)(const char *), const char *file)
{
    double cpus = 0;
    for (;;) {
        char path[600];
        snprintf(path, sizeof path, "%.90s%.400s%s", mount, group, file);
        cpus = tighter(cpus, read(path));
        char *slash = strrchr(group, '/');
        if (!slash)
            return cpus;
        *slash = 0; /* "/a/b" -> "/a" -> "" */
    }
}

double lay_cpus_quota(void)
{
    double cpus = 0;
    char line[512];
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file && fgets(line, sizeof line, file)) {
        /* hierarchy:controllers:path */
        line[strcspn(line, "\n")] = 0;
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = 0;
        controllers++;
        if (*controllers == 0)
            cpus = tighter(cpus, climb("/sys/fs/cgroup", group, read_v2, "/cpu.max"));
        else if (strstr(controllers, "cpu") && !strstr(controllers, "cpuset"))
            cpus = tighter(cpus, climb("/sys/fs/cgroup/cpu", group, read_v1, ""));
    }
    if (file)
        fclose(file);
    return cpus;
}
