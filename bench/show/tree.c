/* What is said of a descriptor in words. */
#include "tree.h"

#include <inttypes.h>
#include <stdio.h>

#include "layoutgemm_team.h"

int tree_path(const char *path, int part, char *to)
{
    return (size_t)snprintf(to, TREE_PATH, "%s%s%d", path, *path ? "_" : "", part) < TREE_PATH;
}

void tree_label(const lay_desc *desc, const char *path, char to[TREE_LABEL])
{
    int64_t stride;
    const int length = snprintf(to, TREE_LABEL, "%" PRId64, lay_desc_extent(desc, path));
    if (lay_desc_stride(desc, path, &stride) == 1)
        snprintf(to + length, (size_t)(TREE_LABEL - length), ":%" PRId64, stride);
}

static const char *say(int claim)
{
    return claim ? "yes" : "no";
}

static void write_extents(const lay_desc *desc, char *to)
{
    int at = 0;
    for (int i = 0; i < lay_desc_rank(desc) && at < FACT_TEXT; i++) {
        char path[16];
        snprintf(path, sizeof path, "%d", i);
        at += snprintf(to + at, (size_t)(FACT_TEXT - at), "%s%" PRId64, i ? " x " : "", lay_desc_extent(desc, path));
    }
    if (at < FACT_TEXT)
        snprintf(to + at, (size_t)(FACT_TEXT - at), ", %" PRId64 " elements", lay_desc_extent(desc, ""));
}

static void write_span(const lay_desc *desc, char *to)
{
    int64_t lowest, highest;
    lay_desc_span(desc, &lowest, &highest);
    if (highest < lowest)
        snprintf(to, FACT_TEXT, "none");
    else /* the count is one more than a difference that may not fit */
        snprintf(to, FACT_TEXT, "%" PRId64 " .. %" PRId64 ", %" PRIu64 " elements of storage", lowest, highest,
                 (uint64_t)highest - (uint64_t)lowest + 1);
}

void facts_of(const lay_desc *desc, fact out[FACTS])
{
    out[0].name = "extents";
    write_extents(desc, out[0].text);
    out[1].name = "span";
    write_span(desc, out[1].text);
    out[2].name = "contiguous";
    snprintf(out[2].text, FACT_TEXT, "%s", say(lay_desc_is_contiguous(desc, "")));
    out[3].name = "injective";
    snprintf(out[3].text, FACT_TEXT, "%s", say(lay_desc_is_injective(desc)));
}

int64_t gaps_of(const lay_desc *desc)
{
    int64_t lowest, highest, span;
    lay_desc_span(desc, &lowest, &highest);
    if (highest < lowest || !lay_desc_is_injective(desc) || lay_desc_places(desc) > 1 ||
        __builtin_sub_overflow(highest, lowest, &span))
        return highest < lowest ? 0 : -1;
    return span - (lay_desc_extent(desc, "") - 1);
}
