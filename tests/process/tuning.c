/* LAY_TUNING: a file's plans, or a sentence. The environment is read once, so runs of this program do the work. */
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
static char path[] = "/tmp/tuning-XXXXXX";

static lay_desc *make_square(void)
{
    lay_desc *square = NULL;
    return lay_desc_natural(2, (int64_t[]){ 50, 50 }, &square) == LAY_OK ? square : NULL;
}

static void print_plan(lay_desc *square, const lay_options *options)
{
    char text[8000];
    lay_plan *made = NULL;
    const lay_status status = lay_plan_create(LAY_F32, square, square, square, options, &made);
    printf("%s\n", lay_status_name(status));
    if (status != LAY_OK)
        printf("%s\n", lay_last_error());
    else if (lay_plan_explain(made, text, sizeof text) > 0)
        printf("%s", text);
    lay_plan_destroy(made);
}

/* What a run of this program does: measures and saves, or plans, multiplies and plans once more when all is forgotten.
 */
static int work(const char *save_to)
{
    static float zeros[2500], c[2500];
    lay_options options = LAY_OPTIONS_INIT;
    lay_desc *const square = make_square();
    options.effort = save_to ? LAY_EFFORT_MEASURE : LAY_EFFORT_ESTIMATE;
    options.effort_seconds = 0.005;
    options.threads = 1;
    print_plan(square, &options);
    if (save_to)
        printf("%s\n", lay_status_name(lay_tuning_save(save_to)));
    printf("%s\n", lay_status_name(lay_sgemm(square, square, square, 1, zeros, zeros, 0, c, NULL)));
    lay_tuning_forget();
    print_plan(square, NULL);
    lay_desc_destroy(square);
    return 0;
}

/* What such a run says. */
static const char *hear(const char *file, const char *save_to)
{
    static char said[32000];
    char command[1000];
    snprintf(command, sizeof command, "LAY_TUNING='%s' '%s' work '%s' 2>&1", file, program, save_to);
    FILE *const pipe = popen(command, "r");
    assert_non_null(pipe);
    said[fread(said, 1, sizeof said - 1, pipe)] = 0;
    assert_int_equal(pclose(pipe), 0);
    return said;
}

static void a_file_that_was_saved_is_what_later_processes_follow(void **state)
{
    (void)state;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    const char *said = hear("", path);
    assert_int_equal(strncmp(said, "LAY_OK\n", 7), 0);
    assert_non_null(strstr(said, "tuning    measured here: "));
    assert_non_null(strstr(said, "\nLAY_OK\nLAY_OK\n"));
    said = hear(path, "");
    assert_int_equal(strncmp(said, "LAY_OK\n", 7), 0);
    assert_non_null(strstr(said, "tuning    of LAY_TUNING=/tmp/tuning-"));
    assert_non_null(strstr(said, "tuning    none: it knows nothing")); /* once it is forgotten */
}

static void a_bad_file_is_refused_by_every_product(void **state)
{
    (void)state;
    FILE *const file = fopen(path, "a");
    assert_non_null(file);
    fputs("# fine\nbut this\n", file);
    fclose(file);
    const char *said = hear(path, "");
    char wanted[200];
    snprintf(wanted, sizeof wanted,
             "LAY_ERR_OPTION\nLAY_TUNING=%s, line 8: there is more behind the end\n"
             "LAY_ERR_OPTION\nLAY_ERR_OPTION\n",
             path);
    if (strncmp(said, wanted, strlen(wanted)) != 0)
        fail_msg("it says: %s", said);
    unlink(path);
}

static void a_missing_file_is_refused(void **state)
{
    (void)state;
    static const char wanted[] = "LAY_ERR_OPTION\nLAY_TUNING=/nowhere/at/all: No such file or directory\n";
    assert_int_equal(strncmp(hear("/nowhere/at/all", ""), wanted, sizeof wanted - 1), 0);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return work(argv[2] && *argv[2] ? argv[2] : NULL);
    program = argv[0];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_was_saved_is_what_later_processes_follow),
        cmocka_unit_test(a_bad_file_is_refused_by_every_product),
        cmocka_unit_test(a_missing_file_is_refused),
    };
    return cmocka_run_group_tests_name("tuning", tests, NULL, NULL);
}
