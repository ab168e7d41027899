/* One call of lay_axpby: numbers, operands, the call and what is asked of the result. */
#ifndef LAY_TESTS_PRODUCT_SCALED_H
#define LAY_TESTS_PRODUCT_SCALED_H

#include "../support/trial.h"

typedef struct scaled {
    double alpha, beta; /* which the sum's type holds */
    int is_conjugated;
    operand x, y;
    lay_options options;
} scaled;

/* Random types, numbers (NaN, infinities, denormals, halfway cases among them) and factors, in layouts that it takes
 * over. Y's elements are NaN where beta is 0. */
scaled scaled_make(lay_desc *x, lay_desc *y, random_source *from);
void scaled_free(scaled *of);

/* With NULL for X where it is not read, in the place that tests/there.h finds. */
lay_status scaled_run(scaled *of);

/* 1 when every element of Y is what the arithmetic of include/layoutgemm.h gives, bit by bit but for NaNs', and close
 * to what long double gives; gaps are kept and X is untouched; else the reason in why. Y is as it was made in
 * y.before. */
int scaled_is_right(scaled *of, char *why, size_t size);

#endif
