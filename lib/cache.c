/* Remembered plans: sets of a few for all threads, each with its lock, the one used longest ago making
 * room; and before them each thread's own few, which cost it no lock and no line that others write. */
#include "cache.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "base/log.h"
#include "base/status.h"
#include "layout/desc.h"
#include "plan/options.h"
#include "plan/tuning/store.h"

enum { SETS = 64, WAYS = LAY_CACHE_MOST / SETS, PLACES = 4, USUAL = 4 };

struct lay_held {
    _Atomic int users; /* the sets are one, each place is one */
    uint64_t hash;
    lay_type type;
    lay_options options;
    lay_plan *plan;
};

typedef struct set {
    lay_lock lock;
    lay_held *way[WAYS]; /* the last used first */
} set;

/* How many sets are in use, and plans a set. */
typedef struct shape {
    int sets, ways;
} shape;

static _Atomic int limit = SETS * USUAL;
static _Atomic int alive; /* plans remembered or in use */

static set sets[SETS] = { [0 ... SETS - 1] = { .lock = LAY_LOCK_INIT } };

/* A thread's own. Its plan in use is not in its place meanwhile, so that whoever empties the places
 * takes none from under a product. */
typedef struct owner {
    struct owner *next;
    unsigned generation; /* when it borrowed */
    unsigned emptied;    /* the last one whose forgetter took what the places held; under owners_lock */
    _Atomic(lay_held *) place[PLACES];
} owner;

static lay_lock owners_lock = LAY_LOCK_INIT;
static owner *owners;               /* of all threads */
static _Atomic unsigned generation; /* how often all was forgotten */
static _Thread_local owner *mine;
static pthread_key_t at_thread_exit;
static int key_exists;

static void drop(lay_held *held)
{
    if (!held || atomic_fetch_sub_explicit(&held->users, 1, memory_order_acq_rel) > 1)
        return;
    lay_plan_destroy(held->plan);
    free(held);
    atomic_fetch_sub(&alive, 1);
}

/* All sets as soon as each has its usual ways; below that fewer sets, which serve better than smaller ones. */
static shape find_shape(int plans)
{
    if (plans >= SETS * USUAL)
        return (shape){ SETS, plans / SETS };
    const int ways = plans < USUAL ? plans : USUAL;
    return (shape){ ways ? plans / ways : 0, ways };
}

static void empty_places(owner *of)
{
    for (int i = 0; i < PLACES; i++)
        drop(atomic_exchange(&of->place[i], NULL));
}

static void retire(void *leaving)
{
    lay_lock_take(&owners_lock);
    owner **link = &owners;
    while (*link != leaving)
        link = &(*link)->next;
    *link = (*link)->next;
    lay_lock_release(&owners_lock);
    empty_places(leaving);
    free(leaving);
    mine = NULL;
}

__attribute__((constructor)) static void start(void)
{
    for (int i = 0; i < SETS; i++)
        lay_lock_enlist(&sets[i].lock);
    lay_lock_enlist(&owners_lock);
    key_exists = pthread_key_create(&at_thread_exit, retire) == 0;
}

/* NULL without memory: then the sets serve alone. */
static owner *make_own(void)
{
    owner *made = key_exists ? calloc(1, sizeof *made) : NULL;
    if (!made || pthread_setspecific(at_thread_exit, made) != 0) {
        free(made);
        return NULL;
    }
    lay_lock_take(&owners_lock);
    made->emptied = atomic_load(&generation);
    made->next = owners;
    owners = made;
    lay_lock_release(&owners_lock);
    return mine = made;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u; /* Fibonacci hashing: 2^64 over the golden ratio */
    return hash ^ hash >> 32;
}

static uint64_t hash_call(lay_type type, const lay_desc *a, const lay_desc *b, const lay_desc *c,
                          const lay_options *options)
{
    uint64_t hash = mix(0, (uint64_t)type);
    hash = mix(hash, lay_desc_hash(a));
    hash = mix(hash, lay_desc_hash(b));
    hash = mix(hash, lay_desc_hash(c));
    hash = mix(hash, (uint64_t)options->threads << 32 | (uint64_t)options->isa << 16 | (uint64_t)options->compute << 8 |
                         (uint64_t)options->backend);
    hash = mix(hash, (uint64_t)(uintptr_t)options->stream);
    hash = mix(hash, (uint64_t)(uintptr_t)options->kernel + (uint64_t)(options->device + 1));
    hash = mix(hash, (uint64_t)options->grid_m << 32 | (uint64_t)options->grid_n);
    for (int i = 0; i < options->device_count; i++)
        hash = mix(hash, (uint64_t)options->devices[i]);
    return mix(hash, (uint64_t)options->device_memory + options->alignment);
}

static int has_key(const lay_desc *own, const lay_desc *asked)
{
    size_t own_size, asked_size;
    const void *own_key = lay_desc_key(own, &own_size), *asked_key = lay_desc_key(asked, &asked_size);
    return own_size == asked_size && memcmp(own_key, asked_key, own_size) == 0;
}

static int serves(const lay_held *held, uint64_t hash, lay_type type, const lay_desc *a, const lay_desc *b,
                  const lay_desc *c, const lay_options *options)
{
    return held->hash == hash && held->type == type && held->plan->tuning == lay_store_generation() &&
           lay_options_equal(&held->options, options) && has_key(held->plan->a, a) && has_key(held->plan->b, b) &&
           has_key(held->plan->c, c);
}

/* The way at place becomes the first; others move back by one. */
static void bring_first(set *in, int place, lay_held *held)
{
    for (; place > 0; place--)
        in->way[place] = in->way[place - 1];
    in->way[0] = held;
}

