/* LAY_VERBOSE=1: one line for each plan and each run on stderr, in the caller's own terms; else none. The
 * environment is read once, so a run of this program does the work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layoutgemm.h"

static const char *program;

/* 2 x 3 times 3 x 5, C as the text says; the exit status. */
static int multiply(const char *layout)
{
    float a[6] = { 0 }, b[15] = { 0 }, c[64];
    lay_desc *desc_a = NULL, *desc_b = NULL, *desc_c = NULL;
    if (lay_desc_parse("[2][3]", &desc_a) != LAY_OK || lay_desc_parse("[3][5]", &desc_b) != LAY_OK ||
        lay_desc_parse(layout, &desc_c) != LAY_OK)
        return 1;
    const lay_status status = lay_sgemm(desc_a, desc_b, desc_c, 1, a, b, 0, c, NULL);
    lay_desc_destroy(desc_a);
    lay_desc_destroy(desc_b);
    lay_desc_destroy(desc_c);
    return status != LAY_OK;
}

/* What a run with layout says on stderr. */
static const char *hear(const char *environment, const char *layout)
{
    static char said[4000];
    char command[2000];
    snprintf(command, sizeof command, "%s '%s' '%s' 2>&1", environment, program, layout);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    said[fread(said, 1, sizeof said - 1, pipe)] = 0;
    assert_int_equal(pclose(pipe), 0);
    return said;
}

static void plans_and_runs_are_told_in_the_callers_m_n_k(void **state)
{
    (void)state;
    static const char *const layouts[] = { "[2][5]", "[2:1][5:2]", "[2:1][5:8]" };
    for (size_t q = 0; q < sizeof layouts / sizeof layouts[0]; q++) {
        const char *said = hear("LAY_VERBOSE=1", layouts[q]);
        const char *run = strstr(said, "layoutgemm,run,");
        assert_int_equal(strncmp(said, "layoutgemm,plan,LAY_OK,f32,2,5,3,cpu,", 37), 0);
        assert_non_null(run);
        assert_int_equal(strncmp(run, "layoutgemm,run,LAY_OK,f32,2,5,3,cpu,", 36), 0);
    }
}

static void without_the_variable_nothing_is_said(void **state)
{
    (void)state;
    assert_string_equal(hear("LAY_VERBOSE=", "[2:1][5:2]"), "");
    assert_string_equal(hear("LAY_VERBOSE=0", "[2:1][5:2]"), "");
}

int main(int argc, char **argv)
{
    program = argv[0];
    if (argc > 1)
        return multiply(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_and_runs_are_told_in_the_callers_m_n_k),
        cmocka_unit_test(without_the_variable_nothing_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
