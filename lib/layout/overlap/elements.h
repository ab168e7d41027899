/* A descriptor's offsets one by one, for what no search over strides can tell. */
#ifndef LAY_LAYOUT_ELEMENTS_H
#define LAY_LAYOUT_ELEMENTS_H

#include <stdint.h>

#include "layoutgemm.h"

enum { LAY_MAX_ELEMENTS = 1 << 18 }; /* a few milliseconds and 4 MiB */

/* The offsets of a descriptor, hashed. */
typedef struct lay_elements {
    int64_t *slot; /* LAY_NO_OFFSET where free */
    uint64_t mask;
    int distinct; /* no offset came twice */
} lay_elements;

/* 1; 0 when desc has more than LAY_MAX_ELEMENTS, -1 when memory is out. */
int lay_elements_fill(lay_elements *elements, const lay_desc *desc);
void lay_elements_free(lay_elements *elements);

/* 1 when some element of desc, by elements apart, is among them. */
int lay_elements_meet(const lay_elements *elements, const lay_desc *desc, int64_t by);

#endif
