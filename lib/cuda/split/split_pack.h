/* Packing an operand for split products: a copy, and beside it the limbs of it that FP16X3 multiplies. */
#ifndef LAY_CUDA_SPLIT_PACK_H
#define LAY_CUDA_SPLIT_PACK_H

#include "plan/way.h"

/* a way's pack, in the order of the way's stream. The copy serves what is computed plainly, six products of BF16
 * limbs, which are made of it where values ask for them, and plans whose product is another executor's. */
lay_status lay_split_pack(lay_branch *branch, int side, const lay_desc *desc, const void *source, lay_packed *packed,
                          int *is_packed);

#endif
