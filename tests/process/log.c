/* LAY_VERBOSE and LAY_LOG: one line for each plan, run or hit of the plan cache, in the caller's own terms, on stderr
 * or in a file; else none. The environment is read once, so runs of this program do the work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "layoutgemm.h"

#define HEADER "layoutgemm,event,status,type,m,n,k,order,kernel,threads,seconds,gflops,way,problem\n"

static const char *program;

/* 2 x 3 times 3 x 5, C as the text says; a failure is said. */
static void multiply(const char *layout)
{
    float a[6] = { 0 }, b[15] = { 0 }, c[64] = { 0 };
    lay_desc *desc_a = NULL, *desc_b = NULL, *desc_c = NULL;
    if (lay_desc_parse("[2][3]", &desc_a) != LAY_OK || lay_desc_parse("[3][5]", &desc_b) != LAY_OK ||
        lay_desc_parse(layout, &desc_c) != LAY_OK)
        exit(1);
    const lay_status status = lay_sgemm(desc_a, desc_b, desc_c, 1, a, b, 0, c, NULL);
    if (status != LAY_OK)
        printf("%s %s\n", lay_status_name(status), lay_last_error());
    lay_desc_destroy(desc_a);
    lay_desc_destroy(desc_b);
    lay_desc_destroy(desc_c);
}

static int copy(void)
{
    float from[4] = { 0 }, to[4];
    lay_desc *desc = NULL;
    if (lay_desc_parse("[4]", &desc) != LAY_OK)
        return 1;
    if (lay_copy(LAY_F32, desc, from, desc, to, NULL) != LAY_OK)
        printf("%s\n", lay_last_error());
    lay_desc_destroy(desc);
    return 0;
}

/* A product here, and one in a child. */
static int multiply_forked(void)
{
    multiply("[2][5]");
    const pid_t child = fork();
    multiply(child ? "[2][5]" : "[2:1][5:2]");
    int status;
    return child && (waitpid(child, &status, 0) != child || status);
}

/* What a run of the program says, with these arguments. */
static const char *hear(const char *environment, const char *arguments)
{
    static char said[8000];
    char command[2000];
    snprintf(command, sizeof command, "%s '%s' %s 2>&1", environment, program, arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    said[fread(said, 1, sizeof said - 1, pipe)] = 0;
    assert_int_equal(pclose(pipe), 0);
    return said;
}

static int count(const char *text, const char *word)
{
    int found = 0;
    for (; (text = strstr(text, word)); text += strlen(word))
        found++;
    return found;
}

static void plans_and_runs_are_told_in_the_callers_m_n_k(void **state)
{
    (void)state;
    static const char *const layouts[] = { "[2][5]", "[2:1][5:2]", "[2:1][5:8]" };
    for (size_t q = 0; q < sizeof layouts / sizeof layouts[0]; q++) {
        char arguments[80], problem[80];
        snprintf(arguments, sizeof arguments, "'%s'", layouts[q]);
        snprintf(problem, sizeof problem, "\",\"2x5x3:[2][3],[3][5],%s\"\n", layouts[q]);
        const char *said = hear("LAY_VERBOSE=1", arguments);
        assert_int_equal(strncmp(said, HEADER, strlen(HEADER)), 0);
        const char *plan = said + strlen(HEADER), *run = strstr(said, "layoutgemm,run,");
        assert_int_equal(strncmp(plan, "layoutgemm,plan,LAY_OK,f32,2,5,3,cpu,", 37), 0);
        assert_non_null(run);
        assert_int_equal(strncmp(run, "layoutgemm,run,LAY_OK,f32,2,5,3,cpu,", 36), 0);
        assert_int_equal(count(said, problem), 2);
        assert_int_equal(count(said, "\n"), 3);
    }
}

static void each_level_tells_its_own(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        int plans, runs, hits;
    } levels[] = { { "dispatch", 1, 0, 0 }, { "1", 1, 2, 0 }, { "2", 1, 2, 1 } };
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        char environment[80];
        snprintf(environment, sizeof environment, "LAY_VERBOSE=%s", levels[i].value);
        const char *said = hear(environment, "'[2][5]' '[2][5]'");
        assert_int_equal(count(said, HEADER), 1);
        assert_int_equal(count(said, "layoutgemm,plan,LAY_OK,"), levels[i].plans);
        assert_int_equal(count(said, "layoutgemm,run,LAY_OK,"), levels[i].runs);
        assert_int_equal(count(said, "layoutgemm,hit,LAY_OK,"), levels[i].hits);
        assert_int_equal(count(said, "\n"), 1 + levels[i].plans + levels[i].runs + levels[i].hits);
    }
}

