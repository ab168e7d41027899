/* From which extents on a call of level 3 is computed here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blas/level3/call.h"

/* Measured beside OpenBLAS 0.3.21: bench/LOG.md, section 84. */
static const layblas_limit limits[LAYBLAS_ROUTINES][4] = {
    /* s, d, c, z */
    [LAYBLAS_SYMM] = { { 256, 64, 512 }, { 256, 64, 512 }, { 256, 64, 512 }, { 256, 64, 512 } },
    [LAYBLAS_HEMM] = { { 0 }, { 0 }, { 256, 64, 512 }, { 256, 64, 512 } },
    [LAYBLAS_SYRK] = { { 256, 64, 128 }, { 256, 64, 128 }, { 256, 64, 128 }, { 256, 64, 128 } },
    [LAYBLAS_HERK] = { { 0 }, { 0 }, { 256, 64, 128 }, { 256, 64, 128 } },
    [LAYBLAS_SYR2K] = { { 256, 64, 128 }, { 256, 64, 128 }, { 256, 64, 128 }, { 256, 64, 128 } },
    [LAYBLAS_HER2K] = { { 0 }, { 0 }, { 256, 64, 128 }, { 256, 64, 128 } },
    [LAYBLAS_TRMM] = { { 256, 64, 128 }, { 256, 64, 128 }, { 256, 64, 128 }, { 256, 64, 128 } },
    [LAYBLAS_TRSM] = { { 256, 64, 128 }, { 256, 64, 128 }, { 256, 64, 128 }, { 256, 64, 128 } },
};

enum { BY_TABLE = 0, UNREAD = -1, LEAST_BLOCK = 16, MOST_BLOCK = 65536 };

/* LAY_BLAS_LEVEL3: next, nothing is computed here (INT64_MAX); a number, all that can be, in blocks of so many rows. */
static int64_t read_option(void)
{
    const char *const asked = getenv("LAY_BLAS_LEVEL3");
    char *end;
    if (!asked || !*asked)
        return BY_TABLE;
    if (strcmp(asked, "next") == 0)
        return INT64_MAX;
    const long rows = strtol(asked, &end, 10);
    if (*end || rows < LEAST_BLOCK || rows > MOST_BLOCK) {
        fprintf(stderr, "layblas: LAY_BLAS_LEVEL3=%.40s is neither next nor a number of rows from %d to %d\n", asked,
                LEAST_BLOCK, MOST_BLOCK);
        return BY_TABLE;
    }
    return rows;
}

layblas_limit layblas_limit_of(const layblas_call *of)
{
    static _Atomic int64_t option = UNREAD;
    if (option == UNREAD)
        option = read_option();
    layblas_limit limit = limits[of->routine][of->type];
    if (option == INT64_MAX)
        limit.order = INT64_MAX;
    else if (option != BY_TABLE)
        limit = (layblas_limit){ 1, 1, option };
    return limit;
}
