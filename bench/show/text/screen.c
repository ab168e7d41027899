/* A terminal: its width, its colours, and text that keeps within it. */
#include "screen.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bench/base/args.h"

static const char *const glyphs[GLYPHS][2] = {
    [GLYPH_BRANCH] = { "|- ", "├─ " },
    [GLYPH_LAST] = { "`- ", "└─ " },
    [GLYPH_TRUNK] = { "|  ", "│  " },
    [GLYPH_ALONG] = { "-", "─" },
    [GLYPH_DOWN] = { "|", "│" },
    [GLYPH_BORDER_ALONG] = { "=", "═" },
    [GLYPH_BORDER_DOWN] = { "#", "║" },
    [GLYPH_BORDER_CROSS] = { "#", "╬" },
    [GLYPH_BORDER_ALONG_DOWN] = { "+", "╪" },
    [GLYPH_BORDER_DOWN_ALONG] = { "+", "╫" },
    [GLYPH_FULL] = { "#", "█" },
    [GLYPH_SOME] = { "+", "▒" },
    [GLYPH_NONE] = { ".", "·" },
    [GLYPH_MORE] = { "..", "…" },
};

int screen_width(int file)
{
    struct winsize size;
    int64_t columns;
    const char *said = getenv("COLUMNS");
    if (said && read_integer(said, 1, 1 << 20, &columns))
        return (int)columns;
    return isatty(file) && ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static int is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

static int has_utf8(void)
{
    const char *said = is_set("LC_ALL")     ? getenv("LC_ALL")
                       : is_set("LC_CTYPE") ? getenv("LC_CTYPE")
                       : is_set("LANG")     ? getenv("LANG")
                                            : "";
    return strcasestr(said, "utf-8") || strcasestr(said, "utf8");
}

screen screen_open(void)
{
    const char *kind = getenv("TERM");
    const int is_able = isatty(STDOUT_FILENO) && kind && strcmp(kind, "dumb") != 0;
    return (screen){ .to = stdout,
                     .width = screen_width(STDOUT_FILENO),
                     .has_colours = is_able && !is_set("NO_COLOR"),
                     .has_lines = has_utf8() };
}

static int goes_on(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static void put_text(screen *on, const char *text)
{
    for (; *text; text++) {
        on->used += !goes_on(*text);
        if (on->width == 0 || on->used <= on->width)
            fputc((unsigned char)*text < ' ' ? ' ' : *text, on->to);
    }
}

void screen_put(screen *on, const char *format, ...)
{
    char text[2000];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    put_text(on, text);
}

void screen_glyph_put(screen *on, screen_glyph glyph, int times)
{
    for (int i = 0; i < times; i++)
        put_text(on, glyphs[glyph][on->has_lines]);
}

void screen_end_line(screen *on)
{
    fputc('\n', on->to);
    on->used = 0;
}

/* How much of the words goes into a line of so many columns. */
static int fit(const char *words, int columns)
{
    const int length = (int)strlen(words);
    if (columns <= 0 || length <= columns)
        return length;
    for (int at = columns; at > 0; at--)
        if (words[at - 1] == ']' || words[at] == ' ')
            return at;
    return columns;
}

void screen_put_words(screen *on, const char *head, const char *words)
{
    const int indent = (int)strlen(head), room = on->width > indent ? on->width - indent : 0;
    const int columns = on->width && room == 0 ? 1 : room;
    do {
        const int length = fit(words, columns);
        screen_put(on, "%s", head);
        for (int i = 0; i < length; i++)
            put_text(on, (const char[]){ words[i], 0 });
        screen_end_line(on);
        words += length;
        words += strspn(words, " ");
        if (*head)
            head = head + indent; /* "" */
        if (*words && indent)
            screen_put(on, "%*s", indent, "");
    } while (*words);
}

/* The nearest of the 6 x 6 x 6 colours that terminals have. */
static int cube(int32_t colour)
{
    static const int level[] = { 0, 95, 135, 175, 215, 255 };
    int number = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        int best = 0;
        for (int i = 1; i < 6; i++)
            if (abs(level[i] - (colour >> shift & 255)) < abs(level[best] - (colour >> shift & 255)))
                best = i;
        number = number * 6 + best;
    }
    return 16 + number;
}

void screen_set_colour(screen *on, int32_t colour)
{
    if (on->has_colours && colour >= 0)
        fprintf(on->to, "\033[30;48;5;%dm", cube(colour));
    else if (on->has_colours)
        fputs("\033[0m", on->to);
}
