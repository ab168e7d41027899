/* Random layouts: recipes, each a way of making a matrix of given shape, some from other recipes. */
#include "layouts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_LEAVES = 12, TEXT_BYTES = 1024, DEPTH = 3 };

/* What a recipe is asked for. */
typedef struct wish {
    random_source *from;
    layout_use use;
    int64_t rows, columns;
    int depth; /* recipes within recipes that are still allowed */
} wish;
typedef lay_desc *recipe(const wish *w);

static lay_desc *make_any(const wish *w);

static void insist(lay_status status, const char *what)
{
    if (status == LAY_OK)
        return;
    fprintf(stderr, "layouts: %s: %s: %s\n", what, lay_status_name(status), lay_last_error());
    abort();
}

lay_desc *layout_parse(const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    lay_desc *desc = NULL;
    insist(lay_desc_parse(text, &desc), text);
    return desc;
}

const char *layout_text(const lay_desc *desc)
{
    static char text[8][TEXT_BYTES];
    static unsigned turn;
    char *const to = text[turn++ % 8];
    lay_desc_format(desc, to, TEXT_BYTES);
    return to;
}

static lay_desc *make_strided(int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride)
{
    lay_desc *desc = NULL;
    insist(lay_desc_strided(2, (int64_t[]){ rows, columns }, (int64_t[]){ row_stride, column_stride }, &desc),
           "strided");
    return desc;
}

static int64_t some_sign(random_source *from)
{
    return random_one_in(from, 4) ? -1 : 1;
}

/* ---- plain ------------------------------------------------------------------------------------ */

static lay_desc *make_row_major(const wish *w)
{
    lay_desc *desc = NULL;
    insist(lay_desc_natural(2, (int64_t[]){ w->rows, w->columns }, &desc), "natural");
    return desc;
}

static lay_desc *make_column_major(const wish *w)
{
    return make_strided(w->rows, w->columns, 1, w->rows);
}

/* Rows (or columns) with something between them, possibly backwards, possibly every second element. */
static lay_desc *make_padded(const wish *w)
{
    const int64_t inner = random_one_in(w->from, 3) ? random_in(w->from, 2, 5) : 1, pad = random_in(w->from, 0, 9);
    const int64_t flip_rows = some_sign(w->from), flip_columns = some_sign(w->from);
    if (random_one_in(w->from, 3))
        return make_strided(w->rows, w->columns, flip_rows * inner, flip_columns * (w->rows * inner + pad));
    return make_strided(w->rows, w->columns, flip_rows * (w->columns * inner + pad), flip_columns * inner);
}

/* ---- storage shared by elements, for inputs --------------------------------------------------- */

static lay_desc *make_broadcast(const wish *w)
{
    const int which = (int)random_in(w->from, 0, 2);
    return make_strided(w->rows, w->columns, which == 0 ? random_in(w->from, 1, 3) : 0,
                        which == 1 ? random_in(w->from, 1, 3) : 0);
}

static lay_desc *make_windows(const wish *w)
{
    return make_strided(w->rows, w->columns, random_in(w->from, -4, 4), random_in(w->from, -4, 4));
}

/* The rows of one layout with the columns of another. */
static lay_desc *make_joined(const wish *w)
{
    lay_desc *one = make_any(w), *other = make_any(w), *part[2] = { NULL, NULL }, *desc = NULL;
    insist(lay_desc_dim(one, "0", &part[0]), "dim");
    insist(lay_desc_dim(other, "1", &part[1]), "dim");
    insist(lay_desc_join(2, (const lay_desc *[]){ part[0], part[1] }, &desc), "join");
    lay_desc_destroy(one);
    lay_desc_destroy(other);
    lay_desc_destroy(part[0]);
    lay_desc_destroy(part[1]);
    return desc;
}

/* ---- nested: every leaf at its own place in memory -------------------------------------------- */

