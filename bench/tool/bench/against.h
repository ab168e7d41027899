/* The peers that --against names. */
#ifndef AGAINST_H
#define AGAINST_H

#include "task.h"

/* 0, or the exit status after a sentence. */
int open_peers(const args *given, task *out);

/* The second OpenBLAS is "OpenBLAS 2". */
void name_peers_apart(task *in);

#endif
