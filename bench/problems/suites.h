/* Lists of problems that belong together. */
#ifndef SUITES_H
#define SUITES_H

#include <stddef.h>

#include "layoutgemm.h"

typedef struct suite {
    const char *name;
    const char *help;
    lay_memory memory; /* if not said otherwise */
    const char *type;  /* f32 or f64, or both with a comma */
    const char *layouts;
    int has_row;                 /* with our own row-major product beside each */
    int is_planned;              /* ours by a plan that is kept */
    int has_strict;              /* with our own product by LAY_COMPUTE_STRICT beside each */
    lay_compute compute;         /* if not said otherwise */
    int has_copies;              /* with our own row-major product between lay_copy there and back beside each */
    int threads;                 /* if not said otherwise; 0: 1 */
    lay_isa isa;                 /* the same */
    const char *const *problems; /* ends with NULL; or NULL, and */
    const char *const *(*make)(void);
    int (*contraction)(int index, lay_type type, char *text, size_t size); /* or contractions; 0 behind the last */
    const struct suite *next; /* more of it, under terms of its own; NULL: nothing */
} suite;

/* Those of the CPU (suites_host.c). */
extern const char *const suite_squares[], *const suite_small[], *const suite_thin[], *const suite_contractions[];

/* Beside other things than peers, and on other terms (suite_choices.c). */
extern const char *const suite_choices[];
extern const suite suite_choices_more;

/* Of both places (suite_mixed.c). */
const char *const *suite_make_mixed(void);

/* Of any shape, for split products (suite_split.c). */
const char *const *suite_make_split(void);

/* Contractions (suite_tccg.c, suite_random.c): the text of the index-th one, for a type; 0 behind the last. */
int suite_tccg(int index, lay_type type, char *text, size_t size);
int suite_random(int index, lay_type type, char *text, size_t size);
int suite_tccg_large(int index, lay_type type, char *text, size_t size); /* for devices, and the next */
int suite_random_large(int index, lay_type type, char *text, size_t size);
enum { SUITE_TEXT = 256 };

/* NULL where there is none. */
const suite *suite_find(const char *name);

/* The index-th one, NULL behind the last. */
const suite *suite_at(int index);

/* What the help tells of them. */
void suites_print_help(void);

#endif
