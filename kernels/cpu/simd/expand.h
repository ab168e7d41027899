/* What expands complex numbers at any level, by vectors: their signs are bits, and parts change places within pairs.
 * The file that includes this defines REAL, WORD (an integer of its size) and LANES, the REALs of a vector. */
#include <string.h>

#include "cpu_expand.h"

enum { VECTOR = LANES * (int)sizeof(REAL) }; /* bytes */
typedef REAL reals __attribute__((vector_size(VECTOR)));
typedef WORD words __attribute__((vector_size(VECTOR)));

#if LANES == 2
#define SWAPPED(v) __builtin_shufflevector(v, v, 1, 0)
#elif LANES == 4
#define SWAPPED(v) __builtin_shufflevector(v, v, 1, 0, 3, 2)
#elif LANES == 8
#define SWAPPED(v) __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6)
#else
#define SWAPPED(v) __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14)
#endif

/* Signs to be turned, and the factor: of z's own parts, and of each other's. */
typedef struct turns {
    words conjugated, first, second;
    reals own, other;
} turns;

static inline turns make_turns(const lay_expansion *of)
{
    const WORD sign = (WORD)1 << (8 * sizeof(WORD) - 1);
    turns made;
    for (int i = 0; i < LANES; i++) {
        const int is_imaginary = i % 2;
        made.conjugated[i] = is_imaginary && of->is_conjugated ? sign : 0;
        made.first[i] = of->first_negated[is_imaginary] ? sign : 0;
        made.second[i] = of->second_negated[is_imaginary] ? sign : 0;
        made.own[i] = (REAL)of->factor[0];
        made.other[i] = (REAL)(is_imaginary ? of->factor[1] : -of->factor[1]);
    }
    return made;
}

static inline __attribute__((always_inline)) void expand_vector(const turns *by, int has_factor, reals x, words *first,
                                                                words *second)
{
    reals z = (reals)((words)x ^ by->conjugated);
    if (has_factor)
        z = by->own * z + by->other * SWAPPED(z);
    *first = (words)z ^ by->first;
    *second = SWAPPED((words)z) ^ by->second;
}

static inline __attribute__((always_inline)) void expand_segment(const turns *by, int has_factor, const char *from,
                                                                 char *first, char *second, int64_t bytes)
{
    reals x = { 0 };
    words one, two;
    int64_t at = 0;
    for (; at + VECTOR <= bytes; at += VECTOR) {
        memcpy(&x, from + at, VECTOR);
        expand_vector(by, has_factor, x, &one, &two);
        memcpy(first + at, &one, VECTOR);
        memcpy(second + at, &two, VECTOR);
    }
    for (; at < bytes; at += 2 * (int64_t)sizeof(REAL)) {
        memcpy(&x, from + at, 2 * sizeof(REAL));
        expand_vector(by, has_factor, x, &one, &two);
        memcpy(first + at, &one, 2 * sizeof(REAL));
        memcpy(second + at, &two, 2 * sizeof(REAL));
    }
}

static void expand(const lay_expansion *of, const void *from, int64_t from_step, void *to, int64_t pitch,
                   int64_t length, int64_t segments)
{
    const turns by = make_turns(of);
    const int64_t bytes = length * 2 * (int64_t)sizeof(REAL);
    const char *source = from;
    char *target = to;
    for (int64_t i = 0; i < segments; i++, source += from_step, target += 2 * pitch)
        if (of->has_factor)
            expand_segment(&by, 1, source, target, target + pitch, bytes);
        else
            expand_segment(&by, 0, source, target, target + pitch, bytes);
}
