/* A split product's device memory and its launches. */
#ifndef LAY_CUDA_SPLIT_RUN_H
#define LAY_CUDA_SPLIT_RUN_H

#include "cuda/launch/launch.h"
#include "cuda_split.h"
#include "plan/way.h"

/* What the way prepares. */
typedef struct lay_split_job {
    lay_launch launch;
    int strict_slices, strict_slice_k; /* of k on path STRICT, by rows of 9.0; else 0 */
} lay_split_job;

/* What the way of such a job keeps and takes. */
lay_needs lay_split_needs(const lay_problem *problem, const lay_split_job *job);

/* Records of an operand's lines and its image of FP16 limbs, one behind the other: of LAY_PLACE_DEVICE's packed
 * operands (lay_packed.limbs). */
size_t lay_split_limbs_size(int lines, int k);

/* Points operand to such limbs. */
void lay_split_use_limbs(lay_cuda_split_operand *operand, char *limbs);

/* Puts limbs of operand, whose offsets, address, class and extent are filled, into stream: by the row's pass. */
lay_status lay_split_put_limbs(const lay_cuda_kernel *row, lay_cuda_split_operand *operand, int k, char *limbs,
                               void *stream);

/* a way's run, scale, load, paths and limbs. */
lay_status lay_split_multiply(lay_branch *branch, const lay_call *call);
lay_status lay_split_load(const lay_branch *branch);
lay_status lay_split_find_path(const lay_branch *branch, lay_path *path);
lay_status lay_split_send_path(const lay_branch *branch, unsigned *to);
lay_path lay_split_read_path(unsigned sent);
lay_status lay_split_put_own_limbs(const lay_branch *branch, lay_operand operand, const void *zero, char *limbs);

#endif
