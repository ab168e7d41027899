/* The store: a list behind a lock. Planning asks it once, products only how often it has changed. */
#include "plan/tuning/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "plan/tuning/key.h"

_Atomic unsigned lay_store_changes;

static lay_lock lock = LAY_LOCK_INIT;
static lay_entries all;
static char left_out[LAY_LEFT_OUT];

__attribute__((constructor)) static void start(void)
{
    lay_lock_enlist(&lock);
}

static uint64_t hash_of(const char *key)
{
    return lay_key_hash(key, strlen(key));
}

lay_entry *lay_entries_find(const lay_entries *in, const char *key)
{
    const uint64_t hash = hash_of(key);
    for (int i = 0; i < in->count; i++)
        if (in->entry[i].hash == hash && strcmp(in->entry[i].key, key) == 0)
            return &in->entry[i];
    return NULL;
}

static int grow(lay_entries *to)
{
    enum { FIRST = 16 };
    if (to->count < to->room)
        return 1;
    const int room = to->room ? 2 * to->room : FIRST;
    lay_entry *const entry = realloc(to->entry, (size_t)room * sizeof *entry);
    if (!entry)
        return 0;
    to->entry = entry;
    to->room = room;
    return 1;
}

int lay_entries_put(lay_entries *to, const char *key, const lay_tuning *of)
{
    lay_entry *const there = lay_entries_find(to, key);
    if (there) {
        there->of = *of;
        return 1;
    }
    char *const own = grow(to) ? strdup(key) : NULL;
    if (!own)
        return 0;
    to->entry[to->count++] = (lay_entry){ .hash = hash_of(key), .key = own, .of = *of };
    return 1;
}

void lay_entries_free(lay_entries *of)
{
    for (int i = 0; i < of->count; i++)
        free(of->entry[i].key);
    free(of->entry);
    *of = (lay_entries){ .count = 0 };
}

static int put_all(lay_entries *to, const lay_entries *from)
{
    int is_there = 1;
    for (int i = 0; i < from->count && is_there; i++)
        is_there = lay_entries_put(to, from->entry[i].key, &from->entry[i].of);
    return is_there;
}

int lay_store_find(const char *key, lay_tuning *out)
{
    lay_lock_take(&lock);
    const lay_entry *const found = lay_entries_find(&all, key);
    if (found)
        *out = found->of;
    lay_lock_release(&lock);
    return found != NULL;
}

int lay_store_copy(lay_entries *out)
{
    *out = (lay_entries){ .count = 0 };
    lay_lock_take(&lock);
    const int is_there = put_all(out, &all);
    lay_lock_release(&lock);
    if (!is_there)
        lay_entries_free(out);
    return is_there;
}

/* All or none: the new list is made beside the old one. */
int lay_store_put(const lay_entries *from, const char *reason)
{
    lay_entries made = { .count = 0 };
    lay_lock_take(&lock);
    const int is_there = put_all(&made, &all) && put_all(&made, from);
    if (is_there) {
        const lay_entries before = all;
        all = made;
        made = before;
        if (reason)
            snprintf(left_out, sizeof left_out, "%s", reason);
        atomic_fetch_add(&lay_store_changes, 1);
    }
    lay_lock_release(&lock);
    lay_entries_free(&made);
    return is_there;
}

void lay_store_forget(void)
{
    lay_lock_take(&lock);
    lay_entries gone = all;
    all = (lay_entries){ .count = 0 };
    *left_out = 0;
    atomic_fetch_add(&lay_store_changes, 1);
    lay_lock_release(&lock);
    lay_entries_free(&gone);
}

void lay_store_left_out(char to[LAY_LEFT_OUT])
{
    lay_lock_take(&lock);
    memcpy(to, left_out, sizeof left_out);
    lay_lock_release(&lock);
}

/* Where the library is unloaded, and for those who look for leaks. */
__attribute__((destructor)) static void end(void)
{
    lay_entries_free(&all);
}
