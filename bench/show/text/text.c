/* The drawing of a layout on a terminal: one part below the other. */
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>

#include "bench/base/texts.h"
#include "bench/show/tree.h"

enum { MOST_ELEMENTS = 1024, MOST_COLUMNS = 32, CORNER = 16 }; /* of a matrix that is drawn whole; of a corner */

static void put_facts(screen *on, const lay_desc *desc, const char *normal)
{
    fact facts[FACTS];
    facts_of(desc, facts);
    screen_put_words(on, "normal form ", normal);
    for (int i = 0; i < FACTS; i++) {
        char head[16];
        snprintf(head, sizeof head, "%-12s", facts[i].name);
        screen_put_words(on, head, facts[i].text);
    }
    const int64_t gaps = gaps_of(desc);
    if (gaps > 0) {
        char text[40];
        snprintf(text, sizeof text, "%" PRId64 " places of the span", gaps);
        screen_put_words(on, "gaps        ", text);
    }
}

/* From an index on, what the screen has room for. */
static void put_part(screen *on, const sheet *of, const int64_t at[2])
{
    const sheet part = sheet_part(of, at[0], at[1]);
    const int tall = sheet_rows(&part) < CORNER ? (int)sheet_rows(&part) : CORNER;
    const int most = sheet_columns(&part) < MOST_COLUMNS ? (int)sheet_columns(&part) : MOST_COLUMNS;
    char words[120];
    screen_end_line(on);
    snprintf(words, sizeof words, "the elements from index (%" PRId64 ", %" PRId64 ") on:", at[0], at[1]);
    screen_put_words(on, "", words);
    text_matrix(on, &part, tall, text_matrix_fits(on, &part, tall, most));
}

static int put_sheet(screen *on, const sheet *of, const int64_t at[2])
{
    const int64_t rows = of->row.extent, columns = of->column.extent;
    char words[200];
    sheet_write_title(of, words, sizeof words);
    if (*words)
        screen_put_words(on, "", words);
    const int is_small = columns <= MOST_COLUMNS && rows <= MOST_ELEMENTS && rows * columns <= MOST_ELEMENTS &&
                         text_matrix_fits(on, of, (int)rows, (int)columns) == columns;
    if (!is_small) {
        text_blocks(on, of);
        put_part(on, of, at);
        return 1;
    }
    text_matrix(on, of, (int)rows, (int)columns);
    return of->by >= SHEET_BY_THREAD || text_storage(on, of);
}

static void put_legend(screen *on, const sheet *of)
{
    static const char *const numbers[] = { [SHEET_BY_BLOCK] = "numbers: offsets",
                                           [SHEET_BY_LINE] = "numbers: cache lines of 64 bytes",
                                           [SHEET_BY_PAGE] = "numbers: pages of 4 KiB",
                                           [SHEET_BY_BANK] =
                                               "numbers: the 32 banks of 4 bytes of a GPU's shared memory",
                                           [SHEET_BY_OWNER] = "numbers: the owner, of threads with a block each",
                                           [SHEET_BY_PLACE] = "numbers: the place that holds the element",
                                           [SHEET_BY_THREAD] =
                                               "numbers: the thread of the sum; t is [t / 32][t mod 32]",
                                           [SHEET_BY_TILE] = "numbers: the thread that fetches the element" };
    screen_end_line(on);
    screen_put_words(on, "", numbers[of->by]);
    screen_put_words(on, "", "a single line joins neighbours in memory, a double one parts blocks");
}

int text_draw(screen *on, const char *title, const lay_desc *desc, const sheet_look *how)
{
    char *normal = text_of_desc(desc);
    if (!normal)
        return 0;
    screen_put_words(on, "", title);
    put_facts(on, desc, normal);
    free(normal);
    screen_end_line(on);
    text_tree(on, desc);
    int is_fine = 1;
    sheet_look look = *how;
    for (; is_fine; look.by = SHEET_BY_TILE) {
        sheet one;
        if (!sheet_open(desc, &look, &one))
            return 0;
        if (sheet_elements(&one) > 0) {
            screen_end_line(on);
            is_fine = put_sheet(on, &one, look.zoom);
            put_legend(on, &one);
        }
        sheet_close(&one);
        if (look.by != SHEET_BY_THREAD)
            break;
    }
    return is_fine;
}
