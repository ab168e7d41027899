/* Everything a descriptor can be asked, compared with the table it should be. */
#ifndef LAY_TESTS_LAYOUT_ORACLE_H
#define LAY_TESTS_LAYOUT_ORACLE_H

#include <stddef.h>

#include "chance.h"
#include "layoutgemm.h"
#include "naive.h"

/* Fails the test, with story and the descriptor's notation, unless every answer about desc is that of
 * layout: extents, parts, strides and contiguity at every path; offsets of every element in all three
 * ways of asking; span; injectivity; the maps, from random places on; the notation and back. */
void oracle_desc(chance *from, const lay_desc *desc, const naive *layout, const char *story);

#define claim(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            oracle_fail(__FILE__, __LINE__, #condition, __VA_ARGS__);                                                  \
    } while (0)
__attribute__((format(printf, 4, 5))) void oracle_fail(const char *file, int line, const char *condition,
                                                       const char *format, ...);

/* The descriptor of a text that is right. */
lay_desc *oracle_parse(const char *text);

/* How many random cases: `usual`, or LAYOUT_CASES percent of it. */
int oracle_cases(int usual);

#endif
