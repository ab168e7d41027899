/* Whether C is A B: an exact check in O(n^2). */
#include "verdict.h"

#include <stdlib.h>

#include "bench/base/element.h"
#include "bench/base/random.h"

enum {
    EXACT_BITS = 24, /* of a float; a double has more than a random vector needs */
    LARGEST = 15,    /* of A's and B's entries */
    VECTORS = 2,
    VECTOR_BITS = 15 /* n k LARGEST^2 2^15 stays below 2^53 for the sizes whose k fits, see below */
};

/* The largest entry with k * entry^2 <= 2^24: then no partial sum of k products is rounded, and
 * those of C t, at most n 2^24 2^VECTOR_BITS, are not either while n < 2^14; the vectors shrink
 * with larger n. */
static int64_t largest_entry(int64_t k)
{
    int64_t entry = LARGEST;
    while (entry > 1 && k * entry * entry > (int64_t)1 << EXACT_BITS)
        entry--;
    return entry;
}

static int64_t largest_factor(int64_t n)
{
    int64_t factor = (int64_t)1 << VECTOR_BITS;
    while (factor > 1 && n * factor > (int64_t)1 << (53 - EXACT_BITS))
        factor /= 2;
    return factor;
}

/* One in how many of A's entries may not be 0 where C's type has 16 bits. Sums of k products of -1, 0 and 1, four in
 * nine of those that may be, spread by sqrt(4 / 9 k / one_in) <= 30: BF16 has the integers to 256. */
static int64_t sparseness(int64_t k)
{
    const int64_t one_in = (k + 2047) / 2048;
    return one_in > 8 ? one_in : 8;
}

void verdict_prepare(operand *a, operand *b, operand *c)
{
    const int is_half = lay_type_size(c->type) == 2; /* C has no room for large numbers */
    const int64_t steps = a->columns * element_parts(c->type);
    if (is_half)
        operand_fill_sparse(a, 1, sparseness(a->columns));
    else
        operand_fill_integers(a, 1, largest_entry(steps));
    operand_fill_integers(b, 2, is_half ? 1 : largest_entry(steps));
    operand_fill_nan(c);
}

static int agrees(const operand *a, const operand *b, const operand *c, uint64_t *seed, double *work)
{
    const int parts = element_parts(c->type);
    double *t = work, *bt = t + parts * c->columns, *abt = bt + parts * b->rows, *ct = abt + parts * c->rows;
    const int64_t factor = largest_factor(parts * c->columns);
    for (int64_t j = 0; j < parts * c->columns; j++)
        t[j] = (double)((int64_t)(random_next(seed) >> 33) % (2 * factor) - factor);
    operand_times(b, t, bt);
    operand_times(a, bt, abt);
    operand_times(c, t, ct);
    for (int64_t i = 0; i < parts * c->rows; i++)
        if (!(ct[i] == abt[i])) /* NaN is not equal either */
            return 0;
    return 1;
}

int verdict_give(const operand *a, const operand *b, const operand *c)
{
    double *work = malloc((size_t)(2 * (c->columns + b->rows + 2 * c->rows) + 1) * sizeof *work);
    if (!work)
        return -1;
    uint64_t seed = 3;
    int good = 1;
    for (int i = 0; i < VECTORS && good; i++)
        good = agrees(a, b, c, &seed, work);
    free(work);
    return good;
}
