/* What expands complex numbers at any level, by registers: their signs are bits, and parts change places within pairs.
 * Included after the registers' header; the file that includes this defines WORD, an integer of a real's size. */
#include "cpu_expand.h"

typedef WORD words __attribute__((vector_size(sizeof(vec))));

#if WIDTH == 2
#define SWAPPED(v) __builtin_shufflevector(v, v, 1, 0)
#elif WIDTH == 4
#define SWAPPED(v) __builtin_shufflevector(v, v, 1, 0, 3, 2)
#elif WIDTH == 8
#define SWAPPED(v) __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6)
#else
#define SWAPPED(v) __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14)
#endif

/* Signs to be turned, and the factor: of z's own parts, and of each other's. */
typedef struct turns {
    words conjugated, first, second;
    vec own, other;
} turns;

/* even odd even odd .. */
static inline vec alternate(real even, real odd)
{
    return vec_pair_low(vec_set(even), vec_set(odd));
}

static inline words signs(int even, int odd)
{
    return (words)alternate(even ? -(real)0 : 0, odd ? -(real)0 : 0);
}

static inline turns make_turns(const lay_expansion *of)
{
    const real re = (real)of->factor[0], im = (real)of->factor[1];
    return (turns){ .conjugated = signs(0, of->is_conjugated),
                    .first = signs(of->first_negated[0], of->first_negated[1]),
                    .second = signs(of->second_negated[0], of->second_negated[1]),
                    .own = vec_set(re),
                    .other = alternate(-im, im) };
}

static inline __attribute__((always_inline)) void expand_vector(const turns *by, int has_factor, vec x, vec *first,
                                                                vec *second)
{
    vec z = (vec)((words)x ^ by->conjugated);
    if (has_factor)
        z = vec_add(vec_mul(by->own, z), vec_mul(by->other, SWAPPED(z)));
    *first = (vec)((words)z ^ by->first);
    *second = (vec)(SWAPPED((words)z) ^ by->second);
}

/* count parts of numbers. The last ones are loaded as far as they go: element by element they would wait for each other
 * in memory. */
static inline __attribute__((always_inline)) void expand_segment(const turns *by, int has_factor, const real *from,
                                                                 real *first, real *second, int64_t count)
{
    vec one, two;
    int64_t at = 0;
    for (; at + LANES <= count; at += LANES) {
        expand_vector(by, has_factor, vec_load(from + at), &one, &two);
        vec_store(first + at, one);
        vec_store(second + at, two);
    }
    if (at < count) {
        const lanes some = first_lanes((int)(count - at));
        expand_vector(by, has_factor, vec_load_some(from + at, some), &one, &two);
        vec_store_some(first + at, some, one);
        vec_store_some(second + at, some, two);
    }
}

static void expand(const lay_expansion *of, const void *from, int64_t from_step, void *to, int64_t pitch,
                   int64_t length, int64_t segments)
{
    const turns by = make_turns(of);
    const int64_t next = from_step / (int64_t)sizeof(real), below = pitch / (int64_t)sizeof(real);
    const real *source = from;
    real *target = to;
    for (int64_t i = 0; i < segments; i++, source += next, target += 2 * below)
        if (of->has_factor)
            expand_segment(&by, 1, source, target, target + below, 2 * length);
        else
            expand_segment(&by, 0, source, target, target + below, 2 * length);
}
