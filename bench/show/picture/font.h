/* Letters of 3 x 5 points. */
#ifndef SHOW_FONT_H
#define SHOW_FONT_H

enum { FONT_COLUMNS = 3, FONT_ROWS = 5 };

/* Whether a letter has that point; small letters look like large ones, what is unknown like a box. */
int font_has_point(char letter, int row, int column);

#endif