/* Radices whose product is extent, 1 to 4 of them. */
static int factor(random_source *from, int64_t extent, int64_t radix[])
{
    int count = 0;
    while (count < 3 && extent > 1 && !random_one_in(from, 4)) {
        int64_t divisors[64];
        int found = 0;
        for (int64_t d = 1; d <= extent && found < 64; d++)
            if (extent % d == 0)
                divisors[found++] = d;
        radix[count] = divisors[random_in(from, 0, found - 1)];
        extent /= radix[count++];
    }
    radix[count++] = extent;
    return count;
}

static void shuffle(random_source *from, int n, int order[])
{
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        const int other = (int)random_in(from, 0, i), moved = order[i];
        order[i] = order[other];
        order[other] = moved;
    }
}

/* The leaves of rows and columns with a stride each: "[[4:8][2:1]][3:64]", in any order of memory, some
 * with gaps, some backwards; for inputs some broadcast. */
static lay_desc *make_nested(const wish *w)
{
    int64_t radix[MAX_LEAVES], stride[MAX_LEAVES], place = 1;
    int order[MAX_LEAVES];
    const int row_leaves = factor(w->from, w->rows, radix);
    const int leaves = row_leaves + factor(w->from, w->columns, radix + row_leaves);
    shuffle(w->from, leaves, order);
    for (int i = 0; i < leaves; i++) {
        const int leaf = order[i];
        stride[leaf] = place * some_sign(w->from);
        place =
            place * (radix[leaf] > 0 ? radix[leaf] : 1) + (random_one_in(w->from, 5) ? random_in(w->from, 1, 5) : 0);
        if (w->use == LAYOUT_INPUT && random_one_in(w->from, 12))
            stride[leaf] = 0;
    }
    char text[TEXT_BYTES];
    int length = 0;
    for (int leaf = 0; leaf < leaves; leaf++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s[%lld:%lld]%s",
                           leaf == 0 || leaf == row_leaves ? "[" : "", (long long)radix[leaf], (long long)stride[leaf],
                           leaf == row_leaves - 1 || leaf == leaves - 1 ? "]" : "");
    return layout_parse("%s", text);
}

/* The same by reference: storage as a natural tensor, its dimensions taken in another order. */
static lay_desc *make_tensor(const wish *w)
{
    int64_t radix[MAX_LEAVES];
    int order[MAX_LEAVES], where[MAX_LEAVES];
    const int row_leaves = factor(w->from, w->rows, radix);
    const int leaves = row_leaves + factor(w->from, w->columns, radix + row_leaves);
    shuffle(w->from, leaves, order);
    char storage[TEXT_BYTES], rows[TEXT_BYTES], columns[TEXT_BYTES];
    int length = 0;
    for (int i = 0; i < leaves; i++) {
        where[order[i]] = i;
        length += snprintf(storage + length, sizeof storage - (size_t)length, "[%lld]", (long long)radix[order[i]]);
    }
    length = 0;
    for (int leaf = 0; leaf < row_leaves; leaf++)
        length += snprintf(rows + length, sizeof rows - (size_t)length, "[#A_%d]", where[leaf]);
    length = 0;
    for (int leaf = row_leaves; leaf < leaves; leaf++)
        length += snprintf(columns + length, sizeof columns - (size_t)length, "[#A_%d]", where[leaf]);
    return layout_parse("A=%s; [%s][%s]", storage, rows, columns);
}

/* ---- parts of something larger ---------------------------------------------------------------- */

