/* The CPUs this process may use. */
#ifndef LAY_MACHINE_CPUS_H
#define LAY_MACHINE_CPUS_H

/* CPUs in the affinity mask, at least 1. */
int lay_cpus_affinity(void);

/* CPUs that cgroup quotas grant (v2 cpu.max or v1 cfs_quota, the tightest up the tree); 0: no quota. */
double lay_cpus_quota(void);

#endif
