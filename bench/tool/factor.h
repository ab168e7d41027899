/* alpha and beta as a command line gives them: with an imaginary part where operands are complex. */
#ifndef FACTOR_H
#define FACTOR_H

#include "bench/base/args.h"
#include "layoutgemm.h"

typedef struct factor {
    double re, im;
} factor;

/* The value of an option, "2", "-0.5", "1+2j" or "2j"; not given: *out stays. 0, or the exit status after a
 * sentence. */
int factor_read(const args *given, const char *name, factor *out);

/* Whether products whose sums are in type have such a factor: of complex ones alone it has an imaginary part, and f64
 * and c64 alone take more than a float holds. */
int factor_check(const char *name, factor value, lay_type type);

/* As products take it. */
typedef union factor_stored {
    float narrow[2];
    double wide[2];
} factor_stored;
factor_stored factor_store(factor value, lay_type type);

#endif
