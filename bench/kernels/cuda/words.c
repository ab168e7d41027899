/* Cutting the benches' arguments into words and numbers. */
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void words_split(char *text, words *out)
{
    for (char *word; (word = strsep(&text, ",")) && out->count < MAX_WORDS;)
        out->at[out->count++] = word;
}

void words_add_usual(words *to, char *text)
{
    if (!to->count)
        words_split(text, to);
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
    if (sscanf(text, "%dx%dx%d", m, n, k) != 3)
        *n = *k = *m = atoi(text);
    if (*m < 1 || *n < 1 || *k < 1) {
        fprintf(stderr, "'%s' is no size\n", text);
        exit(2);
    }
}

void triple_read(const char *text, char room[64], char *out[3])
{
    char *rest = strncpy(room, text, 63);
    for (int i = 0; i < 3; i++)
        out[i] = rest ? strsep(&rest, "/") : out[0];
}
