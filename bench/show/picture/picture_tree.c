/* The tree of dimensions: each above its parts. */
#include <math.h>
#include <string.h>

#include "bench/show/tree.h"
#include "picture.h"

enum { LEVEL = 54, HIGH = 32, PADDING = 12 }; /* from level to level, of a node; between nodes */

static const scene_style name_style = { "path", 11, COLOUR_FAINT, 0, SCENE_MIDDLE };
static const scene_style extent_style = { "extent", 12, COLOUR_TEXT, 1, SCENE_MIDDLE };

static double own_width(const lay_desc *desc, const char *path)
{
    char label[TREE_LABEL];
    tree_label(desc, path, label);
    const double name = scene_text_width(name_style.size, (int)strlen(*path ? path : "all"));
    return fmax(name, scene_text_width(extent_style.size, (int)strlen(label))) + PADDING;
}

static double parts_width(const lay_desc *desc, const char *path);

static double whole_width(const lay_desc *desc, const char *path)
{
    return fmax(own_width(desc, path), parts_width(desc, path));
}

static double parts_width(const lay_desc *desc, const char *path)
{
    const int parts = lay_desc_parts(desc, path);
    double width = 0;
    for (int i = 0; i < parts; i++) {
        char inner[TREE_PATH];
        if (tree_path(path, i, inner))
            width += whole_width(desc, inner) + (i ? PADDING : 0);
    }
    return width;
}

/* Returns where its lowest part ends. */
static double draw(scene *to, const lay_desc *desc, const char *path, double left, double top)
{
    const double middle = left + whole_width(desc, path) / 2, own = own_width(desc, path);
    const int parts = lay_desc_parts(desc, path);
    double at = middle - parts_width(desc, path) / 2, lowest = top + HIGH;
    for (int i = 0; i < parts; i++) {
        char inner[TREE_PATH];
        if (!tree_path(path, i, inner))
            continue;
        const double width = whole_width(desc, inner), bottom = draw(to, desc, inner, at, top + LEVEL);
        scene_segment(to, middle, top + HIGH, at + width / 2, top + LEVEL, COLOUR_BORDER, 1);
        at += width + PADDING;
        lowest = fmax(lowest, bottom);
    }
    char label[TREE_LABEL];
    tree_label(desc, path, label);
    scene_box(to, "node", middle - own / 2, top, own, HIGH, COLOUR_PAPER, COLOUR_EDGE);
    scene_text(to, &name_style, middle, top + 13, "%s", *path ? path : "all");
    scene_text(to, &extent_style, middle, top + 27, "%s", label);
    return lowest;
}

double picture_tree(scene *to, const lay_desc *desc, double x, double y)
{
    return draw(to, desc, "", x, y);
}
