/* Grids of ScaLAPACK's BLACS, found at run time, and matrices over them whose elements are known. */
#ifndef TESTS_PBLAS_BLACS_H
#define TESTS_PBLAS_BLACS_H

#include <complex.h>
#include <stddef.h>

typedef struct blacs {
    void (*get)(int, int, int *);
    void (*init)(int *, const char *, int, int);
    void (*map)(int *, int *, int, int, int);
    void (*info)(int, int *, int *, int *, int *);
    void (*leave)(int);
} blacs;

/* 0, with a sentence on stderr, without the library. */
int blacs_open(const char *library, blacs *out);

/* Elements of the four types. */
typedef struct kind {
    char letter;
    size_t size;
    int is_complex;
} kind;
extern const kind kinds[4];

/* The numbers are small and whole, so that products are exact. */
double complex known_element(const kind *of, int seed, int i, int j);

/* A random number from 0 to n - 1, the same on all ranks that ask in the same order. */
int choose(int n);

typedef struct matrix {
    int desc[11], has_first_blocks; /* DTYPE_ 2 */
    int extent[2], first_block[2], block[2], source[2];
    int at[2]; /* of the part, from 1 on */
    int grid[2], here[2], count[2], lead;
    char *data;
    size_t bytes;
} matrix;

/* With a part of rows x columns somewhere in it; what is not its own is filled with bytes of 1s. gap: rows of this rank
 * that belong to nobody. A context of -1: not here, but the random numbers are used up alike. */
matrix make_matrix(const blacs *by, const kind *of, int context, const int grid[2], int rows, int columns,
                   int may_be_inb, int may_be_replicated, int gap, int seed);

/* Whether the element of the part, or any that is not in it, is as said; (i, j) counts from 0 in the part. */
typedef double complex element_fn(void *asked, int i, int j);
int count_wrong(const matrix *of, const kind *as, int rows, int columns, int seed, element_fn *expected, void *asked);

#endif
