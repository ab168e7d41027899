/* Layouts by name, as notation. */
#include "layouts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/args.h"
#include "bench/base/texts.h"

/* A matrix in blocks, stored block after block: a grid of blocks of block_rows x block_columns. */
typedef struct blocks {
    int64_t grid_rows, grid_columns, block_rows, block_columns;
} blocks;

static int64_t divide_up(int64_t n, int64_t by)
{
    return (n + by - 1) / by;
}

static int64_t at_least_one(int64_t n)
{
    return n > 0 ? n : 1;
}

/* Where the blocks do not divide the matrix, it is the top left corner of what they cover. */
static char *write_blocks(const blocks *of, int64_t rows, int64_t columns)
{
    const int flat = of->grid_rows == 1;
    const int whole = of->grid_rows * of->block_rows == rows && of->grid_columns * of->block_columns == columns;
    char *base = flat ? text_write("A=[%" PRId64 "][%" PRId64 "][%" PRId64 "];", of->grid_columns, of->block_rows,
                                   of->block_columns)
                      : text_write("A=[%" PRId64 "][%" PRId64 "][%" PRId64 "][%" PRId64 "];", of->grid_rows,
                                   of->grid_columns, of->block_rows, of->block_columns);
    if (!base)
        return NULL;
    const char *view = flat ? "[#A_1][[#A_0][#A_2]]" : "[[#A_0][#A_2]][[#A_1][#A_3]]";
    char *text = whole ? text_write("%s %s", base, view)
                       : text_write("%s B=%s; [%" PRId64 "#B_0][%" PRId64 "#B_1]", base, view, rows, columns);
    free(base);
    return text;
}

static char *write_grid(int64_t grid_rows, int64_t grid_columns, int64_t rows, int64_t columns)
{
    const blocks of = { grid_rows, grid_columns, divide_up(rows, grid_rows), divide_up(columns, grid_columns) };
    return write_blocks(&of, rows, columns);
}

static char *write_tiles(int64_t tile_rows, int64_t tile_columns, int64_t rows, int64_t columns)
{
    const blocks of = { at_least_one(divide_up(rows, tile_rows)), divide_up(columns, tile_columns), tile_rows,
                        tile_columns };
    return write_blocks(&of, rows, columns);
}

/* "64" or "16x256" behind "tiles". */
static int read_tile(const char *text, int64_t *rows, int64_t *columns)
{
    const char *x = strchr(text, 'x');
    char first[24];
    if (!x)
        return read_integer(text, 1, INT32_MAX, rows) && read_integer(text, 1, INT32_MAX, columns);
    if ((size_t)(x - text) >= sizeof first)
        return 0;
    memcpy(first, text, (size_t)(x - text));
    first[x - text] = 0;
    return read_integer(first, 1, INT32_MAX, rows) && read_integer(x + 1, 1, INT32_MAX, columns);
}

typedef struct line_layout {
    const char *name;
    int by_rows;
    int64_t extra; /* elements that a line is longer than needed */
} line_layout;

static const line_layout lines[] = {
    { "row", 1, 0 }, { "col", 0, 0 }, { "padded", 1, 16 }, { "padcol", 0, 16 }, { "odd", 1, 1 }, { "oddcol", 0, 1 },
};

static char *write_lines(const line_layout *of, int64_t rows, int64_t columns)
{
    if (of->by_rows && !of->extra)
        return text_write("[%" PRId64 "][%" PRId64 "]", rows, columns);
    if (of->by_rows)
        return text_write("[%" PRId64 ":%" PRId64 "][%" PRId64 ":1]", rows, columns + of->extra, columns);
    return text_write("[%" PRId64 ":1][%" PRId64 ":%" PRId64 "]", rows, columns, rows + of->extra);
}

int layout_write(const char *name, int64_t rows, int64_t columns, char **out)
{
    int64_t tile_rows, tile_columns;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (strcmp(name, lines[i].name) == 0) {
            *out = write_lines(&lines[i], rows, columns);
            return 1;
        }
    if (strcmp(name, "reversed") == 0)
        *out = text_write("[%" PRId64 ":-%" PRId64 "][%" PRId64 ":-1]", rows, columns, columns);
    else if (strcmp(name, "panels") == 0)
        *out = write_grid(1, 2, rows, columns);
    else if (strcmp(name, "matrix1") == 0)
        *out = write_grid(1, 4, rows, columns);
    else if (strcmp(name, "matrix2") == 0)
        *out = write_grid(2, 2, rows, columns);
    else if (strncmp(name, "tiles", 5) == 0 && read_tile(name + 5, &tile_rows, &tile_columns))
        *out = write_tiles(tile_rows, tile_columns, rows, columns);
    else if (strchr(name, '['))
        *out = strdup(name);
    else
        return 0;
    return 1;
}
