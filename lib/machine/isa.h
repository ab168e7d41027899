/* Detection of the ISA level. */
#ifndef LAY_MACHINE_ISA_H
#define LAY_MACHINE_ISA_H

#include "layoutgemm.h"

/* The highest level of CPU and operating system; *limit says why not a higher one. */
lay_isa lay_isa_find(const char **limit);

#endif
