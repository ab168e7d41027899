/* Lists of problems that belong together. */
#ifndef SUITES_H
#define SUITES_H

typedef struct suite {
    const char *name, *about;
    const char *type; /* f32 or f64 */
    const char *layouts;
    int has_row;                 /* with our own row-major product beside each */
    const char *const *problems; /* ends with NULL */
} suite;

/* NULL where there is none. */
const suite *suite_find(const char *name);

/* The index-th one, NULL behind the last. */
const suite *suite_at(int index);

#endif
