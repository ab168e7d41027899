/* How many random cases a test program runs, and which: LAY_TEST_CASES says how many instead of the usual number,
 * LAY_TEST_CASE=number runs that one alone. */
#ifndef LAY_TESTS_CASES_H
#define LAY_TESTS_CASES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A number in the environment or of the command line; `otherwise` where there is none. */
static inline int64_t cases_read(const char *text, int64_t otherwise)
{
    return text && *text ? strtoll(text, NULL, 10) : otherwise;
}

static inline int64_t cases_asked(int64_t usual)
{
    return cases_read(getenv("LAY_TEST_CASES"), usual);
}

/* Of a test whose cases are dear: never more than usual, and one at least. */
static inline int cases_at_most(int usual)
{
    const int64_t asked = cases_asked(usual);
    return asked < 1 ? 1 : asked < usual ? (int)asked : usual;
}

/* -1: all. */
static inline int64_t cases_only(void)
{
    return cases_read(getenv("LAY_TEST_CASE"), -1);
}

/* The cases of a program that is nothing but random cases: PROGRAM SEED [CASES]. */
typedef struct cases_run {
    uint64_t seed;
    int64_t count, only; /* only: one case; -1: all */
    const char *program;
} cases_run;

static inline cases_run cases_begin(int argc, char **argv, int64_t usual)
{
    return (cases_run){ .seed = (uint64_t)cases_read(argc > 1 ? argv[1] : NULL, 1),
                        .count = cases_asked(cases_read(argc > 2 ? argv[2] : NULL, usual)),
                        .only = cases_only(),
                        .program = argv[0] };
}

static inline void cases_do(const cases_run *run, void (*one)(uint64_t number))
{
    if (run->only >= 0)
        one((uint64_t)run->only);
    for (int64_t number = 0; number < run->count && run->only < 0; number++)
        one((uint64_t)number);
}

/* How many were done. */
static inline long long cases_done(const cases_run *run)
{
    return run->only < 0 ? run->count : 1;
}

/* The line that runs a case alone. */
static inline void cases_again(const cases_run *run, uint64_t number, char *text, size_t size)
{
    const char *const place = getenv("LAY_TEST_PLACE");
    snprintf(text, size, "%s%s%sLAY_TEST_CASE=%llu %s %llu", place ? "LAY_TEST_PLACE=" : "", place ? place : "",
             place ? " " : "", (unsigned long long)number, run->program, (unsigned long long)run->seed);
}

#endif
