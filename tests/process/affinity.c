/* The CPUs of the process, whoever asks first: a pinned thread, or one that OpenMP has bound. The library
 * looks once a process, so each case is a run of this program. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layoutgemm.h"

static const char *program;

static int count_allowed(void)
{
    cpu_set_t mask;
    return sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 0;
}

/* This thread to the lowest CPU that it may use. */
static void pin(void)
{
    cpu_set_t mask, one;
    sched_getaffinity(0, sizeof mask, &mask);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &mask))
            CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

static int count_found(void)
{
    char text[2000];
    int found = 0;
    lay_machine_explain(text, sizeof text);
    const char *line = strstr(text, "\ncpus ");
    return line && sscanf(line, "\ncpus %d", &found) == 1 ? found : 0;
}

static void *pin_and_look(void *found)
{
    pin();
    *(int *)found = count_found();
    return NULL;
}

/* What the library finds, in a thread that is pinned if wanted; the exit status. */
static int look(int is_pinned)
{
    pthread_t thread;
    int found = 0;
    if (!is_pinned)
        return count_found();
    if (pthread_create(&thread, NULL, pin_and_look, &found) == 0)
        pthread_join(thread, NULL);
    return found;
}

static int run_self(const char *environment, const char *mode)
{
    char command[2000];
    snprintf(command, sizeof command, "%s '%s' %s", environment, program, mode);
    const int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void all_cpus_count_without_further_ado(void **state)
{
    (void)state;
    assert_int_equal(run_self("", "plain"), count_allowed());
}

static void a_pinned_thread_may_be_the_first_to_ask(void **state)
{
    (void)state;
    assert_int_equal(run_self("", "pinned"), count_allowed());
}

static void openmp_may_bind_threads(void **state)
{
    (void)state;
    assert_int_equal(run_self("OMP_PROC_BIND=true", "plain"), count_allowed());
    assert_int_equal(run_self("OMP_PROC_BIND=close OMP_PLACES=cores", "plain"), count_allowed());
}

static void a_process_that_is_kept_to_one_cpu_finds_one(void **state)
{
    (void)state;
    cpu_set_t before;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    pin();
    assert_int_equal(run_self("", "plain"), 1);
    assert_int_equal(run_self("OMP_PROC_BIND=true", "plain"), 1);
    sched_setaffinity(0, sizeof before, &before);
}

int main(int argc, char **argv)
{
    program = argv[0];
    if (argc > 1)
        return look(strcmp(argv[1], "pinned") == 0);
    const int allowed = count_allowed();
    if (allowed < 2 || allowed > 255) { /* nothing to tell apart, or more than an exit status holds */
        printf("1..0 # SKIP %d CPUs\n", allowed);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_cpus_count_without_further_ado),
        cmocka_unit_test(a_pinned_thread_may_be_the_first_to_ask),
        cmocka_unit_test(openmp_may_bind_threads),
        cmocka_unit_test(a_process_that_is_kept_to_one_cpu_finds_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
