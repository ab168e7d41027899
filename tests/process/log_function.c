/* lay_log_set: a function of the caller's is told the lines of LAY_VERBOSE, in place of stderr. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "layoutgemm.h"

#define HEADER "layoutgemm,event,status,type,m,n,k,order,kernel,threads,seconds,gflops,way,problem"

enum { MOST = 4000 };

typedef struct heard {
    int lines, headers, plans, runs, hits, bad;
    char last[400];
} heard;

static void listen(void *context, const char *line)
{
    heard *const to = context;
    to->lines++;
    to->headers += strcmp(line, HEADER) == 0;
    to->plans += strncmp(line, "layoutgemm,plan,LAY_OK,f32,", 27) == 0;
    to->runs += strncmp(line, "layoutgemm,run,LAY_OK,f32,", 26) == 0;
    to->hits += strncmp(line, "layoutgemm,hit,LAY_OK,f32,", 26) == 0;
    to->bad += strchr(line, '\n') != NULL || (to->lines == 1 && to->headers != 1);
    snprintf(to->last, sizeof to->last, "%s", line);
}

static lay_plan *make_plan(lay_desc *desc[3])
{
    static const char *const text[] = { "[2][3]", "[3][5]", "[2][5]" };
    lay_options options = LAY_OPTIONS_INIT;
    lay_plan *plan = NULL;
    options.threads = 1;
    options.backend = LAY_BACKEND_CPU;
    for (int i = 0; i < 3; i++)
        assert_int_equal(lay_desc_parse(text[i], &desc[i]), LAY_OK);
    assert_int_equal(lay_plan_create(LAY_F32, desc[0], desc[1], desc[2], &options, &plan), LAY_OK);
    return plan;
}

static void unmake(lay_desc *desc[3], lay_plan *plan)
{
    lay_plan_destroy(plan);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
}

static const float one = 1, a[6], b[15];

static void run(const lay_plan *plan, int count)
{
    float c[10] = { 0 };
    for (int i = 0; i < count; i++)
        assert_int_equal(lay_plan_run(plan, &one, a, b, &one, c), LAY_OK);
}

static void multiply(lay_desc *const desc[3], int count)
{
    float c[10] = { 0 };
    for (int i = 0; i < count; i++)
        assert_int_equal(lay_sgemm(desc[0], desc[1], desc[2], 1, a, b, 0, c, NULL), LAY_OK);
}

static void each_level_has_its_lines(void **state)
{
    (void)state;
    static const struct {
        lay_log_level level;
        int plans, runs, hits;
    } levels[] = {
        { LAY_LOG_NOTHING, 0, 0, 0 }, { LAY_LOG_PLANS, 1, 0, 0 }, { LAY_LOG_RUNS, 1, 3, 0 }, { LAY_LOG_CACHE, 1, 3, 2 }
    };
    lay_desc *desc[3];
    lay_plan *const plan = make_plan(desc);
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        heard to = { 0 };
        lay_cache_clear();
        assert_int_equal(lay_log_set(levels[i].level, listen, &to), LAY_OK);
        multiply(desc, 3);
        assert_int_equal(lay_log_set(LAY_LOG_NOTHING, NULL, NULL), LAY_OK);
        multiply(desc, 1);
        assert_int_equal(to.plans, levels[i].plans);
        assert_int_equal(to.runs, levels[i].runs);
        assert_int_equal(to.hits, levels[i].hits);
        assert_int_equal(to.headers, to.lines > 0);
        assert_int_equal(to.lines, to.headers + to.plans + to.runs + to.hits);
        assert_int_equal(to.bad, 0);
    }
    unmake(desc, plan);
}

/* Also those of a plan whose runs have gone the shortest way for long. */
static void runs_are_told_from_the_call_on(void **state)
{
    (void)state;
    heard first = { 0 }, second = { 0 };
    lay_desc *desc[3];
    lay_plan *const plan = make_plan(desc);
    run(plan, 5);
    assert_int_equal(lay_log_set(LAY_LOG_RUNS, listen, &first), LAY_OK);
    run(plan, 3);
    assert_int_equal(lay_log_set(LAY_LOG_RUNS, listen, &second), LAY_OK);
    run(plan, 2);
    assert_non_null(strstr(second.last, "\",\"2x5x3:[2][3],[3][5],[2][5]\""));
    assert_int_equal(lay_log_set(LAY_LOG_RUNS, NULL, NULL), LAY_OK);
    run(plan, 4);
    assert_int_equal(first.runs, 3);
    assert_int_equal(second.runs, 2);
    assert_int_equal(first.headers + second.headers, 2);
    unmake(desc, plan);
}

