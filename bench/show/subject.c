/* What is shown: one layout, or the three of a problem. */
#include "subject.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/args.h"
#include "bench/base/caret.h"
#include "bench/base/complain.h"
#include "bench/base/texts.h"
#include "bench/problems/problem.h"

/* Takes title and notation. */
static int add(subject *to, char *title, char *notation, int width)
{
    to->layout[to->count].title = title;
    to->layout[to->count].notation = notation;
    to->count++;
    if (!title || !notation)
        return fail("out of memory");
    const lay_status status = lay_desc_parse(notation, &to->layout[to->count - 1].desc);
    return status == LAY_OK ? EXIT_FINE : refuse_text(status, notation, width);
}

/* "4x6:col", "4 6 tiles2", "4x6": 1, and where the layout's name begins. */
static int split_matrix(const char *text, int64_t *rows, int64_t *columns, const char **layout)
{
    int used = 0;
    if (sscanf(text, " %9" SCNd64 " %*1[x*]%9" SCNd64 "%n", rows, columns, &used) != 2 || used == 0)
        if (sscanf(text, " %9" SCNd64 " %9" SCNd64 "%n", rows, columns, &used) != 2 || used == 0)
            return 0;
    text += used;
    if (*text && *text != ':' && !isspace((unsigned char)*text))
        return 0;
    text += *text == ':';
    *layout = text + strspn(text, " \t");
    return !isdigit((unsigned char)**layout);
}

static int read_matrix(const char *text, int64_t rows, int64_t columns, const char *name, int width, subject *out)
{
    char *notation = NULL;
    if (!layout_write(*name ? name : "row", rows, columns, &notation))
        return refuse("there is no layout '%s' in '%s'; 'lay help bench' lists them", name, text);
    char *title = notation ? text_write("%s is %s", text, notation) : NULL;
    const int status = add(out, title, notation, width);
    const lay_desc *desc = out->layout[0].desc;
    if (status == EXIT_FINE &&
        (lay_desc_rank(desc) != 2 || lay_desc_extent(desc, "0") != rows || lay_desc_extent(desc, "1") != columns))
        return refuse("'%s' is no matrix of %" PRId64 " x %" PRId64, notation, rows, columns);
    return status;
}

static int read_problem(const char *text, int width, subject *out)
{
    problem of;
    int status = strstr(text, "->") ? problem_read_contraction(text, &of) : problem_read(text, "row", &of);
    if (status != EXIT_FINE)
        return status;
    for (int i = 0; i < SUBJECT_LAYOUTS && status == EXIT_FINE; i++) {
        char names[3 * SUBJECT_LAYOUTS] = "";
        int length = 0, is_first = 1;
        for (int other = 0; other < SUBJECT_LAYOUTS; other++)
            if (strcmp(of.notation[i], of.notation[other]) == 0) {
                is_first &= other >= i;
                length += sprintf(names + length, "%s%c", length ? ", " : "", "ABC"[other]);
            }
        if (is_first)
            status =
                add(out, text_write("%s of %s: %s", names, of.text, of.notation[i]), strdup(of.notation[i]), width);
    }
    problem_free(&of);
    return status;
}

/* A layout's name at best. */
static int is_word(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]))
        length++;
    return length > 0 && !text[length];
}

/* Of a layout's name alone: two tiles each way, or a matrix that is small enough to be seen. */
static int read_name(const char *name, int width, subject *out)
{
    enum { SMALL = 8, MOST = 9999 };
    int rows = 0, columns = 0;
    const int found = sscanf(name, "tiles%4dx%4d", &rows, &columns);
    rows = found < 1 || rows < 1 || rows > MOST ? SMALL : 2 * rows;
    columns = found == 1 ? rows : found < 1 || columns < 1 || columns > MOST ? SMALL : 2 * columns;
    char *text = text_write("%dx%d:%s", rows, columns, name);
    const int status = text ? read_matrix(text, rows, columns, name, width, out) : fail("out of memory");
    free(text);
    return status;
}

int subject_read(const char *text, int width, subject *out)
{
    int64_t rows, columns;
    const char *layout;
    *out = (subject){ 0 };
    const char *begin = text + strspn(text, " \t\n");
    if (split_matrix(begin, &rows, &columns, &layout))
        return read_matrix(begin, rows, columns, layout, width, out);
    if (isdigit((unsigned char)*begin) || strstr(begin, "->"))
        return read_problem(begin, width, out);
    if (is_word(begin))
        return read_name(begin, width, out);
    return add(out, strdup(text), strdup(text), width);
}

void subject_free(subject *of)
{
    for (int i = 0; i < of->count; i++) {
        free(of->layout[i].title);
        free(of->layout[i].notation);
        lay_desc_destroy(of->layout[i].desc);
    }
    of->count = 0;
}
