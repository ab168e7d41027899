/* Elements as the tests of contractions see them: a row a type, numbers with two parts where the type has them. */
#ifndef LAY_TESTS_CONTRACTIONS_ELEMENT_H
#define LAY_TESTS_CONTRACTIONS_ELEMENT_H

#include "../oracle.h"
#include "../random.h"

/* Of a real type im is 0, and no part of the arithmetic. */
typedef struct number {
    double re, im;
} number;

typedef struct element {
    lay_type type;
    const char *name;
    lay_type part;     /* what it has one or two of */
    int parts;         /* 2: complex */
    double unit;       /* roundoff of its sums, which are f32's for 16-bit types */
    double least;      /* the least positive number of its sums */
    double last;       /* what C's own rounding may cost, of the result; 0: nothing beyond the sum's */
    double last_least; /* and at least so much */
    double largest;
} element;

/* How many types there are, the real ones first, and each by its number. */
enum { ELEMENTS = 6 };
extern const element elements[ELEMENTS];

number element_load(const element *of, const void *zero, int64_t offset);
void element_store(const element *of, void *zero, int64_t offset, number value);

/* The number next to a value; of 16-bit types, alpha and beta are f32's. */
number element_round(const element *of, number value);

/* alpha or beta as calls take them. */
typedef union scalar {
    float f32[2];
    double f64[2];
} scalar;
scalar scalar_of(const element *of, number value);

#endif
