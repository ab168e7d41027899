/* Problems as short texts: sizes and the layouts of A, B and C. */
#ifndef PROBLEM_H
#define PROBLEM_H

#include <stdint.h>

#include "contraction.h"
#include "layoutgemm.h"
#include "layouts.h"

typedef struct problem {
    char *text;        /* as it is printed: "1024 row", "512x96x33 row,col,matrix2" */
    int64_t m, n, k;   /* of a contraction with a batch, m is that of all its products */
    char *layout[3];   /* of A, B and C, as given */
    char *notation[3]; /* the layouts in full */
    lay_desc *desc[3];
    contraction *labels; /* NULL: matrices. Else what is above but text, m, n, k and notation is not there */
} problem;

/* Reads a text of the form PROBLEM_HELP tells of; usual is the layout of a text that names none. 0,
 * or the exit status after a sentence. */
int problem_read(const char *text, const char *usual, problem *out);
void problem_free(problem *of);

/* The same of a text of the form CONTRACTION_HELP tells of. */
int problem_read_contraction(const char *text, problem *out);

/* m, n and k alone: where the layouts begin, "" when there are none, NULL when the text is no problem. */
const char *problem_sizes(const char *text, int64_t sizes[3]);

/* 1 when the text names a layout or writes one out, 0 when it is sizes only. */
int problem_has_layouts(const char *text);

/* "f32", "f64", "f16", "bf16": 1, or 0 for another name. */
int problem_type(const char *name, lay_type *out);
const char *problem_type_name(lay_type type);

#define PROBLEM_HELP                                                                                                   \
    "A problem is SIZES or SIZES:LAYOUTS, such as 1024, 512x96x33:col or 1024x1024x512:row,col,matrix2\n"              \
    "(a space will do for the x and the colon, in quotes). SIZES is MxNxK, or N for NxNxN: C is M x N,\n"              \
    "A is M x K, B is K x N. LAYOUTS is one layout for all three, or those of A, B and C with commas:\n"               \
    "\n" LAYOUT_HELP

#endif
