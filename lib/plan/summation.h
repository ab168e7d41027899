/* How a long sum over k is cut and rounded, which is the promise of equal bits: it depends on the
 * type, the compute mode, the ISA level and k, and on nothing else. A kernel of another summation is
 * refused, however cheap, since cost knows of layouts and threads.
 *
 * k is cut into ceil(k / kc) blocks of kc (the last one shorter). Each block is one chain of
 * multiply-adds from +0 in ascending p; the blocks are added to C in ascending order. So the error
 * grows with min(k, kc) + ceil(k / kc), not with k (docs/numerics.md). */
#ifndef LAY_PLAN_SUMMATION_H
#define LAY_PLAN_SUMMATION_H

#include <stdint.h>

#include "kernel.h"
#include "layoutgemm.h"

/* Blocks of B as wide as an AVX-512 tile are 48 KiB (f32) and 32 KiB (f64): longer ones leave L1 for
 * nothing, shorter ones update C more often (bench/LOG.md). */
enum { LAY_KC_F32 = 384, LAY_KC_F64 = 256, LAY_MAX_KC = 384 };

lay_summation lay_summation_choose(lay_isa isa);
int64_t lay_summation_kc(lay_type type);

#endif
