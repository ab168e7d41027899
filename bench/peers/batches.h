/* Other people's batches of products: n x n matrices, row-major, so many. */
#ifndef BATCHES_H
#define BATCHES_H

#include "peers.h"

/* One after the other in memory, and each at an address of its own. NULL: the library has no such call. */
typedef struct batches {
    void *strided[2], *addressed[2]; /* of f32 and of f64 */
} batches;

batches batches_find(const peer *of);

/* C = A B for each. It has the call. */
void batches_run_strided(const batches *of, lay_type type, int n, int count, const void *a, const void *b, void *c);
void batches_run_addressed(const batches *of, lay_type type, int n, int count, const void *const a[],
                           const void *const b[], void *const c[]);

#endif
