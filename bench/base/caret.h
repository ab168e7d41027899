/* A sentence on a text, with a caret under the place it speaks of. */
#ifndef CARET_H
#define CARET_H

#include "layoutgemm.h"

/* The library's last sentence on text to stderr; where it says "at character N", the line of text with that character
 * follows, and a caret below it. width: columns of the window, 0: any. EXIT_FAILED when memory ran out, else
 * EXIT_REFUSED. */
int refuse_text(lay_status status, const char *text, int width);

#endif
