/* The images of a product of several types: which operands have one, how it lies, and how much of it is in a block. */
#ifndef LAY_REWRITE_MIXED_IMAGES_H
#define LAY_REWRITE_MIXED_IMAGES_H

#include "rewrite/mixed.h"

/* Real times complex knows no conjugation: the image has it. */
int lay_mixed_is_turned(const lay_branch *branch, int operand);

/* What an operand's image is made by; of C, or of the addend that takes its place. */
lay_change lay_mixed_change(const lay_branch *branch, int operand, int is_addend);

/* All of an operand. */
const lay_desc *lay_mixed_whole(const lay_branch *branch, int operand);

/* The root dimension of an operand that is cut; -1: none. */
int lay_mixed_dimension(const lay_branch *branch, lay_cut cut, int operand);

/* Indices of what is cut. */
int64_t lay_mixed_extent(const lay_branch *branch, lay_cut cut);

/* NULL, or why there is no such part. */
const char *lay_mixed_part(const lay_desc *desc, int dimension, int64_t first, int64_t count, lay_desc **out);

/* How an image lies: dense lines, a multiple of 64 bytes apart unless it is small. */
typedef struct lay_mixed_frame {
    int rank;
    int64_t extents[3], strides[3];
    size_t bytes;
} lay_mixed_frame;

/* The image of so many indices of what is cut. 0 where it has more bytes than can be counted. */
int lay_mixed_lay_out(const lay_branch *branch, lay_cut cut, int64_t count, int operand, lay_mixed_frame *out);

/* Bytes of the images of so many indices: of the operands that are cut, or of the others. */
size_t lay_mixed_bytes(const lay_branch *branch, lay_cut cut, int64_t count, int is_cut);

enum { LAY_MIXED_LINES = 64, LAY_MIXED_ACROSS = 512 };

/* Indices of a block at least. Of what is cut across its segments these are to stay long: 64 of a page-wide row cost
 * three times the copy. */
int64_t lay_mixed_least(const lay_branch *branch, lay_cut cut);

/* Indices of a block whose images have at most so many bytes, but for few blocks: of rows and columns a multiple of
 * what panels have. */
int64_t lay_mixed_count(const lay_branch *branch, lay_cut cut, size_t most);

#endif
