/* What tests of teams say with: how many cases, and claims that tell what they are of. */
#ifndef LAY_TESTS_TEAM_CLAIM_H
#define LAY_TESTS_TEAM_CLAIM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "layoutgemm.h"

/* LAYOUT_CASES per cent of the usual ones, one at least. */
static inline int cases(int usual)
{
    const char *const percent = getenv("LAYOUT_CASES");
    const int some = percent ? usual * atoi(percent) / 100 : usual;
    return some > 0 ? some : 1;
}

/* The condition, or a failure with the words that follow it and the library's last sentence. */
#define claim(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            print_error(__VA_ARGS__);                                                                                  \
            print_error("\nnot so: %s; %s\n", #condition, lay_last_error());                                           \
            _fail(__FILE__, __LINE__);                                                                                 \
        }                                                                                                              \
    } while (0)

#endif
