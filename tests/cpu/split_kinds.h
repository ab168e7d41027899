/* What products of split operands owe to each kind of numbers: a path, and a bound. */
#ifndef LAY_TESTS_SPLIT_KINDS_H
#define LAY_TESTS_SPLIT_KINDS_H

#include "../../bench/base/numbers.h"
#include "layoutgemm.h"

/* What every element is to have been computed by; NONE: either. */
extern const lay_path split_paths[NUMBERS_KINDS];

/* The most that a sum of k steps is off, in u |A| |B|, u = 2^-24, by that path (docs/numerics.md). */
double split_bound(int64_t k, lay_path path);

#endif
