/* A matrix in memory, reached element by element through its descriptor. */
#ifndef OPERAND_H
#define OPERAND_H

#include <stdint.h>

#include "layoutgemm.h"

typedef struct operand {
    lay_type type;
    const lay_desc *desc; /* not owned */
    int64_t rows, columns;
    int64_t *row, *column; /* element (i, j) is at row[i] + column[j] */
    void *zero;            /* offset 0 */
} operand;

/* Storage for a descriptor of rank 2, in host memory: LAY_MEMORY_HOST or _PINNED. 0, or the exit status after a
 * sentence. */
int operand_create(lay_type type, const lay_desc *desc, lay_memory kind, operand *out);
void operand_destroy(operand *of);

/* Integers from -limit to limit; -1, 0 and 1, of so many one that may not be 0; reals below 1 in absolute value;
 * all NaN. The same seed gives the same matrix in every layout. */
void operand_fill_integers(operand *of, uint64_t seed, int64_t limit);
void operand_fill_sparse(operand *of, uint64_t seed, int64_t one_in);
void operand_fill_real(operand *of, uint64_t seed);
void operand_fill_nan(operand *of);

/* The block of its elements, in bytes from offset 0, and how long it is. */
int64_t operand_lowest(const lay_desc *desc, lay_type type);
size_t operand_size(const lay_desc *desc, lay_type type);

/* Bytes of host memory that operand_create takes, its tables too; of three matrices, A, B and C. */
double operand_bytes(const lay_desc *desc, lay_type type);
double operands_bytes(lay_desc *const desc[3], lay_type type);

/* out[rows] = operand * in[columns], in double; of complex matrices pairs of parts. */
void operand_times(const operand *of, const double in[], double out[]);

#endif
