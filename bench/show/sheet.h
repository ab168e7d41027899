/* A sheet: what is drawn of a layout. A matrix of offsets, its blocks, and the group that each element is of. */
#ifndef SHOW_SHEET_H
#define SHOW_SHEET_H

#include "axis.h"
#include "holder.h"

typedef enum sheet_by {
    SHEET_BY_BLOCK,
    SHEET_BY_LINE, /* of a cache */
    SHEET_BY_PAGE,
    SHEET_BY_BANK,  /* of a GPU's shared memory */
    SHEET_BY_OWNER, /* of threads that have a block of rows and columns each */
    SHEET_BY_PLACE, /* that holds the element; the first of those that have a copy */
    SHEET_BY_THREAD,
    SHEET_BY_TILE /* who fetches a tile of A: a second sheet of SHEET_BY_THREAD */
} sheet_by;

/* Of more than two root dimensions the leading ones and the rows are one index. */
typedef struct sheet {
    const lay_desc *desc; /* not owned */
    sheet_by by;
    lay_type type;
    axis row, column;
    int64_t width;       /* columns of the layout, of which column.extent are drawn */
    int64_t layout_rows; /* rows of one matrix of several; all of them where there is one */
    int owners[2];       /* of SHEET_BY_OWNER: down and along */
    int64_t at[2];       /* the index that calls below count from: of the corner of a part that is drawn */
    holder_way way;      /* of SHEET_BY_TILE */
    int vector;
} sheet;

/* "block", "line", "page", "bank", "owner", "place", "thread": 1, or 0 for another name. */
int sheet_by_named(const char *name, sheet_by *out);
#define SHEET_BY_NAMES "block, line, page, bank, owner, place, thread"

/* How a layout is looked at. */
typedef struct sheet_look {
    sheet_by by;
    lay_type type;
    int owners[2];   /* threads down and along, of SHEET_BY_OWNER */
    int64_t zoom[2]; /* the corner of the part that is drawn of what is too large to be drawn whole */
} sheet_look;

enum { SHEET_MOST_OWNERS = 1024 }; /* of a side */

/* Rows, of all leading dimensions together, and columns that can be drawn. */
void sheet_measure(const lay_desc *desc, sheet_by by, int64_t *rows, int64_t *columns);

/* 0 when memory ran out. */
int sheet_open(const lay_desc *desc, const sheet_look *how, sheet *out);

/* The same sheet from index (i, j) on, or from its last row or column on. */
sheet sheet_part(const sheet *of, int64_t i, int64_t j);
/* How many rows and columns that part has. */
int64_t sheet_rows(const sheet *of);
int64_t sheet_columns(const sheet *of);
/* axis_borders of row i, column j of the part. */
int sheet_row_borders(const sheet *of, int64_t i);
int sheet_column_borders(const sheet *of, int64_t j);

/* How a row is named, "3" or, of several matrices, "1,3"; to[size]. */
void sheet_write_row(const sheet *of, int64_t i, char *to, size_t size);
/* The widest of these. */
int sheet_row_letters(const sheet *of);
void sheet_close(sheet *of);

int64_t sheet_elements(const sheet *of);
int64_t sheet_offset(const sheet *of, int64_t i, int64_t j);
int64_t sheet_place_of(const sheet *of, int64_t i, int64_t j);

/* The number of the element's block, cache line, page, bank, place or thread. Offset 0 is at the beginning of a page.
 */
int64_t sheet_group(const sheet *of, int64_t i, int64_t j);

/* How many colours repeat: of banks, there are as many as banks. */
int sheet_colours(const sheet *of);

/* What the sheet shows and what its groups are, a sentence each; to[size]. */
void sheet_write_title(const sheet *of, char *to, size_t size);
void sheet_write_legend(const sheet *of, char *to, size_t size);

/* Whether an element's text is its group's number, for which a legend is needed, and not the offset alone. */
static inline int sheet_has_groups(const sheet *of)
{
    return of->by != SHEET_BY_BLOCK;
}

/* An element of the sheet's first rows and columns; behind the offsets of one place come those of the next one, with a
 * gap of one. */
typedef struct sheet_place {
    int64_t offset;
    int row, column;
} sheet_place;

/* Those of the first rows and columns in the order of their addresses, each address once; NULL when memory ran out. */
sheet_place *sheet_visit(const sheet *of, int rows, int columns, int *count);

#endif
