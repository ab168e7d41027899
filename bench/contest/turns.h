/* Turns of a contest in host memory, timed by the clock. */
#ifndef TURNS_H
#define TURNS_H

#include "contest.h"

/* A contestant: what it calls has just been checked, and does not fail. */
typedef struct turner {
    lay_status (*call)(const void *self);
    const void *self;
    double known; /* seconds that a call has been seen to take; 0: none has */
} turner;

/* How many calls make a turn of everybody's. */
void turns_count(const terms *under, turner of[], contest *out);

/* A turn of everybody, each round beginning with another; the peak of their arithmetic before it. */
void turns_take(const terms *under, const turner of[], int round, contest *out);

#endif
