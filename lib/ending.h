/* Endings of the public API: checked, and as the library has them. */
#ifndef LAY_ENDING_H
#define LAY_ENDING_H

#include "labels/labels.h"
#include "plan/ending.h"
#include "plan/types.h"

/* For a C with these labels, of checked ones. Terms are to be freed by lay_end_free. LAY_ERR_ARGUMENT, LAY_ERR_OPTION,
 * LAY_ERR_TYPE, LAY_ERR_SYNTAX, LAY_ERR_REFERENCE, LAY_ERR_RANK, LAY_ERR_SHAPE, LAY_ERR_OVERFLOW, LAY_ERR_UNSUPPORTED,
 * LAY_ERR_MEMORY. */
lay_status lay_ending_read(const lay_ending *given, const lay_labels *labels, const lay_desc *c,
                           const lay_arrangement *arrangement, const lay_types *types, lay_end *out);

/* Whether anything becomes of the sums. */
int lay_ending_does(const lay_end *end);

#endif
