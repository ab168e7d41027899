/* The two innermost loops of a product. Tiles of C whose halves are not contiguous along n go through a
 * small buffer, in and out, so that all arithmetic stands in the kernels. */
#include "cpu/packed/tiles.h"

#include <string.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/packed/pack.h"

enum { STAGE_BYTES = LAY_MAX_TILE_BYTES };

typedef struct stage {
    _Alignas(64) char element[STAGE_BYTES];
    int64_t row[LAY_MAX_MR];
} stage;

/* to[i * to_step] = from[i] for columns at offsets, one case an element size. */
static void gather_row(const char *c, const int64_t column[], int n, char *to, size_t size)
{
    if (size == 4)
        for (int j = 0; j < n; j++)
            ((float *)(void *)to)[j] = ((const float *)(const void *)c)[column[j]];
    else
        for (int j = 0; j < n; j++)
            ((double *)(void *)to)[j] = ((const double *)(const void *)c)[column[j]];
}

static void scatter_row(char *c, const int64_t column[], int n, const char *from, size_t size)
{
    if (size == 4)
        for (int j = 0; j < n; j++)
            ((float *)(void *)c)[column[j]] = ((const float *)(const void *)from)[j];
    else
        for (int j = 0; j < n; j++)
            ((double *)(void *)c)[column[j]] = ((const double *)(const void *)from)[j];
}

/* A tile whose columns lie anywhere. tile->c is offset 0 of C and tile->row its rows' offsets. */
static void multiply_staged(const lay_multiplying *job, const lay_tile *tile, const int64_t column[], stage *staged)
{
    const size_t size = lay_type_size(job->kernel->type), width = (size_t)job->kernel->nr * size;
    char *const c = tile->c;
    if (!lay_scalar_is(job->beta, job->kernel->type, 0))
        for (int i = 0; i < tile->m; i++)
            gather_row(c + tile->row[i] * (int64_t)size, column, tile->n, staged->element + (size_t)i * width, size);
    lay_tile inner = *tile;
    inner.c = staged->element;
    inner.row = staged->row;
    inner.half = job->kernel->nr / 2;
    job->kernel->tile(&inner);
    for (int i = 0; i < tile->m; i++)
        scatter_row(c + tile->row[i] * (int64_t)size, column, tile->n, staged->element + (size_t)i * width, size);
}

/* A direct product's tile of C in a buffer of nr columns, and where it lies. */
typedef struct visit {
    stage staged;
    int64_t row[LAY_MAX_MR], column[LAY_MAX_NR];
    char *c;
    size_t size, width;
    int m, n;
} visit;

static void begin_visit(visit *of, const lay_kernel *kernel, const void *beta, char *c, const lay_axis *rows,
                        int64_t row, const lay_axis *columns, int64_t column)
{
    of->c = c;
    of->size = lay_type_size(kernel->type);
    of->width = (size_t)kernel->nr * of->size;
    lay_axis_offsets(rows, row, of->m, of->row);
    lay_axis_offsets(columns, column, of->n, of->column);
    for (int i = 0; !lay_scalar_is(beta, kernel->type, 0) && i < of->m; i++)
        gather_row(c + of->row[i] * (int64_t)of->size, of->column, of->n, of->staged.element + (size_t)i * of->width,
                   of->size);
}

static void end_visit(const visit *of)
{
    for (int i = 0; i < of->m; i++)
        scatter_row(of->c + of->row[i] * (int64_t)of->size, of->column, of->n,
                    of->staged.element + (size_t)i * of->width, of->size);
}

void lay_multiply_staged(const lay_kernel *kernel, const lay_strided *tile, char *c, const lay_axis *rows, int64_t row,
                         const lay_axis *columns, int64_t column)
{
    visit own; /* not cleared: of a tile's size, and in a tiny product that would show */
    own.m = tile->m;
    own.n = tile->n;
    begin_visit(&own, kernel, tile->beta, c, rows, row, columns, column);
    lay_strided inner = *tile;
    inner.c = own.staged.element;
    inner.c_row = kernel->nr;
    kernel->strided(&inner);
    end_visit(&own);
}

