/* The CPUs this process may use. */
#ifndef LAY_MACHINE_CPUS_H
#define LAY_MACHINE_CPUS_H

/* CPUs that the affinity masks of this process's threads allow together, at least 1. One thread's own
 * mask says little: the caller may be pinned. Where OpenMP binds threads it has pinned the first one
 * before anybody could look, and only OpenMP knows what there was. *from says whose count it is, as a
 * phrase. */
int lay_cpus_affinity(const char **from);

/* CPUs that cgroup quotas grant (v2 cpu.max or v1 cfs_quota, the tightest up the tree); 0: no quota. */
double lay_cpus_quota(void);

#endif
