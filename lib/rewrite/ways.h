/* Rewriters: each poses another problem and asks the table for it. */
#ifndef LAY_REWRITE_WAYS_H
#define LAY_REWRITE_WAYS_H

#include "plan/way.h"

extern const lay_way lay_way_transposed;
extern const lay_way lay_way_addend;
extern const lay_way lay_way_ending;
extern const lay_way lay_way_batch;
extern const lay_way lay_way_chunks;  /* a batch whose index lies innermost */
extern const lay_way lay_way_complex; /* what is expanded lies in host memory; a device has its own (cuda/ways.h) */
extern const lay_way lay_way_numbers; /* the same without an image */
extern const lay_way lay_way_image;   /* in host memory; a device has its own (cuda/ways.h) */
extern const lay_way lay_way_mixed;   /* the same of operands of several types */
extern const lay_way lay_way_pieces;  /* of a large product, each with images of its own */
extern const lay_way lay_way_parts;   /* real times complex */

#endif
