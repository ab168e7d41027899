/* A sheet: what is drawn of a layout. */
#include "sheet.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layoutgemm_team.h"

enum { LINE_BYTES = 64, PAGE_BYTES = 4096, BANK_BYTES = 4, BANKS = 32 };
enum { COLOURS = 8 }; /* that repeat */

typedef struct kind {
    const char *name; /* of --by; NULL: none */
    const char *legend;
} kind;

static const kind kinds[] = {
    [SHEET_BY_BLOCK] = { "block", "colours: blocks" },
    [SHEET_BY_LINE] = { "line", "colours and small numbers: cache lines of 64 bytes" },
    [SHEET_BY_PAGE] = { "page", "colours and small numbers: pages of 4 KiB" },
    [SHEET_BY_BANK] = { "bank", "colours and small numbers: 32 banks of 4 bytes of a GPU's shared memory" },
    [SHEET_BY_OWNER] = { "owner", NULL },
    [SHEET_BY_PLACE] = { "place", "colours and small numbers: the place that holds the element" },
    [SHEET_BY_THREAD] = { "thread",
                          "colours and small numbers: the thread that holds the sum; t is [t / 32][t mod 32]" },
    [SHEET_BY_TILE] = { NULL, "colours and small numbers: the thread that fetches the element" },
};

int sheet_by_named(const char *name, sheet_by *out)
{
    for (sheet_by i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].name && strcmp(kinds[i].name, name) == 0) {
            *out = i;
            return 1;
        }
    return 0;
}

static int64_t at_most(int64_t x, int64_t limit)
{
    return x < limit ? x : limit;
}

/* The kernel's own blocks in place of the layout's. */
static void part_by_threads(sheet *of)
{
    const int is_tile = of->by == SHEET_BY_TILE;
    axis_free(&of->row);
    axis_free(&of->column);
    of->row = (axis){ .extent = at_most(of->row.extent, HOLDER_ROWS) };
    of->column = (axis){ .extent = at_most(of->column.extent, is_tile ? HOLDER_STEPS : HOLDER_COLUMNS) };
    if (!is_tile) { /* a thread's columns, a warp's */
        axis_add(&of->column, 2, 0);
        axis_add(&of->column, 2 * HOLDER_LANES, 0);
        return;
    }
    if (of->way == HOLDER_ACROSS_VECTOR)
        axis_add(&of->row, of->vector, 0);
    const int steps = of->way == HOLDER_ALONG ? 8 : of->way == HOLDER_ACROSS ? HOLDER_LANES / HOLDER_ROWS : 0;
    axis_add(&of->column, steps ? steps : HOLDER_LANES * of->vector / HOLDER_ROWS, 0); /* a warp's */
}

