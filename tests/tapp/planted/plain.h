/* A plain TAPP library for the test of the test: right in every group, and wrong in one way when TAPP_FAULT in the
 * environment names it. Slow, and by recursion, so that it has no loop in common with the judge. */
#ifndef LAY_TESTS_TAPP_PLAIN_H
#define LAY_TESTS_TAPP_PLAIN_H

#include "../judging/number.h"

#define PLAIN_MODES 16 /* more than the test has: what is larger is refused */

enum {
    PLAIN_OK,
    PLAIN_NEGATIVE,
    PLAIN_TOO_MANY,
    PLAIN_EXTENTS,
    PLAIN_LABEL_OF_D,
    PLAIN_STRUCTURE,
    PLAIN_ALIASED,
    PLAIN_MISSING_C,
    PLAIN_NO_KEY,
    PLAIN_ERRORS
};

typedef struct plain_info {
    TAPP_datatype type;
    int nmode;
    int64_t extents[PLAIN_MODES], strides[PLAIN_MODES];
} plain_info;

/* Whether this fault is the one to show. */
int faulty(const char *name);

#endif
