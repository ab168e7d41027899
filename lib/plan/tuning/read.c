/* Reading tuned plans: each line is checked, and what it may do is checked again by the ways when they are planned. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/identity.h"
#include "plan/tuning/file.h"
#include "plan/tuning/key.h"

/* A text under way. */
typedef struct reader {
    const lay_table *table;
    const char *name;
    int line;
    int is_other; /* written by another version of the library */
    lay_tuning_read *out;
} reader;

__attribute__((format(printf, 2, 3))) static int refuse(reader *of, const char *format, ...)
{
    va_list arguments;
    char reason[LAY_TUNING_REASON / 2];
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    snprintf(of->out->bad, sizeof of->out->bad, "%.120s, line %d: %s", of->name, of->line, reason);
    return 0;
}

/* What another version may know is left out. */
static int leave_out(reader *of, const char *word, const char *reason)
{
    if (!of->is_other)
        return refuse(of, "'%.60s': %s", word, reason);
    if (!*of->out->left_out)
        snprintf(of->out->left_out, sizeof of->out->left_out, "%.120s, line %d was left out: '%.60s': %s", of->name,
                 of->line, word, reason);
    return 1;
}

/* The next line that is no comment, or NULL. */
static char *next_line(reader *of, char **rest)
{
    while (*rest) {
        char *const line = *rest, *const end = strchr(line, '\n');
        *rest = end ? end + 1 : NULL;
        of->line++;
        if (end)
            *end = 0;
        line[strcspn(line, "\r")] = 0;
        if (*line && *line != '#')
            return line;
    }
    return NULL;
}

/* What stands behind a word and a blank; NULL: another word begins the line. */
static char *behind(char *line, const char *word)
{
    const size_t length = strlen(word);
    return line && strncmp(line, word, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

static int read_head(reader *of, char **rest)
{
    char own[256], version[16];
    lay_text text = { .to = own, .size = sizeof own };
    const char *given = behind(next_line(of, rest), "layoutgemm tuning");
    if (!given)
        return refuse(of, "it does not begin with 'layoutgemm tuning %d'", LAY_TUNING_VERSION);
    snprintf(version, sizeof version, "%d", LAY_TUNING_VERSION);
    if (strcmp(given, version) != 0)
        return refuse(of, "its format is '%.20s', this library reads %d", given, LAY_TUNING_VERSION);
    if (!(given = behind(next_line(of, rest), "library")))
        return refuse(of, "the library's version is missing");
    of->is_other = strcmp(given, lay_version()) != 0;
    if (!(given = behind(next_line(of, rest), "machine")))
        return refuse(of, "the machine is missing");
    lay_machine_fingerprint(&text);
    if (strcmp(given, own) != 0)
        return refuse(of, "it is of another machine, '%.80s', not of '%s'", given, own);
    return 1;
}

/* A decimal number and nothing else. */
static int read_picoseconds(const char *text, double *seconds)
{
    enum { MOST_DIGITS = 17 };
    const size_t length = strspn(text, "0123456789");
    if (length == 0 || length > MOST_DIGITS || text[length])
        return 0;
    *seconds = (double)strtoull(text, NULL, 10) * 1e-12;
    return *seconds > 0;
}

/* Cuts a part off the end of line, behind the last "; ". NULL: there is none. */
static char *cut_last(char *line)
{
    char *found = NULL;
    for (char *at = line; (at = strstr(at, "; ")); at += 2)
        found = at;
    if (!found)
        return NULL;
    *found = 0;
    return found + 2;
}

/* line: behind "product ". */
static int read_product(reader *of, char *line)
{
    char sum[17];
    const lay_order *order;
    const char *reason, *word;
    int is_unknown;
    lay_tuning made;
    char *const check = cut_last(line);
    snprintf(sum, sizeof sum, "%016llx", (unsigned long long)lay_key_hash(line, strlen(line)));
    if (!check || strcmp(check, sum) != 0)
        return refuse(of, "the line is damaged: its checksum is another one");
    char *const times = cut_last(line), *const recipe = times ? cut_last(line) : NULL;
    char *const estimate = times ? strchr(times, ' ') : NULL;
    if (!recipe || !estimate)
        return refuse(of, "a product needs ways and two times");
    *estimate = 0;
    if (!read_picoseconds(times, &made.seconds) || !read_picoseconds(estimate + 1, &made.estimate))
        return refuse(of, "times are no picoseconds: '%.20s' and '%.20s'", times, estimate + 1);
    if (strlen(line) >= LAY_KEY_BYTES)
        return refuse(of, "the product is longer than any");
    if ((reason = lay_key_check(of->table, line, &order, &is_unknown)))
        return is_unknown ? leave_out(of, line, reason) : refuse(of, "%s: '%.60s'", reason, line);
    if ((reason = lay_recipe_read(of->table, order, recipe, &made.recipe, &word, &is_unknown)))
        return is_unknown ? leave_out(of, word, reason) : refuse(of, "'%.60s': %s", word, reason);
    if (lay_entries_find(&of->out->entries, line))
        return refuse(of, "the product was there before");
    snprintf(made.from, sizeof made.from, "of %.60s, line %d", of->name, of->line);
    return lay_entries_put(&of->out->entries, line, &made) ? 1 : refuse(of, "there is no memory for it");
}

static int read_all(reader *of, char *rest)
{
    char *line, *what;
    int products = 0;
    if (!read_head(of, &rest))
        return 0;
    while ((line = next_line(of, &rest)) && (what = behind(line, "product"))) {
        if (!read_product(of, what))
            return 0;
        products++;
    }
    if (!line)
        return refuse(of, "it was cut off: there is no line that begins with 'end'");
    char wanted[32];
    snprintf(wanted, sizeof wanted, "end %d", products);
    if (strcmp(line, wanted) != 0)
        return behind(line, "end") ? refuse(of, "'%.20s', but there are %d products before it", line, products)
                                   : refuse(of, "'%.40s' begins no line", line);
    return next_line(of, &rest) ? refuse(of, "there is more behind the end") : 1;
}

int lay_tuning_read_text(const lay_table *table, char *text, size_t length, const char *name, lay_tuning_read *out)
{
    reader of = { .table = table, .name = name, .out = out };
    *out->bad = *out->left_out = 0;
    out->entries = (lay_entries){ .count = 0 };
    if (strlen(text) != length) {
        for (const char *at = text; (at = strchr(at, '\n')); at++)
            of.line++;
        of.line++;
        refuse(&of, "it is no text: a byte is 0");
    } else if (read_all(&of, text)) {
        return 1;
    }
    lay_entries_free(&out->entries);
    return 0;
}
