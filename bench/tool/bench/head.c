/* What lay bench prints before its table: the machine, how it times, what the columns mean. */
#include "head.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/base/texts.h"
#include "bench/contest/cold.h"
#include "bench/peers/environment.h"
#include "bench/timing/timing.h"
#include "levels.h"

terms head_terms(const task *of)
{
    terms all = of->terms;
    for (int i = 0; i < of->problem_count; i++) {
        const terms one = task_terms(of, i, all.type, 1);
        all.show_row |= one.show_row;
        all.show_strict |= one.show_strict;
        all.show_copies |= one.show_copies;
    }
    return all;
}

int head_has_others(const task *of)
{
    const terms all = head_terms(of);
    return all.peer_count || all.show_row || all.show_strict || all.show_copies || all.show_plan || all.packed;
}

double head_load(void)
{
    double load;
    return getloadavg(&load, 1) == 1 ? load : NAN;
}

static int count_cpus(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

/* The most that any problem is timed on; all CPUs where the library chooses. */
static int most_threads(const task *of, int cpus)
{
    int most = 1;
    for (int t = 0; t < of->thread_count; t++)
        for (int i = 0; i < of->problem_count; i++) {
            const int threads = task_terms(of, i, of->types[0], of->threads[t]).options.threads;
            most = threads == 0 ? cpus : threads > most ? threads : most;
        }
    return most < cpus ? most : cpus;
}

const char *head_warning(const task *of, double load)
{
    static char text[160];
    const double grain = 0.5; /* the average of a machine at rest is above 0 for a while */
    const int cpus = count_cpus(), needed = most_threads(of, cpus);
    if (cpus == 0 || !(load > cpus - needed + grain))
        return NULL;
    snprintf(text, sizeof text, "the machine is busy: a load of %.1f, and %d of %d CPUs needed here", load, needed,
             cpus);
    return text;
}

static int has_halves(const task *of)
{
    int found = 0;
    for (int i = 0; i < of->type_count; i++)
        found |= lay_type_size(of->types[i]) == 2;
    return found;
}

static void print_timing(const terms *under)
{
    if (under->is_cold)
        printf("timing      medians of %d rounds, calls timed one by one, results checked\n", under->rounds);
    else
        printf("timing      medians of %d rounds, turns of %g ms at least, results checked\n", under->rounds,
               1e3 * under->min_time);
    if (under->memory == LAY_MEMORY_DEVICE)
        printf("            by the device's events, over more matrices than its L2 holds;\n            %s\n",
               under->is_plain ? "launches one by one, the gaps between them count"
                               : "each turn one CUDA graph: gaps between launches do not count");
    else if (under->is_cold)
        printf("caches      cold: each thread reads %.0f MiB before each call\n", cold_bytes() / (1 << 20));
    else
        printf("caches      warm: operands stay in what caches they fit\n");
}

static void print_columns(const task *of)
{
    const terms *under = &of->terms;
    printf("spread      half of the rounds lie this close together, in %% of the median\n");
    if (under->memory != LAY_MEMORY_DEVICE && under->options.backend != LAY_BACKEND_CUDA)
        printf("peak        share of what %s FMAs reached in the same rounds%s\n",
               lay_isa_name(peak_level(under->options.isa)),
               has_halves(of) ? ";\n            f16 and bf16 are multiplied as f32, and their share is of f32's" : "");
    if (head_has_others(of))
        printf("speedup     of lay: their time divided by lay's, of the same round;\n"
               "            above 1 lay is faster. 'at best': of everybody's fastest turns\n");
}

static void print_peers(const args *given, const task *of)
{
    const char *setting;
    if (*environment_dropped())
        printf("dropped     %s (from the environment)\n", environment_dropped());
    for (int i = 0; (setting = args_repeated(given, "peer-env", i)); i++)
        printf("set         %s (in the environment)\n", setting);
    for (int i = 0; i < of->terms.peer_count; i++) {
        printf("peer        %s: %s\n", of->peers[i].name, of->peers[i].about);
        if (peer_hint(&of->peers[i]))
            printf("            %s\n", peer_hint(&of->peers[i]));
    }
}

void head_print(const args *given, const task *of)
{
    const double load = head_load();
    char *machine = text_of_machine();
    printf("%s", machine ? machine : "");
    free(machine);
    if (!isnan(load))
        printf("load        %.2f in the last minute, before this run\n", load);
    print_peers(given, of);
    print_timing(&of->terms);
    print_columns(of);
    if (head_warning(of, load))
        printf("WARNING     %s;\n            times may be too long, ratios of the same round less so\n",
               head_warning(of, load));
}
