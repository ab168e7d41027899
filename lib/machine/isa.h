/* Detection of the ISA level. */
#ifndef LAY_MACHINE_ISA_H
#define LAY_MACHINE_ISA_H

#include "layoutgemm.h"

/* The levels that CPU, operating system and build have, a bit each (levels.h). *limit says why not another one, as a
 * phrase; "": they have all. */
unsigned lay_isa_find(const char **limit);

#endif
