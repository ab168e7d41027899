/* Detection of caches and clock. */
#ifndef LAY_MACHINE_CACHES_H
#define LAY_MACHINE_CACHES_H

#include <stdint.h>

typedef struct lay_caches {
    int64_t l1, l2, l3; /* data bytes */
    const char *from;   /* "sysfs" or "guessed" */
} lay_caches;

void lay_caches_find(lay_caches *caches);

/* Nominal clock in GHz, for predictions only. */
double lay_clock_find(void);

#endif
