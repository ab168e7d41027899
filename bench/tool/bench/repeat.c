/* Command lines for a shell, as they were given and for one problem alone. */
#include "repeat.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Settings of the library that change what is timed. */
static const char *const settings[] = { "LAY_ISA", "LAY_RATES", "LAY_NUM_THREADS" };

/* Options that say which problems there are, or what becomes of the results: not those of one problem. */
static const char *const others[] = { "threads", "type", "layouts", "suite", "problems", "contract",
                                      "csv",     "json", "repro",   "plot",  "html" };

static void write_quoted(FILE *to, const char *word)
{
    int is_plain = *word != 0;
    for (const char *c = word; *c; c++)
        is_plain &= isalnum((unsigned char)*c) || strchr("_-=.,:/+@%", *c) != NULL;
    if (is_plain) {
        fputs(word, to);
        return;
    }
    fputc('\'', to);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", to);
        else
            fputc(*word, to);
    fputc('\'', to);
}

static void write_settings(FILE *to)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const char *value = getenv(settings[i]);
        if (!value)
            continue;
        fprintf(to, "%s=", settings[i]);
        write_quoted(to, value);
        fputc(' ', to);
    }
}

static char *finish(FILE *to, char **text)
{
    if (fclose(to) == 0)
        return *text;
    free(*text);
    return NULL;
}

char *repeat_line(const args *given)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    write_settings(to);
    for (char **word = given->line; *word; word++) {
        fputs(word == given->line ? "" : " ", to);
        write_quoted(to, *word);
    }
    return finish(to, &text);
}

static int is_other(const char *name)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i]) == 0)
            return 1;
    return 0;
}

static void write_option(FILE *to, const char *name, const char *value)
{
    fprintf(to, " --%s%s", name, *value ? "=" : "");
    if (*value)
        write_quoted(to, value);
}

/* A problem of a suite is named by its sizes, as the suite's text has them; it may have several of these. */
static void write_words(FILE *to, const task *of, int index)
{
    const problem *what = &of->problems[index];
    char *word = strdup(what->text);
    if (of->suite && word)
        word[strcspn(word, what->labels ? ":" : " ")] = 0;
    if (of->suite)
        write_option(to, "suite", of->suite->name);
    if (what->labels && !of->suite) {
        write_option(to, "contract", what->text);
    } else {
        fputc(' ', to);
        write_quoted(to, word ? word : "");
    }
    free(word);
}

char *repeat_problem(const args *given, const task *of, int index, lay_type type, int threads)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    write_settings(to);
    write_quoted(to, given->line[0]);
    fputs(" bench", to);
    write_words(to, of, index);
    write_option(to, "type", problem_type_name(type));
    if (threads > 0)
        fprintf(to, " --threads=%d", threads);
    for (int i = 0; i < given->seen_count; i++)
        if (!is_other(given->seen[i].option->name) ||
            (of->suite && strcmp(given->seen[i].option->name, "layouts") == 0))
            write_option(to, given->seen[i].option->name, given->seen[i].value);
    return finish(to, &text);
}
