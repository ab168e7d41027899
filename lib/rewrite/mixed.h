/* Products of several types: operands that are narrower than the sum become images of its type, in blocks, and so does
 * what is written if it is; the table is asked for the product of the images (docs/mixed.md). Here is what two rows of
 * the table share, one for each place of the images. */
#ifndef LAY_REWRITE_MIXED_H
#define LAY_REWRITE_MIXED_H

#include <stddef.h>

#include "plan/way.h"
#include "storage/copy.h"

/* What is cut in blocks: nothing, indices of a batch, rows or columns of C. */
typedef enum lay_cut { LAY_CUT_NOTHING, LAY_CUT_BATCH, LAY_CUT_ROWS, LAY_CUT_COLUMNS } lay_cut;

/* Some indices of what is cut. By LAY_LEFT, LAY_RIGHT and LAY_RESULT, which are the caller's A, B and C. */
typedef struct lay_mixed_block {
    int64_t count;
    lay_desc *part[LAY_OPERANDS];  /* of an operand that is cut; NULL: it is whole */
    lay_desc *addend;              /* the same of C, where that is another tensor */
    lay_desc *image[LAY_OPERANDS]; /* dense; NULL: used as it lies */
    lay_branch *child;             /* the first block's is the branch's own */
    double seconds;                /* of its images, predicted */
} lay_mixed_block;

/* What a way prepared. */
typedef struct lay_mixed {
    lay_cut cut;
    size_t at[LAY_OPERANDS]; /* bytes to each image from the first one's beginning, multiples of 64 */
    size_t bytes;            /* of all */
    int count;               /* blocks */
    lay_mixed_block *block;
} lay_mixed;

/* What the place of the images decides. */
typedef struct lay_mixed_place {
    lay_place where;
    size_t most_bytes; /* of all images, however large an operand that is not cut */
    size_t near_bytes; /* of a block's images that caches hold; 0: rows and columns are not cut, for the order of the
                        * sum would show it, or there is no such cache */

    /* Seconds that a copy which changes elements takes; negative where it cannot be made. */
    double (*predict)(const lay_branch *branch, const lay_change *change, const lay_desc *from, const lay_desc *to);
} lay_mixed_place;

/* Whether an operand gets an image. */
int lay_mixed_needs(const lay_branch *branch, int operand);

/* A way's prepare, but for what only its place knows: branch->job.data is a lay_mixed. The job is the children's, the
 * images' time added. NULL, or why it cannot serve, as a phrase. */
const char *lay_mixed_prepare(lay_branch *branch, const lay_mixed_place *place);

/* A copy that a run makes: of an operand to its image, or of C's image back. */
typedef struct lay_mixed_copy {
    lay_change change;
    const lay_desc *from, *to;
    const void *src;
    void *dst;
} lay_mixed_copy;

/* Of an image's operand in a block, the images at images; and what the result becomes at last. Whether there is
 * anything to copy: an operand that is not cut has its image from the first block on, and a C that is not read has
 * none. */
int lay_mixed_copy_in(const lay_branch *branch, int block, int operand, const lay_call *call, char *images,
                      lay_mixed_copy *out);
int lay_mixed_copy_out(const lay_branch *branch, int block, const lay_call *call, char *images, lay_mixed_copy *out);

/* LAY_ERR_UNSUPPORTED where C, which is read to begin D or its image, does not lie in the memory that D does. */
lay_status lay_mixed_check_addend(const lay_branch *branch, const lay_call *call);

/* A block's product, and its call: images stand in for what they are of. */
lay_branch *lay_mixed_child(const lay_branch *branch, int block);
lay_call lay_mixed_call(const lay_branch *branch, int block, const lay_call *call, char *images);

/* D = beta C, by a copy. */
lay_mixed_copy lay_mixed_scale(const lay_branch *branch, const lay_call *call);

/* A way's explain and release. */
void lay_mixed_explain(const lay_branch *branch, lay_text *text);
void lay_mixed_release(lay_branch *branch);

#endif
