/* The rows of a file that lay bench wrote earlier: what both forms share, and CSV. */
#include "saved.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"

enum { MOST_COLUMNS = 64 };

static const struct field {
    const char *key;
    size_t at;
    int is_number, is_needed;
} fields[] = {
    { "problem", offsetof(saved_row, problem), 0, 1 },
    { "type", offsetof(saved_row, type), 0, 1 },
    { "memory", offsetof(saved_row, memory), 0, 0 },
    { "threads", offsetof(saved_row, threads), 0, 1 },
    { "who", offsetof(saved_row, who), 0, 1 },
    { "caches", offsetof(saved_row, caches), 0, 0 },
    { "median_seconds", offsetof(saved_row, median), 1, 1 },
    { "lowest_seconds", offsetof(saved_row, lowest), 1, 1 },
    { "spread", offsetof(saved_row, spread), 1, 0 },
    { "m", offsetof(saved_row, m), 1, 0 },
    { "n", offsetof(saved_row, n), 1, 0 },
    { "k", offsetof(saved_row, k), 1, 0 },
    { "layout_a", offsetof(saved_row, layout[0]), 0, 0 },
    { "layout_b", offsetof(saved_row, layout[1]), 0, 0 },
    { "layout_c", offsetof(saved_row, layout[2]), 0, 0 },
    { "kernels", offsetof(saved_row, kernels), 0, 0 },
    { "gflops", offsetof(saved_row, gflops), 1, 0 },
    { "peak_gflops", offsetof(saved_row, peak), 1, 0 },
    { "unit_gflops", offsetof(saved_row, unit), 1, 0 },
    { "speedup", offsetof(saved_row, speedup), 1, 0 },
    { "lay_is", offsetof(saved_row, speedup), 1, 0 },
    { "roof_gflops", offsetof(saved_row, roof_gflops), 1, 0 },
    { "roof_gbytes", offsetof(saved_row, roof_gbytes), 1, 0 },
};
enum { FIELDS = sizeof fields / sizeof *fields };

int saved_add(saved *to)
{
    if (to->count == to->room) {
        const int room = 2 * to->room + 64;
        saved_row *more = realloc(to->rows, (size_t)room * sizeof *more);
        if (!more)
            return fail("out of memory");
        to->rows = more;
        to->room = room;
    }
    to->rows[to->count++] = (saved_row){ 0 };
    return EXIT_FINE;
}

static int set_text(char **place, const char *text)
{
    free(*place);
    *place = strdup(text);
    return *place ? EXIT_FINE : fail("out of memory");
}

static int set_number(double *to, const char *key, const char *text)
{
    char *end;
    *to = strtod(text, &end);
    if (end == text || *end || !isfinite(*to) || *to < 0)
        return refuse("%s is no figure: '%.40s'", key, text);
    return EXIT_FINE;
}

int saved_set(saved *to, const char *key, const char *text)
{
    char *row = (char *)&to->rows[to->count - 1];
    for (int i = 0; i < FIELDS; i++) {
        if (strcmp(fields[i].key, key) != 0)
            continue;
        if (fields[i].is_number)
            return *text ? set_number((double *)(void *)(row + fields[i].at), key, text) : EXIT_FINE;
        return set_text((char **)(void *)(row + fields[i].at), text);
    }
    return EXIT_FINE;
}

static const struct {
    const char *key;
    size_t at;
} head_fields[] = {
    { "version", offsetof(saved_head, version) }, { "command", offsetof(saved_head, command) },
    { "machine", offsetof(saved_head, machine) }, { "load", offsetof(saved_head, load) },
    { "rounds", offsetof(saved_head, rounds) },   { "complete", offsetof(saved_head, complete) },
};
enum { HEAD_FIELDS = sizeof head_fields / sizeof *head_fields };

int saved_set_head(saved *to, const char *key, const char *text)
{
    if (strcmp(key, "warnings") == 0)
        return to->head.warnings < SAVED_WARNINGS ? set_text(&to->head.warning[to->head.warnings++], text) : EXIT_FINE;
    for (int i = 0; i < HEAD_FIELDS && *text; i++)
        if (strcmp(head_fields[i].key, key) == 0)
            return set_text((char **)(void *)((char *)&to->head + head_fields[i].at), text);
    return EXIT_FINE;
}

