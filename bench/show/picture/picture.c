/* The picture of a layout: one part below the other. */
#include "picture.h"

#include <inttypes.h>
#include <string.h>

#include "bench/show/tree.h"

enum {
    LEFT = 16,
    LETTERS = 100, /* of a line of text */
    LINE = 18,
    BETWEEN = 14,         /* parts */
    MOST_ELEMENTS = 1024, /* of a matrix that is drawn element by element, and its columns */
    MOST_COLUMNS = 32,
    CORNER = 8 /* rows and columns of a larger one's corner */
};

static const scene_style title_style = { "title", 13, COLOUR_TEXT, 1, SCENE_LEFT };
static const scene_style fact_style = { "fact", 12, COLOUR_FAINT, 0, SCENE_LEFT };

/* In lines of their own where it is long, broken behind a bracket or a blank if one is near. */
static double add_words(scene *to, const scene_style *style, const char *text, double y)
{
    size_t rest = strlen(text);
    while (rest > 0) {
        size_t length = rest < LETTERS ? rest : LETTERS;
        for (size_t at = length; length < rest && at > LETTERS / 2; at--)
            if (strchr("] ", text[at - 1])) {
                length = at;
                break;
            }
        scene_text(to, style, LEFT, y += LINE, "%.*s", (int)length, text);
        text += length;
        rest -= length;
    }
    return y;
}

static double add_facts(scene *to, const lay_desc *desc, double y)
{
    fact facts[FACTS];
    facts_of(desc, facts);
    const int64_t gaps = gaps_of(desc);
    scene_text(to, &fact_style, LEFT, y += LINE, "%s", facts[0].text);
    scene_text(to, &fact_style, LEFT, y += LINE, "span %s", facts[1].text);
    if (gaps > 0)
        scene_text(to, &fact_style, LEFT, y += LINE, "%" PRId64 " places of it are gaps", gaps);
    if (!lay_desc_is_injective(desc))
        scene_text(to, &fact_style, LEFT, y += LINE, "not shown to be injective: some elements may share a place");
    return y;
}

static double add_legend(scene *to, const sheet *of, double y)
{
    char legend[200];
    sheet_write_legend(of, legend, sizeof legend);
    if (sheet_has_groups(of))
        y = add_words(to, &fact_style, legend, y);
    return y;
}

static int at_most(int64_t x, int limit)
{
    return (int)(x < limit ? x : limit);
}

/* From an index on, so many rows and columns at most. */
static double add_part(scene *to, const sheet *of, const int64_t at[2], int tall, int wide, double y)
{
    const sheet part = sheet_part(of, at[0], at[1]);
    char words[120];
    snprintf(words, sizeof words, "the elements from index (%" PRId64 ", %" PRId64 ") on:", at[0], at[1]);
    y = add_words(to, &fact_style, words, y + BETWEEN);
    return picture_matrix(to, &part, at_most(sheet_rows(&part), tall), at_most(sheet_columns(&part), wide), LEFT,
                          y + BETWEEN);
}

static double add_sheet(scene *to, const sheet *of, const int64_t at[2], double y)
{
    const int64_t rows = of->row.extent, columns = of->column.extent;
    char title[200];
    sheet_write_title(of, title, sizeof title);
    if (*title)
        y = add_words(to, &title_style, title, y);
    if (columns <= MOST_COLUMNS && rows <= MOST_ELEMENTS && rows * columns <= MOST_ELEMENTS) {
        y = picture_matrix(to, of, (int)rows, (int)columns, LEFT, y + BETWEEN);
        return of->by < SHEET_BY_THREAD ? picture_storage(to, of, LEFT, y + BETWEEN) : y;
    }
    y = picture_blocks(to, of, LEFT, y + BETWEEN, 0);
    return add_part(to, of, at, of->by == SHEET_BY_THREAD ? HOLDER_ROWS : CORNER, CORNER, y);
}

int picture_add(scene *to, const char *title, const lay_desc *desc, const sheet_look *how)
{
    const double above = to->height > 0 ? to->height + BETWEEN : BETWEEN / 2;
    double y = add_words(to, &title_style, title, above);
    y = add_facts(to, desc, y);
    y = picture_tree(to, desc, LEFT, y + BETWEEN);
    sheet_look look = *how;
    for (;; look.by = SHEET_BY_TILE) {
        sheet one;
        if (!sheet_open(desc, &look, &one))
            return 0;
        if (sheet_elements(&one) > 0)
            y = add_legend(to, &one, add_sheet(to, &one, look.zoom, y + BETWEEN));
        sheet_close(&one);
        if (look.by != SHEET_BY_THREAD)
            return 1;
    }
}
