/* What the way "ending" prepared, and runs: D in pieces. */
#ifndef LAY_REWRITE_ENDING_PIECES_H
#define LAY_REWRITE_ENDING_PIECES_H

#include "rewrite/ending/ending.h"

/* A piece as the child sees it; all pieces but a shorter last one are alike. */
typedef struct lay_end_piece {
    lay_desc *a, *b, *from;             /* from: C, as it is read; NULL: the whole one is every piece's */
    lay_desc *c;                        /* D, or sums in workspace; NULL: D as it is */
    int64_t stride[LAY_END_DIMENSIONS]; /* of sums in workspace */
    lay_branch *child;
} lay_end_piece;

/* How it is cut, and who takes pieces. */
typedef struct lay_end_plan {
    lay_end_cut cut;
    int64_t shares;            /* of the pieces, for a thread each; 1: one piece after the other, by all threads */
    int is_apart;              /* sums lie in workspace */
    lay_end_piece piece, last; /* last.child NULL: the last one is like the others */
    size_t sums, own;          /* bytes of sums, and of all that a share needs */
    double seconds;
} lay_end_plan;

/* What the way prepared. */
typedef struct lay_ending_job {
    lay_end_plan plan;
    lay_ender ender;
} lay_ending_job;

/* The root dimension of an operand that a cut divides; -1: none. */
int lay_end_root(const lay_desc *desc, int operand, int dimension);

/* C, whether it is D or not. */
const lay_desc *lay_end_read(const lay_posed *posed);

/* The way's run and scale. */
lay_status lay_end_run(lay_branch *branch, const lay_call *call);
lay_status lay_end_scale(lay_branch *branch, const lay_call *call);

#endif