/* Multiplies and asks for another function while it is told: neither does harm. */
static void listen_and_multiply(void *context, const char *line)
{
    heard *const to = context;
    lay_desc *desc[3];
    lay_plan *const plan = make_plan(desc);
    run(plan, 2);
    unmake(desc, plan);
    to->bad += lay_log_set(LAY_LOG_NOTHING, NULL, NULL) != LAY_ERR_ARGUMENT;
    to->lines++;
    to->runs += strncmp(line, "layoutgemm,run,", 15) == 0;
}

static void what_the_function_multiplies_is_not_told(void **state)
{
    (void)state;
    heard to = { 0 };
    lay_desc *desc[3];
    lay_plan *const plan = make_plan(desc);
    assert_int_equal(lay_log_set(LAY_LOG_RUNS, listen_and_multiply, &to), LAY_OK);
    run(plan, 3);
    assert_int_equal(lay_log_set(LAY_LOG_NOTHING, NULL, NULL), LAY_OK);
    assert_int_equal(to.lines, 4);
    assert_int_equal(to.runs, 3);
    assert_int_equal(to.bad, 0);
    unmake(desc, plan);
}

static void *run_many(void *plan)
{
    float c[10] = { 0 };
    for (int i = 0; i < MOST / 4; i++)
        if (lay_plan_run(plan, &one, a, b, &one, c) != LAY_OK)
            return plan;
    return NULL;
}

/* A heard without a lock: lines come one at a time. After lay_log_set none comes. */
static void threads_tell_one_line_at_a_time(void **state)
{
    (void)state;
    heard to = { 0 };
    lay_desc *desc[3];
    lay_plan *const plan = make_plan(desc);
    pthread_t thread[4];
    assert_int_equal(lay_log_set(LAY_LOG_RUNS, listen, &to), LAY_OK);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run_many, plan), 0);
    for (int i = 0; i < 4; i++) {
        void *failed;
        assert_int_equal(pthread_join(thread[i], &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(to.runs, MOST);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run_many, plan), 0);
    assert_int_equal(lay_log_set(LAY_LOG_NOTHING, NULL, NULL), LAY_OK);
    memset(&to, 0, sizeof to);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_int_equal(to.lines, 0);
    unmake(desc, plan);
}

static void no_level_is_refused(void **state)
{
    (void)state;
    heard to = { 0 };
    assert_int_equal(lay_log_set((lay_log_level)4, listen, &to), LAY_ERR_OPTION);
    assert_string_equal(lay_last_error(), "4 is no lay_log_level");
    assert_int_equal(lay_log_set((lay_log_level)-1, listen, &to), LAY_ERR_OPTION);
    lay_desc *desc[3];
    lay_plan *const plan = make_plan(desc);
    run(plan, 1);
    assert_int_equal(to.lines, 0);
    unmake(desc, plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_level_has_its_lines),
        cmocka_unit_test(runs_are_told_from_the_call_on),
        cmocka_unit_test(what_the_function_multiplies_is_not_told),
        cmocka_unit_test(threads_tell_one_line_at_a_time),
        cmocka_unit_test(no_level_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
