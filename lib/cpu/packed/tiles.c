/* The two innermost loops of a product. Tiles of C whose halves are not contiguous along n, nor their rows two by two,
 * go through a small buffer, in and out, so that all arithmetic stands in the kernels. */
#include "cpu/packed/tiles.h"

#include <string.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/packed/pack.h"
#include "cpu/packed/streamed.h"

enum { STAGE_BYTES = LAY_MAX_TILE_BYTES };

typedef struct stage {
    _Alignas(64) char element[STAGE_BYTES];
    int64_t row[LAY_MAX_MR];
} stage;

/* Where a tile of C lies, and its buffer, a row every so many bytes. */
typedef struct spread {
    char *c; /* offset 0 */
    const int64_t *row, *column;
    int m, n;
    char *buffer;
    size_t size, width; /* bytes of an element, of the buffer's rows */
} spread;

/* Offsets come in pairs that lie side by side, as the parts of complex numbers do. */
static int are_paired(const int64_t offset[], int64_t count)
{
    int64_t apart = count % 2;
    for (int64_t i = 0; i + 1 < count; i += 2)
        apart |= offset[i + 1] - offset[i] - 1;
    return apart == 0;
}

/* Every step-th column of a row, unit bytes of it: one case for each such number. */
static void move_row(const spread *of, int i, int step, size_t unit, int is_out)
{
    char *const c = of->c + of->row[i] * (int64_t)of->size, *const own = of->buffer + (size_t)i * of->width;
    const int64_t size = (int64_t)of->size;
#define MOVE(BYTES)                                                                                                    \
    for (int j = 0; unit == (BYTES) && j < of->n; j += step)                                                           \
        if (is_out)                                                                                                    \
            memcpy(c + of->column[j] * size, own + j * size, BYTES);                                                   \
        else                                                                                                           \
            memcpy(own + j * size, c + of->column[j] * size, BYTES);
    MOVE(4)
    MOVE(8)
    MOVE(16)
    MOVE(32)
#undef MOVE
}

/* Rows i and i + 1, which alternate in C. */
static void move_pairs(const spread *of, int i, int is_out)
{
    char *const c = of->c + of->row[i] * (int64_t)of->size;
    char *const first = of->buffer + (size_t)i * of->width, *const second = first + of->width;
#define MOVE(REAL)                                                                                                     \
    for (int j = 0; of->size == sizeof(REAL) && j < of->n; j++) {                                                      \
        REAL *const x = (REAL *)(void *)first + j, *const y = (REAL *)(void *)second + j;                              \
        REAL pair[2] = { *x, *y }, *const at = (REAL *)(void *)c + of->column[j];                                      \
        if (is_out) {                                                                                                  \
            memcpy(at, pair, sizeof pair);                                                                             \
            continue;                                                                                                  \
        }                                                                                                              \
        *x = at[0];                                                                                                    \
        *y = at[1];                                                                                                    \
    }
    MOVE(float)
    MOVE(double)
#undef MOVE
}

/* To C, or from there: two elements at a time where they lie side by side. */
static void move_tile(const spread *of, int is_out)
{
    const int is_paired = are_paired(of->column, of->n);
    if (!is_paired && of->size <= sizeof(double) && are_paired(of->row, of->m))
        for (int i = 0; i < of->m; i += 2)
            move_pairs(of, i, is_out);
    else
        for (int i = 0; i < of->m; i++)
            move_row(of, i, 1 + is_paired, of->size << is_paired, is_out);
}

/* Bytes of an element of C. */
static int64_t size_of(const lay_multiplying *job)
{
    return (int64_t)lay_type_size(job->kernel->type) << job->is_of_numbers;
}

static void multiply_tile(const lay_multiplying *job, const lay_tile *tile)
{
    if (job->is_of_numbers)
        job->kernel->numbers(tile);
    else
        job->kernel->tile(tile);
}

/* A tile whose columns lie anywhere. tile->c is offset 0 of C and tile->row its rows' offsets. */
static void multiply_staged(const lay_multiplying *job, const lay_tile *tile, const int64_t column[], stage *staged)
{
    const size_t size = (size_t)size_of(job);
    const spread of = { .c = tile->c,
                        .row = tile->row,
                        .column = column,
                        .m = tile->m,
                        .n = tile->n,
                        .buffer = staged->element,
                        .size = size,
                        .width = (size_t)job->kernel->nr * size };
    if (!lay_scalar_is(job->beta, job->kernel->type, 0))
        move_tile(&of, 0);
    lay_tile inner = *tile;
    inner.c = staged->element;
    inner.row = staged->row;
    inner.half = job->kernel->nr / 2;
    multiply_tile(job, &inner);
    move_tile(&of, 1);
}

