/* How an operand of a narrow product is read: in place by tensor copies, or from an image (kernels/cuda_narrow.h). */
#ifndef LAY_CUDA_NARROW_VIEW_H
#define LAY_CUDA_NARROW_VIEW_H

#include <stddef.h>

#include "cuda/tensor.h"
#include "cuda_narrow.h"
#include "plan/executor.h"

/* Of lines and steps, for the kind of elements that the matrix units take. An operand whose elements are others
 * (is_converted) always has an image. */
lay_narrow_view lay_narrow_view_of(const lay_axis *lines, const lay_axis *steps, lay_narrow_kind kind,
                                   int is_converted);

/* The same from an image, where the address of a run is no multiple of 16 bytes. */
lay_narrow_view lay_narrow_view_unaligned(const lay_narrow_view *view);

/* Bytes of its image: 0 where it is read in place. */
size_t lay_narrow_image_size(const lay_narrow_view *view);

/* Fills operand for tiles that have so many lines of it at a time. first: the address of line 0, step 0; or of the
 * image. */
lay_status lay_narrow_view_fill(const lay_narrow_view *view, const void *first, lay_narrow_kind kind, int lines,
                                lay_narrow_operand *operand);

#endif
