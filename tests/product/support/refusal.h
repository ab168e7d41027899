/* What a refusal must be: its status, and a sentence that names the fact. */
#ifndef PRODUCT_REFUSAL_H
#define PRODUCT_REFUSAL_H

#include <layoutgemm.h>

/* Fails the test, naming `what`, if lay_last_error() does not hold `fact`. */
void expect_sentence(const char *what, const char *fact);

/* The same if `got` is not `wanted`. */
void expect_refusal(const char *what, lay_status got, lay_status wanted, const char *fact);

#endif
