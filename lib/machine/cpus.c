/* The CPUs this process may use: affinity mask and cgroup quota, not the machine's count. */
#include "machine/cpus.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omp.h>

/* Adds thread's CPUs to all, which holds cpus; 0 when the kernel's masks are longer or thread is gone. */
static int add_thread(pid_t thread, int cpus, cpu_set_t *all)
{
    const size_t size = CPU_ALLOC_SIZE(cpus);
    cpu_set_t *mask = CPU_ALLOC(cpus);
    const int found = mask && sched_getaffinity(thread, size, mask) == 0;
    if (found)
        CPU_OR_S(size, all, all, mask);
    CPU_FREE(mask);
    return found;
}

static void add_all_threads(int cpus, cpu_set_t *all)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *task;
    while (tasks && (task = readdir(tasks)))
        if (atoi(task->d_name) > 0)
            add_thread(atoi(task->d_name), cpus, all);
    if (tasks)
        closedir(tasks);
}

/* 0 when masks cannot be had. */
static int count_in_masks(void)
{
    int found = 0;
    /* The kernel refuses a mask smaller than its own, so grow until it fits. */
    for (int cpus = 1024; cpus <= 1 << 16 && found == 0; cpus *= 4) {
        const size_t size = CPU_ALLOC_SIZE(cpus);
        cpu_set_t *all = CPU_ALLOC(cpus);
        if (!all)
            break;
        CPU_ZERO_S(size, all);
        if (add_thread(0, cpus, all)) {
            add_all_threads(cpus, all);
            found = CPU_COUNT_S(size, all);
        }
        CPU_FREE(all);
    }
    return found;
}

int lay_cpus_affinity(const char **from)
{
    const int masks = count_in_masks();
    *from = "the affinity mask";
    if (omp_get_proc_bind() != omp_proc_bind_false && omp_get_num_procs() > masks) {
        *from = "OpenMP's places";
        return omp_get_num_procs();
    }
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return masks > 0 ? masks : online > 0 ? (int)online : 1;
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
