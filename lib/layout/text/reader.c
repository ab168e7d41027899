/* Numbers, and sentences about what stands where another thing is meant. */
#include "layout/text/reader.h"

#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "base/status.h"

/* The arena's failure with the position it belongs to. */
void *lay_read_fail(parser *p, int at, lay_status status, const char *sentence)
{
    return lay_arena_fail(p->arena, status, "at character %d: %s", at, sentence);
}

/* A builder has failed on what stands at this position: its sentence gets the position, unless it has
 * one. */
lay_status lay_read_fail_placed(lay_status status, int at)
{
    char sentence[400];
    snprintf(sentence, sizeof sentence, "%s", lay_last_error());
    if (status == LAY_ERR_MEMORY || strncmp(sentence, "at character ", 13) == 0)
        return status;
    if (status == LAY_ERR_UNSUPPORTED)
        return lay_fail(LAY_ERR_SYNTAX, "at character %d: %s (a text has %d KiB of memory)", at, sentence,
                        LAY_PARSE_BYTES >> 10);
    return lay_fail(status, "at character %d: %s", at, sentence);
}

void *lay_read_fail_here(parser *p, int at)
{
    p->arena->status = lay_read_fail_placed(p->arena->status, at);
    return NULL;
}

void *lay_read_expect(parser *p, const char *what)
{
    const char found = peek(p);
    char sentence[160];
    if (found >= ' ' && found <= '~')
        snprintf(sentence, sizeof sentence, "%s is expected, '%c' is there", what, found);
    else
        snprintf(sentence, sizeof sentence, "%s is expected, %s is there", what,
                 found ? "a strange character" : "the end of the text");
    return lay_read_fail(p, position(p), LAY_ERR_SYNTAX, sentence);
}

/* A number with an optional minus. */
int lay_read_number(parser *p, const char *what, int64_t *number)
{
    const int negative = take(p, '-');
    if (!is_digit(peek(p)))
        return lay_read_expect(p, what), 0;
    const int at = position(p);
    *number = 0;
    for (; is_digit(*p->next); p->next++)
        if (!fits_mul(*number, 10, number) || !fits_add(*number, *p->next - '0', number))
            return lay_read_fail(p, at, LAY_ERR_OVERFLOW, "the number does not fit 63 bits"), 0;
    *number = negative ? -*number : *number;
    return 1;
}

/* A number of indices. */
int lay_read_count(parser *p, const char *what, int64_t *count)
{
    peek(p);
    const int at = position(p);
    if (!lay_read_number(p, what, count))
        return 0;
    if (*count < 0)
        return lay_read_fail(p, at, LAY_ERR_EXTENT, "a negative number, where one of at least 0 is meant"), 0;
    return 1;
}