/* Storage in tiles; the matrix begins and ends inside of them: radices that its range cuts across. */
static lay_desc *make_ragged_tiles(const wish *w)
{
    const int64_t t = random_in(w->from, 1, 34), u = random_in(w->from, 1, 34);
    const int64_t first_row = random_one_in(w->from, 2) ? random_in(w->from, 0, t - 1) : 0;
    const int64_t first_column = random_one_in(w->from, 2) ? random_in(w->from, 0, u - 1) : 0;
    const long long grid_rows = (first_row + w->rows + t - 1) / t,
                    grid_columns = (first_column + w->columns + u - 1) / u;
    const long long t_rows = t, u_columns = u;
    char storage[TEXT_BYTES];
    if (random_one_in(w->from, 2))
        snprintf(storage, sizeof storage, "A=[%lld][%lld][%lld][%lld]; U=[[#A_0][#A_2]][[#A_1][#A_3]]", grid_rows,
                 grid_columns, t_rows, u_columns);
    else /* columns first, of tiles and in them */
        snprintf(storage, sizeof storage, "A=[%lld][%lld][%lld][%lld]; U=[[#A_1][#A_3]][[#A_0][#A_2]]", grid_columns,
                 grid_rows, u_columns, t_rows);
    return layout_parse("%s; [%lld@%lld#U_0][%lld@%lld#U_1]", storage, (long long)w->rows, (long long)first_row,
                        (long long)w->columns, (long long)first_column);
}

static lay_desc *make_larger(const wish *w, int64_t rows, int64_t columns)
{
    wish larger = *w;
    larger.rows = rows;
    larger.columns = columns;
    larger.depth--;
    return make_any(&larger);
}

static lay_desc *make_slice(const wish *w)
{
    const int64_t above = random_in(w->from, 0, 6), left = random_in(w->from, 0, 6);
    lay_desc *whole =
        make_larger(w, w->rows + above + random_in(w->from, 0, 6), w->columns + left + random_in(w->from, 0, 6));
    lay_desc *rows = NULL, *desc = NULL;
    insist(lay_desc_slice(whole, 0, above, w->rows, &rows), "slice");
    insist(lay_desc_slice(rows, 1, left, w->columns, &desc), "slice");
    lay_desc_destroy(whole);
    lay_desc_destroy(rows);
    return desc;
}

/* A tile of a tiled matrix, often the short one at the edge. */
static lay_desc *make_tile(const wish *w)
{
    if (w->rows == 0 || w->columns == 0)
        return make_row_major(w);
    const int64_t tile[2] = { w->rows + random_in(w->from, 0, 3), w->columns + random_in(w->from, 0, 3) };
    const int64_t coords[2] = { random_in(w->from, 0, 2), random_in(w->from, 0, 2) };
    lay_desc *whole = make_larger(w, coords[0] * tile[0] + w->rows, coords[1] * tile[1] + w->columns);
    lay_desc *tiled = NULL, *desc = NULL;
    int64_t offset; /* of no interest: a tile's view starts at offset 0 of itself */
    insist(lay_desc_tile(whole, tile, &tiled), "tile");
    insist(lay_desc_tile_at(tiled, coords, &desc, &offset), "tile_at");
    lay_desc_destroy(whole);
    lay_desc_destroy(tiled);
    return desc;
}

/* ---- the same storage seen otherwise ---------------------------------------------------------- */

static lay_desc *make_transposed(const wish *w)
{
    lay_desc *transposed = make_larger(w, w->columns, w->rows), *desc = NULL;
    insist(lay_desc_permute(transposed, NULL, &desc), "permute");
    lay_desc_destroy(transposed);
    return desc;
}

/* Another nesting of the same function. */
static lay_desc *make_split(const wish *w)
{
    int64_t radix[MAX_LEAVES];
    lay_desc *whole = make_larger(w, w->rows, w->columns), *desc = NULL;
    const int dim = random_one_in(w->from, 2);
    const int count = factor(w->from, dim ? w->columns : w->rows, radix);
    insist(lay_desc_split(whole, dim, count, radix, &desc), "split");
    lay_desc_destroy(whole);
    return desc;
}

