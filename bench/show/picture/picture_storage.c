/* Storage as a strip: which places hold elements, and which are gaps. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "bench/show/colour.h"
#include "layoutgemm_team.h"
#include "picture.h"

enum { WIDE = 560, HIGH = 16, LINE = 16, MOST_PLACE = 14 }; /* of the strip; of a text; of one place */

static const scene_style word_style = { "storage", 11, COLOUR_FAINT, 0, SCENE_LEFT };
static const scene_style last_style = { "storage", 11, COLOUR_FAINT, 0, SCENE_RIGHT };

/* The end of the run of neighbours of one group that begins at first. */
static int find_end(const sheet *of, const sheet_place place[], int first, int count)
{
    const int64_t group = sheet_group(of, place[first].row, place[first].column);
    int end = first + 1;
    while (end < count && place[end].offset == place[end - 1].offset + 1 &&
           sheet_group(of, place[end].row, place[end].column) == group)
        end++;
    return end;
}

double picture_storage(scene *to, const sheet *of, double x, double y)
{
    int count;
    sheet_place *place = sheet_visit(of, (int)of->row.extent, (int)of->column.extent, &count);
    if (!place) {
        to->is_broken = 1;
        return y;
    }
    const int64_t low = place[0].offset, high = place[count - 1].offset;
    const double span = (double)high - (double)low + 1, unit = fmin(WIDE / span, MOST_PLACE);
    const int64_t places = lay_desc_places(of->desc);
    int64_t lowest, highest; /* of one place: those of the next ones are drawn behind it */
    lay_desc_span(of->desc, &lowest, &highest);
    const int64_t last = places > 1 ? highest : high;
    y += LINE;
    if (places > 1)
        scene_text(to, &word_style, x, y, "storage of %" PRId64 " places, side by side", places);
    else
        scene_text(to, &word_style, x, y, "storage%s", span > count ? ", with gaps" : "");
    y += 6;
    scene_box(to, "gap", x, y, span * unit, HIGH, COLOUR_GAP, COLOUR_EDGE);
    for (int first = 0; first < count;) {
        const int end = find_end(of, place, first, count);
        scene_box(to, "run", x + ((double)place[first].offset - (double)low) * unit, y, (end - first) * unit, HIGH,
                  colour_of(sheet_group(of, place[first].row, place[first].column), sheet_colours(of)), NO_COLOUR);
        first = end;
    }
    scene_box(to, NULL, x, y, span * unit, HIGH, NO_COLOUR, COLOUR_BORDER);
    scene_text(to, &word_style, x, y + HIGH + LINE - 3, "%" PRId64, low);
    const double digits = snprintf(NULL, 0, "%" PRId64 "%" PRId64, low, last);
    const double end = fmax(span * unit, scene_text_width(word_style.size, (int)digits + 2));
    if (high > low)
        scene_text(to, &last_style, x + end, y + HIGH + LINE - 3, "%" PRId64, last);
    free(place);
    return y + HIGH + LINE;
}
