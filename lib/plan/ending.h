/* An ending, as the library has it: scales and a bias as matrices of C's shape, or batches of them, with a stride of 0
 * along what they have not. */
#ifndef LAY_PLAN_ENDING_H
#define LAY_PLAN_ENDING_H

#include "layoutgemm.h"

enum { LAY_END_SCALES = 2, LAY_END_BIAS = LAY_END_SCALES, LAY_END_TERMS };

typedef struct lay_end {
    struct {
        lay_desc *desc; /* NULL: there is none */
        lay_type type;
    } term[LAY_END_TERMS]; /* the scales, the bias */
    lay_activation activation;
    double low, high;
} lay_end;

/* "scale[0]", "scale[1]", "bias". */
const char *lay_end_name(int term);

/* One with a life of its own; NULL without memory. */
lay_end *lay_end_clone(const lay_end *end);

/* What its terms hold. */
void lay_end_free(lay_end *end);

/* That, and a clone itself; NULL is fine. */
void lay_end_destroy(lay_end *clone);

#endif
