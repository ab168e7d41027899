/* Which of its 4 x 32 threads holds what in the paper's kernel (kernels/cuda/parray). */
#ifndef SHOW_HOLDER_H
#define SHOW_HOLDER_H

#include <stdint.h>

#include "layoutgemm.h"

enum { HOLDER_THREADS = 128, HOLDER_LANES = 32, HOLDER_ROWS = 16, HOLDER_COLUMNS = 256, HOLDER_STEPS = 32 };

/* How the tile of A is fetched, 16 rows by 32 steps: the kernel has a way for each. */
typedef enum holder_way {
    HOLDER_ACROSS_VECTOR, /* 16 bytes of neighbouring rows a thread */
    HOLDER_ACROSS,        /* lanes down the rows */
    HOLDER_ALONG          /* lanes along k */
} holder_way;

/* The thread that computes element (i, j) of a block of C, and the one that fetches row i, step p of a tile of A, with
 * vectors of v elements. */
int holder_of_sum(int64_t i, int64_t j);
int holder_of_tile(holder_way way, int v, int64_t i, int64_t p);

/* The way that the library takes for a matrix as A. */
holder_way holder_choose(const lay_desc *desc, int v);

#endif
