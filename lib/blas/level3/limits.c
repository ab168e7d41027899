/* From which extents on a call of level 3 is computed here. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blas/level3/call.h"

/* Calls that are computed here: of these types, with the triangle to this side (B: both), of so many rows, and so many
 * rows or columns of the other matrix. Where they are at least as fast as OpenBLAS 0.3.21, on one thread: bench/LOG.md,
 * sections 84 and, of real trsm, 108. */
enum { S = 1, D = 2, C = 4, Z = 8 };
#define ANY INT64_MAX
typedef struct limit {
    layblas_routine routine;
    int types;
    char side;
    int64_t least_order, most_order, least_other, most_other;
} limit;
/* clang-format off */
static const limit limits[] = {
    { LAYBLAS_SYMM, D, 'B', 64, 384, 96, ANY },
    { LAYBLAS_SYMM, D, 'B', 385, ANY, 384, ANY },
    { LAYBLAS_SYMM, S, 'B', 64, 256, 128, ANY },
    { LAYBLAS_SYMM, C | Z, 'B', 64, 256, 768, ANY },
    { LAYBLAS_HEMM, C | Z, 'B', 64, 256, 768, ANY },
    { LAYBLAS_SYRK, S | D, 'B', 32, 64, 32, ANY },
    { LAYBLAS_SYRK, S | D, 'B', 65, 192, 16, 512 },
    { LAYBLAS_SYRK, S | D, 'B', 193, 384, 16, 192 },
    { LAYBLAS_SYRK, S | D, 'B', 385, ANY, 16, 96 },
    { LAYBLAS_SYR2K, D, 'B', 32, 192, 32, 512 },
    { LAYBLAS_SYR2K, D, 'B', 193, 384, 16, 256 },
    { LAYBLAS_SYR2K, D, 'B', 385, ANY, 16, 64 },
    { LAYBLAS_SYR2K, S, 'B', 1024, ANY, 16, 32 },
    { LAYBLAS_TRMM, S | D, 'B', 64, 384, 32, 512 },
    { LAYBLAS_TRMM, C | Z, 'L', 64, 384, 96, ANY },
    { LAYBLAS_TRSM, S, 'B', 8, ANY, 16, ANY },
    { LAYBLAS_TRSM, D, 'B', 8, ANY, 8, ANY },
    { LAYBLAS_TRSM, C, 'L', 64, 512, 96, ANY },
    { LAYBLAS_TRSM, Z, 'L', 64, 320, 96, ANY },
};
/* clang-format on */
enum { LEAST_ORDER = 8 }; /* of all of them */

/* Threads up to which one of them solves triangles faster than all of OpenBLAS's do: it takes a fourth of the time of
 * one (section 108); of more rows it has a share, which the others wait for. Two were measured, more are guessed. */
enum { MOST_FOR_A_TRIANGLE = 8, MOST_FOR_SOLUTIONS = 4 };

/* Rows of the diagonal's triangles, and columns of a symmetric matrix at once: of whole ones of most calls. */
enum { ROWS_OF_TRIANGLE = 32, COLUMNS_WRITTEN = 1024 };

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

static int64_t option(void)
{
    static _Atomic int64_t read = UNREAD;
    if (read == UNREAD)
        read = read_option();
    return read;
}

/* The threads that liblayoutgemm takes. */
static int count_threads(void)
{
    static _Atomic int threads = UNREAD;
    if (threads == UNREAD) {
        const char *const own = getenv("LAY_NUM_THREADS"), *const asked = own ? own : getenv("OMP_NUM_THREADS");
        cpu_set_t ours;
        const int given = asked ? atoi(asked) : 0;
        threads = given > 0 ? given : sched_getaffinity(0, sizeof ours, &ours) == 0 ? CPU_COUNT(&ours) : 2;
    }
    return threads;
}

/* Whether threads stand against it. Where triangles are the next library's, any do: it and liblayoutgemm, in turns,
 * have their threads wait for each other's to stop waiting, and calls that need both were 10 to 50 times slower. What
 * is solved here one thread does alone: of many rows a small share. */
static int has_too_many_threads(const layblas_call *of)
{
    if (of->routine < LAYBLAS_TRMM)
        return 0;
    if (!layblas_solve_of(of))
        return count_threads() > 1;
    return count_threads() > (layblas_order(of) <= LAYBLAS_SOLVE_MOST ? MOST_FOR_A_TRIANGLE : MOST_FOR_SOLUTIONS);
}

int layblas_is_ours(const layblas_call *of)
{
    const int64_t order = layblas_order(of), other = layblas_other(of);
    if (option() != BY_TABLE)
        return option() != INT64_MAX;
    if (order < LEAST_ORDER || has_too_many_threads(of))
        return 0;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].routine == of->routine && (limits[i].types & 1 << of->type) &&
            (limits[i].side == 'B' || limits[i].side == of->side) && order >= limits[i].least_order &&
            order <= limits[i].most_order && other >= limits[i].least_other && other <= limits[i].most_other)
            return 1;
    return 0;
}

int64_t layblas_block_of(const layblas_call *of)
{
    const int64_t measured = of->routine <= LAYBLAS_HEMM ? COLUMNS_WRITTEN
                             : layblas_solve_of(of)      ? LAYBLAS_SOLVE_MOST
                                                         : ROWS_OF_TRIANGLE;
    if (option() == BY_TABLE || option() == INT64_MAX)
        return measured;
    return layblas_solve_of(of) && option() > LAYBLAS_SOLVE_MOST ? LAYBLAS_SOLVE_MOST : option();
}
