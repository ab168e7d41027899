/* Lines that are read in place by walks (kernels/cuda_narrow.h) where their blocks do not fit boxes, or where rows of
 * left and of C lie in two orders. */
#ifndef LAY_CUDA_NARROW_WALK_H
#define LAY_CUDA_NARROW_WALK_H

#include "cuda/narrow/narrow_view.h"
#include "plan/problem.h"

/* Rows of left, or columns of right, of 16-bit elements. NULL, or why they are not walked. */
const char *lay_narrow_walk_of(const lay_problem *problem, int is_left, lay_narrow_view *view);

/* Lines of so many, with what the view's walk fills up. */
int64_t lay_narrow_walked(const lay_narrow_view *view, int64_t lines);

/* Whether C, its rows walked, is written down tiles (lay_narrow_args). */
int lay_narrow_walks_down(const lay_problem *problem, const lay_narrow_view *left);

/* Whether C, its columns walked, is written in whole vectors (lay_narrow_args). */
int lay_narrow_walks_vectors(const lay_problem *problem, const lay_narrow_view *right);

#endif