void lay_dot_staged(const lay_kernel *kernel, const lay_dots *dots, char *c, const lay_axis *rows, int64_t row,
                    const lay_axis *columns, int64_t column)
{
    visit own; /* as above */
    own.m = dots->m;
    own.n = (int)dots->n;
    begin_visit(&own, kernel, dots->beta, c, rows, row, columns, column);
    lay_dots inner = *dots;
    inner.c = own.staged.element;
    inner.c_row = kernel->nr;
    kernel->dots(&inner);
    end_visit(&own);
}

/* What the tiles of a panel of right ask memory for, a segment each and cyclically. */
typedef struct asking {
    const char *from;
    int64_t apart, lines, done;
} asking;

/* The next panel, at `packed`, or the lines that it will be packed of, one a step, if it begins at column. */
static asking ask_for_panel(const lay_multiplying *job, int64_t column, const char *packed)
{
    enum { LINE = 64 };
    const lay_packing *of = job->unpacked;
    const int64_t size = (int64_t)lay_type_size(job->kernel->type);
    if (!of)
        return (asking){ packed, LINE, (int64_t)job->right_panel / LINE, 0 };
    const int64_t first = lay_axis_offset(of->across, column) + of->along[0];
    return (asking){ (const char *)of->source + first * size, (of->along[1] - of->along[0]) * size, of->k, 0 };
}

/* The beginning of the next segment. */
static const char *ask_on(asking *of, int64_t lines)
{
    const char *const from = of->from + of->done * of->apart;
    of->done = of->done + 2 * lines > of->lines ? 0 : of->done + lines;
    return from;
}

/* Whether a tile writes its columns where they lie; *half for it if so. */
static int is_written_in_place(const lay_kernel *kernel, const int64_t column[], int n, int64_t *half)
{
    const int h = kernel->nr / 2, rest = (int)max_of(n - h, 0);
    *half = rest > 0 ? column[h] - column[0] : h;
    return lay_offsets_are_unit(column, n - rest) && lay_offsets_are_unit(column + h, rest);
}

void lay_multiply_block(const lay_multiplying *job, int64_t first_row, int64_t row, int64_t m, int64_t first_column,
                        int64_t column, int64_t n)
{
    const int mr = job->kernel->mr, nr = job->kernel->nr;
    const int64_t size = (int64_t)lay_type_size(job->kernel->type);
    int64_t row_offset[LAY_MAX_MC], column_offset[LAY_MAX_NR];
    stage staged;
    lay_axis_offsets(job->rows, row, m, row_offset);
    for (int i = 0; i < mr; i++)
        staged.row[i] = (int64_t)i * nr;

    const char *const left = job->left + (size_t)((row - first_row) / mr) * job->left_panel;
    const char *right = job->right + (size_t)((column - first_column) / nr) * job->right_panel;
    const char *const first_right = right;
    const int64_t segment = job->k * LAY_AHEAD / 64; /* lines */
    for (int64_t j = 0; j < n; j += nr, right += job->right_panel) {
        const int columns = (int)min_of(nr, n - j);
        lay_axis_offsets(job->columns, column + j, columns, column_offset);
        int64_t half;
        const int is_direct = is_written_in_place(job->kernel, column_offset, columns, &half);
        const int is_end = j + nr >= n;
        asking next =
            ask_for_panel(job, column + (is_end ? 0 : j + nr), is_end ? first_right : right + job->right_panel);
        if (job->unpacked)
            lay_pack_panels(job->unpacked, column + j, columns, job->packed + (right - job->right));
        const char *a = left;
        for (int64_t i = 0; i < m; i += mr, a += job->left_panel) {
            const int rows = (int)min_of(mr, m - i);
            const int is_last = i + mr >= m;
            const lay_tile tile = {
                .k = job->k,
                .a = a,
                .b = right,
                .c = is_direct ? job->c + column_offset[0] * size : job->c,
                .row = row_offset + i,
                .half = half,
                .m = rows,
                .n = columns,
                .alpha = job->alpha,
                .beta = job->beta,
                .next_a = is_last ? left : a + job->left_panel,
                .next_b = ask_on(&next, segment),
                .next_b_step = next.apart,
            };
            if (is_direct)
                job->kernel->tile(&tile);
            else
                multiply_staged(job, &tile, column_offset, &staged);
        }
    }
}
