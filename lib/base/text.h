/* Text written bit by bit into a caller's buffer, with snprintf's return value at the end. */
#ifndef LAY_BASE_TEXT_H
#define LAY_BASE_TEXT_H

#include <stddef.h>

typedef struct lay_text {
    char *to;
    size_t size;   /* of to */
    size_t length; /* of the whole text so far, whether or not it fits */
} lay_text;

/* Appends; what does not fit is only counted. The text is always ended by a 0 when size > 0. */
__attribute__((format(printf, 2, 3))) void lay_text_add(lay_text *text, const char *format, ...);

/* Empty again. */
void lay_text_clear(lay_text *text);

#endif
