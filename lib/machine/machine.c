/* The machine, found once; the choice of threads and ISA level for a call; and its explanation. */
#include "machine/machine.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/status.h"
#include "base/text.h"
#include "device/device.h"
#include "levels.h"
#include "machine/caches.h"
#include "machine/cpus.h"
#include "machine/isa.h"
#include "machine/rates.h"

enum { MAX_THREADS = 4096 };

/* The environment is read once: getenv is neither cheap nor safe beside setenv. */
typedef struct environment {
    int threads, threads_bad;
    const char *threads_from; /* the variable that set threads */
    lay_isa isa;              /* LAY_ISA_AUTO: not set */
    int isa_bad;
    char bad[64];
} environment;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static lay_machine machine;
static environment env;

/* A positive number, up to a comma (OMP_NUM_THREADS may be a list); 0 when it is none. */
static int parse_threads(const char *text)
{
    char *end;
    errno = 0;
    const long number = strtol(text, &end, 10);
    const int clean = end != text && (*end == 0 || *end == ',') && errno == 0;
    return clean && number >= 1 && number <= MAX_THREADS ? (int)number : 0;
}

static void read_threads(void)
{
    const char *own = getenv("LAY_NUM_THREADS"), *openmp = getenv("OMP_NUM_THREADS");
    if (own && *own) {
        env.threads = parse_threads(own);
        env.threads_from = "LAY_NUM_THREADS";
        env.threads_bad = env.threads == 0;
        if (env.threads_bad)
            strncat(env.bad, own, sizeof env.bad - 1);
    } else if (openmp && *openmp) {
        env.threads = parse_threads(openmp); /* a bad one is for the OpenMP runtime to complain of */
        env.threads_from = "OMP_NUM_THREADS";
    }
}

static void read_isa(void)
{
    const char *name = getenv("LAY_ISA");
    if (!name || !*name)
        return;
    env.isa = lay_isa_named(name);
    env.isa_bad = env.isa == LAY_ISA_AUTO;
    if (env.isa_bad && !env.threads_bad)
        strncat(env.bad, name, sizeof env.bad - 1);
}

/* Once: the system is asked, which takes as long as many a plan's way. */
static int64_t find_memory(void)
{
    static const int64_t guess = (int64_t)8 << 30;
    const int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? pages * page : guess;
}

static void find_machine(void)
{
    lay_caches caches;
    lay_caches_find(&caches);
    machine.levels = lay_isa_find(&machine.isa_limit);
    machine.l1 = caches.l1;
    machine.l2 = caches.l2;
    machine.l3 = caches.l3;
    machine.caches_from = caches.from;
    machine.memory = find_memory();
    machine.ghz = lay_clock_find();
    machine.affinity = lay_cpus_affinity(&machine.affinity_from);
    machine.quota = lay_cpus_quota();
    /* A quota of 1.5 CPUs is better served by 2 threads than by 1. */
    const int granted = machine.quota > 0 ? (int)(machine.quota + 0.999) : machine.affinity;
    machine.cpus = granted < machine.affinity ? granted : machine.affinity;
    if (machine.cpus < 1)
        machine.cpus = 1;
    read_threads();
    read_isa();
}

const lay_machine *lay_machine_get(void)
{
    pthread_once(&once, find_machine);
    return &machine;
}

/* Leaves of the levels what isa includes. */
static void cap(lay_choice *choice, lay_isa isa, const char *why)
{
    if (isa == LAY_ISA_AUTO || (choice->levels & ~lay_isa_set(isa)) == 0)
        return;
    choice->levels &= lay_isa_set(isa);
    choice->isa_why = why;
}

