/* A terminal: how wide it is, whether it has colours and lines, and text that keeps within it. */
#ifndef SHOW_SCREEN_H
#define SHOW_SCREEN_H

#include <stdint.h>
#include <stdio.h>

typedef enum screen_glyph {
    GLYPH_BRANCH, /* of a tree: a part, the last one, and what leads on to others */
    GLYPH_LAST,
    GLYPH_TRUNK,
    GLYPH_ALONG, /* neighbours in memory are joined */
    GLYPH_DOWN,
    GLYPH_BORDER_ALONG, /* of blocks */
    GLYPH_BORDER_DOWN,
    GLYPH_BORDER_CROSS,
    GLYPH_BORDER_ALONG_DOWN, /* joined across a border */
    GLYPH_BORDER_DOWN_ALONG,
    GLYPH_FULL, /* of storage: places of elements, some, none */
    GLYPH_SOME,
    GLYPH_NONE,
    GLYPH_MORE,
    GLYPHS
} screen_glyph;

typedef struct screen {
    FILE *to;
    int width; /* columns, 0: any number */
    int has_colours;
    int has_lines; /* UTF-8; else letters stand for lines */
    int used;      /* columns of this line */
} screen;

/* COLUMNS, or else the terminal's own width where there is one, or else 0. */
int screen_width(int file);

/* Standard output. Colours only on a terminal, and not where NO_COLOR or TERM=dumb says otherwise. */
screen screen_open(void);

/* What does not fit is left out. */
__attribute__((format(printf, 2, 3))) void screen_put(screen *on, const char *format, ...);
void screen_glyph_put(screen *on, screen_glyph glyph, int times);
void screen_end_line(screen *on);

/* A paragraph behind a head, broken at blanks and behind brackets where it is too long. */
void screen_put_words(screen *on, const char *head, const char *words);

/* The background from now on, 0xRRGGBB; below 0: the usual one. */
void screen_set_colour(screen *on, int32_t colour);

#endif
