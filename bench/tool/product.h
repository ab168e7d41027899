/* One large product with a progress bar. */
#ifndef PRODUCT_H
#define PRODUCT_H

#include "factor.h"

typedef struct product {
    lay_type type;
    const lay_desc *desc_a, *desc_b, *desc_c;
    const void *a, *b;
    void *c;
    factor alpha, beta;
    const lay_options *options;
} product;

/* C = alpha A B + beta C. With visible it shows on stderr how far it is once it has run for a
 * second. */
lay_status product_run(const product *of, int visible);

#endif
