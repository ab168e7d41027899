/* Locks that a fork finds free. */
#ifndef LAY_BASE_LOCK_H
#define LAY_BASE_LOCK_H

#include <pthread.h>

typedef struct lay_lock {
    pthread_mutex_t mutex;
    struct lay_lock *next;
} lay_lock;

#define LAY_LOCK_INIT                                                                                                  \
    {                                                                                                                  \
        .mutex = PTHREAD_MUTEX_INITIALIZER                                                                             \
    }

/* From now on a fork waits for lock's holder, so that what it guards is whole in the child and lock
 * is free there. Once a lock, from a constructor; nobody may hold two such locks at a time. */
void lay_lock_enlist(lay_lock *lock);

static inline void lay_lock_take(lay_lock *lock)
{
    pthread_mutex_lock(&lock->mutex);
}

static inline void lay_lock_release(lay_lock *lock)
{
    pthread_mutex_unlock(&lock->mutex);
}

#endif
