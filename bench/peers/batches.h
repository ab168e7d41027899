/* Other people's batches of products: n x n matrices, row-major, so many. */
#ifndef BATCHES_H
#define BATCHES_H

#include "peers.h"

enum { BATCHES_TYPES = 4 /* f32, f64, c32 and c64 */ };

/* One after the other in memory, and each at an address of its own. NULL: the library has no such call. */
typedef struct batches {
    void *strided[BATCHES_TYPES], *addressed[BATCHES_TYPES]; /* at batches_at of a type */
} batches;

batches batches_find(const peer *of);

int batches_at(lay_type type);

/* C = A B for each. It has the call. */
void batches_run_strided(const batches *of, lay_type type, int n, int count, const void *a, const void *b, void *c);
void batches_run_addressed(const batches *of, lay_type type, int n, int count, const void *const a[],
                           const void *const b[], void *const c[]);

#endif
