/* Kinds of numbers that products in few bits have gone wrong on: two operands, line by line. */
#ifndef NUMBERS_H
#define NUMBERS_H

#include <stdint.h>

typedef enum numbers_kind {
    NUMBERS_UNIFORM,
    NUMBERS_SIGNED,
    NUMBERS_NORMAL,
    NUMBERS_WIDE_10,
    NUMBERS_WIDE_20,
    NUMBERS_WIDE_30,
    NUMBERS_WIDE_45,
    NUMBERS_WIDE_60,
    NUMBERS_TINY_BY_LARGE,
    NUMBERS_DENORMAL_BY_HUGE,
    NUMBERS_DENORMAL_RESULTS,
    NUMBERS_HUGE_BY_SMALL,
    NUMBERS_INTEGERS_16,
    NUMBERS_INTEGERS_2047,
    NUMBERS_CANCELLING,
    NUMBERS_GRADED_LINES,
    NUMBERS_GRADED_20,
    NUMBERS_GRADED_60,
    NUMBERS_ONE_LARGE,
    NUMBERS_COHERENT,
    NUMBERS_SPARSE_SMALL,
    NUMBERS_LONG_RANGE,
    NUMBERS_SMALL_BY_SMALL,
    NUMBERS_NEAR_DENORMAL,
    NUMBERS_ONE_OF_MANY,
    NUMBERS_TWO_OF_MANY,
    NUMBERS_EIGHT_OF_MANY,
    NUMBERS_TIES,
    NUMBERS_POWERS,
    NUMBERS_KINDS
} numbers_kind;

/* "normal", "log-uniform 2^+-30" */
const char *numbers_name(numbers_kind of);

typedef enum numbers_side { NUMBERS_B = -1, NUMBERS_A = 1 } numbers_side;

/* to[lines][k]: rows of A or columns of B, as the kind has them there. */
void numbers_fill(numbers_kind of, numbers_side side, uint64_t seed, int64_t lines, int64_t k, float *to);

#endif
