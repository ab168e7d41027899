/* A sentence on a text, with a caret under the place it speaks of. */
#include "caret.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "complain.h"

enum { INDENT = 2, AROUND = 60, LEAST_AROUND = 8 }; /* columns before the text; characters kept on either side */

/* Of UTF-8, a byte that begins no character. */
static int goes_on(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* What moves no cursor and shows as one column. */
static char shown(char c)
{
    return iscntrl((unsigned char)c) ? ' ' : c;
}

static void write_line(const char *line, int length, int at)
{
    fprintf(stderr, "%*s", INDENT, "");
    for (int i = 0; i < length; i++)
        fputc(shown(line[i]), stderr);
    fprintf(stderr, "\n%*s", INDENT, "");
    for (int i = 0; i < at; i++) /* what was understood is of one byte a character */
        fputc(' ', stderr);
    fputs("^\n", stderr);
}

int refuse_text(lay_status status, const char *text, int width)
{
    int place = 0;
    const int is_placed = sscanf(lay_last_error(), "at character %d:", &place) == 1;
    if (!is_placed || place < 1 || (size_t)place > strlen(text) + 1)
        return refuse_status(status, text);
    const char *at = text + place - 1, *begin = at, *end = at;
    int around = width > 0 && (width - INDENT) / 2 < AROUND ? (width - INDENT) / 2 : AROUND;
    around = around < LEAST_AROUND ? LEAST_AROUND : around;
    while (begin > text && begin[-1] != '\n' && at - begin < around - 1)
        begin--;
    while (*end && *end != '\n' && end - at < around)
        end++;
    while (end > at && goes_on(*end))
        end--;
    refuse("%s", lay_last_error());
    write_line(begin, (int)(end - begin), (int)(at - begin));
    return status == LAY_ERR_MEMORY ? EXIT_FAILED : EXIT_REFUSED;
}
