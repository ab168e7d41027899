/* A few products that ways differ in, with operands in memory; and what a plan of them writes. */
#ifndef LAY_TESTS_TUNING_PRODUCTS_H
#define LAY_TESTS_TUNING_PRODUCTS_H

#include <stddef.h>

#include "layoutgemm.h"

typedef struct product {
    lay_type type;
    lay_desc *desc[3];
    char *memory[3]; /* from the lowest element on */
    void *zero[3];   /* addresses of offset 0 */
    size_t bytes[3];
} product;

/* By its number; operands are filled, the same each time. */
enum { PRODUCTS = 12 };
product product_make(int number);
void product_free(product *of);

/* C = A B; then C's memory, that is the product's own, holds it. */
lay_status product_run(const product *of, const lay_plan *plan);

/* A plan, or a failed test. */
lay_plan *product_plan(const product *of, const lay_options *options);

#endif
