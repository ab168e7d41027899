/* What is said of a descriptor in words: facts, and a label for each dimension of its tree. */
#ifndef SHOW_TREE_H
#define SHOW_TREE_H

#include "layoutgemm.h"

enum { TREE_PATH = 1200, TREE_LABEL = 64, FACTS = 4, FACT_TEXT = 160 };

/* The path of part number part of the dimension at path, to[TREE_PATH]; 0 when it is too long. */
int tree_path(const char *path, int part, char *to);

/* "extent", or "extent:stride" where there is one. */
void tree_label(const lay_desc *desc, const char *path, char to[TREE_LABEL]);

typedef struct fact {
    const char *name;
    char text[FACT_TEXT];
} fact;

/* Extents, span, contiguity, injectivity. */
void facts_of(const lay_desc *desc, fact out[FACTS]);

/* What between the first and the last element is none; -1 where that is not known, or of several places. */
int64_t gaps_of(const lay_desc *desc);

#endif
