/* One product: its numbers, operands, the call and what is asked of the result. */
#ifndef LAY_TESTS_PRODUCT_TRIAL_H
#define LAY_TESTS_PRODUCT_TRIAL_H

#include "../../oracle.h"
#include "../../random.h"
#include "layouts.h"
#include "operand.h"

typedef enum trial_data {
    TRIAL_INTEGERS, /* integers, exact sums */
    TRIAL_UNIT,     /* 0 .. 1 */
    TRIAL_SIGNED,   /* -1 .. 1 */
    TRIAL_WIDE,     /* magnitudes 2^-10 .. 2^10 */
    TRIAL_GRADED,   /* rows of A grow, rows of B shrink */
    TRIAL_TINY,     /* products near and below the smallest normal number */
    TRIAL_SPECIAL,  /* integers, a few NaN and infinities */
    TRIAL_DATA_KINDS
} trial_data;

typedef struct trial {
    lay_type type;
    int64_t m, n, k;
    double alpha, beta;
    double alpha_i, beta_i; /* imaginary parts: 0 where nothing else is said, and of a real type */
    trial_data data;
    lay_options options;
    double *a, *b, *c; /* the numbers, row-major; of complex ones the parts, side by side */
    operand in_a, in_b, out;
} trial;

/* The matrices of numbers; c is what C holds before. */
void trial_fill(trial *t, random_source *from);

/* The operands in these layouts, which it takes over. C's elements are NaN where beta is 0. */
void trial_place(trial *t, lay_desc *a, lay_desc *b, lay_desc *c, operand_place place, random_source *from);

/* The call: one of the ways the library has, the last ones with an operand packed or both. */
typedef enum trial_way {
    TRIAL_CACHED,
    TRIAL_TYPED,
    TRIAL_PLANNED,
    TRIAL_PACKED_A,
    TRIAL_PACKED_B,
    TRIAL_PACKED_BOTH,
    TRIAL_WAYS
} trial_way;
lay_status trial_run(trial *t, trial_way way);

/* What the oracle is to know of it. */
oracle_problem trial_problem(const trial *t, oracle_gate gate);

/* C's gaps, A and B are as they were. */
int trial_is_kept(const trial *t);

/* 1 when C is right and all else is kept; else the reason in why. */
int trial_is_right(const trial *t, char *why, size_t size);

/* What it was, in one line. */
void trial_story(const trial *t, char *story, size_t size);

/* C's storage as it was when it was placed. */
void trial_restore(trial *t);

/* Operands, then numbers. */
void trial_unplace(trial *t);
void trial_free(trial *t);

/* alpha or beta of a product of the type from a double, to point at. */
typedef union trial_scalar {
    float f32;
    double f64;
    float c32[2];
    double c64[2];
} trial_scalar;
trial_scalar trial_scalar_of(lay_type type, double value);
trial_scalar trial_scalar_of_parts(lay_type type, double re, double im);

/* LAY_TEST_CASES, or TRIAL_CASES: random cases of one program. And usual rounds of something dearer,
 * in proportion to it, a fiftieth at least. */
enum { TRIAL_CASES = 25000 };
int64_t trial_cases(void);
int trial_rounds(int usual);

/* The levels that this machine has and LAY_ISA leaves, LAY_ISA_C first; how many. */
enum { TRIAL_LEVELS = 8 };
int trial_isas(lay_isa isas[TRIAL_LEVELS]);

/* What holds at every ISA level, and its test, whose state is a lay_isa. */
typedef struct trial_promise {
    const char *name;
    void (*test)(void **state);
} trial_promise;

/* Runs all of them at each of this machine's levels, as "avx2: name"; main's result. */
int trial_keep_promises(const char *group, const trial_promise promises[], int count);

/* The CPU's kernels that split operands: the portable model, and the matrix unit's. And the modes they serve, in 3, 2
 * and 1 limbs. */
enum { TRIAL_SPLITTING = 2, TRIAL_SPLIT_MODES = 3 };
extern const char *const trial_splitting[TRIAL_SPLITTING];
extern const lay_compute trial_split_modes[TRIAL_SPLIT_MODES];

/* Whether one of them runs here; else lay_last_error tells why. */
int trial_splits_here(const char *kernel);

#endif
