/* How a long sum over k is cut and rounded, which is the promise of equal bits: it depends on the
 * type, the compute mode, the ISA level, k, and whether m and n are small, and on nothing else. A kernel of another
 * summation is refused, however cheap, since cost knows of layouts and threads.
 *
 * k is cut into nb = ceil(k / LAY_KC) blocks of nearly equal length, kc = ceil(k / nb) rounded up to a
 * multiple of 8, the last one shorter. Each block is one chain of multiply-adds from +0 in ascending
 * p; the blocks are added to C in ascending order. So the error grows with kc + nb, not with k
 * (docs/numerics.md). Products with a vector have an order of their own in a block. */
#ifndef LAY_PLAN_SUMMATION_H
#define LAY_PLAN_SUMMATION_H

#include <stdint.h>

#include "kernel.h"
#include "layoutgemm.h"

/* How the sum of one problem is cut. Found once, from the sizes that the caller asks for; problems that rewriters make
 * of it have the same. */
typedef struct lay_sum {
    int64_t block;        /* steps of a block of k, the last one shorter; at least 1 */
    int64_t slice;        /* steps of a slice; all of k, and at least 1, where there is but one */
    int has_partial_sums; /* blocks are summed up in partial sums */
} lay_sum;

lay_sum lay_sum_of(int64_t m, int64_t n, int64_t k);

/* The same of a part of k steps, which begins where a block does and follows the parts before it: beta enters with the
 * first one alone. Only where there is but one slice and no partial sums. */
lay_sum lay_sum_within(lay_sum whole, int64_t k);

/* Longer blocks update C less often, shorter ones keep a panel of B in L1. Measured: 384 and 256 lose
 * 2 to 5 % on Sapphire Rapids from n = 1024 on, because C's update is what the loop waits for. */
enum { LAY_KC = 512 };

lay_summation lay_summation_choose(lay_isa isa);

/* The block length for a sum of k >= 1 products: at most LAY_KC. */
int64_t lay_summation_kc(int64_t k);

/* Few elements with long sums (m and n at most LAY_SLICED_SIDE, at least LAY_SLICED_BLOCKS blocks) have their blocks
 * added up in slices of k, each by itself from 0, and the slices' sums in ascending order, by fused multiply-adds with
 * 1 from +0: then C = alpha sum + beta C. So threads can share what has no elements to share out. The length of a
 * slice: k where there is but one, and no slices. A function of m, n and k, the same for m x n as for n x m. */
enum { LAY_SLICED_SIDE = 64, LAY_SLICED_BLOCKS = 8, LAY_SLICE_BLOCKS = 2, LAY_MOST_SLICES = 128 };
int64_t lay_summation_slice(int64_t m, int64_t n, int64_t k);

/* Products with a vector, m or n 1, of at least LAY_PARTIAL_SUMS_STEPS steps: each block of k is summed up in partial
 * sums (kernels/kernel.h), and each is a slice. Fewer steps are one chain, as everywhere else. */
enum { LAY_PARTIAL_SUMS_STEPS = 32 };
int lay_summation_has_partial_sums(int64_t m, int64_t n, int64_t k);

#endif
