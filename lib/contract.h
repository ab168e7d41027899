/* Contractions of the public API as they are asked for: what every plan of one begins with. */
#ifndef LAY_CONTRACT_H
#define LAY_CONTRACT_H

#include "labels/labels.h"
#include "plan/types.h"

/* The caller's structure with what it leaves out, its types and its labels, checked against the tensors' ranks and
 * extents. */
typedef struct lay_contract_asked {
    lay_product product;
    lay_types types;
    lay_labels labels;
} lay_contract_asked;

/* LAY_ERR_ARGUMENT, LAY_ERR_OPTION, LAY_ERR_TYPE, LAY_ERR_SYNTAX, LAY_ERR_REFERENCE, LAY_ERR_RANK, LAY_ERR_SHAPE,
 * LAY_ERR_UNSUPPORTED. */
lay_status lay_contract_read(const lay_product *product, lay_contract_asked *out);

/* There is a D, which may be a scalar, whose descriptor is NULL. */
int lay_contract_has_d(const lay_product *of);

/* The line that explanations have of the labels and their roles. As snprintf. */
int lay_contract_text(const lay_labels *labels, const lay_arrangement *of, int is_by_storage, char *to, size_t size);

#endif
