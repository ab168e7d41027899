/* An ending by docs/endings.md, element by element: scales and biases, and what becomes of a sum. */
#ifndef LAY_TESTS_PRODUCT_ENDED_H
#define LAY_TESTS_PRODUCT_ENDED_H

#include "../../oracle.h"
#include "../../random.h"

enum { ENDED_TERMS = 3 }; /* scale[0], scale[1], bias */

typedef struct ended_term {
    lay_ending_tensor as_given;
    const void *zero; /* NULL: there is none */
    char *memory;
    lay_desc *desc; /* NULL: a scalar */
    double *values; /* m x n, of complex types parts */
    int64_t columns;
} ended_term;

/* One of an m x n product with these labels of "ij", in a layout of its own. */
void ended_make_term(random_source *from, lay_type type, const char *labels, int64_t m, int64_t n, ended_term *out);
void ended_free_term(ended_term *of);

/* What becomes of a sum (of complex types its two parts), rounded step by step, and how far an element of D may be from
 * it: 0, but for GELU. */
void ended_element(const lay_ending *ending, const ended_term term[ENDED_TERMS], lay_type sum, lay_type d, int64_t i,
                   int64_t j, const double *value, double wanted[2], double *slack);

#endif
