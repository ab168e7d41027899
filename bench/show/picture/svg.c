/* A scene as an SVG by itself: no fonts, scripts or style sheets from elsewhere, and its own light background. */
#include <errno.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/base/texts.h"
#include "bench/show/file.h"
#include "scene.h"

/* Without zeros behind the point, which three quarters of all numbers would have. */
static void write_points(const scene_shape *of, FILE *to)
{
    fputs(" points=\"", to);
    for (int i = 0; i < of->points; i++)
        fprintf(to, "%s%.6g,%.6g", i ? " " : "", of->point[i].x, of->point[i].y);
    fputc('"', to);
}

static int is_box(const scene_shape *of)
{
    const scene_point *p = of->point;
    return of->points == 4 && p[0].y == p[1].y && p[1].x == p[2].x && p[2].y == p[3].y && p[3].x == p[0].x;
}

static void write_colour(const char *name, int32_t colour, FILE *to)
{
    if (colour == NO_COLOUR)
        fprintf(to, " %s=\"none\"", name);
    else
        fprintf(to, " %s=\"#%06x\"", name, (unsigned)colour);
}

static void write_area(const scene_shape *of, FILE *to)
{
    const scene_point *p = of->point;
    if (is_box(of))
        fprintf(to, " x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" height=\"%.6g\"", p[0].x, p[0].y, p[2].x - p[0].x,
                p[2].y - p[0].y);
    else
        write_points(of, to);
    write_colour("fill", of->colour, to);
    if (of->edge != NO_COLOUR)
        write_colour("stroke", of->edge, to);
    fputs("/>\n", to);
}

static void write_line(const scene_shape *of, FILE *to)
{
    write_points(of, to);
    fputs(" fill=\"none\"", to);
    write_colour("stroke", of->colour, to);
    fprintf(to, " stroke-width=\"%.6g\"%s/>\n", of->width,
            of->is_dashed ? " stroke-dasharray=\"2 4\"" : " stroke-linejoin=\"round\"");
}

static void write_text(const scene_shape *of, FILE *to)
{
    static const char *const anchor[] = { "", " text-anchor=\"middle\"", " text-anchor=\"end\"" };
    fprintf(to, " x=\"%.6g\" y=\"%.6g\" font-size=\"%.6g\"%s%s", of->point->x, of->point->y, of->size,
            of->is_bold ? " font-weight=\"bold\"" : "", anchor[of->anchor]);
    write_colour("fill", of->colour, to);
    fputc('>', to);
    text_write_xml(of->text, to);
    fputs("</text>\n", to);
}

static void write_dot(const scene_shape *of, FILE *to)
{
    fprintf(to, " cx=\"%.6g\" cy=\"%.6g\" r=\"%.6g\"", of->point->x, of->point->y, of->size);
    write_colour("fill", of->colour, to);
    fputs("/>\n", to);
}

static void write_shape(const scene_shape *of, FILE *to)
{
    const char *const name = of->kind == SCENE_TEXT   ? "text"
                             : of->kind == SCENE_LINE ? "polyline"
                             : of->kind == SCENE_DOT  ? "circle"
                             : is_box(of)             ? "rect"
                                                      : "polygon";
    fprintf(to, "<%s", name);
    if (of->role)
        fprintf(to, " class=\"%s\"", of->role);
    if (of->kind == SCENE_TEXT)
        write_text(of, to);
    else if (of->kind == SCENE_LINE)
        write_line(of, to);
    else if (of->kind == SCENE_DOT)
        write_dot(of, to);
    else
        write_area(of, to);
}

static int write_all(const void *subject, FILE *to)
{
    const scene *of = subject;
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
            "font-family=\"DejaVu Sans Mono, Consolas, Menlo, monospace\">\n",
            of->width, of->height, of->width, of->height);
    fprintf(to, "<rect width=\"%.0f\" height=\"%.0f\" rx=\"6\" fill=\"#%06x\"/>\n", of->width, of->height,
            COLOUR_PAPER);
    for (int i = 0; i < of->shapes; i++)
        write_shape(&of->shape[i], to);
    fputs("</svg>\n", to);
    return 1;
}

int scene_print_svg(const scene *of, FILE *to)
{
    return !of->is_broken && write_all(of, to);
}

int scene_write_svg(const scene *of, const char *path)
{
    return of->is_broken ? fail("out of memory") : file_write(path, write_all, of);
}
