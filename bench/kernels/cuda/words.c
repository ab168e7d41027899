/* Cutting the benches' arguments into words and numbers. */
#include "words.h"

#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/problems/problem.h"

void words_read(const args *given, const char *name, const char *usual, words *out)
{
    const char *text = args_value(given, name) ? args_value(given, name) : usual;
    int count = 0;
    char **list = text ? list_split(text, ',', &count) : NULL;
    if (text && !list)
        exit(fail("out of memory"));
    if (count > MAX_WORDS)
        exit(refuse("--%s has more than %d words", name, MAX_WORDS));
    for (out->count = 0; out->count < count; out->count++)
        out->at[out->count] = list[out->count];
}

int64_t number_read(const args *given, const char *name, int64_t lowest, int64_t highest, int64_t usual)
{
    const int status = args_integer(given, name, lowest, highest, &usual);
    if (status != EXIT_FINE)
        exit(status);
    return usual;
}

double real_read(const args *given, const char *name, double usual)
{
    const int status = args_real(given, name, &usual);
    if (status != EXIT_FINE)
        exit(status);
    return usual;
}

int count_read(const char *text)
{
    int64_t count;
    if (!read_integer(text, 1, 1 << 20, &count))
        exit(refuse("'%s' is no number from 1 to %d", text, 1 << 20));
    return (int)count;
}

int words_have(const words *of, const char *name)
{
    for (int i = 0; i < of->count; i++)
        if (strcmp(name, of->at[i]) == 0)
            return 1;
    return of->count == 0;
}

int words_have_part(const words *of, const char *name)
{
    for (int i = 0; i < of->count; i++)
        if (strstr(name, of->at[i]))
            return 1;
    return of->count == 0;
}

void size_read(const char *text, int *m, int *n, int *k)
{
    int64_t sizes[3];
    const char *rest = problem_sizes(text, sizes);
    if (!rest || *rest || sizes[0] < 1 || sizes[1] < 1 || sizes[2] < 1)
        exit(refuse("'%s' is no size: N or MxNxK", text));
    *m = (int)sizes[0], *n = (int)sizes[1], *k = (int)sizes[2];
}

void triple_read(const char *text, char room[64], char *out[3])
{
    char *rest = strncpy(room, text, 63);
    for (int i = 0; i < 3; i++)
        out[i] = rest ? strsep(&rest, "/") : out[0];
}
