/* CUDA calls of the bench programs that leave nothing to do when they fail. */
#ifndef BENCH_CUDA_MUST_H
#define BENCH_CUDA_MUST_H

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#define MUST(call) must(call, #call, __FILE__, __LINE__)

static inline void must(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(error));
    exit(1);
}

#endif
