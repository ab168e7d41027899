/* A product of matrices in host memory through several devices beside one: --devices with --memory. */
#ifndef RUN_SHARED_H
#define RUN_SHARED_H

#include "bench/base/args.h"
#include "task.h"

/* 0, or the exit status after a sentence. */
int run_shared(const args *given, task *of);

#endif
