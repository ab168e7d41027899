/* The text of a layout while it is read: where the reader stands, what it has met, and how it says what is wrong. */
#ifndef LAY_LAYOUT_TEXT_READER_H
#define LAY_LAYOUT_TEXT_READER_H

#include "layout/build.h"

/* An earlier definition. */
typedef struct type {
    const char *name;
    int length; /* of the name; 0: unnamed */
    int at;     /* its first dim's position */
    int rank;
    const lay_dim *dims;
    unsigned mentions; /* of dimensions of the grid, a bit each */
    int is_grid;
    const struct type *earlier;
} type;

typedef struct parser {
    lay_arena *arena;
    const char *text, *next;
    const type *newest;
    int items; /* in the definition being read */
    unsigned mentions;
    lay_grid *grid; /* NULL: none was defined */
    int marked[LAY_PLACE_DIMS];
    int far_at; /* a dim whose offsets leave what they may at a place; 0: none */
} parser;

static inline char peek(parser *p)
{
    while (*p->next == ' ' || (*p->next >= '\t' && *p->next <= '\r'))
        p->next++;
    return *p->next;
}

static inline int position(const parser *p)
{
    return (int)(p->next - p->text) + 1;
}

static inline int take(parser *p, char wanted)
{
    if (peek(p) != wanted)
        return 0;
    p->next++;
    return 1;
}

static inline int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Records a failure with the position that it belongs to, and returns NULL. */
void *lay_read_fail(parser *p, int at, lay_status status, const char *sentence);

/* A builder has failed on what stands at this position: its sentence gets the position, unless it has one. The second
 * also sets the arena's status, and returns NULL. */
lay_status lay_read_fail_placed(lay_status status, int at);
void *lay_read_fail_here(parser *p, int at);

/* LAY_ERR_SYNTAX: something else is expected here. NULL. */
void *lay_read_expect(parser *p, const char *what);

/* A number with an optional minus, and one of at least 0; 0 and a failure where there is none. */
int lay_read_number(parser *p, const char *what, int64_t *number);
int lay_read_count(parser *p, const char *what, int64_t *count);

/* A definition of places. NULL and a failure. */
type *lay_read_grid(parser *p);

/* The grid as it is kept, for a result that mentions these dimensions of it: of one place there is none. 0 and a
 * failure. */
int lay_read_settle_grid(parser *p, unsigned mentions);

#endif
