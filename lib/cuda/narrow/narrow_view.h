/* How an operand of a narrow product is read: in place by tensor copies, or from an image (kernels/cuda_narrow.h). */
#ifndef LAY_CUDA_NARROW_VIEW_H
#define LAY_CUDA_NARROW_VIEW_H

#include <stddef.h>

#include "cuda/launch/digits.h"
#include "cuda/launch/launch.h"
#include "cuda/narrow/tensor.h"
#include "cuda_narrow.h"
#include "plan/way.h"

/* How the matrix units' copies read an operand (kernels/cuda_narrow.h). */
typedef struct lay_narrow_view {
    lay_cuda_digits lines, steps;     /* rows of left or columns of right; of the image where there is one */
    int size;                         /* bytes of an element, as they are read */
    int is_across;                    /* lines are contiguous, else steps */
    int is_image;                     /* it is copied first */
    const char *why;                  /* it is */
    int64_t run, run_apart;           /* elements of 16 bits that lie together where an image is made from, along its
                                       * contiguous dimension, and from one such run to the next; 0: they do not */
    int64_t cut_lines, cut_steps;     /* extents where the last block of either is short; else 0 */
    int is_narrow;                    /* whole boxes alone can read it: narrow ones, strips, or turns that end */
    int64_t ends;                     /* with blocks of so many steps, which no box goes over; else 0 */
    int64_t short_steps;              /* of a box, where these are a block's last ones; else 0 */
    lay_narrow_walk walk;             /* count > 0: lines are walked; inner ones are those of the mode in groups */
    int64_t apart[LAY_NARROW_DIGITS]; /* elements between a walk's digits */
} lay_narrow_view;

/* Blocks that reach each other: those of so many tiles, each a power of two, that share what they read; or all slices
 * of a tile, together. */
typedef struct lay_narrow_cluster {
    int down, across, together;
} lay_narrow_cluster;

static inline int lay_narrow_cluster_blocks(lay_narrow_cluster cluster)
{
    return cluster.down * cluster.across * cluster.together;
}

/* A launch with operands that are read so. */
typedef struct lay_narrow_form {
    lay_launch launch; /* its classes: for images; no kernel: there is none */
    lay_narrow_view left, right;
    lay_narrow_cluster cluster;
    int64_t m, n;                  /* with what walks fill up */
    int is_c_down;                 /* lay_narrow_args */
    int is_narrow;                 /* views are, one at least */
    int strips_left, strips_right; /* blocks that a tile has strips of (lay_narrow_strips), or 0 */
    int is_c_short;                /* C has the units' 16 bits */
    int is_c_even;                 /* C has one stride a dimension */
    int c_together;                /* lay_narrow_args, of an aligned C that is in no vectors */
    int c_together_down;           /* the same of the product transposed */
    int is_gathered;               /* k is cut in slices */
    int may_transpose;             /* C transposed would leave down, in vectors */
    double seconds;
} lay_narrow_form;

/* What the way of 16-bit products prepared. */
typedef struct lay_narrow {
    lay_type units;        /* of elements as the matrix units take them: LAY_F32 is TF32 */
    lay_narrow_form form;  /* the one that is taken */
    lay_narrow_form plain; /* another without walks, where form has some: of operands whose addresses are not aligned */
} lay_narrow;

/* Of lines and steps, for the type that the matrix units take. An operand whose elements are others
 * (is_converted) always has an image. TF32 may have its lines contiguous in left alone. */
lay_narrow_view lay_narrow_view_of(int is_left, const lay_axis *lines, const lay_axis *steps, lay_type units,
                                   int is_converted);

/* The same where blocks may be cut short, of 16-bit elements (cut_lines > 0). Then the last turn has an image, or what
 * lies behind the last line and step would be read. */
lay_narrow_view lay_narrow_view_cut(int is_left, const lay_axis *lines, const lay_axis *steps, lay_type units);

/* The same of whole boxes, which may be narrower or strips, and of either kind of blocks; size 0 where there is none.
 * Turns of both operands then end where blocks of either do: 0 where they cannot. */
lay_narrow_view lay_narrow_view_narrow(const lay_axis *lines, const lay_axis *steps, lay_type units);
int lay_narrow_views_end_together(lay_narrow_view *left, lay_narrow_view *right);

/* Of what is cut, the image of the last turn, whose steps these are of the view's. */
lay_narrow_view lay_narrow_view_tail(const lay_narrow_view *view, int64_t *first_step);

/* Of turns that end with blocks, the last turn of each, which has fewer steps (lay_narrow_operand, last). */
lay_narrow_view lay_narrow_view_short(const lay_narrow_view *view);

/* The same from an image, where the address of a run is no multiple of 16 bytes. */
lay_narrow_view lay_narrow_view_unaligned(const lay_narrow_view *view);

/* The same with steps contiguous, which some rows alone take. */
lay_narrow_view lay_narrow_view_along(const lay_narrow_view *view);

/* Bytes of its image, or of its last turn's: 0 where all is read in place. */
size_t lay_narrow_image_size(const lay_narrow_view *view);

/* What boxes a turn comes in: of one block each; those of rows that are walked, whether the view is or not; one
 * (LAY_NARROW_BY_WHOLES); or pieces (LAY_NARROW_BY_PIECES). */
typedef enum lay_narrow_boxes {
    LAY_NARROW_OF_BLOCKS,
    LAY_NARROW_WALKED,
    LAY_NARROW_WHOLE,
    LAY_NARROW_PIECES
} lay_narrow_boxes;

/* Tiles that have so many lines of an operand at a time, a turn in so many parts by a block each; strips of so many
 * blocks of lines, or 0. */
typedef struct lay_narrow_tile {
    int lines, parts, strips;
} lay_narrow_tile;

/* Of how many blocks such a tile may have strips, so that there are no more tiles; 0: its lines cannot be so, or need
 * not. */
int lay_narrow_view_strips(const lay_narrow_view *view, int lines);

/* What a kernel is told about them. */
lay_narrow_strips lay_narrow_view_describe_strips(const lay_narrow_view *view, lay_narrow_tile tile);

/* Whether lines or steps of what is read in place are in blocks. */
int lay_narrow_view_has_blocks(const lay_narrow_view *view);

/* Whether tiles of so many lines begin where boxes may: of lines that are contiguous in blocks, at whole lines of
 * shared memory, or where no tile reaches into the next block. */
int lay_narrow_view_begins(const lay_narrow_view *view, int lines);

/* Whether so many blocks may bring a turn. */
int lay_narrow_view_has_parts(const lay_narrow_view *view, lay_narrow_tile tile);

/* Whether a turn, or a block's part of it, may be one box. */
int lay_narrow_view_is_whole(const lay_narrow_view *view, lay_narrow_tile tile);

/* Whether it may be boxes that have all of its steps. */
int lay_narrow_view_has_pieces(const lay_narrow_view *view, lay_narrow_tile tile);

/* Fills operand. first: the address of line 0, step 0; or of the image. */
lay_status lay_narrow_view_fill(const lay_narrow_view *view, const void *first, lay_type units, lay_narrow_tile tile,
                                lay_narrow_boxes boxes, lay_narrow_operand *operand);

#endif
