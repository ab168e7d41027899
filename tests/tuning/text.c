/* Checksums of lines. */
#include "text.h"

#include <stdio.h>
#include <string.h>

#include "plan/tuning/key.h"

/* Where the last "; " of a line begins; its end if there is none. */
static size_t find_last(const char *line, size_t length)
{
    for (size_t i = length; i-- > 1;)
        if (line[i - 1] == ';' && line[i] == ' ')
            return i - 1;
    return length;
}

void text_seal(const char *from, char *to)
{
    static const char head[] = "product ";
    while (*from) {
        const size_t length = strcspn(from, "\n"), skip = sizeof head - 1;
        if (length >= skip && strncmp(from, head, skip) == 0) {
            const size_t own = find_last(from, length);
            to += sprintf(to, "%.*s; %016llx", (int)own, from,
                          (unsigned long long)(own > skip ? lay_key_hash(from + skip, own - skip) : 0));
        } else {
            memcpy(to, from, length);
            to += length;
        }
        from += length;
        if (*from == '\n')
            *to++ = *from++;
    }
    *to = 0;
}
