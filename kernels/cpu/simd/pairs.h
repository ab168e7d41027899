/* Pairs of numbers, such as the parts of complex ones, put together from two registers and taken apart. Included by a
 * registers' header after its types; WIDTH is the lanes of a register, as a number. */
#if WIDTH == 2
#define LOW  0, 2
#define HIGH 1, 3
#define EVEN 0, 2
#define ODD  1, 3
#elif WIDTH == 4
#define LOW  0, 4, 1, 5
#define HIGH 2, 6, 3, 7
#define EVEN 0, 2, 4, 6
#define ODD  1, 3, 5, 7
#elif WIDTH == 8
#define LOW  0, 8, 1, 9, 2, 10, 3, 11
#define HIGH 4, 12, 5, 13, 6, 14, 7, 15
#define EVEN 0, 2, 4, 6, 8, 10, 12, 14
#define ODD  1, 3, 5, 7, 9, 11, 13, 15
#else
#define LOW  0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define EVEN 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD  1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#endif
#define SHUFFLED(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)

/* x[0] y[0] x[1] y[1] ..: half of the pairs, and the other half. */
static inline vec vec_pair_low(vec x, vec y)
{
    return SHUFFLED(x, y, LOW);
}

static inline vec vec_pair_high(vec x, vec y)
{
    return SHUFFLED(x, y, HIGH);
}

/* What lies first in each pair of x and y, and what lies second. */
static inline vec vec_first_of_pairs(vec x, vec y)
{
    return SHUFFLED(x, y, EVEN);
}

static inline vec vec_second_of_pairs(vec x, vec y)
{
    return SHUFFLED(x, y, ODD);
}
#undef LOW
#undef HIGH
#undef EVEN
#undef ODD