const lay_plan *lay_held_plan(const lay_held *held)
{
    return held->plan;
}

void lay_cache_return(lay_held *held)
{
    if (!mine || atomic_load_explicit(&limit, memory_order_relaxed) == 0) {
        drop(held);
        return;
    }
    _Atomic(lay_held *) *place = &mine->place[held->hash % PLACES];
    drop(atomic_exchange(place, held));
    /* Who forgets counts first and empties places then: either it finds this one or is seen here. */
    if (atomic_load(&generation) != mine->generation)
        drop(atomic_exchange(place, NULL));
}

static lay_held *find(set *in, uint64_t hash, lay_type type, const lay_desc *a, const lay_desc *b, const lay_desc *c,
                      const lay_options *options)
{
    lay_held *found = NULL;
    lay_lock_take(&in->lock);
    for (int place = 0; place < WAYS && in->way[place] && !found; place++)
        if (serves(in->way[place], hash, type, a, b, c, options)) {
            found = in->way[place];
            bring_first(in, place, found);
            atomic_fetch_add_explicit(&found->users, 1, memory_order_relaxed);
        }
    lay_lock_release(&in->lock);
    return found;
}

/* Where a limit changed meanwhile, it is not: it may have forgotten this set before. */
static void remember(set *in, int plans, lay_held *held)
{
    const int ways = find_shape(plans).ways;
    lay_held *oldest = held;
    lay_lock_take(&in->lock);
    if (ways > 0 && atomic_load(&limit) == plans) {
        oldest = in->way[ways - 1];
        bring_first(in, ways - 1, held);
    }
    lay_lock_release(&in->lock);
    if (oldest && oldest != held && lay_log_tells(LAY_LOG_CACHE))
        lay_plan_log_cache(oldest->plan, "evict");
    drop(oldest);
}

static lay_status tell_hit(const lay_held *held)
{
    if (lay_log_tells(LAY_LOG_CACHE))
        lay_plan_log_cache(held->plan, "hit");
    return LAY_OK;
}

lay_status lay_cache_borrow(lay_type type, const lay_desc *a, const lay_desc *b, const lay_desc *c,
                            const lay_options *options, lay_held **held)
{
    if (!a || !b || !c)
        return lay_fail(LAY_ERR_ARGUMENT, "desc_%c is NULL", !a ? 'a' : !b ? 'b' : 'c');
    const uint64_t hash = hash_call(type, a, b, c, options);
    if (mine || make_own()) {
        _Atomic(lay_held *) *place = &mine->place[hash % PLACES];
        mine->generation = atomic_load(&generation);
        if ((*held = atomic_exchange(place, NULL)) && serves(*held, hash, type, a, b, c, options))
            return tell_hit(*held);
        drop(*held);
    }
    const int plans = atomic_load_explicit(&limit, memory_order_relaxed), used = find_shape(plans).sets;
    set *in = &sets[used ? hash / PLACES % (uint64_t)used : 0];
    if ((*held = find(in, hash, type, a, b, c, options)))
        return tell_hit(*held);

    lay_held *made = calloc(1, sizeof *made);
    if (!made)
        return lay_fail(LAY_ERR_MEMORY, "no memory to remember a plan");
    const lay_status status = lay_plan_create(type, a, b, c, options, &made->plan);
    if (status != LAY_OK) {
        free(made);
        return status;
    }
    made->plan->is_remembered = 1;
    made->hash = hash;
    made->type = type;
    made->options = *options;
    made->options.skip = made->plan->options.skip; /* which outlives the call */
    made->options.devices = made->plan->options.devices;
    atomic_init(&made->users, 2); /* the cache and the caller */
    atomic_fetch_add(&alive, 1);
    remember(in, plans, made);
    *held = made;
    return LAY_OK;
}

/* What the places of one more thread hold, for the caller to drop: not here, for plans' memory on a device has a lock
 * of its own. 0: all threads' were taken since then. */
static int take_places(unsigned since, lay_held *gone[PLACES])
{
    lay_lock_take(&owners_lock);
    owner *of = owners;
    while (of && (int)(of->emptied - since) >= 0)
        of = of->next;
    for (int i = 0; i < PLACES && of; i++)
        gone[i] = atomic_exchange(&of->place[i], NULL);
    if (of)
        of->emptied = since;
    lay_lock_release(&owners_lock);
    return of != NULL;
}

__attribute__((destructor)) void lay_cache_forget(void)
{
    lay_held *of_thread[PLACES];
    for (int i = 0; i < SETS; i++) {
        lay_held *gone[WAYS];
        lay_lock_take(&sets[i].lock);
        memcpy(gone, sets[i].way, sizeof gone);
        memset(sets[i].way, 0, sizeof gone);
        lay_lock_release(&sets[i].lock);
        for (int place = 0; place < WAYS; place++)
            drop(gone[place]);
    }
    const unsigned since = atomic_fetch_add(&generation, 1) + 1;
    while (take_places(since, of_thread))
        for (int i = 0; i < PLACES; i++)
            drop(of_thread[i]);
}

void lay_cache_query(int *plans, int *most)
{
    if (plans)
        *plans = atomic_load(&alive);
    if (most)
        *most = atomic_load(&limit);
}

/* First the limit: who remembers by the old one is seen in its set, or sees the new one there. */
lay_status lay_cache_limit(int plans)
{
    if (plans < 0 || plans > LAY_CACHE_MOST)
        return lay_fail(LAY_ERR_ARGUMENT, "plans is %d, not 0 to %d", plans, LAY_CACHE_MOST);
    atomic_store(&limit, plans);
    lay_cache_forget();
    return LAY_OK;
}
