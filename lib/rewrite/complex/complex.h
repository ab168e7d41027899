/* Complex products as real ones, twice as long and twice as wide (docs/decisions/0021): of two interleaved operands one
 * is expanded, in blocks, into images of real numbers; the other one and C are views of theirs. Here is what two rows
 * of the table share, one for each place of the images. */
#ifndef LAY_REWRITE_COMPLEX_H
#define LAY_REWRITE_COMPLEX_H

#include <stddef.h>

#include "base/scalar.h"
#include "cpu_expand.h"
#include "plan/way.h"

/* So many lines of the expanded operand, rows of A or columns of B, and what is multiplied of them. */
typedef struct lay_complex_block {
    int64_t lines;
    lay_desc *source;    /* of complex elements, [lines][k] of A, [k][lines] of B; a batch's index before them */
    lay_desc *target;    /* the same, as the image has z of them: every other of its segments */
    lay_desc *image, *c; /* of real elements: [2 lines][2 k] of A, [2 k][2 lines] of B; C's rows or columns */
    lay_branch *child;   /* the first block's is the branch's own */
    double seconds;      /* of the image, predicted */
} lay_complex_block;

/* What a way prepared. An image has segments of unit stride, two for each of the operand: along its lines, or across
 * them, one for each step of k. That of a batch has all matrices of the operand. */
typedef struct lay_complex {
    int side;        /* LAY_LEFT or LAY_RIGHT: which is expanded */
    int is_along;    /* segments lie along k */
    lay_desc *other; /* the view of the operand that is not */
    int64_t pitch;   /* real elements from segment to segment */
    size_t bytes;    /* of the largest image */
    int count;       /* blocks */
    lay_complex_block *block;
} lay_complex;

/* What the place of the images decides. */
typedef struct lay_complex_place {
    size_t most_bytes;    /* of an image, unless so many blocks would come of it that they had better be larger */
    size_t near_bytes;    /* the same of images that caches hold; 0: there are none such */
    int takes_thin_along; /* images of a few lines lie along k, too, however the operand does */

    /* Seconds until the image is there; negative where it cannot be made. */
    double (*predict)(const lay_branch *branch, const lay_complex *own, const lay_complex_block *block);
} lay_complex_place;

/* A way's prepare, but for what only its place knows: branch->job.data is a lay_complex. The job is the children's, the
 * images' time added. NULL, or why it cannot serve, as a phrase. */
const char *lay_complex_prepare(lay_branch *branch, const lay_complex_place *place);

/* A call's alpha and beta: what goes into the images, and what is left to the children. */
typedef struct lay_complex_scalars {
    lay_expansion expansion;
    lay_scalar alpha, beta; /* real */
    int is_scaled_first;    /* C = beta C, before all else; then beta is 1 */
} lay_complex_scalars;
void lay_complex_part(const lay_call *call, lay_type type, lay_complex_scalars *out); /* without signs */
void lay_complex_split(const lay_branch *branch, const lay_call *call, lay_complex_scalars *out);

/* C = beta C on the CPU, where that comes first. */
void lay_complex_scale_first(const lay_branch *branch, const lay_complex_scalars *scalars, const lay_call *call);

/* A complex matrix, or a batch of them, seen as real numbers: rows (doubled is 0) or columns (1) have their parts.
 * NULL, or why there is none. */
const char *lay_complex_view(const lay_desc *desc, int doubled, lay_desc **out);

/* The child's call for a block: the image stands in for what it is of. */
lay_call lay_complex_call(const lay_branch *branch, const lay_complex_scalars *scalars, const lay_call *call,
                          const void *image);

/* Matrices that the expanded operand has: one where those of a batch share it. */
int64_t lay_complex_matrices(const lay_branch *branch, const lay_complex *own);

/* Segments of an image, of all its matrices, and complex numbers in each. */
int64_t lay_complex_segments(const lay_branch *branch, const lay_complex_block *block);
int64_t lay_complex_length(const lay_branch *branch, const lay_complex_block *block);

/* A way's explain and release. */
void lay_complex_explain(const lay_branch *branch, lay_text *text);
void lay_complex_release(lay_branch *branch);

#endif
