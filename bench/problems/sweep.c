/* Problems whose sizes are ranges, written out. */
#include "sweep.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/base/texts.h"
#include "problem.h"

enum { SIZES = 3 };

/* first, first + add or first * times and so on, up to last. */
typedef struct range {
    int64_t first, last, add, times;
} range;

static int add_text(problem_list *to, char *text)
{
    if (!text)
        return fail("out of memory");
    if (to->count == to->room) {
        const int room = 2 * to->room + 16;
        char **more = realloc(to->texts, (size_t)room * sizeof *more);
        if (!more) {
            free(text);
            return fail("out of memory");
        }
        to->texts = more;
        to->room = room;
    }
    to->texts[to->count++] = text;
    return EXIT_FINE;
}

static int read_number(const char **text, int64_t *out)
{
    char *end;
    if (!isdigit((unsigned char)**text))
        return 0;
    errno = 0;
    *out = strtoll(*text, &end, 10);
    *text = end;
    return !errno && *out <= INT32_MAX;
}

/* What follows the two dots: the last size, and a step where there is one. */
static int read_step(const char **text, range *out)
{
    if (!read_number(text, &out->last))
        return 0;
    const char *step = *text;
    out->add = 0, out->times = 2;
    if (step[0] != ':' || (step[1] != '+' && step[1] != 'x'))
        return 1;
    *text += 2;
    out->times = 1;
    return read_number(text, step[1] == '+' ? &out->add : &out->times);
}

static const char *refuse_range(const range *of)
{
    if (of->last < of->first)
        return "its last size is below its first";
    if (of->add == 0 && of->times < 2)
        return "its step leads nowhere: x2 and more, or +1 and more";
    if (of->add == 0 && of->first == 0)
        return "0 stays 0 however often it is multiplied";
    return NULL;
}

/* The sizes of a text and what lies between them, up to the layouts. 1, or 0 where they are not of that form. */
static int read_ranges(const char *text, range out[SIZES], int *count, const char **layouts)
{
    text += strspn(text, " \t");
    for (*count = 0; *count < SIZES && isdigit((unsigned char)*text); ++*count) {
        range *one = &out[*count];
        *one = (range){ .times = 2 };
        if (!read_number(&text, &one->first))
            return 0;
        one->last = one->first;
        if (text[0] == '.' && text[1] == '.') {
            text += 2;
            if (!read_step(&text, one))
                return 0;
        }
        if (*count == SIZES - 1)
            continue;
        const char *next = text + strspn(text, " \t");
        next += (*next == 'x' || *next == '*') && isdigit((unsigned char)next[1]);
        text = isdigit((unsigned char)*next) ? next : text;
    }
    *layouts = text;
    return *count == 1 || *count == SIZES;
}

static int64_t step(const range *of, int64_t size)
{
    return size * of->times + of->add;
}

/* A size for each range from the index-th on, then the layouts. */
static int add_all(problem_list *to, const range ranges[], int count, const char *so_far, const char *layouts, int most)
{
    int status = EXIT_FINE;
    for (int64_t size = ranges->first; size <= ranges->last && status == EXIT_FINE;) {
        char *text = text_write("%s%s%" PRId64 "%s", so_far, *so_far ? "x" : "", size, count > 1 ? "" : layouts);
        if (!text)
            return fail("out of memory");
        if (count > 1) {
            status = add_all(to, ranges + 1, count - 1, text, layouts, most);
            free(text);
        } else if (to->count >= most) {
            free(text);
            return refuse("more than %d problems", most);
        } else {
            status = add_text(to, text);
        }
        if (ranges->first == ranges->last)
            break;
        size = step(ranges, size);
    }
    return status;
}

int sweep_add(problem_list *to, const char *text, int most)
{
    range ranges[SIZES];
    const char *layouts;
    int count;
    if (!strstr(text, ".."))
        return to->count >= most ? refuse("more than %d problems", most) : add_text(to, strdup(text));
    if (!read_ranges(text, ranges, &count, &layouts))
        return refuse("'%s' is no range of sizes: FIRST..LAST, then ':xFACTOR' or ':+STEP', such as 256..4096:x2",
                      text);
    for (int i = 0; i < count; i++)
        if (refuse_range(&ranges[i]))
            return refuse("'%s' is no range of sizes: %s", text, refuse_range(&ranges[i]));
    return add_all(to, ranges, count, "", layouts, most);
}

/* Without its comment and the blanks around; a '#' inside a layout's notation begins none. */
static char *strip(char *line)
{
    line += strspn(line, " \t");
    for (char *at = line; *at; at++)
        if (*at == '#' && (at == line || isspace((unsigned char)at[-1])))
            *at = 0;
    size_t length = strlen(line);
    while (length && isspace((unsigned char)line[length - 1]))
        line[--length] = 0;
    return line;
}

/* Read once to see whether they are problems, while it is known in which line they stand. */
static int check_from(const problem_list *of, int first)
{
    int status = EXIT_FINE;
    for (int i = first; i < of->count && status == EXIT_FINE; i++) {
        problem read;
        status = problem_read(of->texts[i], "row", &read);
        if (status == EXIT_FINE)
            problem_free(&read);
    }
    return status;
}

static int add_line(problem_list *to, char *line, size_t length, int most)
{
    const int first = to->count;
    if (strlen(line) != length)
        return refuse("a byte of 0: a file of problems is text");
    line = strip(line);
    if (!*line)
        return EXIT_FINE;
    const int status = sweep_add(to, line, most);
    return status == EXIT_FINE ? check_from(to, first) : status;
}

static int add_lines(problem_list *to, FILE *from, const char *path, int most)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    int status = EXIT_FINE;
    errno = 0;
    for (int number = 1; status == EXIT_FINE && (length = getline(&line, &room, from)) >= 0; number++) {
        char where[300];
        snprintf(where, sizeof where, "%s:%d", path, number);
        complain_where(where);
        status = add_line(to, line, (size_t)length, most);
        complain_where(NULL);
    }
    if (status == EXIT_FINE && ferror(from))
        status = refuse("%s: %s", path, strerror(errno));
    free(line);
    return status;
}

int sweep_add_file(problem_list *to, const char *path, int most)
{
    const int is_input = strcmp(path, "-") == 0;
    FILE *from = is_input ? stdin : fopen(path, "r");
    const int before = to->count;
    if (!from)
        return refuse("%s: %s", path, strerror(errno));
    int status = add_lines(to, from, is_input ? "standard input" : path, most);
    if (!is_input)
        fclose(from);
    if (status == EXIT_FINE && to->count == before)
        status = refuse("%s has no problem", path);
    return status;
}

void problem_list_free(problem_list *of)
{
    for (int i = 0; i < of->count; i++)
        free(of->texts[i]);
    free(of->texts);
    *of = (problem_list){ 0 };
}
