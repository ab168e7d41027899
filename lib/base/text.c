/* Text written bit by bit into a caller's buffer. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

void lay_text_add(lay_text *text, const char *format, ...)
{
    const size_t room = text->length < text->size ? text->size - text->length : 0;
    va_list arguments;
    va_start(arguments, format);
    const int added = vsnprintf(room ? text->to + text->length : NULL, room, format, arguments);
    va_end(arguments);
    if (added > 0)
        text->length += (size_t)added;
}

void lay_text_clear(lay_text *text)
{
    text->length = 0;
    if (text->size)
        *text->to = 0;
}
