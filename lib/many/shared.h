/* Many runs by threads that share them, each run one thread's, or one after the other. */
#ifndef LAY_MANY_SHARED_H
#define LAY_MANY_SHARED_H

#include "layoutgemm.h"

/* All runs, with the bits that they have one after the other; the groups are right, and all that they need is there. */
lay_status lay_many_run(int64_t count, const lay_runs groups[]);

#endif