static int64_t divide_up(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/* Blocks of the owners in place of the layout's. */
static void part_by_owners(sheet *of)
{
    axis *const side[] = { &of->row, &of->column };
    for (int i = 0; i < 2; i++) {
        axis_free(side[i]);
        *side[i] = (axis){ .extent = side[i]->extent };
        axis_add(side[i], divide_up(side[i]->extent, of->owners[i]), 1);
    }
}

void sheet_measure(const lay_desc *desc, sheet_by by, int64_t *rows, int64_t *columns)
{
    char last[16];
    snprintf(last, sizeof last, "%d", lay_desc_rank(desc) - 1);
    *columns = lay_desc_extent(desc, last);
    *rows = *columns ? lay_desc_extent(desc, "") / *columns : 0;
    if (by == SHEET_BY_THREAD) { /* one block of C */
        *rows = at_most(*rows, HOLDER_ROWS);
        *columns = at_most(*columns, HOLDER_COLUMNS);
    }
}

int sheet_open(const lay_desc *desc, const sheet_look *how, sheet *out)
{
    const int rank = lay_desc_rank(desc);
    *out = (sheet){ .desc = desc, .by = how->by, .type = how->type, .owners = { how->owners[0], how->owners[1] } };
    if (!axis_of_dims(desc, 0, rank - 1, &out->row) || !axis_of_dims(desc, rank - 1, rank, &out->column)) {
        sheet_close(out);
        return 0;
    }
    out->width = out->column.extent;
    char path[16];
    snprintf(path, sizeof path, "%d", rank - 2);
    out->layout_rows = rank > 2 ? lay_desc_extent(desc, path) : out->row.extent;
    if (how->by == SHEET_BY_OWNER && sheet_elements(out) > 0)
        part_by_owners(out);
    if (how->by >= SHEET_BY_THREAD && sheet_elements(out) > 0) {
        out->vector = 16 / (int)lay_type_size(how->type);
        out->way = holder_choose(desc, out->vector);
        if (out->way == HOLDER_ACROSS_VECTOR && out->row.extent < HOLDER_ROWS) /* only whole tiles are fetched so */
            out->way = HOLDER_ACROSS;
        part_by_threads(out);
    }
    return 1;
}

sheet sheet_part(const sheet *of, int64_t i, int64_t j)
{
    sheet made = *of;
    made.at[0] = at_most(i, of->row.extent - 1);
    made.at[1] = at_most(j, of->column.extent - 1);
    return made;
}

int64_t sheet_rows(const sheet *of)
{
    return of->row.extent - of->at[0];
}

int64_t sheet_columns(const sheet *of)
{
    return of->column.extent - of->at[1];
}

int sheet_row_borders(const sheet *of, int64_t i)
{
    return axis_borders(&of->row, of->at[0] + i);
}

int sheet_column_borders(const sheet *of, int64_t j)
{
    return axis_borders(&of->column, of->at[1] + j);
}

void sheet_write_row(const sheet *of, int64_t i, char *to, size_t size)
{
    const int64_t row = of->at[0] + i;
    if (of->layout_rows < of->row.extent) /* of several matrices */
        snprintf(to, size, "%" PRId64 ",%" PRId64, row / of->layout_rows, row % of->layout_rows);
    else
        snprintf(to, size, "%" PRId64, row);
}

int sheet_row_letters(const sheet *of)
{
    char text[48];
    const int64_t last = of->row.extent - 1;
    if (of->layout_rows >= of->row.extent)
        return snprintf(text, sizeof text, "%" PRId64, last);
    return snprintf(text, sizeof text, "%" PRId64 ",%" PRId64, last / of->layout_rows, of->layout_rows - 1);
}

void sheet_close(sheet *of)
{
    axis_free(&of->row);
    axis_free(&of->column);
}

int64_t sheet_elements(const sheet *of)
{
    return of->row.extent && of->column.extent ? of->row.extent * of->column.extent : 0;
}

int64_t sheet_offset(const sheet *of, int64_t i, int64_t j)
{
    const int64_t number = (of->at[0] + i) * of->width + of->at[1] + j;
    return lay_desc_offset(of->desc, 1, &number);
}

int64_t sheet_place_of(const sheet *of, int64_t i, int64_t j)
{
    const int64_t number = i * of->width + j;
    return lay_desc_place_of(of->desc, 1, &number);
}

static int64_t divide_down(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

int64_t sheet_group(const sheet *of, int64_t i, int64_t j)
{
    const int64_t size = (int64_t)lay_type_size(of->type), offset = sheet_offset(of, i, j);
    i += of->at[0];
    j += of->at[1];
    switch (of->by) {
    case SHEET_BY_LINE:
        return divide_down(offset, LINE_BYTES / size);
    case SHEET_BY_PAGE:
        return divide_down(offset, PAGE_BYTES / size);
    case SHEET_BY_BANK: { /* of an element's first bytes; a multiple of all that repeats is taken off first */
        const int64_t within = offset % (BANKS * BANK_BYTES);
        return divide_down((within + BANKS * BANK_BYTES) * size, BANK_BYTES) % BANKS;
    }
    case SHEET_BY_PLACE:
        return sheet_place_of(of, i, j);
    case SHEET_BY_THREAD:
        return holder_of_sum(i, j);
    case SHEET_BY_TILE:
        return holder_of_tile(of->way, of->vector, i, j);
    case SHEET_BY_OWNER:
        return i / divide_up(of->row.extent, of->owners[0]) * of->owners[1] +
               j / divide_up(of->column.extent, of->owners[1]);
    default:
        return axis_block(&of->row, 0, i) * axis_blocks(&of->column, 0) + axis_block(&of->column, 0, j);
    }
}

int sheet_colours(const sheet *of)
{
    return of->by == SHEET_BY_BANK ? BANKS : COLOURS;
}

void sheet_write_title(const sheet *of, char *to, size_t size)
{
    static const char *const way[] = { [HOLDER_ACROSS_VECTOR] = "16 bytes of neighbouring rows each",
                                       [HOLDER_ACROSS] = "lanes down the rows",
                                       [HOLDER_ALONG] = "lanes along the rows" };
    if (of->by == SHEET_BY_THREAD)
        snprintf(to, size, "as C: Csub, %" PRId64 " x %" PRId64 ", the sums of 4 x 32 threads", of->row.extent,
                 of->column.extent);
    else if (of->by == SHEET_BY_TILE)
        snprintf(to, size, "as A: a tile of %" PRId64 " x %" PRId64 ", fetched by 4 x 32 threads, %s", of->row.extent,
                 of->column.extent, way[of->way]);
    else
        *to = 0;
}

void sheet_write_legend(const sheet *of, char *to, size_t size)
{
    if (of->by == SHEET_BY_OWNER)
        snprintf(to, size, "colours and small numbers: the owner, of %d x %d threads with a block each", of->owners[0],
                 of->owners[1]);
    else
        snprintf(to, size, "%s", kinds[of->by].legend);
}

static int compare_places(const void *x, const void *y)
{
    const sheet_place *a = x, *b = y;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->row != b->row ? a->row - b->row : a->column - b->column;
}

sheet_place *sheet_visit(const sheet *of, int rows, int columns, int *count)
{
    sheet_place *all = malloc(((size_t)rows * (size_t)columns + 1) * sizeof *all);
    int made = 0;
    *count = 0;
    if (!all)
        return NULL;
    int64_t lowest, highest;
    lay_desc_span(of->desc, &lowest, &highest);
    const int64_t apart = lay_desc_places(of->desc) > 1 ? highest - lowest + 2 : 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            all[made++] = (sheet_place){ sheet_offset(of, i, j) + apart * sheet_place_of(of, i, j), i, j };
    qsort(all, (size_t)made, sizeof *all, compare_places);
    for (int i = 0; i < made; i++)
        if (i == 0 || all[i].offset != all[*count - 1].offset)
            all[(*count)++] = all[i];
    return all;
}
