/* A scene: areas, lines and texts, drawn in the order in which they were added. */
#ifndef SHOW_SCENE_H
#define SHOW_SCENE_H

#include <stdint.h>
#include <stdio.h>

enum {
    NO_COLOUR = -1,
    COLOUR_PAPER = 0xffffff,
    COLOUR_TEXT = 0x222222,
    COLOUR_FAINT = 0x6b6b6b, /* text of less weight */
    COLOUR_EDGE = 0xb9b9b9,
    COLOUR_BORDER = 0x444444,
    COLOUR_VISIT = 0xb0330a,
    COLOUR_GAP = 0xececec
};

typedef struct scene_point {
    double x, y;
} scene_point;

typedef enum scene_anchor { SCENE_LEFT, SCENE_MIDDLE, SCENE_RIGHT } scene_anchor;

typedef struct scene_shape {
    enum { SCENE_AREA, SCENE_LINE, SCENE_DOT, SCENE_TEXT } kind;
    const char *role; /* what it stands for: its class in an SVG, may be NULL */
    int32_t colour;   /* of an area's inside, NO_COLOUR: none; of another shape */
    int32_t edge;     /* of an area, NO_COLOUR: none */
    double width;     /* of a line or an edge */
    int is_dashed;
    scene_point *point; /* of a text one: the beginning, middle or end of its base line */
    int points;
    char *text;
    double size; /* of letters; a dot's radius */
    int is_bold;
    scene_anchor anchor;
} scene_shape;

typedef struct scene {
    double width, height; /* of all that was added, with a margin */
    scene_shape *shape;
    int shapes, room;
    int is_broken; /* memory ran out, and something is missing */
} scene;

void scene_free(scene *of);

void scene_box(scene *to, const char *role, double x, double y, double w, double h, int32_t colour, int32_t edge);
/* Through all points; with an arrow at its end. */
void scene_line(scene *to, const char *role, const scene_point point[], int points, int32_t colour, double width,
                int is_dashed);
void scene_segment(scene *to, double x0, double y0, double x1, double y1, int32_t colour, double width);
/* A tip that ends at "to" and comes from "from"; a spot. */
void scene_arrow(scene *to, scene_point from, scene_point tip, int32_t colour);
void scene_dot(scene *to, scene_point at, double radius, int32_t colour);

typedef struct scene_style {
    const char *role;
    double size;
    int32_t colour;
    int is_bold;
    scene_anchor anchor;
} scene_style;
__attribute__((format(printf, 5, 6))) void scene_text(scene *to, const scene_style *style, double x, double y,
                                                      const char *format, ...);

/* A text from x on, on a ground of its own that hides what is behind it. */
__attribute__((format(printf, 6, 7))) void scene_label(scene *to, const scene_style *style, int32_t ground, double x,
                                                       double y, const char *format, ...);

/* Letters are of one width: how wide a text of so many is. A whole number, so that a picture is the same wherever it is
 * made. */
double scene_text_width(double size, int letters);

/* As an element of a page that is being written. 0 when memory ran out. */
int scene_print_svg(const scene *of, FILE *to);

/* Each 0, or the exit status after a sentence; "-" is standard output. */
int scene_write_svg(const scene *of, const char *path);
int scene_write_png(const scene *of, const char *path);

#endif
