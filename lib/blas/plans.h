/* Plans for the shapes of a BLAS's calls, remembered. */
#ifndef LAYBLAS_PLANS_H
#define LAYBLAS_PLANS_H

#include "blas/shape.h"

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

/* The same, to stay until it is let go. */
lay_status layblas_hold(const layblas_shape *shape, const lay_plan **plan, struct layblas_held **held);
void layblas_let_go(struct layblas_held *held);

/* Whether this thread has met the shape lately: then it has come to stay, and a plan is worth its price. */
int layblas_was_met(const layblas_shape *shape);

#endif
