/* The tree of dimensions on a terminal: a line each, its parts below. */
#include <string.h>

#include "bench/show/tree.h"
#include "text.h"

enum { MOST_DEPTH = 64 }; /* of a tree, besides its root */

/* is_last: of each level above, whether nothing follows there. */
static void put_node(screen *on, const lay_desc *desc, const char *path, int depth, int is_last[])
{
    char label[TREE_LABEL];
    tree_label(desc, path, label);
    for (int i = 1; i < depth; i++)
        if (is_last[i])
            screen_put(on, "   ");
        else
            screen_glyph_put(on, GLYPH_TRUNK, 1);
    if (depth)
        screen_glyph_put(on, is_last[depth] ? GLYPH_LAST : GLYPH_BRANCH, 1);
    screen_put(on, "%s [%s]", *path ? path : "all", label);
    screen_end_line(on);
    const int parts = lay_desc_parts(desc, path);
    for (int i = 0; i < parts && depth <= MOST_DEPTH; i++) {
        char inner[TREE_PATH];
        is_last[depth + 1] = i + 1 == parts;
        if (tree_path(path, i, inner))
            put_node(on, desc, inner, depth + 1, is_last);
    }
}

void text_tree(screen *on, const lay_desc *desc)
{
    int is_last[MOST_DEPTH + 2] = { 0 };
    put_node(on, desc, "", 0, is_last);
}
