/* Images: a product of copies. An operand that kernels read or write badly as it lies is copied into a dense layout in
 * a run's workspace, and the table is asked for the product of the copies; C's is copied back. The sum keeps its order,
 * and so every bit stays. Here is what two rows of the table share, one for each place. */
#ifndef LAY_REWRITE_IMAGE_H
#define LAY_REWRITE_IMAGE_H

#include <stddef.h>

#include "plan/way.h"

/* What a way prepared: by LAY_LEFT, LAY_RIGHT and LAY_RESULT, which are the caller's A, B and C. */
typedef struct lay_images {
    lay_desc *desc[LAY_OPERANDS]; /* dense, lines at multiples of 64 bytes; NULL: used as it lies */
    size_t at[LAY_OPERANDS];      /* bytes from the first one's beginning, a multiple of 64 */
    size_t bytes;                 /* of all */
    double seconds;               /* that copying takes, predicted: C's one way */
    unsigned which;               /* LAY_IMAGE_OF_..., and LAY_IMAGE_AS_IT_LIES: lines side by side as operands' are */
} lay_images;

enum { LAY_IMAGE_OF_A = 1 << LAY_LEFT, LAY_IMAGE_OF_B = 1 << LAY_RIGHT, LAY_IMAGE_OF_C = 1 << LAY_RESULT };
enum { LAY_IMAGE_AS_IT_LIES = 8 };

/* What the place of the operands decides. */
typedef struct lay_image_place {
    int64_t line;          /* elements: a segment of C that is at least as long, or all of a line, is written well */
    int64_t across, along; /* elements: A and B are read badly where they are contiguous in segments shorter than
                            * these, across k and along it */
    int lines_first;    /* A's image has its rows side by side, not its steps along k: the kernels fetch it so at their
                         * best. B's has its columns side by side, C's too */
    int tries_all_sets; /* of operands, however they are read; else those that may be worth it */
    double others; /* share of the soonest time in which the rest of the sets have to be done; 0: they are not tried */
    int may_lie_otherwise; /* images may also have side by side what their operands have, if that takes less time */
    size_t most_bytes;     /* of all images */
    size_t kept_bytes;     /* of more the pages are fresh ones at each run */
    double fresh_byte;     /* seconds a byte of those */

    /* Seconds that a copy takes; negative where it cannot be made. */
    double (*predict_copy)(const lay_branch *branch, lay_type type, const lay_desc *from, const lay_desc *to);

    double least; /* seconds that the product takes at least, whatever has images; 0: not known */
} lay_image_place;

/* Whether a branch is one of images; NULL is none. */
int lay_image_is_of(const lay_branch *branch);

/* A way's prepare, but for what only its place knows: the cheapest images (branch->job.data is a lay_images) and the
 * child that multiplies them. The job is the child's, the copies' time added. NULL, or why it cannot serve, as a
 * phrase. */
const char *lay_image_prepare(lay_branch *branch, const lay_image_place *place);

/* The layout of the caller's A, B or C as the branch has it, and of its image. */
const lay_desc *lay_image_of(const lay_branch *branch, int operand);

/* The child's call: images at block stand in for what they are of. */
lay_call lay_image_call(const lay_images *images, const lay_call *call, char *block);

/* What is copied and why, in lines. */
void lay_image_explain(const lay_branch *branch, lay_text *text);

/* A way's tell. */
void lay_image_tell(const lay_branch *branch, lay_step *step);

/* A way's release. */
void lay_image_release(lay_branch *branch);

#endif
