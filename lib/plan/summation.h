/* How a long sum over k is cut, which is part of the promise of equal bits: it depends on the type
 * and on k, and on nothing else.
 *
 * k is cut into ceil(k / LAY_KC) blocks of LAY_KC (the last one shorter). Each block is one chain of
 * fused multiply-adds from +0 in ascending p; the blocks are added to C in ascending order. So the
 * error grows with min(k, LAY_KC) + ceil(k / LAY_KC), not with k (docs/numerics.md). */
#ifndef LAY_PLAN_SUMMATION_H
#define LAY_PLAN_SUMMATION_H

enum { LAY_KC_F32 = 384, LAY_KC_F64 = 256 };

#endif
