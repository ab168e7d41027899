/* Between an operand in host memory and a dense image of some of its rows and columns: what a buffer holds. */
#ifndef LAY_CUDA_STREAM_COPY_H
#define LAY_CUDA_STREAM_COPY_H

#include <stdint.h>

#include "plan/axis.h"

typedef struct lay_image {
    const lay_axis *rows, *columns; /* of the operand */
    const void *zero;               /* its offset 0; written to where is_to_host */
    int64_t first_row, row_count, first_column, column_count;
    void *dense;         /* element (i, j) at i * pitch + j */
    int64_t pitch, size; /* elements; bytes of one */
    int is_to_host;
    int is_streaming; /* too large to be found in a cache later */
} lay_image;

/* Copies with up to threads threads; nothing but the elements is touched. */
void lay_image_copy(const lay_image *image, int threads);

/* Whether an operand's columns, or else its rows, had better be the contiguous side of its images: the side on
 * which its elements lie nearer to each other. */
int lay_axes_favour_columns(const lay_axis *rows, const lay_axis *columns);

/* The bytes from one row to the next where columns are contiguous and rows a larger constant step apart, so that
 * a device can copy rectangles by itself; else 0. */
int64_t lay_axes_pitch(const lay_axis *rows, const lay_axis *columns, int64_t size);

#endif
