/* What was measured, by this process or by those that wrote the files it has read: a recipe for each product, for all
 * threads. */
#ifndef LAY_PLAN_TUNING_STORE_H
#define LAY_PLAN_TUNING_STORE_H

#include <stdatomic.h>
#include <stdint.h>

#include "plan/tuning/recipe.h"

enum { LAY_TUNING_FROM = 96 };
typedef struct lay_tuning {
    lay_recipe recipe;
    double seconds, estimate;   /* a run of it, and of what the estimate would have taken */
    char from[LAY_TUNING_FROM]; /* "measured here", "of FILE, line 4" */
} lay_tuning;

typedef struct lay_entry {
    uint64_t hash;
    char *key; /* plan/tuning/key.h */
    lay_tuning of;
} lay_entry;

typedef struct lay_entries {
    lay_entry *entry;
    int count, room;
} lay_entries;

/* NULL: there is none. */
lay_entry *lay_entries_find(const lay_entries *in, const char *key);

/* In place of what has the same key. 0 without memory. */
int lay_entries_put(lay_entries *to, const char *key, const lay_tuning *of);
void lay_entries_free(lay_entries *all);

/* 1, and the one of this key. */
int lay_store_find(const char *key, lay_tuning *out);

/* These go before those that are there, which stay where memory ends (0). left_out: of what was read with them, for
 * explanations; NULL: nothing new. */
int lay_store_put(const lay_entries *from, const char *left_out);
void lay_store_forget(void);

/* All that there are, to be freed. 0 without memory. */
int lay_store_copy(lay_entries *out);

/* What was last left out, as a sentence; "". */
enum { LAY_LEFT_OUT = 320 };
void lay_store_left_out(char to[LAY_LEFT_OUT]);

/* How often the store has changed: plans made before are of another one. Asked by every product. */
extern _Atomic unsigned lay_store_changes;
static inline unsigned lay_store_generation(void)
{
    return atomic_load_explicit(&lay_store_changes, memory_order_acquire);
}

#endif
