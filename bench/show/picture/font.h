/* Letters of 5 x 7 points. */
#ifndef SHOW_FONT_H
#define SHOW_FONT_H

enum { FONT_COLUMNS = 5, FONT_ROWS = 7 };

/* Whether a letter has that point; what is no ASCII looks like a box. */
int font_has_point(char letter, int row, int column);

#endif
