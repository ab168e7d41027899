/* Which kernels expand complex numbers. */
#ifndef LAY_STORAGE_EXPAND_H
#define LAY_STORAGE_EXPAND_H

#include "cpu_expand.h"

/* That of the highest level up to isa. type: LAY_C32 or LAY_C64. */
lay_expand_fn *lay_expand_find(lay_type type, lay_isa isa);

#endif
