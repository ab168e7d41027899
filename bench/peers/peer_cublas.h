/* cuBLAS as a peer. */
#ifndef PEER_CUBLAS_H
#define PEER_CUBLAS_H

#include "bench/problems/operand.h"
#include "peers.h"

/* Loads it for the open device and its stream, with a workspace. 0, or the exit status after a sentence. */
int peer_cublas_open(const char *path, peer *out);

/* Its product of three matrices in host memory that a BLAS can read, into the third: copies of the first two to
 * the device, the product there, a copy back. */
typedef struct transfers transfers;
int transfers_create(const operand of[3], const peer *with, transfers **out);
lay_status transfers_run(transfers *self);
void transfers_destroy(transfers *self);

#endif
