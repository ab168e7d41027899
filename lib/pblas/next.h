/* The loaded ScaLAPACK: what of it this library asks, and what it passes on to it. */
#ifndef LAYPBLAS_NEXT_H
#define LAYPBLAS_NEXT_H

/* A function of what the program has loaded behind this library. Ends the process, after a sentence, where there is
 * none: PBLAS has no way to return an error. */
void *laypblas_next(const char *name);

/* Whether the last call of a team has left it lost, or a part of a result written: then nobody can begin anew. */
int laypblas_has_broken(void);

/* Ends all processes of the job, after a sentence: a call has failed half-way. */
_Noreturn void laypblas_give_up(const char *routine, const char *reason);

/* With LAY_VERBOSE a line on stderr: a call is passed on, and why. */
void laypblas_tell(const char *routine, const char *reason);

#endif
