/* A switch by how many rows a tile has: one function for each number of them, which is a constant there. Included by
 * the functions of a SIMD row after their MR. */
#include <assert.h>

static_assert(MR <= 14, "a case for each number of rows");

#define CASE_OF_ROWS(ROWS, FUNCTION, OF)                                                                               \
    case ROWS:                                                                                                         \
        if (ROWS <= MR)                                                                                                \
            FUNCTION(OF, ROWS);                                                                                        \
        break

/* FUNCTION(OF, COUNT), with 1 <= COUNT <= MR. */
#define WITH_ROWS(COUNT, FUNCTION, OF)                                                                                 \
    switch (COUNT) {                                                                                                   \
        CASE_OF_ROWS(1, FUNCTION, OF);                                                                                 \
        CASE_OF_ROWS(2, FUNCTION, OF);                                                                                 \
        CASE_OF_ROWS(3, FUNCTION, OF);                                                                                 \
        CASE_OF_ROWS(4, FUNCTION, OF);                                                                                 \
        CASE_OF_ROWS(5, FUNCTION, OF);                                                                                 \
        CASE_OF_ROWS(6, FUNCTION, OF);                                                                                 \
        CASE_OF_ROWS(7, FUNCTION, OF);                                                                                 \
        CASE_OF_ROWS(8, FUNCTION, OF);                                                                                 \
        CASE_OF_ROWS(9, FUNCTION, OF);                                                                                 \
        CASE_OF_ROWS(10, FUNCTION, OF);                                                                                \
        CASE_OF_ROWS(11, FUNCTION, OF);                                                                                \
        CASE_OF_ROWS(12, FUNCTION, OF);                                                                                \
        CASE_OF_ROWS(13, FUNCTION, OF);                                                                                \
        CASE_OF_ROWS(14, FUNCTION, OF);                                                                                \
    }
