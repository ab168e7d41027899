/* cuTENSOR as a peer. */
#ifndef PEER_CUTENSOR_H
#define PEER_CUTENSOR_H

#include "peers.h"

/* Loads it for the open device. 0, or the exit status after a sentence. */
int peer_cutensor_open(const char *path, peer *out);

#endif
