/* The environment that peers are loaded in. */
#ifndef ENVIRONMENT_H
#define ENVIRONMENT_H

#include "bench/base/args.h"

/* Drops inherited settings that would hold a peer back, sets those of --peer-env, and starts the
 * program again in that environment where anything changed, since OpenMP reads it before main. 0,
 * or the exit status after a sentence. */
int environment_prepare(const args *given, char **argv);

/* What was dropped, as NAME=VALUE NAME=VALUE; "" when nothing was. */
const char *environment_dropped(void);

#endif
