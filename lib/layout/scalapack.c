/* ScaLAPACK's array descriptor as a layout over places. */
#include <stdio.h>

#include "base/arith.h"
#include "base/status.h"
#include "layout/build.h"
#include "layoutgemm_team.h"

/* The nine numbers, in their order. */
enum { DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD };

/* Rows, or columns, over as many processes: `cycles` times round, in blocks of `block`. */
typedef struct cyclic {
    int64_t count, places, block, cycles;
} cyclic;

static cyclic make_cyclic(int64_t count, int64_t places, int64_t block)
{
    return (cyclic){ count, places, block, ceil_div(count, places * block) };
}

/* Indices of the first process, which has most: as NUMROC. */
static int64_t count_most(const cyclic *of)
{
    const int64_t round = of->places * of->block;
    return of->count / round * of->block + min_of(of->count % round, of->block);
}

/* One side in the notation: digits of dimension `dim` of P, and of `first` and the next one of A. Of one cycle the last
 * processes may have nothing: then fewer of them are named. */
static void write(const cyclic *of, int dim, int first, char *to, size_t size)
{
    const int64_t blocks = ceil_div(of->count, of->block);
    if (of->cycles > 1)
        snprintf(to, size, "[%lld[#A_%d][#P_%d][#A_%d]]", (long long)of->count, first, dim, first + 1);
    else if (blocks > 1)
        snprintf(to, size, "[%lld[%lld#P_%d][#A_%d]]", (long long)of->count, (long long)blocks, dim, first + 1);
    else
        snprintf(to, size, "[[1#P_%d][%lld#A_%d]]", dim, (long long)of->count, first + 1);
}

static lay_status check(const int desc[9], int grid_rows, int grid_columns)
{
    static const char *const name[9] = { "DTYPE_", "CTXT_", "M_", "N_", "MB_", "NB_", "RSRC_", "CSRC_", "LLD_" };
    static const int least[9] = { 1, INT32_MIN, 0, 0, 1, 1, 0, 0, 1 };
    if (grid_rows < 1 || grid_columns < 1)
        return lay_fail(LAY_ERR_ARGUMENT, "a grid of %d x %d processes", grid_rows, grid_columns);
    for (int i = 0; i < 9; i++)
        if (desc[i] < least[i])
            return lay_fail(LAY_ERR_ARGUMENT, "%s is %d, where at least %d is meant", name[i], desc[i], least[i]);
    if (desc[DTYPE] != 1)
        return lay_fail(LAY_ERR_UNSUPPORTED, "DTYPE_ is %d, where 1 is served: a dense matrix", desc[DTYPE]);
    if (desc[RSRC] != 0 || desc[CSRC] != 0)
        return lay_fail(LAY_ERR_UNSUPPORTED,
                        "RSRC_ is %d and CSRC_ is %d, where 0 is served: the first block lies at the first process",
                        desc[RSRC], desc[CSRC]);
    return LAY_OK;
}

lay_status lay_desc_from_scalapack(const int desc[9], int grid_rows, int grid_columns, int is_column_major,
                                   lay_desc **out)
{
    if (!desc || !out)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", desc ? "out" : "desc");
    const lay_status status = check(desc, grid_rows, grid_columns);
    if (status != LAY_OK)
        return status;
    const cyclic rows = make_cyclic(desc[M], grid_rows, desc[MB]),
                 columns = make_cyclic(desc[N], grid_columns, desc[NB]);
    if (desc[LLD] < count_most(&rows))
        return lay_fail(LAY_ERR_ARGUMENT, "LLD_ is %d, but the first process has %lld rows", desc[LLD],
                        (long long)count_most(&rows));
    const int row_dim = is_column_major ? 1 : 0;
    char text[500], of_rows[100], of_columns[100];
    write(&rows, row_dim, 0, of_rows, sizeof of_rows);
    write(&columns, 1 - row_dim, 2, of_columns, sizeof of_columns);
    snprintf(text, sizeof text, "P=(%d)(%d); A=[%lld:%lld][%lld:1][%lld:%lld][%lld:%d]; %s%s",
             is_column_major ? grid_columns : grid_rows, is_column_major ? grid_rows : grid_columns,
             (long long)rows.cycles, (long long)rows.block, (long long)rows.block, (long long)columns.cycles,
             (long long)columns.block * desc[LLD], (long long)columns.block, desc[LLD], of_rows, of_columns);
    return lay_desc_parse(text, out);
}
