/* The paths that kinds of numbers take, and the bound of docs/numerics.md. */
#include "split_kinds.h"

#include <math.h>

#include "cpu_split.h"
#include "plan/summation.h"

const lay_path split_paths[NUMBERS_KINDS] = {
    [NUMBERS_UNIFORM] = LAY_PATH_NONE,
    [NUMBERS_SIGNED] = LAY_PATH_NONE,
    [NUMBERS_NORMAL] = LAY_PATH_BF16X6,
    [NUMBERS_WIDE_10] = LAY_PATH_BF16X6,
    [NUMBERS_WIDE_20] = LAY_PATH_BF16X6,
    [NUMBERS_WIDE_30] = LAY_PATH_BF16X6,
    [NUMBERS_WIDE_45] = LAY_PATH_BF16X6,
    [NUMBERS_WIDE_60] = LAY_PATH_NONE,
    [NUMBERS_TINY_BY_LARGE] = LAY_PATH_BF16X6,
    [NUMBERS_DENORMAL_BY_HUGE] = LAY_PATH_BF16X6,
    [NUMBERS_DENORMAL_RESULTS] = LAY_PATH_BF16X6,
    [NUMBERS_HUGE_BY_SMALL] = LAY_PATH_BF16X6,
    [NUMBERS_INTEGERS_16] = LAY_PATH_BF16X6,
    [NUMBERS_INTEGERS_2047] = LAY_PATH_BF16X6,
    [NUMBERS_CANCELLING] = LAY_PATH_BF16X6,
    [NUMBERS_GRADED_LINES] = LAY_PATH_BF16X6,
    [NUMBERS_GRADED_20] = LAY_PATH_BF16X6,
    [NUMBERS_GRADED_60] = LAY_PATH_NONE,
    [NUMBERS_ONE_LARGE] = LAY_PATH_BF16X6,
    [NUMBERS_COHERENT] = LAY_PATH_BF16X6,
    [NUMBERS_SPARSE_SMALL] = LAY_PATH_BF16X6,
    [NUMBERS_LONG_RANGE] = LAY_PATH_NONE,
    [NUMBERS_SMALL_BY_SMALL] = LAY_PATH_BF16X6,
    [NUMBERS_NEAR_DENORMAL] = LAY_PATH_BF16X6,
    [NUMBERS_ONE_OF_MANY] = LAY_PATH_BF16X6,
    [NUMBERS_TWO_OF_MANY] = LAY_PATH_BF16X6,
    [NUMBERS_EIGHT_OF_MANY] = LAY_PATH_BF16X6,
    [NUMBERS_TIES] = LAY_PATH_BF16X6,
    [NUMBERS_POWERS] = LAY_PATH_BF16X6,
};

/* In u |A| |B|: limbs 1, a leaf's chains 17, six products a leaf of a chunk, chunks, blocks, C. */
double split_bound(int64_t k, lay_path path)
{
    const int64_t kc = lay_summation_kc(k), blocks = (k + kc - 1) / kc, leaves = lay_cpu_split_leaves(kc);
    const int64_t chunk = leaves < LAY_CPU_SPLIT_CHUNK ? leaves : LAY_CPU_SPLIT_CHUNK;
    const double split = (double)(1 + 17 + 6 * chunk + (leaves + chunk - 1) / chunk + blocks + 4);
    const double plain = (double)((k < kc ? k : kc) + blocks + 3);
    return path == LAY_PATH_BF16X6 ? split : fmax(split, plain);
}
