/* Random numbers that are the same everywhere: a seed and a case number name a case for good. */
#ifndef LAY_TESTS_RANDOM_H
#define LAY_TESTS_RANDOM_H

#include <stdint.h>

typedef struct random_source {
    uint64_t state;
} random_source;

/* splitmix64 */
static inline uint64_t random_bits(random_source *from)
{
    uint64_t z = from->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* The source of case number of this seed. */
static inline random_source random_case(uint64_t seed, uint64_t number)
{
    random_source from = { seed * 0xd1342543de82ef95u + number };
    from.state = random_bits(&from);
    return from;
}

/* least .. most */
static inline int64_t random_in(random_source *from, int64_t least, int64_t most)
{
    return least + (int64_t)(random_bits(from) % (uint64_t)(most - least + 1));
}

static inline int random_one_in(random_source *from, int n)
{
    return random_bits(from) % (uint64_t)n == 0;
}

/* 0 .. 1, without 1 */
static inline double random_unit(random_source *from)
{
    return (double)(random_bits(from) >> 11) * 0x1p-53;
}

#define random_of(from, array) ((array)[random_in(from, 0, (int64_t)(sizeof(array) / sizeof(array)[0]) - 1)])

#endif
