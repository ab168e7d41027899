/* One number of any type in memory. */
#ifndef ELEMENT_H
#define ELEMENT_H

#include <stdint.h>

#include "layoutgemm.h"

double element_read(lay_type type, const void *zero, int64_t at);

/* Numbers that the type has, NaN, and others to nearly the next that it has. */
void element_write(lay_type type, void *zero, int64_t at, double value);

/* What alpha or beta points to: a double for f64, else a float. */
const void *element_scalar(lay_type type, int is_one);

#endif
