/* pgemm of four types: taken here where all processes can, else the loaded PBLAS's by the same arguments. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "pblas/exported.h"
#include "pblas/grid.h"
#include "pblas/matrix.h"
#include "pblas/next.h"
#include "pblas/plans.h"

enum { A, B, C };

typedef void pgemm_fn(const char *, const char *, const int *, const int *, const int *, const void *, const void *,
                      const int *, const int *, const int *, const void *, const int *, const int *, const int *,
                      const void *, void *, const int *, const int *, const int *);

/* A call's arguments, op and places as letters and indices from 0 on. */
typedef struct call {
    const char *routine;
    lay_type type;
    char op[2];
    int64_t m, n, k;
    laypblas_desc desc[3];
    laypblas_range range[3][2];
    const void *alpha, *beta, *array[3];
} call;

static size_t size_of(const call *of)
{
    return lay_type_size(of->type);
}

static int is_zero(const call *of, const void *scalar)
{
    const int parts = of->type == LAY_C32 || of->type == LAY_C64 ? 2 : 1;
    for (int i = 0; i < parts; i++)
        if (size_of(of) / (size_t)parts == sizeof(double) ? ((const double *)scalar)[i] != 0
                                                          : ((const float *)scalar)[i] != 0)
            return 0;
    return 1;
}

/* Rows and columns of the parts, before they are transposed. 0: no such operation, or no such descriptor. */
static int read_call(call *of, const int *const number[3][3])
{
    const int64_t extent[3][2] = { { of->m, of->k }, { of->k, of->n }, { of->m, of->n } };
    int is_known = 1;
    for (int i = 0; i < 3; i++) {
        is_known &= laypblas_desc_read(number[i][2], &of->desc[i]);
        const int is_transposed = i < C && of->op[i] != 'N';
        for (int d = 0; d < 2; d++) {
            of->range[i][d].first = (int64_t)*number[i][d] - 1;
            of->range[i][d].extent = extent[i][is_transposed ? 1 - d : d];
        }
    }
    for (int i = 0; i < 2; i++)
        is_known &= of->op[i] == 'N' || of->op[i] == 'T' || of->op[i] == 'C';
    return is_known;
}

/* What asks nothing of the other processes, and is the same on all of them. */
static const char *find_simple_reason(const call *of)
{
    if (of->m <= 0 || of->n <= 0 || of->k <= 0)
        return "an extent is not above 0";
    return is_zero(of, of->alpha) ? "alpha is 0" : NULL;
}

static int is_right(const call *of, const laypblas_grid *grid)
{
    const int processes[] = { grid->rows, grid->columns }, mine[] = { grid->row, grid->column };
    for (int i = 0; i < 3; i++)
        if (of->desc[i].context != of->desc[A].context ||
            !laypblas_desc_is_right(&of->desc[i], of->range[i], processes, mine))
            return 0;
    return grid->team != NULL;
}

static void make_key(const call *of, laypblas_key *key)
{
    int64_t *next = key->shared;
    *key = (laypblas_key){ .lead = { 0 } };
    const int64_t first[] = { of->type, of->op[0], of->op[1], of->m, of->n, of->k };
    memcpy(next, first, sizeof first);
    next += sizeof first / sizeof *first;
    for (int i = 0; i < 3; i++) {
        key->lead[i] = of->desc[i].lead;
        for (int d = 0; d < 2; d++) {
            const int64_t more[] = { of->range[i][d].first, of->desc[i].first_block[d], of->desc[i].block[d],
                                     of->desc[i].source[d] };
            memcpy(next, more, sizeof more);
            next += sizeof more / sizeof *more;
        }
    }
}

static uint64_t hash(const call *of, const laypblas_key *key)
{
    unsigned char bytes[sizeof key->shared + 32] = { 0 };
    memcpy(bytes, key->shared, sizeof key->shared);
    memcpy(bytes + sizeof key->shared, of->alpha, size_of(of));
    memcpy(bytes + sizeof key->shared + 16, of->beta, size_of(of));
    uint64_t made = 0xcbf29ce484222325u;
    for (size_t i = 0; i < sizeof bytes; i++)
        made = (made ^ bytes[i]) * 0x100000001b3u;
    return made >> 1;
}

/* Elements of A's rows and B's columns at a process, twice: they lie there, and they arrive. */
static int64_t estimate_bytes(const call *of, const laypblas_grid *grid)
{
    return 2 * (int64_t)size_of(of) * of->k * (of->m / grid->rows + of->n / grid->columns);
}

/* Where the parts begin. */
static void find_parts(const call *of, const laypblas_grid *grid, const void *part[3])
{
    const int processes[] = { grid->rows, grid->columns }, mine[] = { grid->row, grid->column };
    for (int i = 0; i < 3; i++) {
        int64_t before[2];
        for (int d = 0; d < 2; d++)
            before[d] = laypblas_count(&of->desc[i], d, of->range[i][d].first, processes[d], mine[d]);
        const int64_t skipped = before[0] + before[1] * of->desc[i].lead;
        part[i] = of->array[i] ? (const char *)of->array[i] + skipped * (int64_t)size_of(of) : NULL;
    }
}

