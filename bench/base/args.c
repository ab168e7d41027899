/* Command lines: a table of options in, the words given out. */
#include "args.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "levels.h"

static const option *find_name(const option *options, const char *name, size_t length)
{
    for (; options->name; options++)
        if (strlen(options->name) == length && memcmp(options->name, name, length) == 0)
            return options;
    return NULL;
}

static const option *find_letter(const option *options, char letter)
{
    for (; options->name; options++)
        if (options->letter && options->letter == letter)
            return options;
    return NULL;
}

/* The option that argument names; *value is what is glued to it ("=value", "-ovalue"), or NULL. */
static const option *match(const option *options, const char *argument, const char **value)
{
    *value = NULL;
    if (argument[1] != '-') {
        *value = argument[2] ? argument + 2 : NULL;
        return find_letter(options, argument[1]);
    }
    const char *equals = strchr(argument, '=');
    *value = equals ? equals + 1 : NULL;
    return find_name(options, argument + 2, equals ? (size_t)(equals - argument - 2) : strlen(argument + 2));
}

int args_read(const option *options, int argc, char **argv, args *out)
{
    *out = (args){ .options = options };
    out->seen = calloc((size_t)argc + 1, sizeof *out->seen);
    out->words = calloc((size_t)argc + 1, sizeof *out->words);
    if (!out->seen || !out->words)
        return fail("out of memory");
    int only_words = 0;
    for (int i = 0; i < argc; i++) {
        if (only_words || argv[i][0] != '-' || !argv[i][1]) {
            out->words[out->word_count++] = argv[i];
            continue;
        }
        if (strcmp(argv[i], "--") == 0) {
            only_words = 1;
            continue;
        }
        const char *value;
        const option *found = match(options, argv[i], &value);
        if (!found)
            return refuse("unknown option '%s'", argv[i]);
        if (!found->value && value)
            return refuse("option --%s takes no value, '%s' gives one", found->name, argv[i]);
        if (found->value && !value) {
            if (i + 1 == argc)
                return refuse("option --%s needs a value: %s", found->name, found->value);
            value = argv[++i];
        }
        if (value && !*value)
            return refuse("option --%s needs a value: %s", found->name, found->value);
        out->seen[out->seen_count++] = (struct seen){ found, value ? value : "" };
    }
    return EXIT_FINE;
}

int args_is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

int args_ask_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (args_is_help(argv[i]))
            return 1;
    return 0;
}

void args_print_options(const option *options)
{
    for (const option *o = options; o->name; o++) {
        char left[64];
        snprintf(left, sizeof left, "%s%c%s--%s%s%s", o->letter ? "-" : "", o->letter ? o->letter : ' ',
                 o->letter ? ", " : "   ", o->name, o->value ? "=" : "", o->value ? o->value : "");
        printf("  %-26s  %s\n", left, o->help);
    }
    printf("  %-26s  %s\n", "-h, --help", "this text");
}

void args_read_all(const program *of, int argc, char **argv, args *out)
{
    complain_as(of->name);
    if (args_ask_help(argc - 1, argv + 1)) {
        printf("usage: %s %s\n\n%s\n", of->name, of->usage, of->about);
        args_print_options(of->options);
        printf("%s%s", of->notes ? "\n" : "", of->notes ? of->notes : "");
        exit(EXIT_FINE);
    }
    int status = args_read(of->options, argc - 1, argv + 1, out);
    out->line = argv;
    if (status == EXIT_FINE && out->word_count > of->most_words)
        status = refuse("'%s' is one argument too many; --help lists the options", out->words[of->most_words]);
    if (status != EXIT_FINE)
        exit(status);
}

void args_free(args *given)
{
    free(given->seen);
    free(given->words);
}

const char *args_repeated(const args *given, const char *name, int index)
{
    assert(find_name(given->options, name, strlen(name)));
    for (int i = 0; i < given->seen_count; i++)
        if (strcmp(given->seen[i].option->name, name) == 0 && index-- == 0)
            return given->seen[i].value;
    return NULL;
}

const char *args_value(const args *given, const char *name)
{
    const char *last = NULL, *value;
    for (int i = 0; (value = args_repeated(given, name, i)); i++)
        last = value;
    return last;
}

static int has(const args *given, const char *what)
{
    char name[64];
    const char *equals = strchr(what, '=');
    snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - what) : (int)strlen(what), what);
    const char *value = args_value(given, name);
    return value && (!equals || strcmp(value, equals + 1) == 0);
}

int args_check(const args *given, const args_claim claims[])
{
    for (const args_claim *one = claims; one->option; one++)
        if (has(given, one->option) && has(given, one->with) != one->is_needed)
            return one->is_needed ? refuse("--%s says something only with --%s", one->option, one->with)
                                  : refuse("--%s and --%s do not go together", one->option, one->with);
    return EXIT_FINE;
}

int read_integer(const char *text, int64_t lowest, int64_t highest, int64_t *out)
{
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (end == text || *end || errno || value < lowest || value > highest)
        return 0;
    *out = value;
    return 1;
}

int args_integer(const args *given, const char *name, int64_t lowest, int64_t highest, int64_t *out)
{
    const char *text = args_value(given, name);
    if (text && !read_integer(text, lowest, highest, out))
        return refuse("--%s is an integer from %" PRId64 " to %" PRId64 ", not '%s'", name, lowest, highest, text);
    return EXIT_FINE;
}

int args_real(const args *given, const char *name, double *out)
{
    const char *text = args_value(given, name);
    if (!text)
        return EXIT_FINE;
    char *end;
    errno = 0;
    const double value = strtod(text, &end);
    if (end == text || *end || (errno && isinf(value)))
        return refuse("--%s is a number that a double holds, not '%s'", name, text);
    *out = value;
    return EXIT_FINE;
}

int args_isa(const args *given, const char *name, lay_isa *out)
{
    const char *text = args_value(given, name);
    if (!text)
        return EXIT_FINE;
    const lay_isa isa = lay_isa_named(text);
    if (isa == LAY_ISA_AUTO && strcmp(text, "auto") != 0)
        return refuse("--%s is one of auto, " LAY_ISA_NAMES ", not '%s'", name, text);
    *out = isa;
    return EXIT_FINE;
}

char **list_split(const char *text, char between, int *count)
{
    size_t parts = 1;
    for (const char *c = text; *c; c++)
        parts += *c == between;
    char **list = malloc(parts * sizeof *list + strlen(text) + 1);
    if (!list)
        return NULL;
    char *rest = strcpy((char *)(list + parts), text);
    *count = 0;
    while (rest)
        list[(*count)++] = strsep(&rest, (const char[]){ between, 0 });
    return list;
}