/* Rows that go through another dimension's function in another order: row (y, x) is row x Y + y. */
static lay_desc *make_restructured(const wish *w)
{
    int64_t row[MAX_LEAVES], column[MAX_LEAVES];
    const int64_t rows = w->rows, columns = w->columns;
    const int many = factor(w->from, rows, row), wide = factor(w->from, columns, column);
    const int64_t x = many > 1 ? row[0] : 1, z = wide > 1 ? column[0] : 1;
    if (rows == 0 || columns == 0)
        return make_row_major(w);
    return layout_parse("T=[%lld][%lld]; U=[[%lld][%lld]#T_0][[%lld][%lld]#T_1]; [[#U_0_1][#U_0_0]][[#U_1_1][#U_1_0]]",
                        (long long)rows + random_in(w->from, 0, 3), (long long)columns + random_in(w->from, 0, 3),
                        (long long)x, (long long)(rows / x), (long long)z, (long long)(columns / z));
}

/* ---- the choice ------------------------------------------------------------------------------- */

static lay_desc *make_any(const wish *w)
{
    static recipe *const flat[] = { make_row_major,    make_column_major, make_padded,      make_padded,
                                    make_nested,       make_nested,       make_tensor,      make_tensor,
                                    make_ragged_tiles, make_ragged_tiles, make_restructured };
    static recipe *const deep[] = { make_slice, make_slice, make_tile, make_tile, make_transposed, make_split };
    static recipe *const shared[] = { make_broadcast, make_windows, make_joined };
    wish inner = *w;
    if (w->use == LAYOUT_INPUT && w->depth > 0 && random_one_in(w->from, 8)) {
        inner.depth--;
        return random_of(w->from, shared)(&inner);
    }
    if (w->depth > 0 && random_one_in(w->from, 3))
        return random_of(w->from, deep)(w);
    return random_of(w->from, flat)(w);
}

lay_desc *layout_random(random_source *from, layout_use use, int64_t rows, int64_t columns)
{
    for (;;) {
        const wish w = { from, use, rows, columns, DEPTH };
        lay_desc *desc = make_any(&w);
        int64_t lowest, highest;
        lay_desc_span(desc, &lowest, &highest);
        if (highest - lowest < LAYOUT_SPAN)
            return desc;
        lay_desc_destroy(desc);
    }
}

lay_desc *layout_usual(int number, int64_t rows, int64_t columns)
{
    const long long m = rows, n = columns;
    switch (number) {
    case 0:
        return layout_parse("[%lld][%lld]", m, n);
    case 1:
        return layout_parse("[%lld:1][%lld:%lld]", m, n, m);
    case 2:
        return layout_parse("[%lld:%lld][%lld:1]", m, n + 7, n);
    case 3:
        return layout_parse("[%lld:%lld][%lld:-1]", m, -n, n);
    case 4: /* columns in two halves, one behind the other where n is even */
        return n % 2 ? layout_parse("[%lld:2][%lld:%lld]", m, n, 2 * m + 1)
                     : layout_parse("[%lld:%lld][[2:%lld][%lld:1]]", m, n / 2, m * (n / 2), n / 2);
    case 5: /* tiles of 5 x 7, short at the edges */
        return layout_parse("A=[%lld][%lld][5][7]; U=[[#A_0][#A_2]][[#A_1][#A_3]]; [%lld#U_0][%lld#U_1]", m / 5 + 1,
                            n / 7 + 1, m, n);
    default:
        return layout_parse("A=[%lld][%lld]; [%lld@2#A_0][%lld@3#A_1]", m + 5, n + 4, m, n);
    }
}

lay_desc *layout_of_index(const lay_desc *desc, int64_t index, int64_t *move)
{
    const int is_batch = lay_desc_rank(desc) == 3;
    lay_desc *rows, *columns, *made;
    insist(lay_desc_dim(desc, is_batch ? "1" : "0", &rows), "dim");
    insist(lay_desc_dim(desc, is_batch ? "2" : "1", &columns), "dim");
    insist(lay_desc_join(2, (const lay_desc *[]){ rows, columns }, &made), "join");
    *move = is_batch ? lay_desc_offset(desc, 3, (const int64_t[]){ index, 0, 0 }) -
                           lay_desc_offset(made, 2, (const int64_t[]){ 0, 0 })
                     : 0;
    lay_desc_destroy(rows);
    lay_desc_destroy(columns);
    return made;
}
