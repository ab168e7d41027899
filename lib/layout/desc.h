/* What the rest of the library may know of a descriptor. */
#ifndef LAY_LAYOUT_DESC_H
#define LAY_LAYOUT_DESC_H

#include <stddef.h>
#include <stdint.h>

#include "layout/map.h"
#include "layoutgemm.h"

/* The function of root dimension i, 0 <= i < rank; lives as long as desc. */
const lay_node *lay_desc_map(const lay_desc *desc, int i);

/* The bytes that tell two functions apart as far as plans are concerned (rank and maps, without the
 * nesting that only paths see) and their hash, computed at creation. */
const void *lay_desc_key(const lay_desc *desc, size_t *size);
uint64_t lay_desc_hash(const lay_desc *desc);

/* As lay_desc_is_injective, but -1 and LAY_ERR_MEMORY's sentence when memory was out before it was known. */
int lay_desc_prove_injective(const lay_desc *desc);

/* LAY_OK for a layout over one place, else LAY_ERR_UNSUPPORTED: what takes name (a product, a copy) takes no more. */
lay_status lay_desc_refuse_places(const lay_desc *desc, const char *name);

/* LAY_ERR_INJECTIVE, with a sentence that says why name may not be written: its extents and strides, or its notation.
 */
lay_status lay_desc_refuse_shared(const lay_desc *desc, const char *name);

/* 1 when no element of a (at byte address a_zero + offset * size) overlaps one of b, 0 when some do
 * or a bounded search cannot tell, -1 and LAY_ERR_MEMORY's sentence when memory was out before. */
int lay_desc_is_apart(const lay_desc *a, const void *a_zero, const lay_desc *b, const void *b_zero, size_t size);

/* The same of elements of two sizes; of unlike ones by the bytes between the lowest and the highest element alone. */
int lay_desc_is_clear(const lay_desc *a, const void *a_zero, size_t a_size, const lay_desc *b, const void *b_zero,
                      size_t b_size);

#endif
