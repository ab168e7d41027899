/* Detection of the ISA level. */
#ifndef LAY_MACHINE_ISA_H
#define LAY_MACHINE_ISA_H

#include "layoutgemm.h"

/* The level of CPU, operating system and build: the last one listed that they have. *limit says why no other one, as a
 * phrase; "": they have all. */
lay_isa lay_isa_find(const char **limit);

#endif
