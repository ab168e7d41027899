/* What the header says of the environment and of stacks. Each case is a run of this program: the environment is read
 * once. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "levels.h"

enum { N = 300 };
static double a[2 * N * N], c[2 * N * N]; /* of any type */

/* ---- in a run of its own ----------------------------------------------------------------------- */

static lay_status multiply(int threads, lay_isa isa, lay_type type, const char *text)
{
    static const float one_f32[] = { 1, 0 };
    static const double one_f64[] = { 1, 0 };
    const void *const one = type == LAY_F64 || type == LAY_C64 ? (const void *)one_f64 : one_f32;
    static char explanation[40000];
    lay_options options = LAY_OPTIONS_INIT;
    lay_desc *square = NULL;
    lay_plan *plan = NULL;
    options.threads = threads;
    options.isa = isa;
    lay_status status = lay_desc_parse(text, &square);
    if (status == LAY_OK)
        status = lay_plan_create(type, square, square, square, &options, &plan);
    if (status == LAY_OK && lay_plan_explain(plan, explanation, sizeof explanation) < 0)
        status = LAY_ERR_MEMORY;
    if (status == LAY_OK)
        status = lay_plan_run(plan, one, a, a, one, c);
    if (status == LAY_OK)
        status = lay_copy(type, square, a, square, c, &options);
    lay_plan_destroy(plan);
    lay_desc_destroy(square);
    return status;
}

static const char row_major[] = "[300][300]";

/* "accepted THREADS", or the refusal's sentence; with threads asked for by the call. */
static int tell(int threads)
{
    char found[4096], *line;
    if (multiply(threads, LAY_ISA_AUTO, LAY_F64, row_major) != LAY_OK)
        return printf("%s\n", lay_last_error()) < 0;
    lay_machine_explain(found, sizeof found);
    line = strstr(found, "threads ");
    return printf("accepted %d\n", line ? atoi(line + strlen("threads")) : 0) < 0;
}

static void *use_the_library(void *isa)
{
    static const char *const layouts[] = { row_major, "[300:1][300:300]",
                                           "A=[12][12][25][25]; [[#A_0][#A_2]][[#A_1][#A_3]]",
                                           "A=[10][30][10][30]; [[#A_2][#A_1]][[#A_0][#A_3]]" };
    for (size_t q = 0; q < sizeof layouts / sizeof layouts[0]; q++)
        for (lay_type type = LAY_F32; type <= LAY_C64; type++)
            if (multiply(2, *(lay_isa *)isa, type, layouts[q]) != LAY_OK)
                return isa;
    return NULL;
}

/* The caller's stack is a small one; the others', OMP_STACKSIZE. */
static int use_in_small_thread(size_t kib)
{
#define LEVEL(name, isa, set) isa,
    static const lay_isa isas[] = { LAY_ISA_LEVELS(LEVEL) };
#undef LEVEL
    for (size_t i = 0; i < sizeof isas / sizeof isas[0]; i++) {
        lay_isa isa = isas[i];
        pthread_t thread;
        pthread_attr_t attributes;
        void *failed = &thread;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, kib << 10);
        if (pthread_create(&thread, &attributes, use_the_library, &isa) != 0 || pthread_join(thread, &failed) != 0)
            return 1;
        pthread_attr_destroy(&attributes);
        if (failed)
            return 1;
    }
    return printf("accepted 0\n") < 0;
}

/* ---- the cases --------------------------------------------------------------------------------- */

static const char *program;

static const struct {
    const char *environment, *arguments, *begins;
} cases[] = {
    { "LAY_NUM_THREADS=3", "0", "accepted 3" },
    { "LAY_NUM_THREADS=3 OMP_NUM_THREADS=2", "0", "accepted 3" },
    { "LAY_NUM_THREADS= OMP_NUM_THREADS=2", "0", "accepted 2" },
    { "LAY_NUM_THREADS=many", "0", "LAY_NUM_THREADS=many in the environment is no thread count from 1 to 4096" },
    { "LAY_NUM_THREADS=0", "0", "LAY_NUM_THREADS=0 " },
    { "LAY_NUM_THREADS=4097", "0", "LAY_NUM_THREADS=4097 " },
    { "LAY_NUM_THREADS=4x", "0", "LAY_NUM_THREADS=4x " },
    { "LAY_NUM_THREADS=4,2", "0", "accepted 4" },
    { "LAY_NUM_THREADS=many", "2", "accepted" },
    { "OMP_NUM_THREADS=3,2", "0", "accepted 3" },
    { "OMP_NUM_THREADS=many", "0", "accepted" },
    { "LAY_ISA=c", "0", "accepted" },
    { "LAY_ISA=amx", "0", "accepted" },
    { "LAY_ISA=sse", "0", "LAY_ISA=sse in the environment is none of " LAY_ISA_NAMES },
    { "LAY_ISA=", "0", "accepted" },
    { "OMP_STACKSIZE=128K", "stack", "accepted" },
};

static void the_environment_is_read_as_the_header_says(void **state)
{
    (void)state;
    for (size_t q = 0; q < sizeof cases / sizeof cases[0]; q++) {
        char command[1000], line[400] = "";
        snprintf(command, sizeof command, "env -u LAY_ISA -u LAY_NUM_THREADS -u OMP_NUM_THREADS %s '%s' %s 2>/dev/null",
                 cases[q].environment, program, cases[q].arguments);
        FILE *const answer = popen(command, "r");
        assert_non_null(answer);
        if (!fgets(line, sizeof line, answer))
            line[0] = 0;
        assert_int_equal(pclose(answer), 0);
        if (strncmp(line, cases[q].begins, strlen(cases[q].begins)) != 0)
            fail_msg("%s: \"%s\", not \"%s\"", cases[q].environment, line, cases[q].begins);
    }
}

int main(int argc, char **argv)
{
    enum { CALLERS_STACK = 256 };
    program = argv[0];
    if (argc > 1)
        return strcmp(argv[1], "stack") == 0 ? use_in_small_thread(CALLERS_STACK) : tell(atoi(argv[1]));
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_environment_is_read_as_the_header_says) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