lay_status lay_machine_choose(int threads, lay_isa isa, lay_choice *choice)
{
    lay_machine_get();
    if (threads < 0 || threads > MAX_THREADS)
        return lay_fail(LAY_ERR_OPTION, "options.threads is %d, not 0 (automatic) or 1 to %d", threads, MAX_THREADS);
    if (isa != LAY_ISA_AUTO && !lay_isa_set(isa))
        return lay_fail(LAY_ERR_OPTION, "options.isa is %d, which is no lay_isa", (int)isa);
    if (threads == 0 && env.threads_bad)
        return lay_fail(LAY_ERR_OPTION, "LAY_NUM_THREADS=%s in the environment is no thread count from 1 to %d",
                        env.bad, MAX_THREADS);
    if (env.isa_bad)
        return lay_fail(LAY_ERR_OPTION, "LAY_ISA=%s in the environment is none of " LAY_ISA_NAMES, env.bad);
    lay_status status;
    if ((status = lay_rates_check()) || (status = lay_log_check()))
        return status;

    if (threads > 0)
        *choice = (lay_choice){ .threads = threads, .threads_why = "options.threads" };
    else if (env.threads > 0)
        *choice = (lay_choice){ .threads = env.threads, .threads_why = env.threads_from };
    else
        *choice =
            (lay_choice){ .threads = machine.cpus,
                          .threads_why = machine.cpus < machine.affinity ? "cgroup quota" : machine.affinity_from };

    choice->levels = machine.levels;
    choice->isa_why = "the machine's best";
    cap(choice, env.isa, "capped by LAY_ISA");
    cap(choice, isa, "capped by options.isa");
    choice->isa = lay_isa_last(choice->levels);
    return LAY_OK;
}

const char *lay_machine_refuse(const lay_choice *choice, lay_isa needed)
{
    if (!lay_isa_is_in(lay_machine_get()->levels, needed))
        return machine.isa_limit;
    return lay_isa_includes(choice->isa, needed) ? NULL : choice->isa_why;
}

/* Those that LAY_ISA and options.isa may name here. */
static void add_levels(lay_text *text, unsigned levels)
{
    const char *between = "levels      ";
#define ADD(name, level, set)                                                                                          \
    if (lay_isa_is_in(levels, level)) {                                                                                \
        lay_text_add(text, "%s%s", between, name);                                                                     \
        between = ", ";                                                                                                \
    }
    LAY_ISA_LEVELS(ADD)
#undef ADD
    lay_text_add(text, "\n");
}

static void add_size(lay_text *text, const char *name, int64_t bytes)
{
    lay_text_add(text, "%s %lld KiB", name, (long long)(bytes >> 10));
}

static void add_devices(lay_text *text)
{
    const char *reason;
    const int count = lay_device_count(&reason);
    if (count == 0)
        lay_text_add(text, "devices     none: %s\n", reason);
    for (int i = 0; i < count; i++) {
        const lay_device *device = lay_device_get(i, &reason);
        lay_text_add(text, "device %-4d %s, compute capability %d.%d, %d multiprocessors, %.2f GHz nominal\n", i,
                     device->name, device->sm / 10, device->sm % 10, device->multiprocessors, device->ghz);
        lay_text_add(text, "            %zu MiB at %.0f GB/s nominal, L2 %zu KiB, %.0f GB/s from and to the host\n",
                     device->memory >> 20, device->bytes_per_second * 1e-9, device->l2 >> 10,
                     device->link_per_second * 1e-9);
    }
}

int lay_machine_explain(char *to, size_t size)
{
    if (!to && size > 0) {
        lay_fail(LAY_ERR_ARGUMENT, "text is NULL");
        return -1;
    }
    const lay_machine *found = lay_machine_get();
    lay_text text = { .to = to, .size = size };
    lay_text_add(&text, "layoutgemm  %s, commit %s\nbuilt       %s\n", lay_version(), lay_version_commit(),
                 lay_build_configuration());

    lay_choice choice = { .isa_why = "" };
    const lay_status status = lay_machine_choose(0, LAY_ISA_AUTO, &choice);
    if (status != LAY_OK) {
        lay_text_add(&text, "environment %s\n", lay_last_error());
        return (int)text.length;
    }
    lay_text_add(&text, "isa         %s (%s)\n", lay_isa_name(choice.isa), choice.isa_why);
    if (*found->isa_limit)
        lay_text_add(&text, "            no higher level: %s\n", found->isa_limit);
    add_levels(&text, choice.levels);
    lay_text_add(&text, "caches      ");
    add_size(&text, "L1d", found->l1);
    add_size(&text, ", L2", found->l2);
    add_size(&text, ", L3", found->l3);
    lay_text_add(&text, " (%s)\nclock       %.2f GHz nominal\n", found->caches_from, found->ghz);
    lay_text_add(&text, "rates       of %s\n", lay_rates_from());
    lay_text_add(&text, "cpus        %d in %s, ", found->affinity, found->affinity_from);
    if (found->quota > 0)
        lay_text_add(&text, "cgroup quota %.2f\n", found->quota);
    else
        lay_text_add(&text, "no cgroup quota\n");
    lay_text_add(&text, "threads     %d (%s)\n", choice.threads, choice.threads_why);
    add_devices(&text);
    return (int)text.length;
}