/* A tile in place whose rows, or halves of them, are whole lines of C. 0, and nothing is done, where they are not. */
static int stream_tile(const lay_multiplying *job, const lay_tile *tile, stage *staged)
{
    const int nr = job->kernel->nr, h = tile->half == nr / 2 ? tile->n : nr / 2, rest = (int)max_of(tile->n - h, 0);
    const int64_t size = size_of(job), near = (tile->n - rest) * size, far = rest * size;
    uint64_t bits = (uint64_t)(uintptr_t)tile->c | (uint64_t)near | (uint64_t)far;
    for (int i = 0; i < tile->m; i++)
        bits |= (uint64_t)(tile->row[i] * size);
    if (!lay_are_lines(bits | (rest ? (uint64_t)(tile->half * size) : 0)))
        return 0;
    lay_tile inner = *tile;
    inner.c = staged->element;
    inner.row = staged->row;
    inner.half = nr / 2;
    job->kernel->tile(&inner);
    lay_stream_segments(staged->element, nr * size, tile->c, tile->row, size, tile->m, near);
    if (rest)
        lay_stream_segments(staged->element + h * size, nr * size, (char *)tile->c + tile->half * size, tile->row, size,
                            tile->m, far);
    return 1;
}

/* A direct product's tile of C in a buffer of nr columns, and where it lies. */
typedef struct visit {
    stage staged;
    int64_t row[LAY_MAX_MR], column[LAY_MAX_NR];
    spread of;
} visit;

static void begin_visit(visit *own, const lay_kernel *kernel, int m, int n, const void *beta, char *c,
                        const lay_axis *rows, int64_t row, const lay_axis *columns, int64_t column)
{
    const size_t size = lay_type_size(kernel->type);
    own->of = (spread){ .c = c,
                        .row = own->row,
                        .column = own->column,
                        .m = m,
                        .n = n,
                        .buffer = own->staged.element,
                        .size = size,
                        .width = (size_t)kernel->nr * size };
    lay_axis_offsets(rows, row, m, own->row);
    lay_axis_offsets(columns, column, n, own->column);
    if (!lay_scalar_is(beta, kernel->type, 0))
        move_tile(&own->of, 0);
}

void lay_multiply_staged(const lay_kernel *kernel, const lay_strided *tile, char *c, const lay_axis *rows, int64_t row,
                         const lay_axis *columns, int64_t column)
{
    visit own; /* not cleared: of a tile's size, and in a tiny product that would show */
    begin_visit(&own, kernel, tile->m, tile->n, tile->beta, c, rows, row, columns, column);
    lay_strided inner = *tile;
    inner.c = own.staged.element;
    inner.c_row = kernel->nr;
    kernel->strided(&inner);
    move_tile(&own.of, 1);
}

void lay_dot_staged(const lay_kernel *kernel, const lay_dots *dots, char *c, const lay_axis *rows, int64_t row,
                    const lay_axis *columns, int64_t column)
{
    visit own; /* as above */
    begin_visit(&own, kernel, dots->m, (int)dots->n, dots->beta, c, rows, row, columns, column);
    lay_dots inner = *dots;
    inner.c = own.staged.element;
    inner.c_row = kernel->nr;
    kernel->dots(&inner);
    move_tile(&own.of, 1);
}

/* What the tiles of a panel of right ask memory for, a segment each and cyclically. */
typedef struct asking {
    const char *from;
    int64_t apart, lines, done;
} asking;

