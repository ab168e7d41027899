/* How a page is written: texts escaped, figures with as many digits as they have. */
#ifndef PAGE_HTML_H
#define PAGE_HTML_H

#include <stdio.h>

/* <tag>text</tag>, the text escaped; a tag with attributes is closed by its name. */
void html_element(FILE *to, const char *tag, const char *text);

/* Four digits or more and nothing for NaN: "0.123", "12.34", "12345". */
void html_figure(double figure, char to[24]);

/* A cell of the table of figures: what stands before it where the window is narrow, and the figure. */
void html_cell(FILE *to, const char *label, double figure);

/* The colour of the index-th line of a chart, and whether it is dashed. */
const char *html_colour(int index);
int html_is_dashed(int index);

/* From <!DOCTYPE> to <body>, with the style, and the end. */
void html_start(FILE *to, const char *title);
void html_end(FILE *to);

#endif