static lay_status make_plan(const call *of, laypblas_grid *grid, lay_team_plan **plan)
{
    enum { MOST_PLACES = 1 << 16 };
    const int processes[] = { grid->rows, grid->columns }, mine[] = { grid->row, grid->column };
    const int places = grid->rows * grid->columns;
    lay_options options = LAY_OPTIONS_INIT;
    laypblas_matrix matrix[3] = { { .part = NULL } };
    int *const coordinate = places <= MOST_PLACES ? malloc(2 * (size_t)places * sizeof *coordinate) : NULL;
    int has_room = coordinate != NULL;
    for (int p = 0; p < places && has_room; p++) {
        coordinate[2 * p] = p / grid->columns;
        coordinate[2 * p + 1] = p % grid->columns;
    }
    for (int i = 0; i < 3 && has_room; i++) {
        const char op = i < C ? of->op[i] : 'N';
        has_room = laypblas_matrix_make(&of->desc[i], of->range[i], processes, mine, places, coordinate, op != 'N',
                                        &matrix[i]);
        matrix[i].tables.is_conjugated = op == 'C';
    }
    options.threads = grid->threads;
    /* Without room there are no tables, which this process refuses and all others hear of. */
    const lay_status status = lay_team_plan_create_distributed(
        grid->team, of->type, has_room ? &matrix[A].tables : NULL, has_room ? &matrix[B].tables : NULL,
        has_room ? &matrix[C].tables : NULL, &options, plan);
    for (int i = 0; i < 3; i++)
        laypblas_matrix_free(&matrix[i]);
    free(coordinate);
    return status;
}

/* NULL, or why the loaded PBLAS has to do it: then nothing is written, and all processes say so. */
static const char *multiply(const call *of, laypblas_grid *grid)
{
    laypblas_key key;
    make_key(of, &key);
    const int64_t hashed = (int64_t)hash(of, &key);
    lay_team_plan *plan = laypblas_plans_find(grid->plans, &key);
    int64_t said[] = { is_right(of, grid), plan != NULL, hashed, ~hashed };
    laypblas_grid_least(grid, 4, said);
    if (!said[0])
        return "a process has arguments that are not taken";
    if (said[2] != ~said[3])
        return "processes have different arguments";
    if (!said[1]) {
        if (make_plan(of, grid, &plan) != LAY_OK) {
            if (laypblas_has_broken())
                laypblas_give_up(of->routine, lay_last_error());
            return lay_last_error();
        }
        grid->plans = laypblas_plans_keep(grid->plans, &key, plan, estimate_bytes(of, grid));
        if (!grid->plans)
            laypblas_give_up(of->routine, "no memory");
    }
    const void *part[3];
    find_parts(of, grid, part);
    if (lay_team_plan_run(plan, of->alpha, &part[A], &part[B], of->beta, (void *const[]){ (void *)part[C] }) == LAY_OK)
        return NULL;
    if (laypblas_has_broken())
        laypblas_give_up(of->routine, lay_last_error());
    return lay_last_error();
}

static const char *take(call *of, const int *const number[3][3])
{
    const char *const reason = read_call(of, number) ? find_simple_reason(of) : "arguments that are not taken";
    if (reason)
        return reason;
    laypblas_grid *const grid = laypblas_grid_find(of->desc[A].context);
    return grid ? multiply(of, grid) : "this process is not in the context";
}

#define PGEMM(name, lay_name)                                                                                          \
    EXPORTED pgemm_fn name;                                                                                            \
    void name(const char *op_a, const char *op_b, const int *m, const int *n, const int *k, const void *alpha,         \
              const void *a, const int *ia, const int *ja, const int *desc_a, const void *b, const int *ib,            \
              const int *jb, const int *desc_b, const void *beta, void *c, const int *ic, const int *jc,               \
              const int *desc_c)                                                                                       \
    {                                                                                                                  \
        call of = { #name,                                                                                             \
                    lay_name,                                                                                          \
                    { (char)toupper(*op_a), (char)toupper(*op_b) },                                                    \
                    *m,                                                                                                \
                    *n,                                                                                                \
                    *k,                                                                                                \
                    .alpha = alpha,                                                                                    \
                    .beta = beta,                                                                                      \
                    .array = { a, b, c } };                                                                            \
        const int *const number[3][3] = { { ia, ja, desc_a }, { ib, jb, desc_b }, { ic, jc, desc_c } };                \
        const char *const reason = take(&of, number);                                                                  \
        if (!reason)                                                                                                   \
            return;                                                                                                    \
        laypblas_tell(#name, reason);                                                                                  \
        pgemm_fn *next;                                                                                                \
        *(void **)&next = laypblas_next(#name);                                                                        \
        next(op_a, op_b, m, n, k, alpha, a, ia, ja, desc_a, b, ib, jb, desc_b, beta, c, ic, jc, desc_c);               \
    }
PGEMM(psgemm_, LAY_F32)
PGEMM(pdgemm_, LAY_F64)
PGEMM(pcgemm_, LAY_C32)
PGEMM(pzgemm_, LAY_C64)
