/* The table that lay bench prints, 80 columns wide. */
#ifndef TABLE_H
#define TABLE_H

#include "line.h"

enum { TABLE_WIDTH = 80 };

typedef struct table {
    int has_others;    /* lines beneath lay's, and the columns that compare them with it */
    int shows_kernels; /* lay's, beside the problem */
} table;

void table_start(const table *of);

/* All lines of a problem. */
void table_contest(const table *of, const line lines[], int count);

/* A text of at most room columns; a long one loses its end. */
void table_fit(const char *text, int room, char out[256]);

#endif
