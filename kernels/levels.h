/* ISA levels. Each is a set of capabilities, so that levels of other CPUs stand beside each other. kernels/meson.build
 * lists them. */
#ifndef LAY_KERNELS_LEVELS_H
#define LAY_KERNELS_LEVELS_H

#include <string.h>

#include "layoutgemm.h"
#include "levels_list.h"

/* The levels that a level includes, a bit each. 0: there is no such level. */
static inline unsigned lay_isa_set(lay_isa isa)
{
#define LAY_ISA_SET(name, level, set)                                                                                  \
    case level:                                                                                                        \
        return set;
    switch (isa) {
        LAY_ISA_LEVELS(LAY_ISA_SET)
    default:
        return 0;
    }
#undef LAY_ISA_SET
}

/* Whether a kernel that needs a level may run where there are these: with all that it includes. */
static inline int lay_isa_is_in(unsigned levels, lay_isa needed)
{
    return (lay_isa_set(needed) & ~levels) == 0;
}

static inline int lay_isa_includes(lay_isa there, lay_isa needed)
{
    return lay_isa_is_in(lay_isa_set(there), needed);
}

/* Of these the last one listed. */
static inline lay_isa lay_isa_last(unsigned levels)
{
    lay_isa last = LAY_ISA_C;
#define LAY_ISA_LAST(name, level, set)                                                                                 \
    if (lay_isa_is_in(levels, level))                                                                                  \
        last = level;
    LAY_ISA_LEVELS(LAY_ISA_LAST)
#undef LAY_ISA_LAST
    return last;
}

/* "avx2"; "auto" where there is no such level. */
static inline const char *lay_isa_name(lay_isa isa)
{
#define LAY_ISA_NAME(name, level, set)                                                                                 \
    case level:                                                                                                        \
        return name;
    switch (isa) {
        LAY_ISA_LEVELS(LAY_ISA_NAME)
    default:
        return "auto";
    }
#undef LAY_ISA_NAME
}

/* LAY_ISA_AUTO where no level has that name. */
static inline lay_isa lay_isa_named(const char *name)
{
#define LAY_ISA_NAMED(own, level, set)                                                                                 \
    if (strcmp(name, own) == 0)                                                                                        \
        return level;
    LAY_ISA_LEVELS(LAY_ISA_NAMED)
#undef LAY_ISA_NAMED
    return LAY_ISA_AUTO;
}

#endif
