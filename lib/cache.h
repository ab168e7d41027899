/* Remembered plans, shared by all threads. */
#ifndef LAY_CACHE_H
#define LAY_CACHE_H

#include "plan/plan.h"

/* The plan for these, remembered or made now. The caller holds it until lay_cache_return. The
 * options must be complete. */
typedef struct lay_held lay_held;
lay_status lay_cache_borrow(lay_type type, const lay_desc *a, const lay_desc *b, const lay_desc *c,
                            const lay_options *options, lay_held **held);
const lay_plan *lay_held_plan(const lay_held *held);
void lay_cache_return(lay_held *held);

/* Forgets all plans; those in use go when they are returned. */
void lay_cache_forget(void);

#endif
