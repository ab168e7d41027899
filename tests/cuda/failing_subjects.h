/* What CUDA is made to fail in: products of operands in device memory, reservations, allocations and copies. */
#ifndef LAY_TESTS_CUDA_FAILING_SUBJECTS_H
#define LAY_TESTS_CUDA_FAILING_SUBJECTS_H

#include <stddef.h>

#include "layoutgemm.h"

enum { FAILING_SUBJECTS = 18 };
typedef struct failing_subject {
    const char *name;
    int product; /* which of its numbers it has */
    lay_status (*act)(void);
    int (*is_right)(char *why, size_t size);
    int (*is_kept)(void); /* the output, after a failure */
    void (*restore)(void);
} failing_subject;

/* The first is a product alone. */
extern const failing_subject failing_subjects[FAILING_SUBJECTS];

/* Operands and a stream for all of them; 0 where that went well. */
int failing_make(void);
int failing_free(void);

/* The functions of subjects speak of this one from here on. */
void failing_take(const failing_subject *of);

#endif
