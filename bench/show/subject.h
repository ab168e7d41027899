/* What is shown: one layout, or the three of a problem. */
#ifndef SHOW_SUBJECT_H
#define SHOW_SUBJECT_H

#include "layoutgemm.h"

enum { SUBJECT_LAYOUTS = 3 };

typedef struct subject {
    int count; /* layouts of a problem that are alike are one */
    struct {
        char *title; /* "A: 4 x 6 col, [4:1][6:4]", or the notation alone */
        char *notation;
        lay_desc *desc;
    } layout[SUBJECT_LAYOUTS];
} subject;

/* Notation, the extents of a matrix with a layout's name ("4x6:col"), the name alone, for a small matrix, or a problem
 * or contraction of lay bench. width: columns of the
 * window, 0: any. 0, or the exit status after a sentence. subject_free in either case. */
int subject_read(const char *text, int width, subject *out);
void subject_free(subject *of);

#endif
