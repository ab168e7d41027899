/* A SIMD row of 16-bit numbers. Included by a row after its level's vec_f32.h and half.h, which have registers of LANES
 * such numbers, and after the row's own widen_lanes and round_lanes. The functions along and across are those of FP32
 * rows, but for the loads of lines. */
#include <assert.h>

#include "cpu_half.h"

static void widen(const uint16_t *from, int64_t step, int64_t count, float *to)
{
    uint16_t some[LANES];
    for (; step == 1 && count >= LANES; count -= LANES, from += LANES, to += LANES)
        vec_store(to, widen_lanes(half_load(from)));
    for (int64_t n; count > 0; count -= n, from += n * step, to += n) {
        n = count < LANES ? count : LANES;
        for (int i = 0; i < LANES; i++)
            some[i] = from[i < n ? i * step : 0];
        vec_store_some(to, first_lanes((int)n), widen_lanes(half_load(some)));
    }
}

/* round is math.h's. */
static void round_all(const float *from, int64_t count, uint16_t *to, int64_t step)
{
    uint16_t some[LANES];
    for (; step == 1 && count >= LANES; count -= LANES, from += LANES, to += LANES)
        half_store(to, round_lanes(vec_load(from)));
    for (int64_t n; count > 0; count -= n, from += n, to += n * step) {
        n = count < LANES ? count : LANES;
        half_store(some, round_lanes(vec_load_some(from, first_lanes((int)n))));
        for (int i = 0; i < n; i++)
            to[i * step] = some[i];
    }
}

typedef uint16_t element;

/* Loads of 16-bit lines wait for their conversions, so that few are under way: what lies further on is asked for, once
 * a cache line. */
static inline void element_ask(const element *from, int64_t p)
{
    enum { AHEAD = 512, LINE_ELEMENTS = 64 / (int)sizeof(element) };
    if (p % LINE_ELEMENTS == 0)
        __builtin_prefetch(from + p + AHEAD, 0, 3);
}

static inline vec element_load(const element *from)
{
    return widen_lanes(half_load(from));
}

static inline vec element_load_some(const element *from, lanes which)
{
    return widen_lanes(half_load_some(from, which));
}

/* What simd/across.h takes from simd/tile.h and simd/sweep.h: registers of a narrow panel, and of rows as they lie. */
enum { NV = 2, NR = NV * LANES, WIDE = 8 };
typedef struct edge {
    int last, is_whole;
    lanes some;
} edge;

#include "cpu/simd/along.h"

#include "cpu/simd/across.h"
