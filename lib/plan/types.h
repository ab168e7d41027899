/* Element types of a product, and which of them mix. */
#ifndef LAY_PLAN_TYPES_H
#define LAY_PLAN_TYPES_H

#include "base/scalar.h"
#include "layoutgemm.h"

/* Of what is read, of what is written, and of the sums, alpha and beta. Of a product as it is asked for left is A and
 * right is B. */
typedef struct lay_types {
    lay_type left, right, result, sum;
    lay_type addend; /* of C, where it is another tensor than what is written; else the result's */
} lay_types;

/* All operands of one type: sums of 16-bit types are FP32's, of complex types complex. */
lay_types lay_types_of(lay_type type);

/* Those of A, B, C and D. The sum's is the least that has every operand's numbers, f32 or f64 or complex ones of these;
 * at least f64 if it is to be double. Without a D its type is C's, and sentences say C. LAY_ERR_TYPE, with the nearest
 * that is served, for types that do not mix. */
lay_status lay_types_mix(const lay_type of[4], int has_d, int is_double, lay_types *out);

/* Of LAY_LEFT, LAY_RIGHT or LAY_RESULT. */
lay_type lay_types_at(const lay_types *types, int operand);

/* Whether they are not those of lay_types_of. The addend counts where it is not to be converted to the result's type
 * beforehand: where the result is narrower than the sum. */
int lay_types_are_mixed(const lay_types *types);

/* What an operand becomes before it is multiplied by kernels of one type, real or complex as it is. */
lay_type lay_types_widened(const lay_types *types, int operand);

/* One of A and B is complex: the product is a real one. */
static inline int lay_types_are_half_complex(const lay_types *types)
{
    return lay_type_is_complex(types->left) != lay_type_is_complex(types->right);
}

#endif
