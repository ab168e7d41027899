/* LAY_RATES: a file's rates in place of the machine's, or a sentence. The environment is read once, so a run of this
 * program does the work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "layoutgemm.h"

static const char *program;

/* Plans 200 x 200 x 200, and says with what status, then the error or the plan. */
static int plan(void)
{
    char text[8000];
    lay_desc *square = NULL;
    lay_plan *made = NULL;
    if (lay_desc_natural(2, (int64_t[]){ 200, 200 }, &square) != LAY_OK)
        return 1;
    const lay_status status = lay_plan_create(LAY_F32, square, square, square, NULL, &made);
    printf("%s\n", lay_status_name(status));
    if (status != LAY_OK)
        printf("%s\n", lay_last_error());
    else if (lay_plan_explain(made, text, sizeof text) > 0)
        printf("%s", text);
    lay_plan_destroy(made);
    lay_desc_destroy(square);
    return 0;
}

/* What a run with this text in the file says. */
static const char *hear(const char *text)
{
    static char said[16000];
    char path[] = "/tmp/rates-XXXXXX", command[2000];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    snprintf(command, sizeof command, "LAY_RATES=%s '%s' plan 2>&1", path, program);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    said[fread(said, 1, sizeof said - 1, pipe)] = 0;
    assert_int_equal(pclose(pipe), 0);
    unlink(path);
    return said;
}

static void a_file_is_refused_with_its_line_and_reason(void **state)
{
    (void)state;
    static const struct {
        const char *text, *reason;
    } cases[] = {
        { "# mine\n\nfast 3\n", "line 3: 'fast' is the name of no rate" },
        { "clock 3\nstaged\n", "line 2: staged needs one number behind it" },
        { "staged 1.5x\n", "line 1: staged needs one number behind it" },
        { "staged 1 2\n", "line 1: staged needs one number behind it" },
        { "staged nan\n", "line 1: staged is nan, not from" },
        { "overlap 1.5\n", "line 1: overlap is 1.5, not from 0 to 1" },
        { "from_l2 -3\n", "line 1: from_l2 is -3, not from" },
        { "clock 3\n\nclock 4\n", "line 3: clock was said before" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *said = hear(cases[i].text);
        if (strncmp(said, "LAY_ERR_OPTION\nLAY_RATES=", 25) != 0 || !strstr(said, cases[i].reason))
            fail_msg("'%s' is answered by '%s'", cases[i].text, said);
    }
}

static void a_line_without_an_end_is_refused(void **state)
{
    (void)state;
    char text[2000];
    memset(text, ' ', sizeof text - 1);
    text[sizeof text - 1] = 0;
    assert_non_null(strstr(hear(text), "line 1: longer than"));
}

static void a_missing_file_is_refused(void **state)
{
    (void)state;
    char command[1000], said[1000];
    snprintf(command, sizeof command, "LAY_RATES=/nowhere/at/all '%s' plan 2>&1", program);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    said[fread(said, 1, sizeof said - 1, pipe)] = 0;
    assert_int_equal(pclose(pipe), 0);
    assert_non_null(strstr(said, "LAY_ERR_OPTION\nLAY_RATES=/nowhere/at/all in the environment: No such file"));
}

static void a_good_file_is_what_predictions_rest_on(void **state)
{
    (void)state;
    char slow[16000], fast[16000];
    snprintf(slow, sizeof slow, "%s", hear("# a clock\n clock\t0.01 # GHz\n"));
    snprintf(fast, sizeof fast, "%s", hear("clock 10\n"));
    assert_int_equal(strncmp(slow, "LAY_OK\n", 7), 0);
    assert_int_equal(strncmp(fast, "LAY_OK\n", 7), 0);
    assert_string_not_equal(slow, fast);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return plan();
    program = argv[0];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_refused_with_its_line_and_reason),
        cmocka_unit_test(a_line_without_an_end_is_refused),
        cmocka_unit_test(a_missing_file_is_refused),
        cmocka_unit_test(a_good_file_is_what_predictions_rest_on),
    };
    return cmocka_run_group_tests_name("rates", tests, NULL, NULL);
}
