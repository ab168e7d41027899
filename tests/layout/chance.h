/* Random numbers from a seed, random notation, and the table that the text stands for. */
#ifndef LAY_TESTS_LAYOUT_CHANCE_H
#define LAY_TESTS_LAYOUT_CHANCE_H

#include <stddef.h>
#include <stdint.h>

#include "naive.h"

typedef struct chance {
    uint64_t state;
} chance;

uint64_t chance_next(chance *from);

/* least .. most */
int64_t chance_in(chance *from, int64_t least, int64_t most);

/* A text of a few definitions and what it means; at most `most` elements. */
void chance_text(chance *from, int64_t most, char *text, size_t size, naive *layout);

/* A tree of exactly extent indices, or of fewer than the product of its parts. */
const naive_tree *chance_tree(chance *from, int64_t extent, int depth);

#endif
