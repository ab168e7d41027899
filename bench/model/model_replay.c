/* Times of an earlier run in place of new ones. */
#include "model_replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ends the field that begins at *from, and moves on to the next. */
static char *take_field(char **from)
{
    char *const start = **from == '"' ? *from + 1 : *from;
    char *const end = strchr(start, **from == '"' ? '"' : ',');
    if (!end)
        return NULL;
    *from = **from == '"' ? end + 2 : end + 1;
    *end = 0;
    return start;
}

int model_line_read(FILE *csv, model_line *out, int *is_bad)
{
    enum { SUITE, TEXT = 4, TYPE, THREADS, FIELDS };
    static const char quote[] = ",\"";
    char *field[FIELDS];
    const ssize_t length = getline(&out->line, &out->room, csv);
    *is_bad = 0;
    if (length <= 0)
        return 0;
    out->line[strcspn(out->line, "\n")] = 0;
    char *rest = out->line, *last = NULL;
    for (char *at = strstr(rest, quote); at; at = strstr(at + 1, quote))
        last = at;
    for (int i = 0; i < FIELDS; i++)
        if (!(field[i] = take_field(&rest))) {
            *is_bad = 1;
            return 0;
        }
    out->suite = field[SUITE];
    out->text = field[TEXT];
    out->type = field[TYPE];
    out->threads = atoi(field[THREADS]);
    out->ways = last && last >= rest ? last + sizeof quote - 1 : "";
    return 1;
}

void model_line_free(model_line *of)
{
    free(of->line);
    *of = (model_line){ 0 };
}

/* A way as a line has it: "NAME/KERNEL/THREADS[ (another sum)] predicted US measured [about ]US". */
typedef struct entry {
    const char *text;
    int length, is_other_sum, is_about;
    double predicted, seconds;
} entry;

static const char another[] = " (another sum)", predicted[] = " predicted ", measured[] = " measured ",
                  about[] = "about ";

/* The entry at *from, which moves on to the next. 0 at the end. */
static int take_entry(const char **from, entry *out)
{
    const char *const start = *from, *const told = strstr(start, predicted);
    const char *at = told ? strstr(told, measured) : NULL;
    if (!at)
        return 0;
    *out = (entry){ .text = start, .length = (int)(told - start) };
    out->predicted = 1e-6 * strtod(told + sizeof predicted - 1, NULL);
    at += sizeof measured - 1;
    out->is_about = strncmp(at, about, sizeof about - 1) == 0;
    out->seconds = 1e-6 * strtod(out->is_about ? at + sizeof about - 1 : at, NULL);
    const int kept = out->length - (int)sizeof another + 1;
    out->is_other_sum = kept > 0 && strncmp(start + kept, another, sizeof another - 1) == 0;
    out->length -= out->is_other_sum ? (int)sizeof another - 1 : 0;
    const char *const end = strstr(at, "; ");
    *from = end ? end + 2 : at + strlen(at);
    return 1;
}

static model_way *find_way(model_choice *of, const entry *one)
{
    for (int i = 0; i < of->count; i++) {
        char text[MODEL_WAY_TEXT];
        model_way_write(&of->way[i], text);
        if ((int)strlen(text) == one->length && memcmp(text, one->text, (size_t)one->length) == 0)
            return &of->way[i];
    }
    return NULL;
}

static void miss(model_missed *least, const entry *one)
{
    if (one->seconds >= least->seconds)
        return;
    snprintf(least->text, sizeof least->text, "%.*s", one->length, one->text);
    least->predicted = one->predicted;
    least->seconds = one->seconds;
}

void model_replay(model_choice *of, const model_line *line)
{
    const char *at = line->ways;
    entry one;
    for (int i = 0; i < of->count; i++) {
        of->way[i].is_out = 1;
        of->way[i].seconds = INFINITY;
    }
    while (take_entry(&at, &one)) {
        model_way *const way = find_way(of, &one);
        if (!(one.seconds > 0))
            continue;
        if (way) {
            way->is_out = one.is_about;
            way->seconds = one.seconds;
        } else if (!one.is_about) {
            miss(&of->missed[1], &one);
            if (!one.is_other_sum)
                miss(&of->missed[0], &one);
        }
    }
}
