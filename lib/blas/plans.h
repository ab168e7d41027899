/* Plans for the shapes of a BLAS's calls, remembered. */
#ifndef LAYBLAS_PLANS_H
#define LAYBLAS_PLANS_H

#include <stdint.h>

#include "layoutgemm.h"

/* The type in the lowest two bits of a form, in the order s d c z; and how operands lie. */
enum {
    LAYBLAS_TYPE = 3,
    LAYBLAS_DOUBLE = 1,     /* of the type: d and z */
    LAYBLAS_COMPLEX = 2,    /* c and z */
    LAYBLAS_A_ALONG = 4,    /* elements of op(A) lie side by side along k, else along m */
    LAYBLAS_B_ALONG = 8,    /* of op(B) along k, else along n */
    LAYBLAS_C_BY_ROWS = 16, /* of C along n, else along m */
    LAYBLAS_CONJUGATED_A = 32,
    LAYBLAS_CONJUGATED_B = 64,
    LAYBLAS_VECTORS = 128, /* B and C are vectors, n is 1 */
    LAYBLAS_BATCH = 256,   /* the last four of a shape count; else they are 0 */
    LAYBLAS_NO_FORM = 512, /* an op that there is not: no such shape is ever remembered */
};

/* C is m x n, op(A) m x k, op(B) k x n. A step leads from line to line, a vector's from element to element. */
typedef struct layblas_shape {
    int64_t form, m, n, k, step_a, step_b, step_c;
    int64_t count, stride_a, stride_b, stride_c;
} layblas_shape;

static inline lay_type layblas_type(const layblas_shape *shape)
{
    static const lay_type types[] = { LAY_F32, LAY_F64, LAY_C32, LAY_C64 };
    return types[shape->form & LAYBLAS_TYPE];
}

/* A thread's own plans, a place for each. That a shape is in one says that its arguments are right. */
enum { LAYBLAS_PLACES = 64 };
typedef struct layblas_place {
    layblas_shape shape;
    const lay_plan *plan; /* NULL: none */
    unsigned generation;  /* lay_tuning_generation, before the plan was made */
    int left;             /* calls until a hasty plan is made anew; 0: it is none */
    struct layblas_held *held;
} layblas_place;

/* What a thread has of its own. Of thread-local storage a pointer alone: a library that is loaded late finds little. */
enum { LAYBLAS_MET = 256 };
typedef struct layblas_own {
    layblas_place places[LAYBLAS_PLACES];
    uint32_t met[LAYBLAS_MET]; /* signs of shapes */
} layblas_own;
extern _Thread_local layblas_own *layblas_mine __attribute__((visibility("hidden"))); /* NULL: none yet */

/* Few operations, for small products: extents and steps below 2^21 meet in no bit. */
static inline uint64_t layblas_hash(int64_t form, int64_t m, int64_t n, int64_t k, int64_t step_a, int64_t step_b,
                                    int64_t step_c)
{
    const uint64_t extents = (uint64_t)m ^ (uint64_t)n << 21 ^ (uint64_t)k << 42 ^ (uint64_t)form << 53;
    const uint64_t steps = (uint64_t)step_a ^ (uint64_t)step_b << 21 ^ (uint64_t)step_c << 42;
    return extents * 0x9e3779b97f4a7c15u + steps * 0xc4ceb9fe1a85ec53u;
}

/* Of a hash the upper bits have all of the rest in them. */
static inline unsigned layblas_place_of(uint64_t hash)
{
    return (unsigned)(hash >> 58);
}

/* The plan of a shape without a batch, NULL where this thread has it not at hand. It stays until this thread's next
 * call. */
static inline const lay_plan *layblas_recall(int64_t form, int64_t m, int64_t n, int64_t k, int64_t step_a,
                                             int64_t step_b, int64_t step_c)
{
    if (!layblas_mine)
        return NULL;
    layblas_place *at = &layblas_mine->places[layblas_place_of(layblas_hash(form, m, n, k, step_a, step_b, step_c))];
    const layblas_shape *own = &at->shape;
    const int64_t differ = (own->form ^ form) | (own->m ^ m) | (own->n ^ n) | (own->k ^ k) | (own->step_a ^ step_a) |
                           (own->step_b ^ step_b) | (own->step_c ^ step_c);
    if (differ || at->generation != lay_tuning_generation() || at->left == 1)
        return NULL;
    at->left -= at->left > 0;
    return at->plan;
}

/* The plan of a shape, at hand or not. */
lay_status layblas_plan(const layblas_shape *shape, const lay_plan **plan);

/* Whether this thread has met the shape lately: then it has come to stay, and a plan is worth its price. */
int layblas_was_met(const layblas_shape *shape);

/* The same, to stay until it is let go. */
lay_status layblas_hold(const layblas_shape *shape, const lay_plan **plan, struct layblas_held **held);
void layblas_let_go(struct layblas_held *held);

/* A plan made for a shape, that whoever asks for it has to destroy. Hasty: some ways are not asked. */
lay_status layblas_make_plan(const layblas_shape *shape, int is_hasty, lay_plan **plan);

#endif
