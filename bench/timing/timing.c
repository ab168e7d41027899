/* Clocks, medians, and the peaks of several threads. */
#include "timing.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "levels.h"
#include "peak.h"
#include "peak_tiles.h"

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void seconds_sleep(double seconds)
{
    const struct timespec time = { (time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds)) };
    nanosleep(&time, NULL);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { MAX_VALUES = 1001 };

static int sort(const double values[], int count, double sorted[MAX_VALUES])
{
    count = count < MAX_VALUES ? count : MAX_VALUES;
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    return count;
}

double median(const double values[], int count)
{
    double sorted[MAX_VALUES];
    count = sort(values, count, sorted);
    return 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]);
}

static double quartile(const double sorted[], int count, int which)
{
    const double at = 0.25 * which * (count - 1);
    const int below = (int)at, above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

double spread(const double values[], int count)
{
    double sorted[MAX_VALUES];
    count = sort(values, count, sorted);
    return (quartile(sorted, count, 3) - quartile(sorted, count, 1)) / median(values, count);
}

double lowest(const double values[], int count)
{
    double best = values[0];
    for (int i = 1; i < count; i++)
        best = values[i] < best ? values[i] : best;
    return best;
}

double median_ratio(const double a[], const double b[], int count)
{
    double ratios[MAX_VALUES];
    count = count < MAX_VALUES ? count : MAX_VALUES;
    for (int i = 0; i < count; i++)
        ratios[i] = a[i] / b[i];
    return median(ratios, count);
}

lay_isa peak_level(lay_isa cap)
{
    const char *named = getenv("LAY_ISA");
    return lay_bench_peak_level(cap == LAY_ISA_AUTO && named ? lay_isa_named(named) : cap);
}

typedef struct runner {
    int has_tiles;
    lay_type type; /* else */
    lay_isa isa;
    double reached;
} runner;

static void *run_peak(void *of)
{
    runner *self = of;
    self->reached = self->has_tiles ? lay_bench_peak_tiles() : lay_bench_peak(self->type, self->isa);
    return NULL;
}

enum { MAX_RUNNERS = 1024 };

static double run_together(runner each, int threads)
{
    threads = threads < 1 ? 1 : threads > MAX_RUNNERS ? MAX_RUNNERS : threads;
    runner runners[MAX_RUNNERS];
    pthread_t ids[MAX_RUNNERS];
    int started = 1;
    for (int i = 0; i < threads; i++)
        runners[i] = each;
    while (started < threads && pthread_create(&ids[started], NULL, run_peak, &runners[started]) == 0)
        started++;
    run_peak(&runners[0]);
    double sum = runners[0].reached;
    for (int i = 1; i < started; i++) {
        pthread_join(ids[i], NULL);
        sum += runners[i].reached;
    }
    return started == threads ? sum : NAN;
}

double peak_together(lay_type type, lay_isa isa, int threads)
{
    return run_together((runner){ .type = type, .isa = isa }, threads);
}

double tiles_together(int threads)
{
    return run_together((runner){ .has_tiles = 1 }, threads);
}
