/* Remembered plans: each thread has places of its own, which cost a call no lock; behind them are sets for all threads,
 * the plan used longest ago making room. */
#include "blas/plans.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { SETS = 512 /* 2^9 */, WAYS = 4 }; /* 12 KiB a plan: 25 MiB at most */

/* Of complex products that are no larger, the first plan is a hasty one, for so many calls of a thread: most shapes are
 * not met so often, and the whole plan may take longer than they do (bench/LOG.md, section 122). */
enum { MOST_HASTY = 1 << 21, HASTY_CALLS = 16 };

/* A plan and how many hold it: a set is one, each thread's place is one, a batch under way is one. */
typedef struct layblas_held {
    _Atomic int users;
    unsigned generation; /* lay_tuning_generation, before the plan was made */
    int is_hasty;
    layblas_shape shape;
    lay_plan *plan;
} held;

_Thread_local layblas_own *layblas_mine;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static held *sets[SETS][WAYS]; /* the last used first */
static pthread_key_t at_thread_exit;
static int key_exists;

static void drop(held *leaving)
{
    if (!leaving || atomic_fetch_sub_explicit(&leaving->users, 1, memory_order_acq_rel) > 1)
        return;
    lay_plan_destroy(leaving->plan);
    free(leaving);
}

static void retire(void *leaving)
{
    layblas_own *const own = leaving;
    for (int i = 0; i < LAYBLAS_PLACES; i++)
        drop(own->places[i].held);
    free(own);
    layblas_mine = NULL;
}

/* Around a fork, so that the child finds the sets whole and the lock free. */
static void take(void)
{
    pthread_mutex_lock(&lock);
}

static void release(void)
{
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void start(void)
{
    pthread_atfork(take, release, release);
    key_exists = pthread_key_create(&at_thread_exit, retire) == 0;
}

static lay_status make_own(void)
{
    layblas_own *const made = key_exists ? calloc(1, sizeof *made) : NULL;
    if (!made || pthread_setspecific(at_thread_exit, made) != 0) {
        free(made);
        return LAY_ERR_MEMORY;
    }
    layblas_mine = made;
    return LAY_OK;
}

static uint64_t hash(const layblas_shape *of)
{
    const uint64_t one = layblas_hash(of->form, of->m, of->n, of->k, of->step_a, of->step_b, of->step_c);
    return of->form & LAYBLAS_BATCH ? (one ^ (uint64_t)of->count) * 0x9e3779b97f4a7c15u : one;
}

static int is_same(const layblas_shape *x, const layblas_shape *y)
{
    const int64_t differ = (x->form ^ y->form) | (x->m ^ y->m) | (x->n ^ y->n) | (x->k ^ y->k) |
                           (x->step_a ^ y->step_a) | (x->step_b ^ y->step_b) | (x->step_c ^ y->step_c);
    return !differ && (!(x->form & LAYBLAS_BATCH) ||
                       memcmp(&x->count, &y->count, sizeof *x - offsetof(layblas_shape, count)) == 0);
}

static void bring_first(held **set, int way, held *first)
{
    for (; way > 0; way--)
        set[way] = set[way - 1];
    set[0] = first;
}

static int may_be_hasty(const layblas_shape *of)
{
    return (of->form & LAYBLAS_COMPLEX) && !(of->form & LAYBLAS_BATCH) && of->m <= MOST_HASTY && of->n <= MOST_HASTY &&
           of->m * of->n <= MOST_HASTY / (of->k > 0 ? of->k : 1);
}

static held *find(held **set, const layblas_shape *shape, unsigned generation, int takes_hasty)
{
    held *found = NULL;
    take();
    for (int way = 0; way < WAYS && set[way] && !found; way++)
        if (set[way]->generation == generation && (takes_hasty || !set[way]->is_hasty) &&
            is_same(&set[way]->shape, shape)) {
            found = set[way];
            bring_first(set, way, found);
            atomic_fetch_add_explicit(&found->users, 1, memory_order_relaxed);
        }
    release();
    return found;
}

static lay_status make(held **set, const layblas_shape *shape, unsigned generation, int is_hasty, held **out)
{
    held *const made = calloc(1, sizeof *made);
    const lay_status status = made ? layblas_make_plan(shape, is_hasty, &made->plan) : LAY_ERR_MEMORY;
    if (status != LAY_OK) {
        free(made);
        return status;
    }
    made->shape = *shape;
    made->generation = generation;
    made->is_hasty = is_hasty;
    atomic_init(&made->users, 2);
    take();
    held *const oldest = set[WAYS - 1];
    bring_first(set, WAYS - 1, made);
    release();
    drop(oldest);
    *out = made;
    return LAY_OK;
}

lay_status layblas_plan(const layblas_shape *shape, const lay_plan **plan)
{
    const uint64_t number = hash(shape);
    lay_status status = layblas_mine ? LAY_OK : make_own();
    if (status != LAY_OK)
        return status;
    layblas_place *const at = &layblas_mine->places[layblas_place_of(number)];
    const unsigned generation = lay_tuning_generation();
    const int is_here = at->plan && at->generation == generation && is_same(&at->shape, shape);
    const int is_worn = is_here && at->left == 1;
    if (!is_here || is_worn) {
        held **const set = sets[(number ^ number >> 29) * 0x9e3779b97f4a7c15u >> 55]; /* not by the place's bits */
        held *got = find(set, shape, generation, !is_worn);
        if (!got && (status = make(set, shape, generation, !is_worn && may_be_hasty(shape), &got)))
            return status;
        drop(at->held);
        *at = (layblas_place){ .shape = *shape,
                               .plan = got->plan,
                               .generation = generation,
                               .left = got->is_hasty ? HASTY_CALLS : 0,
                               .held = got };
    } else {
        at->left -= at->left > 0;
    }
    *plan = at->plan;
    return LAY_OK;
}

int layblas_was_met(const layblas_shape *of)
{
    if (!layblas_mine && make_own() != LAY_OK)
        return 0;
    const uint64_t number = layblas_hash(of->form, of->m, of->n, of->k, of->step_a, of->step_b, of->step_c);
    uint32_t *const place = &layblas_mine->met[number >> 56 & (LAYBLAS_MET - 1)], sign = (uint32_t)(number >> 16) | 1;
    const int is_same = *place == sign;
    *place = sign;
    return is_same;
}

lay_status layblas_hold(const layblas_shape *shape, const lay_plan **plan, held **out)
{
    const lay_status status = layblas_plan(shape, plan);
    if (status == LAY_OK) {
        *out = layblas_mine->places[layblas_place_of(hash(shape))].held;
        atomic_fetch_add_explicit(&(*out)->users, 1, memory_order_relaxed);
    }
    return status;
}

void layblas_let_go(held *leaving)
{
    drop(leaving);
}
