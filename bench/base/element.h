/* One number of any type in memory. */
#ifndef ELEMENT_H
#define ELEMENT_H

#include <stdint.h>

#include "layoutgemm.h"

/* The numbers that an element has, two of a complex one, and their type. */
int element_parts(lay_type type);
lay_type element_real(lay_type type);

/* Of complex elements at counts the numbers. */
double element_read(lay_type type, const void *zero, int64_t at);

/* Numbers that the type has, NaN, and others to nearly the next that it has. */
void element_write(lay_type type, void *zero, int64_t at, double value);

/* What alpha or beta points to: one or two doubles for f64 and c64, else as many floats. */
const void *element_scalar(lay_type type, int is_one);

#endif
