/* Whether there is memory for what is about to be allocated: asked before, since a system that lends more than it has
 * ends programs instead of refusing them. */
#ifndef MEMORY_H
#define MEMORY_H

/* Bytes that this process may still take: of the machine, with what can be swapped out, or of its control group. */
double memory_there(void);

/* 0, or the exit status after a sentence that says who needs how much of what memory, and what there is. */
int memory_check(const char *who, const char *kind, double needed, double there);
int memory_need(const char *who, double bytes); /* of the host's */

#endif