/* The next panel, at `packed`, or the lines that it will be packed of, one a step, if it begins at column. */
static asking ask_for_panel(const lay_multiplying *job, int64_t column, const char *packed)
{
    const lay_packing *of = job->unpacked;
    const int64_t size = (int64_t)lay_type_size(job->kernel->type);
    if (!of)
        return (asking){ packed, LAY_LINE, (int64_t)job->right_panel / LAY_LINE, 0 };
    const int64_t first = lay_axis_offset(of->across, column) + of->along[0];
    const int each = job->is_of_numbers && of->k > 2 ? 2 : 1; /* steps that lie in one line */
    const int64_t apart = of->along[each] - of->along[0];
    return (asking){ (const char *)of->source + first * size, apart * size, of->k / each, 0 };
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

/* Whether it may write two rows at a time, which alternate: its columns are two apart. *half as above. */
static int is_written_in_pairs(const lay_kernel *kernel, const int64_t column[], int n, int64_t *half)
{
    const int h = kernel->nr / 2;
    int64_t apart = 0;
    for (int j = 1; j < n; j++)
        apart |= j == h ? 0 : column[j] - column[j - 1] - 2;
    *half = n > h ? column[h] - column[0] : 0;
    return apart == 0;
}

/* Rows 2 i + 1 stand for the second half of columns, as the kernel wants it. */
static void place_pairs(const int64_t row[], int m, int64_t half, int64_t out[])
{
    for (int i = 0; i < m; i++)
        out[i] = row[i / 2 * 2] + i % 2 * half;
}

/* A block whose rows of C are contiguous, in stretches of columns: tiles follow each other along the rows of one panel
 * of left, so that pages which those lie in are left behind for good. */
static void multiply_along(const lay_multiplying *job, const char *left, const char *right, const int64_t row_offset[],
                           int64_t m, int64_t column, int64_t n)
{
    const int mr = job->kernel->mr, nr = job->kernel->nr;
    const int64_t size = size_of(job);
    char *const c = job->c + lay_axis_offset(job->columns, column) * size;
    for (int64_t from = 0; from < n; from += job->stretch) {
        const int64_t to = min_of(n, from + job->stretch);
        const char *const first_right = right + (size_t)(from / nr) * job->right_panel, *a = left;
        for (int64_t i = 0; i < m; i += mr, a += job->left_panel) {
            const char *b = first_right;
            for (int64_t j = from; j < to; j += nr, b += job->right_panel) {
                const int is_last = j + nr >= to;
                const lay_tile tile = {
                    .k = job->k,
                    .a = a,
                    .b = b,
                    .c = c + j * size,
                    .row = row_offset + i,
                    .half = nr / 2,
                    .is_left_first = job->is_left_first,
                    .m = (int)min_of(mr, m - i),
                    .n = (int)min_of(nr, n - j),
                    .alpha = job->alpha,
                    .beta = job->beta,
                    .next_a = is_last && i + mr < m ? a + job->left_panel : a,
                    .next_b = is_last ? first_right : b + job->right_panel,
                    .next_b_step = LAY_LINE,
                };
                job->kernel->tile(&tile);
            }
        }
    }
}

void lay_multiply_block(const lay_multiplying *job, int64_t first_row, int64_t row, int64_t m, int64_t first_column,
                        int64_t column, int64_t n)
{
    const int mr = job->kernel->mr, nr = job->kernel->nr;
    const int64_t size = size_of(job);
    int64_t row_offset[LAY_MAX_MC], column_offset[LAY_MAX_NR], pair_offset[LAY_MAX_MR];
    stage staged;
    lay_axis_offsets(job->rows, row, m, row_offset);
    const int has_pairs = mr % 2 == 0 && !job->is_of_numbers && are_paired(row_offset, m);
    for (int i = 0; i < mr; i++)
        staged.row[i] = (int64_t)i * nr;

    const char *const left = job->left + (size_t)((row - first_row) / mr) * job->left_panel;
    const char *right = job->right + (size_t)((column - first_column) / nr) * job->right_panel;
    if (job->stretch) {
        multiply_along(job, left, right, row_offset, m, column, n);
        return;
    }
    const char *const first_right = right;
    const int64_t segment = job->k * LAY_AHEAD / 64; /* lines */
    for (int64_t j = 0; j < n; j += nr, right += job->right_panel) {
        const int columns = (int)min_of(nr, n - j);
        lay_axis_offsets(job->columns, column + j, columns, column_offset);
        int64_t half;
        const int is_in_place = is_written_in_place(job->kernel, column_offset, columns, &half);
        const int is_paired =
            !is_in_place && has_pairs && is_written_in_pairs(job->kernel, column_offset, columns, &half);
        const int is_direct = is_in_place || is_paired;
        const int is_end = j + nr >= n;
        asking next =
            ask_for_panel(job, column + (is_end ? 0 : j + nr), is_end ? first_right : right + job->right_panel);
        if (job->unpacked)
            lay_pack_panels(job->unpacked, column + j, columns, job->packed + (right - job->right));
        const char *a = left;
        for (int64_t i = 0; i < m; i += mr, a += job->left_panel) {
            const int rows = (int)min_of(mr, m - i);
            const int is_last = i + mr >= m;
            if (is_paired)
                place_pairs(row_offset + i, rows, half, pair_offset);
            const lay_tile tile = {
                .k = job->k,
                .a = a,
                .b = right,
                .c = is_direct ? job->c + column_offset[0] * size : job->c,
                .row = is_paired ? pair_offset : row_offset + i,
                .half = is_paired ? nr / 2 : half,
                .is_paired = is_paired,
                .is_left_first = job->is_left_first,
                .m = rows,
                .n = columns,
                .alpha = job->alpha,
                .beta = job->beta,
                .next_a = is_last ? left : a + job->left_panel,
                .next_b = ask_on(&next, segment),
                .next_b_step = next.apart,
            };
            if (is_in_place && job->is_streamed && stream_tile(job, &tile, &staged))
                continue;
            if (is_direct)
                multiply_tile(job, &tile);
            else
                multiply_staged(job, &tile, column_offset, &staged);
        }
    }
}
