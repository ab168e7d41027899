/* The next library: the BLAS that computes what is not computed here. */
#ifndef LAYBLAS_NEXT_H
#define LAYBLAS_NEXT_H

/* The address of a name there, NULL with *reason (it stays valid) where it has none or there is no library. */
void *layblas_next_find(const char *name, const char **reason);

/* Fills the slot of a routine that is passed on, for the jumps (jump_*.S), and returns what it holds then. Where there
 * is nothing to fill it with, the process ends with a sentence. */
void *layblas_fill(void **slot);

#endif
