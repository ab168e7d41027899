/* Ranges for profilers: a tool that NVTX loads sees each product by way and problem, many at once as well; without one
 * products run as ever. The program runs itself anew with the tool in its environment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "layoutgemm.h"

enum { N = 24, MANY = 64 };
static const char *self, *tool;
static float a[N * N], c[MANY][N * N];

static lay_desc *parse(const char *text)
{
    lay_desc *made = NULL;
    assert_int_equal(lay_desc_parse(text, &made), LAY_OK);
    return made;
}

/* What the program does beside the tool: three products of one plan, one that fails, and many of them. */
static int be_watched(void)
{
    lay_desc *square = parse("[24][24]"), *turned = parse("[24:1][24:24]");
    lay_options options = LAY_OPTIONS_INIT;
    lay_plan *plan = NULL;
    const float one = 1, zero = 0;
    const void *many[MANY];
    void *results[MANY];
    options.threads = 2;
    for (int i = 0; i < N; i++)
        a[i * N + i] = 1;
    int wrong = lay_plan_create(LAY_F32, square, turned, square, &options, &plan) != LAY_OK;
    for (int i = 0; i < 3; i++)
        wrong |= lay_plan_run(plan, &one, a, a, &zero, c[0]) != LAY_OK;
    wrong |= lay_plan_run(plan, &one, a, a, &zero, a) != LAY_ERR_OVERLAP;
    for (int i = 0; i < MANY; i++) {
        many[i] = a;
        results[i] = c[i];
    }
    wrong |= lay_plan_run_many(plan, MANY, &one, many, many, &zero, results, NULL) != LAY_OK;
    for (int i = 0; i < MANY; i++)
        wrong |= c[i][0] != 1 || c[i][1] != 0;
    lay_plan_destroy(plan);
    lay_desc_destroy(square);
    lay_desc_destroy(turned);
    return wrong;
}

/* The exit status of this program with a tool, or with none where it is NULL. */
static int run_beside(const char *path, const char *file)
{
    const pid_t child = fork();
    int status = -1;
    if (child == 0) {
        if (path)
            setenv("NVTX_INJECTION64_PATH", path, 1);
        else
            unsetenv("NVTX_INJECTION64_PATH");
        setenv("NVTX_TOOL_FILE", file, 1);
        execl(self, self, "watched", (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_tool_sees_each_product_by_way_and_problem(void **state)
{
    char file[] = "/tmp/lay_ranges_XXXXXX", line[512];
    const int made = mkstemp(file);
    int begun = 0, ended = 0, domains = 0;
    (void)state;
    assert_true(made >= 0);
    assert_int_equal(run_beside(tool, file), 0);
    FILE *from = fdopen(made, "r");
    while (fgets(line, sizeof line, from)) {
        domains += strcmp(line, "domain layoutgemm\n") == 0;
        ended += strcmp(line, "end\n") == 0;
        if (strncmp(line, "1 0 ", 4) != 0)
            continue;
        begun++;
        assert_non_null(strstr(line, ", f32 24x24x24:[24][24],[24:1][24:24],[24][24]\n"));
        assert_true(line[4] != ','); /* the way's name */
    }
    fclose(from);
    unlink(file);
    assert_int_equal(domains, 1);
    assert_int_equal(begun, ended);
    assert_true(begun >= 4); /* three, and those that run together; none of what was refused */
    assert_true(begun == 4 || begun == 3 + MANY);
}

static void without_a_tool_or_with_a_broken_one_products_run(void **state)
{
    (void)state;
    assert_int_equal(run_beside(NULL, "/dev/null"), 0);
    assert_int_equal(run_beside("/no/such/tool.so", "/dev/null"), 0);
    assert_int_equal(run_beside(self, "/dev/null"), 0); /* a program is no library */
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "watched") == 0)
        return be_watched();
    self = argv[0];
    tool = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tool_sees_each_product_by_way_and_problem),
        cmocka_unit_test(without_a_tool_or_with_a_broken_one_products_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
