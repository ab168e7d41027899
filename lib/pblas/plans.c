/* Plans, the one used last in front. All processes of a grid use and keep the same ones in the same order, so that they
 * let go of the same ones. */
#include "pblas/plans.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 16, MOST_BYTES = 512 << 20 };

typedef struct entry {
    laypblas_key key;
    lay_team_plan *plan;
    int64_t bytes;
} entry;

struct laypblas_plans {
    int count;
    entry entry[MOST];
};

/* -1: none. */
static int find_shared(const laypblas_plans *plans, const laypblas_key *key)
{
    for (int i = 0; plans && i < plans->count; i++)
        if (!memcmp(plans->entry[i].key.shared, key->shared, sizeof key->shared))
            return i;
    return -1;
}

static void move_to_front(laypblas_plans *plans, int i)
{
    const entry used = plans->entry[i];
    memmove(plans->entry + 1, plans->entry, (size_t)i * sizeof *plans->entry);
    plans->entry[0] = used;
}

static void drop(laypblas_plans *plans, int i)
{
    lay_team_plan_destroy(plans->entry[i].plan);
    plans->count--;
    memmove(plans->entry + i, plans->entry + i + 1, (size_t)(plans->count - i) * sizeof *plans->entry);
}

lay_team_plan *laypblas_plans_find(laypblas_plans *plans, const laypblas_key *key)
{
    const int i = find_shared(plans, key);
    if (i < 0)
        return NULL;
    move_to_front(plans, i);
    return memcmp(plans->entry[0].key.lead, key->lead, sizeof key->lead) ? NULL : plans->entry[0].plan;
}

laypblas_plans *laypblas_plans_keep(laypblas_plans *plans, const laypblas_key *key, lay_team_plan *plan, int64_t bytes)
{
    if (!plans && !(plans = calloc(1, sizeof *plans))) {
        lay_team_plan_destroy(plan);
        return NULL;
    }
    const int same = find_shared(plans, key);
    if (same >= 0)
        drop(plans, same);
    if (plans->count == MOST)
        drop(plans, MOST - 1);
    plans->entry[plans->count] = (entry){ *key, plan, bytes };
    move_to_front(plans, plans->count++);
    int64_t all = 0;
    for (int i = 0; i < plans->count; i++) {
        all += plans->entry[i].bytes;
        while (i > 0 && all > MOST_BYTES && i < plans->count)
            drop(plans, plans->count - 1);
    }
    return plans;
}

void laypblas_plans_free(laypblas_plans *plans)
{
    while (plans && plans->count > 0)
        drop(plans, plans->count - 1);
    free(plans);
}
