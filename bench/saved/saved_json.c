/* The rows of a JSON file: the objects in the array "rows" of the outermost object. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "saved.h"

enum { DEEPEST = 32 };

typedef struct reader {
    const char *begin, *at;
    saved *to;
    char *token; /* the last text, or a number as it is written; as large as the file */
} reader;

static void skip_blanks(reader *of)
{
    of->at += strspn(of->at, " \t\r\n");
}

static int take(reader *of, char wanted)
{
    skip_blanks(of);
    if (*of->at != wanted)
        return 0;
    of->at++;
    return 1;
}

static int refuse_here(const reader *of)
{
    return refuse("byte %td is not as JSON has it: '%.12s'", of->at - of->begin + 1, of->at);
}

/* As UTF-8. Halves of pairs are not put together: problems and names are seldom written so, and stay apart from others
 * as they are. */
static char *put_character(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 63));
    } else {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 63));
        *to++ = (char)(0x80 | (code & 63));
    }
    return to;
}

static int read_escape(reader *of, char **to)
{
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    const char kind = *of->at++;
    const char *place = kind ? strchr(from, kind) : NULL;
    unsigned code;
    if (place) {
        *(*to)++ = into[place - from];
        return 1;
    }
    if (kind != 'u' || strspn(of->at, "0123456789abcdefABCDEF") < 4 || sscanf(of->at, "%4x", &code) != 1 || code == 0)
        return 0;
    of->at += 4;
    *to = put_character(*to, code);
    return 1;
}

static int read_text(reader *of)
{
    char *to = of->token;
    if (!take(of, '"'))
        return refuse_here(of);
    while (*of->at != '"') {
        if ((unsigned char)*of->at < 0x20)
            return refuse_here(of);
        if (*of->at != '\\')
            *to++ = *of->at++;
        else if (of->at++, !read_escape(of, &to))
            return refuse_here(of);
    }
    of->at++;
    *to = 0;
    return EXIT_FINE;
}

/* A number, true, false or null; of null nothing. */
static int read_word(reader *of)
{
    const size_t length = strspn(of->at, "+-.0123456789abcdefghijklmnopqrstuvwxyzE");
    if (!length)
        return refuse_here(of);
    memcpy(of->token, of->at, length);
    of->token[length] = 0;
    of->at += length;
    if (strcmp(of->token, "null") == 0)
        of->token[0] = 0;
    return EXIT_FINE;
}

typedef enum place { OUTERMOST, ROWS, ROW, WARNINGS, ELSEWHERE } place;

static int read_value(reader *of, place where, int depth);

static place place_of(const char *key)
{
    return strcmp(key, "rows") == 0 ? ROWS : strcmp(key, "warnings") == 0 ? WARNINGS : ELSEWHERE;
}

/* What follows a key. */
static int read_member(reader *of, place where, int depth)
{
    char key[32];
    int status = read_text(of);
    if (status != EXIT_FINE)
        return status;
    snprintf(key, sizeof key, "%s", of->token);
    if (!take(of, ':'))
        return refuse_here(of);
    of->token[0] = 0;
    status = read_value(of, where == OUTERMOST ? place_of(key) : ELSEWHERE, depth + 1);
    if (status != EXIT_FINE)
        return status;
    return where == ROW                                       ? saved_set(of->to, key, of->token)
           : where == OUTERMOST && place_of(key) == ELSEWHERE ? saved_set_head(of->to, key, of->token)
                                                              : EXIT_FINE;
}

static int read_object(reader *of, place where, int depth)
{
    int status = where == ROW ? saved_add(of->to) : EXIT_FINE;
    if (take(of, '}'))
        return status;
    do {
        if (status == EXIT_FINE)
            status = read_member(of, where, depth);
    } while (status == EXIT_FINE && take(of, ','));
    return status != EXIT_FINE || take(of, '}') ? status : refuse_here(of);
}

static int read_array(reader *of, place where, int depth)
{
    int status = EXIT_FINE;
    if (take(of, ']'))
        return status;
    do {
        of->token[0] = 0;
        status = read_value(of, where == ROWS ? ROW : ELSEWHERE, depth + 1);
        if (status == EXIT_FINE && where == WARNINGS)
            status = saved_set_head(of->to, "warnings", of->token);
    } while (status == EXIT_FINE && take(of, ','));
    of->token[0] = 0;
    return status != EXIT_FINE || take(of, ']') ? status : refuse_here(of);
}

static int read_value(reader *of, place where, int depth)
{
    if (depth > DEEPEST)
        return refuse("deeper than %d brackets: this is no file of lay bench", DEEPEST);
    if (take(of, '{'))
        return read_object(of, where == ROWS ? ELSEWHERE : where, depth);
    if (take(of, '['))
        return read_array(of, where, depth);
    return *of->at == '"' ? read_text(of) : read_word(of);
}

int saved_read_json(const char *text, saved *out)
{
    reader of = { .begin = text, .at = text, .to = out, .token = malloc(strlen(text) + 1) };
    if (!of.token)
        return fail("out of memory");
    of.token[0] = 0;
    int status = read_value(&of, OUTERMOST, 0);
    skip_blanks(&of);
    if (status == EXIT_FINE && *of.at)
        status = refuse_here(&of);
    free(of.token);
    return status;
}
