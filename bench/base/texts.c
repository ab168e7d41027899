/* Texts: the library's in memory of their own, and as XML writes them. */
#include "texts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int write_desc(const void *desc, char *text, size_t size)
{
    return lay_desc_format(desc, text, size);
}

static int write_plan(const void *plan, char *text, size_t size)
{
    return lay_plan_explain(plan, text, size);
}

static int write_machine(const void *nothing, char *text, size_t size)
{
    (void)nothing;
    return lay_machine_explain(text, size);
}

static char *write_all(int (*write)(const void *, char *, size_t), const void *subject)
{
    const int length = write(subject, NULL, 0);
    if (length < 0)
        return NULL;
    char *text = malloc((size_t)length + 1);
    if (text && write(subject, text, (size_t)length + 1) < 0) {
        free(text);
        return NULL;
    }
    return text;
}

char *text_of_desc(const lay_desc *desc)
{
    return write_all(write_desc, desc);
}

char *text_of_plan(const lay_plan *plan)
{
    return write_all(write_plan, plan);
}

char *text_of_machine(void)
{
    return write_all(write_machine, NULL);
}

char *text_write(const char *format, ...)
{
    char *text;
    va_list values;
    va_start(values, format);
    const int length = vasprintf(&text, format, values);
    va_end(values);
    return length < 0 ? NULL : text;
}

void text_write_xml(const char *text, FILE *to)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", to);
            break;
        case '<':
            fputs("&lt;", to);
            break;
        case '>':
            fputs("&gt;", to);
            break;
        default:
            fputc((unsigned char)*text < ' ' ? ' ' : *text, to);
        }
}
