/* Leave to use the CPU's matrix unit. */
#ifndef LAY_MACHINE_AMX_H
#define LAY_MACHINE_AMX_H

/* Asks the system once for this process, and only here: its signal frames grow by 8 KiB from then on. NULL, or why
 * it refused, as a phrase. Only where the machine's level is LAY_ISA_AMX. */
const char *lay_amx_refusal(void);

#endif
