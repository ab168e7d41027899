/* What the kernel tests share: memory between guard pages, the contract in plain C, element access. */
#ifndef LAY_TESTS_KERNELS_ROW_H
#define LAY_TESTS_KERNELS_ROW_H

#include <stddef.h>
#include <stdint.h>

#include "kernel.h"

/* Bytes that end where a page begins that may not be touched; at_front: that start where one ends.
 * Aligned to 64 bytes unless at_front is 0 and size is no multiple of 64. */
typedef struct fenced {
    void *bytes, *pages;
    size_t mapped;
} fenced;
fenced fence(size_t size, int at_front);
void unfence(fenced *block);

size_t element_size(const lay_kernel *row);
void set_element(const lay_kernel *row, void *array, int64_t index, double value);

/* A number of few bits, so that products are inexact only in long sums; sometimes -0 or a denormal. */
double draw(uint64_t *state);
uint64_t draw_bits(uint64_t *state);

/* The address of an element, and memory for count of them: drawn, or NaN without a seed. */
void *element_at(const lay_kernel *row, const void *zero, int64_t index);
fenced fence_elements(const lay_kernel *row, int64_t count, int at_front, uint64_t *seed);

/* acc[mr][nr] of the contract in kernel.h, from full panels. */
void sum_by_contract(const lay_kernel *row, int64_t k, const void *a, const void *b, void *acc);
/* The contract's last line for one element of C. */
void update_by_contract(const lay_kernel *row, const void *acc, double alpha, double beta, void *c);

/* A product of plain strides, m up to the row's mr and k up to PLAIN_K; C as the contract has it. */
enum { PLAIN_K = 128 };
typedef struct plain_product {
    const lay_kernel *row;
    int m;
    int64_t n, k, a_row, a_step, b_step, b_column, c_row;
} plain_product;
void multiply_by_contract(const plain_product *of, const void *a, const void *b, double alpha, double beta, void *c);

/* Runs test, whose initial state is a row, for every row of the table, each by the row's name and what is claimed of
 * it; how many failed, for main to return. */
int run_for_every_row(const char *group, const char *claim, void (*test)(void **state));

/* 1 when this machine runs the row; otherwise says so in the test's output. */
int is_runnable(const lay_kernel *row);

#endif
