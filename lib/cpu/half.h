/* Runs of 16-bit numbers as FP32 and back. */
#ifndef LAY_CPU_HALF_H
#define LAY_CPU_HALF_H

#include <stdint.h>

#include "layoutgemm.h"

/* to[i] = from[i], exactly. type: LAY_F16 or LAY_BF16. */
void lay_half_widen(lay_type type, const uint16_t from[], int64_t count, float to[]);

/* to[i] = from[i] rounded to nearest, ties to even; too large is infinite, NaN is quiet. */
void lay_half_round(lay_type type, const float from[], int64_t count, uint16_t to[]);

#endif
