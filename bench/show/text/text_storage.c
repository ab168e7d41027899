/* Storage on a terminal as a strip: which places hold elements, and which are gaps. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static const char HEAD[] = "storage ";
enum { USUAL_WIDTH = 100, LEAST_WIDTH = 10 }; /* of the strip */

/* A sign is unit neighbouring places. */
static void put_strip(screen *on, const sheet_place place[], int count, int64_t unit, int64_t span)
{
    int next = 0;
    screen_put(on, "%s", HEAD);
    for (int64_t at = 0; at < span; at += unit) {
        const int64_t room = span - at < unit ? span - at : unit;
        const int first = next;
        while (next < count && place[next].offset - place[0].offset < at + room)
            next++;
        const int elements = next - first;
        screen_glyph_put(on, elements == room ? GLYPH_FULL : elements ? GLYPH_SOME : GLYPH_NONE, 1);
    }
    screen_end_line(on);
}

int text_storage(screen *on, const sheet *of)
{
    int count;
    sheet_place *place = sheet_visit(of, (int)of->row.extent, (int)of->column.extent, &count);
    if (!place)
        return 0;
    int64_t span;
    const int fits = !__builtin_sub_overflow(place[count - 1].offset, place[0].offset, &span) && span < INT64_MAX;
    span++;
    const int width = on->width ? on->width - (int)strlen(HEAD) : USUAL_WIDTH;
    if (fits && span > count && width >= LEAST_WIDTH) {
        const int64_t unit = span / width + (span % width != 0);
        char words[160];
        screen_end_line(on);
        put_strip(on, place, count, unit, span);
        snprintf(words, sizeof words, "%" PRId64 " %s a sign; full, some or none of them are elements", unit,
                 unit > 1 ? "places" : "place");
        screen_put_words(on, "        ", words);
    }
    free(place);
    return 1;
}
