/* Contractions written as layouts, made by a generator: m, n and k of two or three digits each, which every tensor
 * stores in an order of its own, so that unit strides disagree. */
#include "suites.h"

#include <stdint.h>
#include <stdio.h>

#include "bench/base/random.h"

enum { PROBLEMS = 40, DIGITS = 3, LEAST = 8, MOST = 500, ROOM = 512, SEED = 12345 };

typedef struct dimension {
    int count, digit[DIGITS], extent;
} dimension;

static int pick(uint64_t *state, int choices)
{
    return (int)(random_next(state) % (uint64_t)choices);
}

/* One digit in four is 8, 16 or 32. */
static dimension make_dimension(uint64_t *state)
{
    dimension made;
    do {
        made.count = 2 + pick(state, 2);
        made.extent = 1;
        for (int i = 0; i < made.count; i++) {
            made.digit[i] = 2 + pick(state, made.count == 2 ? 62 : 22);
            if (pick(state, 4) == 0)
                made.digit[i] = 8 << pick(state, 3);
            made.extent *= made.digit[i];
        }
    } while (made.extent < LEAST || made.extent > MOST);
    return made;
}

/* Dense, the digits of rows and columns in any order. */
static int write_layout(uint64_t *state, const dimension *rows, const dimension *columns, char *to, size_t room)
{
    const int all = rows->count + columns->count;
    int order[2 * DIGITS], stride[2 * DIGITS], at = 1;
    for (int i = 0; i < all; i++)
        order[i] = i;
    for (int i = all - 1; i > 0; i--) {
        const int j = pick(state, i + 1), moved = order[i];
        order[i] = order[j];
        order[j] = moved;
    }
    for (int i = 0; i < all; i++) {
        stride[order[i]] = at;
        at *= order[i] < rows->count ? rows->digit[order[i]] : columns->digit[order[i] - rows->count];
    }
    int length = snprintf(to, room, "[");
    for (int i = 0; i < all; i++)
        length += snprintf(to + length, room - (size_t)length, "%s[%d:%d]", i == rows->count ? "][" : "",
                           i < rows->count ? rows->digit[i] : columns->digit[i - rows->count], stride[i]);
    return length + snprintf(to + length, room - (size_t)length, "]");
}

const char *const *suite_make_mixed(void)
{
    static char texts[PROBLEMS][ROOM];
    static const char *problems[PROBLEMS + 1];
    uint64_t state = SEED;
    for (int i = 0; i < PROBLEMS; i++) {
        const dimension m = make_dimension(&state), n = make_dimension(&state), k = make_dimension(&state);
        const dimension *const sides[3][2] = { { &m, &k }, { &k, &n }, { &m, &n } };
        int length = snprintf(texts[i], ROOM, "%dx%dx%d", m.extent, n.extent, k.extent);
        for (int j = 0; j < 3; j++) {
            length += snprintf(texts[i] + length, (size_t)(ROOM - length), "%s", j ? "," : ":");
            length += write_layout(&state, sides[j][0], sides[j][1], texts[i] + length, (size_t)(ROOM - length));
        }
        problems[i] = texts[i];
    }
    return problems;
}