static int check_rows(const saved *of)
{
    for (int i = 0; i < of->count; i++)
        for (int j = 0; j < FIELDS; j++) {
            const char *at = (const char *)&of->rows[i] + fields[j].at;
            const int is_there =
                fields[j].is_number ? *(const double *)(const void *)at > 0 : *(char *const *)(const void *)at != NULL;
            if (fields[j].is_needed && !is_there)
                return refuse("row %d has no %s: this is no file of lay bench", i + 1, fields[j].key);
        }
    return of->count ? EXIT_FINE : refuse("no rows: this is no file of lay bench");
}

/* The field at *text, unquoted in its place; *text moves behind it and what ends it, which is returned. */
static char cut_field(char **text, char **field)
{
    char *from = *text, *to = *text;
    int quoted = 0;
    *field = to;
    for (; *from && (quoted || (*from != ',' && *from != '\n' && *from != '\r')); from++) {
        if (*from != '"')
            *to++ = *from;
        else if (quoted && from[1] == '"')
            *to++ = *from++;
        else
            quoted = !quoted;
    }
    if (*from == '\r' && from[1] == '\n')
        from++;
    const char end = *from;
    *text = end ? from + 1 : from;
    *to = 0;
    return end;
}

static int read_csv(char *text, saved *out)
{
    char *names[MOST_COLUMNS], *field;
    int columns = 0, status = EXIT_FINE;
    char end;
    do {
        end = cut_field(&text, &names[columns++]);
    } while (end == ',' && columns < MOST_COLUMNS);
    while (*text && status == EXIT_FINE) {
        status = saved_add(out);
        int column = 0;
        do {
            end = cut_field(&text, &field);
            if (status == EXIT_FINE && column < columns)
                status = saved_set(out, names[column], field);
            column++;
        } while (end == ',');
        if (status == EXIT_FINE && column != columns)
            status = refuse("row %d has %d fields, the first line %d", out->count, column, columns);
    }
    return status;
}

/* The file's text, "" for an empty one. */
static int read_text(const char *path, char **out)
{
    FILE *from = fopen(path, "r"), *to;
    char part[4096];
    size_t size, got;
    if (!from)
        return refuse("%s", strerror(errno));
    to = open_memstream(out, &size);
    while (to && (got = fread(part, 1, sizeof part, from)) > 0)
        fwrite(part, 1, got, to);
    const int broken = ferror(from) ? errno : 0;
    fclose(from);
    if (!to || fclose(to) != 0)
        return fail("out of memory");
    return broken                 ? refuse("%s", strerror(broken))
           : strlen(*out) != size ? refuse("a byte of 0: this is no file of lay bench")
                                  : EXIT_FINE;
}

int saved_read(const char *path, saved *out)
{
    char *text = NULL;
    *out = (saved){ 0 };
    complain_where(path);
    int status = read_text(path, &text);
    if (status == EXIT_FINE)
        status = text[strspn(text, " \t\r\n")] == '{' ? saved_read_json(text, out) : read_csv(text, out);
    if (status == EXIT_FINE)
        status = check_rows(out);
    complain_where(NULL);
    free(text);
    return status;
}

int saved_read_own(const char *text, saved *out)
{
    *out = (saved){ 0 };
    const int status = saved_read_json(text, out);
    return status == EXIT_FINE ? check_rows(out) : status;
}

void saved_free(saved *of)
{
    for (int i = 0; i < HEAD_FIELDS; i++)
        free(*(char **)(void *)((char *)&of->head + head_fields[i].at));
    for (int i = 0; i < of->head.warnings; i++)
        free(of->head.warning[i]);
    for (int i = 0; i < of->count; i++)
        for (int j = 0; j < FIELDS; j++)
            if (!fields[j].is_number)
                free(*(char **)(void *)((char *)&of->rows[i] + fields[j].at));
    free(of->rows);
}
