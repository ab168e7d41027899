/* Fork while threads hold locks: the forking thread takes all of them first, and parent and
 * child each release their own. */
#include "base/lock.h"

static lay_lock *enlisted;

static void take_all(void)
{
    for (lay_lock *lock = enlisted; lock; lock = lock->next)
        lay_lock_take(lock);
}

static void release_all(void)
{
    for (lay_lock *lock = enlisted; lock; lock = lock->next)
        lay_lock_release(lock);
}

void lay_lock_enlist(lay_lock *lock)
{
    if (!enlisted)
        pthread_atfork(take_all, release_all, release_all);
    lock->next = enlisted;
    enlisted = lock;
}
