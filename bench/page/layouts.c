/* Layouts drawn beside their figures: a card for each that products have, or for each contraction. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/texts.h"
#include "bench/show/picture/picture.h"
#include "html.h"
#include "sections.h"

enum { CARDS = 24, ROOM = 480, SMALL_ROWS = 12, SMALL_COLUMNS = 8 };

static int have_same_card(const group *x, const group *y)
{
    return row_is_contraction(x->row) == row_is_contraction(y->row) &&
           strcmp(row_layouts(x->row), row_layouts(y->row)) == 0;
}

static int is_first(const groups *of, int index)
{
    for (int i = 0; i < index; i++)
        if (have_same_card(&of->group[i], &of->group[index]))
            return 0;
    return 1;
}

/* Of a card's groups the largest, whose layouts are drawn. */
static const saved_row *find_largest(const groups *of, int first)
{
    const saved_row *largest = of->group[first].row;
    for (int i = first; i < of->count; i++) {
        const saved_row *row = of->group[i].row;
        if (have_same_card(&of->group[i], &of->group[first]) &&
            row->m * row->n * row->k > largest->m * largest->n * largest->k)
            largest = row;
    }
    return largest;
}

/* 0 when memory ran out. A text that is no layout, as an old file may have it, is not drawn. */
static int draw(FILE *to, const char *notation)
{
    lay_desc *desc = NULL;
    sheet drawn;
    scene made = { 0 };
    if (!notation || lay_desc_parse(notation, &desc) != LAY_OK)
        return 1;
    int is_fine = sheet_open(desc, &(const sheet_look){ .by = SHEET_BY_BLOCK, .type = LAY_F32 }, &drawn);
    if (is_fine && sheet_elements(&drawn) > 0) {
        if (drawn.row.extent <= SMALL_ROWS && drawn.column.extent <= SMALL_COLUMNS)
            picture_matrix(&made, &drawn, (int)drawn.row.extent, (int)drawn.column.extent, 2, 2);
        else
            picture_blocks(&made, &drawn, 2, 2, ROOM);
        is_fine = scene_print_svg(&made, to);
    }
    sheet_close(&drawn);
    scene_free(&made);
    lay_desc_destroy(desc);
    return is_fine;
}

/* Those of the three that are alike once, with their names: "A, B". */
static int draw_operands(FILE *to, const saved_row *of)
{
    int is_fine = 1;
    for (int i = 0; i < 3 && is_fine; i++) {
        int is_new = of->layout[i] != NULL;
        for (int j = 0; j < i && is_new; j++)
            is_new = !of->layout[j] || strcmp(of->layout[i], of->layout[j]) != 0;
        if (!is_new)
            continue;
        fputs("<p>", to);
        for (int j = i, count = 0; j < 3; j++)
            if (of->layout[j] && strcmp(of->layout[i], of->layout[j]) == 0)
                fprintf(to, "%s%c", count++ ? ", " : "", "ABC"[j]);
        fputs(" <code>", to);
        text_write_xml(of->layout[i], to);
        fputs("</code></p>\n<div class=\"drawn\">", to);
        is_fine = draw(to, of->layout[i]);
        fputs("</div>\n", to);
    }
    return is_fine;
}

static void write_sizes(FILE *to, const saved_row *of)
{
    if (of->m == of->n && of->n == of->k)
        fprintf(to, "%.0f", of->m);
    else
        fprintf(to, "%.0f x %.0f x %.0f", of->m, of->n, of->k);
}

static void write_figures(FILE *to, const groups *of, int first)
{
    fputs("<table><thead><tr><th>size</th><th>GFLOP/s</th><th>speedup</th></tr></thead><tbody>\n", to);
    for (int i = first; i < of->count; i++) {
        const group *one = &of->group[i];
        char kind[120] = "", speed[24], least[24];
        if (!have_same_card(one, &of->group[first]))
            continue;
        if (of->kinds > 1)
            group_write_kind(one, kind, sizeof kind);
        html_figure(one->row->gflops, speed);
        html_figure(group_least(one), least);
        fprintf(to, "<tr><td><span class=\"num\">%d</span> ", i + 1);
        write_sizes(to, one->row);
        fputs(*kind ? ", " : "", to);
        text_write_xml(kind, to);
        fprintf(to, "</td><td>%s</td><td>%s</td></tr>\n", speed, least);
    }
    fputs("</tbody></table>\n", to);
}

static int write_card(FILE *to, const groups *of, int first)
{
    const saved_row *largest = find_largest(of, first);
    fputs("<div class=\"card\">", to);
    html_element(to, "h3", row_layouts(of->group[first].row));
    const int is_fine = draw_operands(to, largest);
    write_figures(to, of, first);
    fputs("</div>\n", to);
    return is_fine;
}

int section_layouts(FILE *to, const groups *of)
{
    int cards = 0, is_fine = 1;
    fputs("<h2>Layouts</h2>\n<p>Drawn at the largest size: blocks with their extents, and a line through the elements "
          "in the order of memory (dashed where memory does not go on). The speedup is the least against other "
          "libraries, with their copies.</p>\n<div class=\"cards\">\n",
          to);
    for (int i = 0; i < of->count && is_fine; i++)
        if (is_first(of, i) && cards++ < CARDS)
            is_fine = write_card(to, of, i);
    fputs("</div>\n", to);
    if (cards > CARDS)
        fprintf(to, "<p>%d more are not drawn.</p>\n", cards - CARDS);
    return is_fine;
}
