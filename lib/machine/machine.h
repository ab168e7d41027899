/* What this machine and this process's environment offer; found once. */
#ifndef LAY_MACHINE_MACHINE_H
#define LAY_MACHINE_MACHINE_H

#include <stdint.h>

#include "layoutgemm.h"

enum { LAY_LINE = 64, LAY_PAGE = 4096 }; /* bytes of a cache line and of a page of memory */

typedef struct lay_machine {
    unsigned levels;       /* of CPU, operating system and build, a bit each (levels.h) */
    const char *isa_limit; /* why not another one, as a phrase; "": all are there */
    int64_t l1, l2, l3;    /* data cache bytes: L1 and L2 of a core, L3 as shared; guesses where unknown */
    const char *caches_from;
    int64_t memory;            /* bytes; a guess where unknown */
    double ghz;                /* nominal clock, for predictions only */
    int affinity;              /* CPUs in this process's affinity mask */
    const char *affinity_from; /* whose count it is: "the affinity mask", "OpenMP's places" */
    double quota;              /* CPUs the cgroup's quota grants; 0: no quota */
    int cpus;                  /* CPUs this process may use: the smaller, at least 1 */
} lay_machine;

const lay_machine *lay_machine_get(void);

/* Threads and ISA level for a call: the options' wish, then the environment, then the machine.
 * LAY_ERR_OPTION for an environment value that means nothing. why is a phrase. */
typedef struct lay_choice {
    int threads;
    const char *threads_why;
    unsigned levels; /* that may be used */
    lay_isa isa;     /* the last one listed of them */
    const char *isa_why;
} lay_choice;
lay_status lay_machine_choose(int threads, lay_isa isa, lay_choice *choice);

/* NULL, or why a kernel that needs this level may not run, as a phrase. */
const char *lay_machine_refuse(const lay_choice *choice, lay_isa needed);

#endif
