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

/* Behind "name/kernel/threads predicted ", NULL where the line has no such way. */
static const char *find_way(const char *ways, const model_way *way)
{
    char wanted[2 * MODEL_NAME + 16];
    const int length = snprintf(wanted, sizeof wanted, "%s/%s/%d predicted ", way->name, way->branch->job.kernel,
                                way->branch->job.threads);
    for (const char *at = strstr(ways, wanted); at; at = strstr(at + 1, wanted))
        if (at == ways || (at[-1] == ' ' && at[-2] == ';'))
            return at + length;
    return NULL;
}

void model_replay(model_choice *of, const model_line *line)
{
    static const char measured[] = " measured ", about[] = "about ";
    for (int i = 0; i < of->count; i++) {
        model_way *const way = &of->way[i];
        const char *at = find_way(line->ways, way);
        at = at ? strstr(at, measured) : NULL;
        way->is_out = 1;
        way->seconds = INFINITY;
        if (!at)
            continue;
        at += sizeof measured - 1;
        way->is_out = strncmp(at, about, sizeof about - 1) == 0;
        const double seconds = 1e-6 * strtod(way->is_out ? at + sizeof about - 1 : at, NULL);
        way->seconds = seconds > 0 ? seconds : INFINITY;
    }
}
