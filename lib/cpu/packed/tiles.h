/* One task of a product: a block of C from packed panels. */
#ifndef LAY_CPU_TILES_H
#define LAY_CPU_TILES_H

#include <stddef.h>
#include <stdint.h>

#include "cpu/packed/blocks.h"
#include "cpu/packed/pack.h"
#include "kernel.h"
#include "plan/axis.h"

/* What is the same for all tasks between two joins. */
typedef struct lay_multiplying {
    const lay_kernel *kernel;
    int is_of_numbers, is_left_first; /* tiles are the kernel's numbers, C's elements complex */
    int64_t k;
    const char *left, *right; /* packed panels of the block's first row and column */
    size_t left_panel, right_panel;
    char *c; /* offset 0 */
    const lay_axis *rows, *columns;
    const void *alpha, *beta;
    int64_t stretch;             /* 0, or columns of contiguous rows of C that tiles follow each other along */
    int is_streamed;             /* C (streamed.h) */
    const lay_packing *unpacked; /* NULL, or what right's panels are packed of, each just before it is used, */
    char *packed;                /* to here, where right is, too */
} lay_multiplying;

/* C(row .. row + m, column .. column + n); the block starts at (first_row, first_column), and m
 * must not exceed LAY_MAX_MC. */
void lay_multiply_block(const lay_multiplying *job, int64_t first_row, int64_t row, int64_t m, int64_t first_column,
                        int64_t column, int64_t n);

/* A direct product's tile whose columns of C are not contiguous: rows and columns from there on. c is
 * offset 0 of C. */
void lay_multiply_staged(const lay_kernel *kernel, const lay_strided *tile, char *c, const lay_axis *rows, int64_t row,
                         const lay_axis *columns, int64_t column);

/* The same of dots, whose columns are at most the kernel's nr. */
void lay_dot_staged(const lay_kernel *kernel, const lay_dots *dots, char *c, const lay_axis *rows, int64_t row,
                    const lay_axis *columns, int64_t column);

#endif