static void a_long_layout_is_told_whole(void **state)
{
    (void)state;
    char layout[1000] = "[", arguments[1010], wanted[1010];
    for (int i = 0; i < 60; i++)
        strcat(layout, "[1:0]");
    strcat(layout, "[2:1]][5:2]");
    snprintf(arguments, sizeof arguments, "'%s'", layout);
    snprintf(wanted, sizeof wanted, ",%s\"\n", layout);
    assert_int_equal(count(hear("LAY_VERBOSE=1", arguments), wanted), 2);
}

static void without_the_variable_nothing_is_said(void **state)
{
    (void)state;
    assert_string_equal(hear("LAY_VERBOSE=", "'[2:1][5:2]'"), "");
    assert_string_equal(hear("LAY_VERBOSE=0", "'[2:1][5:2]'"), "");
    assert_string_equal(hear("LAY_VERBOSE=0 LAY_LOG=/no/such/folder", "'[2:1][5:2]'"), "");
}

/* What a file of that name has, which goes. */
static const char *read_file(const char *name)
{
    static char has[4000];
    FILE *file = fopen(name, "r");
    if (!file)
        return NULL;
    has[fread(has, 1, sizeof has - 1, file)] = 0;
    fclose(file);
    unlink(name);
    return has;
}

static void lines_are_added_to_a_file(void **state)
{
    (void)state;
    char folder[] = "/tmp/log-XXXXXX", environment[120], name[60];
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/all", folder);
    snprintf(environment, sizeof environment, "LAY_VERBOSE=dispatch LAY_LOG=%s", name);
    assert_string_equal(hear(environment, "'[2][5]'"), "");
    assert_string_equal(hear(environment, "'[2:1][5:2]'"), "");
    const char *has = read_file(name);
    assert_int_equal(count(has, HEADER), 2);
    assert_int_equal(count(has, "[2][5]\"\n"), 1);
    assert_int_equal(count(has, "[2:1][5:2]\"\n"), 1);
    assert_int_equal(rmdir(folder), 0);
}

static void each_process_has_a_file_of_its_own(void **state)
{
    (void)state;
    char folder[] = "/tmp/log-XXXXXX", environment[80], command[120], list[200];
    assert_non_null(mkdtemp(folder));
    snprintf(environment, sizeof environment, "LAY_VERBOSE=dispatch LAY_LOG=%s/%%p.of.%%p", folder);
    assert_string_equal(hear(environment, "fork"), "");
    snprintf(command, sizeof command, "ls %s", folder);
    FILE *pipe = popen(command, "r");
    list[fread(list, 1, sizeof list - 1, pipe)] = 0;
    pclose(pipe);
    int files = 0, columns = 0;
    for (char *rest = list, *name; (name = strsep(&rest, "\n")) && *name; files++) {
        char path[100];
        snprintf(path, sizeof path, "%s/%.60s", folder, name);
        const char *has = read_file(path);
        assert_int_equal(strncmp(has, HEADER, strlen(HEADER)), 0);
        assert_int_equal(count(has, "\n"), 2); /* a plan */
        columns += count(has, "[2:1][5:2]\"\n");
        const long number = atol(name);
        snprintf(path, sizeof path, "%ld.of.%ld", number, number);
        assert_string_equal(name, path);
    }
    assert_int_equal(files, 2);
    assert_int_equal(columns, 1);
    assert_int_equal(rmdir(folder), 0);
}

static void what_has_no_meaning_is_refused_with_a_sentence(void **state)
{
    (void)state;
    assert_string_equal(hear("LAY_VERBOSE=yes", "'[2][5]'"),
                        "LAY_ERR_OPTION LAY_VERBOSE=yes in the environment is none of 0, 1, 2, dispatch\n");
    assert_string_equal(hear("LAY_VERBOSE=1 LAY_LOG=/no/such/folder", "'[2][5]'"),
                        "LAY_ERR_OPTION LAY_LOG=/no/such/folder in the environment: No such file or directory\n");
    assert_string_equal(hear("LAY_VERBOSE=3", "copy"),
                        "LAY_VERBOSE=3 in the environment is none of 0, 1, 2, dispatch\n");
    assert_non_null(
        strstr(hear("LAY_VERBOSE=1 LAY_LOG=$(printf %5000s | tr ' ' a)", "copy"), ": File name too long\n"));
}

int main(int argc, char **argv)
{
    program = argv[0];
    if (argc > 1 && strcmp(argv[1], "copy") == 0)
        return copy();
    if (argc > 1 && strcmp(argv[1], "fork") == 0)
        return multiply_forked();
    for (int i = 1; i < argc; i++)
        multiply(argv[i]);
    if (argc > 1)
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_and_runs_are_told_in_the_callers_m_n_k),
        cmocka_unit_test(each_level_tells_its_own),
        cmocka_unit_test(a_long_layout_is_told_whole),
        cmocka_unit_test(without_the_variable_nothing_is_said),
        cmocka_unit_test(lines_are_added_to_a_file),
        cmocka_unit_test(each_process_has_a_file_of_its_own),
        cmocka_unit_test(what_has_no_meaning_is_refused_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
